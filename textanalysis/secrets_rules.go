package textanalysis

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// SecretRulesVersion names the set of rules that [MaskSecrets] applies. It
// changes whenever a rule is added, changed or dropped, so that a store can
// tell which texts an older set has seen.
const SecretRulesVersion = "gitleaks-8.30.1+own-1"

//go:embed secrets_gitleaks.toml
var gitleaksRules string

// A secretRule recognises one kind of secret. A text that holds none of its
// keywords (lower-case ASCII) cannot match, and its expression is only
// compiled when a keyword has been seen.
type secretRule struct {
	id       string
	kind     string
	keywords []string
	entropy  float64
	group    int
	reach    secretReach // nil where keywords are rare
	compile  func() secretExpr
	allow    []secretAllow
	judge    func(value string) bool
}

// A secretExpr is a compiled expression and the length in bytes that no match
// of it exceeds; zero when matches have no bound.
type secretExpr struct {
	re      *regexp.Regexp
	longest int
}

// A secretAllow names values, matches or lines that look like a secret and are none.
type secretAllow struct {
	target    string
	regexes   []func() *regexp.Regexp
	stopwords []string
}

// A secretSet is every rule with the table that finds their keywords.
type secretSet struct {
	rules []secretRule
	allow secretAllow
	words *secretKeywords
}

// loadSecretRules makes the set once, when the first text is looked at.
var loadSecretRules = sync.OnceValue(func() *secretSet {
	global, rules, err := readGitleaks(gitleaksRules)
	if err != nil {
		panic(fmt.Sprintf("embedded secret rules: %v", err))
	}
	generic := slices.IndexFunc(rules, func(r secretRule) bool { return r.id == "generic-api-key" })
	wide := append(wideSecretRules(), rules[generic])
	set := &secretSet{rules: slices.Concat(preciseSecretRules(), slices.Delete(rules, generic, generic+1), wide), allow: global}
	words := make([][]string, len(set.rules))
	for i := range set.rules {
		rule := &set.rules[i]
		words[i], rule.reach = rule.keywords, reachOf(rule.id)
	}
	set.words = newSecretKeywords(words)
	return set
})

// readGitleaks reads the form in which gitleaks generates its rules: one key a
// line, lists over several lines. It is strict: a line that it does not know is
// an error, so a newer file that says more cannot be half understood in silence.
func readGitleaks(text string) (secretAllow, []secretRule, error) {
	r := gitleaksReader{lines: strings.Split(text, "\n")}
	for r.next < len(r.lines) {
		if err := r.line(); err != nil {
			return secretAllow{}, nil, err
		}
	}
	r.closeRule()
	return r.global.allow(), r.rules, nil
}

type gitleaksReader struct {
	lines  []string
	next   int
	rule   gitleaksRule
	global gitleaksAllow
	allow  *gitleaksAllow
	rules  []secretRule
}

type gitleaksRule struct {
	id, regex string
	hasPath   bool
	keywords  []string
	entropy   float64
	group     int
	allows    []*gitleaksAllow
}

type gitleaksAllow struct {
	condition, target                  string
	paths, commits, regexes, stopwords []string
}

func (r *gitleaksReader) line() error {
	line := strings.TrimSpace(r.lines[r.next])
	r.next++
	switch {
	case line == "", line[0] == '#':
		return nil
	case line == "[allowlist]":
		r.allow = &r.global
		return nil
	case line == "[[rules]]":
		r.closeRule()
		return nil
	case line == "[[rules.allowlists]]":
		r.allow = &gitleaksAllow{}
		r.rule.allows = append(r.rule.allows, r.allow)
		return nil
	}
	key, raw, ok := strings.Cut(line, " = ")
	if !ok {
		return fmt.Errorf("line %d: %q is no key and value", r.next, line)
	}
	values, err := r.values(raw)
	if err != nil {
		return err
	}
	if r.allow != nil {
		return r.setAllow(key, values)
	}
	return r.setRule(key, values)
}

