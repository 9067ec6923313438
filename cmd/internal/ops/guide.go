package ops

import (
	"fmt"
	"slices"
	"strings"
)

// guide writes the calls that an answer proposes, so that the reader can make
// them: tools that are listed, or command lines.
type guide struct {
	profile   Profile
	shell     bool
	readOnly  bool
	broken    bool // the lobes are degraded: the tools for that are listed
	generates bool // a model for generation is configured: its tools are listed
}

func (e *Env) guide(broken bool) guide {
	f := e.facts()
	return guide{profile: f.Profile, shell: e.Shell, readOnly: f.ReadOnly, broken: broken, generates: f.Generates}
}

// lists tells whether the reader is offered the tool.
func (g guide) lists(name string) bool {
	offered := Facts{Profile: g.profile, ReadOnly: g.readOnly, Generates: g.generates}.Listed(g.broken)
	return !g.shell && slices.ContainsFunc(offered, func(o Op) bool { return o.Name == name })
}

// arg is one argument of a proposed call.
type arg struct {
	name  string
	value any
}

func call(name string, args ...arg) string {
	parts := make([]string, 0, len(args))
	for _, a := range args {
		parts = append(parts, a.name+": "+argText(a.value))
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func argText(v any) string {
	if l, ok := v.([]string); ok {
		quoted := make([]string, len(l))
		for i, s := range l {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	if s, ok := v.(string); ok {
		return quote(s)
	}
	return fmt.Sprint(v)
}

// line is a command line; each word is quoted for a shell where it must be.
func line(words ...string) string {
	var b strings.Builder
	b.WriteString("memory-mcp")
	for _, w := range words {
		b.WriteString(" " + shellWord(w))
	}
	return b.String()
}

func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// get asks for the full text of one entry.
func (g guide) get(id string) string {
	switch {
	case g.shell:
		return line("show", id)
	case g.profile == Verbs:
		return call("recall", arg{"id", id})
	}
	return call("memory_query", arg{"id", id})
}

// then asks for the full text of one entry as it was; times are asOf, validAt
// and the like.
func (g guide) then(id string, times []arg) string {
	switch {
	case g.shell:
		return line(append([]string{"show", id}, flags(times)...)...)
	case g.profile == Verbs:
		return call("recall", append([]arg{{"id", id}}, times...)...)
	}
	return call("memory_query", append([]arg{{"id", id}}, times...)...)
}

// more asks for the same search again with other arguments.
func (g guide) search(context bool, words string, rest ...arg) string {
	name, param := "memory_query", "filter"
	if context {
		name, param = "memory_context", "context"
	}
	if g.profile == Verbs {
		name, param = "recall", "context"
	}
	if g.shell {
		args := []string{"query"}
		if context {
			args[0] = "context"
		}
		if words != "" {
			args = append(args, words)
		}
		return line(append(args, flags(rest)...)...)
	}
	var args []arg
	if words != "" {
		args = append(args, arg{param, words})
	}
	return call(name, append(args, rest...)...)
}

// flags are arguments as options of a command: maxResults is --max-results.
func flags(args []arg) []string {
	var words []string
	for _, a := range args {
		var b strings.Builder
		for _, r := range a.name {
			if r >= 'A' && r <= 'Z' {
				b.WriteByte('-')
				r += 'a' - 'A'
			}
			b.WriteRune(r)
		}
		value := fmt.Sprint(a.value)
		if l, ok := a.value.([]string); ok {
			value = strings.Join(l, ",")
		}
		words = append(words, "--"+b.String(), value)
	}
	return words
}

// brief asks for the briefing.
func (g guide) brief() string {
	switch {
	case g.shell:
		return line("context")
	case g.profile == Verbs:
		return call("brief")
	}
	return call("memory_context")
}

// store stores a text; topic may be empty.
func (g guide) store(text, topic string, rest ...arg) string {
	switch {
	case g.shell || g.readOnly:
		words := []string{"store", text}
		if topic != "" {
			words = append(words, "--topic", topic)
		}
		return line(append(words, flags(rest)...)...)
	case g.profile == Verbs:
		return g.storeVerb(text, topic, rest)
	}
	args := []arg{{"content", text}}
	if topic != "" {
		args = append(args, arg{"topic", topic})
	}
	return call("memory_store", append(args, rest...)...)
}

func (g guide) storeVerb(text, topic string, rest []arg) string {
	switch topic {
	case "gotchas":
		return call("gotcha", append([]arg{{"observation", text}}, rest...)...)
	case "conventions":
		return call("convention", append([]arg{{"observation", text}}, rest...)...)
	case "preferences":
		return call("prefer", append([]arg{{"rule", text}}, rest...)...)
	}
	args := []arg{{"observation", text}}
	if topic != "" && topic != "general" {
		args = append(args, arg{"topic", topic})
	}
	return call("learn", append(args, rest...)...)
}

// correct changes an entry.
func (g guide) correct(id, action, text string, rest ...arg) string {
	if g.shell || g.readOnly {
		words := []string{"correct", id, action}
		if action == "restore" || action == "undo" {
			words = []string{action, id}
		}
		if text != "" {
			words = append(words, text)
		}
		return line(append(words, flags(rest)...)...)
	}
	name := "memory_correct"
	if g.profile == Verbs {
		name = "fix"
	}
	args := []arg{{"id", id}, {"action", action}}
	if text != "" {
		args = append(args, arg{"correction", text})
	}
	return call(name, append(args, rest...)...)
}

// history asks about the past.
func (g guide) history(action string, args ...arg) string {
	if g.lists("memory_history") {
		return call("memory_history", append([]arg{{"action", action}}, args...)...)
	}
	words := []string{map[string]string{askWhy: "why", askDiff: "diff", askTimeline: "history", askAsOf: "asof"}[action]}
	for i, a := range args {
		if a.name == "id" || action == askAsOf && a.name == "at" {
			words = append(words, fmt.Sprint(a.value))
			args = append(args[:i:i], args[i+1:]...)
			break
		}
	}
	return line(append(words, flags(args)...)...)
}

// forget forgets by grounds.
func (g guide) forget(args ...arg) string {
	if g.lists("memory_correct") {
		return call("memory_correct", args...)
	}
	words := []string{"forget"}
	for _, a := range args {
		switch {
		case a.name == "action" && a.value == "erase":
			words = append(words, "--erase")
		case a.name == "action", a.name == "apply":
		case a.name == "token":
			words = append(words, "--apply", fmt.Sprint(a.value))
		case a.value == true:
			words = append(words, "--"+a.name)
		default:
			words = append(words, flags([]arg{a})...)
		}
	}
	return line(words...)
}

// bootstrap reads the repository.
func (g guide) bootstrap(rest ...arg) string {
	if g.shell || g.readOnly {
		return line("setup")
	}
	return call("memory_bootstrap", rest...)
}

// diagnose asks what is wrong.
func (g guide) diagnose() string {
	if g.shell || g.profile != Full && !g.broken {
		return line("diagnose")
	}
	return call("memory_diagnose")
}

// lobes asks for the lobes.
func (g guide) lobes() string {
	if g.shell || g.profile != Full && !g.broken {
		return line("lobes")
	}
	return call("memory_list_lobes")
}
