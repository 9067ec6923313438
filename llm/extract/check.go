package extract

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A source is material that candidates are held against.
type source struct {
	plain string // white space as single blanks
	lower string
	han   bool // much of it is Chinese
}

func newSource(text string) source {
	plain := joined(text)
	return source{plain: plain, lower: strings.ToLower(plain), han: isHan(plain)}
}

func joined(text string) string { return strings.Join(strings.Fields(text), " ") }

// check brings a candidate into its one form, or tells why it is none.
func (s source) check(c Candidate, role string) (Candidate, string) {
	c.Title, c.Text = joined(c.Title), strings.TrimSpace(c.Text)
	c.Quote = joined(c.Quote)
	c.Tags, c.Conditions = trimmed(c.Tags), trimmed(c.Conditions)
	if !c.shaped() {
		return c, BadShape
	}
	if !strings.Contains(s.plain, c.Quote) {
		return c, NoQuote
	}
	// The title and the conditions are told as well as the text.
	all := strings.Join(append([]string{c.Title, c.Text}, c.Conditions...), "\n")
	for _, name := range names(all) {
		if !strings.Contains(s.lower, strings.ToLower(name)) {
			return c, InventedName
		}
	}
	if s.han != isHan(c.Text) && letters(c.Text) >= tongueFrom {
		return c, OtherTongue
	}
	if c.Scope == "global" && (c.Kind == "episode" || role != "user" || !everywhere(c.Quote)) {
		c.Scope = "project"
	}
	return c, ""
}

func (c Candidate) shaped() bool {
	within := func(text string, most int) bool {
		return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.ContainsRune(text, 0)
	}
	return within(c.Title, maxTitle) && within(c.Text, maxText) && within(c.Quote, maxQuote) &&
		slices.Contains([]string{"fact", "decision", "preference", "episode"}, c.Kind) &&
		slices.Contains([]string{"project", "global"}, c.Scope) &&
		slices.Contains([]string{"reusable", "task_detail"}, c.Durability) &&
		c.Confidence >= 0 && c.Confidence <= 1 && !math.IsNaN(c.Confidence)
}

func trimmed(list []string) []string {
	kept := []string{}
	for _, s := range list {
		if s = joined(s); s != "" && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// namePattern finds what may be an identifier, a path, a command's flag, a
// version or a number.
var namePattern = regexp.MustCompile("`[^`\n]+`|[A-Za-z0-9_$@./:#+\\-]*[A-Za-z0-9_$]")

// names are the words of a text that nobody may have invented: those in
// backticks, with a digit, with a sign within, or with a capital letter within.
func names(text string) []string {
	var found []string
	for _, word := range namePattern.FindAllString(text, -1) {
		quoted := strings.HasPrefix(word, "`")
		word = strings.Trim(word, "`.:,;-+#/")
		if word != "" && (quoted || named(word)) {
			found = append(found, word)
		}
	}
	return found
}

func named(word string) bool {
	if strings.ContainsFunc(word, unicode.IsDigit) || strings.ContainsAny(word, "_$@/") {
		return true
	}
	for i, r := range word {
		switch {
		case i == 0:
		case r == '.' || r == ':':
			return true
		case unicode.IsUpper(r) && word != strings.ToUpper(word) && word[i-1] != '-':
			return true
		}
	}
	return false
}

// tongueFrom is how many letters a text needs to have a language.
const tongueFrom = 12

func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// isHan tells whether a text is Chinese, with names in it or not: a Chinese
// character says about as much as three letters.
func isHan(text string) bool {
	han, other := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsLetter(r):
			other++
		}
	}
	return han > 0 && 3*han >= other
}

// everywherePattern is how a person says that something holds for all projects.
var everywherePattern = regexp.MustCompile(`(?i)\b(all|every|each|any)\b.{0,20}\b(projects?|repos?|repositor(y|ies)|codebases?)\b|` +
	`\b(across|between) (my )?projects\b|\beverywhere\b|\bin general\b|` +
	`\bI (always|never|generally|usually) (want|prefer|use|like|write)\b|` +
	`所有项目|每个项目|任何项目|各个项目|跨项目|所有仓库|每个仓库|无论哪个项目|我(一向|总是|一直|从来|通常)`)

func everywhere(quote string) bool { return everywherePattern.MatchString(quote) }