// values reads one value, or a list that may go on over the following lines.
func (r *gitleaksReader) values(raw string) ([]string, error) {
	inner, isList := strings.CutPrefix(raw, "[")
	if !isList {
		value, rest, err := r.value(raw)
		if err == nil && strings.TrimSpace(rest) != "" {
			err = fmt.Errorf("line %d: %q follows a value", r.next, rest)
		}
		return []string{value}, err
	}
	var values []string
	for {
		inner = strings.TrimLeft(inner, " ,\t")
		switch {
		case strings.HasPrefix(inner, "]"):
			return values, nil
		case inner == "" || inner[0] == '#':
			if r.next == len(r.lines) {
				return nil, fmt.Errorf("line %d: list without an end", r.next)
			}
			inner = strings.TrimSpace(r.lines[r.next])
			r.next++
			continue
		}
		value, rest, err := r.value(inner)
		if err != nil {
			return nil, err
		}
		values, inner = append(values, value), rest
	}
}

// value reads one text or number and gives what follows it.
func (r *gitleaksReader) value(raw string) (value, rest string, err error) {
	if body, ok := strings.CutPrefix(raw, "'''"); ok {
		if value, rest, ok = strings.Cut(body, "'''"); ok {
			return value, rest, nil
		}
		return "", "", fmt.Errorf("line %d: text without an end", r.next)
	}
	if strings.HasPrefix(raw, `"`) {
		quoted, err := strconv.QuotedPrefix(raw)
		if err != nil {
			return "", "", fmt.Errorf("line %d: %q: %w", r.next, raw, err)
		}
		value, err = strconv.Unquote(quoted)
		return value, raw[len(quoted):], err
	}
	if raw != "" && raw[0] >= '0' && raw[0] <= '9' {
		return raw, "", nil
	}
	return "", "", fmt.Errorf("line %d: %q is no value", r.next, raw)
}

func (r *gitleaksReader) setAllow(key string, values []string) error {
	a := r.allow
	switch key {
	case "description":
	case "condition":
		a.condition = values[0]
	case "regexTarget":
		a.target = values[0]
	case "paths":
		a.paths = values
	case "commits":
		a.commits = values
	case "regexes":
		a.regexes = values
	case "stopwords":
		a.stopwords = values
	default:
		return fmt.Errorf("line %d: unknown key %q in an allowlist", r.next, key)
	}
	return nil
}

func (r *gitleaksReader) setRule(key string, values []string) (err error) {
	switch key {
	case "title", "minVersion", "description":
	case "id":
		r.rule.id = values[0]
	case "regex":
		r.rule.regex = values[0]
	case "path":
		r.rule.hasPath = true
	case "keywords":
		r.rule.keywords = values
	case "entropy":
		r.rule.entropy, err = strconv.ParseFloat(values[0], 64)
	case "secretGroup":
		r.rule.group, err = strconv.Atoi(values[0])
	default:
		err = fmt.Errorf("line %d: unknown key %q in a rule", r.next, key)
	}
	return err
}

// closeRule adds the rule that was read. Rules that speak about a file's path
// are left out: a memory's text has none.
func (r *gitleaksReader) closeRule() {
	g := r.rule
	r.rule, r.allow = gitleaksRule{}, nil
	if g.regex == "" || g.hasPath || len(g.keywords) == 0 {
		return
	}
	rule := secretRule{id: g.id, kind: secretKind(g.id), keywords: g.keywords, entropy: g.entropy, group: g.group}
	rule.compile = lazyExpr(g.regex)
	rule.judge = ruleJudge(g.id)
	for _, a := range g.allows {
		if a.condition != "AND" || len(a.paths) == 0 {
			rule.allow = append(rule.allow, a.allow())
		}
	}
	r.rules = append(r.rules, rule)
}

func (a gitleaksAllow) allow() secretAllow {
	out := secretAllow{target: a.target, stopwords: a.stopwords}
	for _, expr := range a.regexes {
		out.regexes = append(out.regexes, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }))
	}
	return out
}

// secretKind is what a person reads in the mark: the rule's name in words.
func secretKind(id string) string {
	switch id {
	case "aws-access-token":
		return "aws access key"
	case "generic-api-key":
		return "secret value"
	case "jwt", "jwt-base64":
		return "json web token"
	}
	return strings.ReplaceAll(id, "-", " ")
}
