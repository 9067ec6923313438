package ops

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Manual is the page about all operations, in Markdown.
func Manual() []byte {
	var b bytes.Buffer
	b.WriteString(manualHead)
	for _, o := range All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", o.Name, o.Doc)
		fmt.Fprintf(&b, "Effect: %s. Listed in: %s. Example: `%s`\n\n", o.Effect, o.where(), o.example)
		b.WriteString("| argument | type | meaning |\n|---|---|---|\n")
		for _, p := range o.params {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.name, p.kindWords(), p.meaning())
		}
		if words := o.otherNames(); words != "" {
			fmt.Fprintf(&b, "\nOther names: %s.\n", words)
		}
	}
	return b.Bytes()
}

const manualHead = `# Tools

This page is written by a test from the table of operations; change the table, not the page.

Every argument is optional unless it is marked. Arguments are written in camelCase; snake_case is understood too. A number or
a list may come as text, one value stands for a list of one, texts with commas for a list, null and an empty text for nothing.
Arguments that a tool does not know are ignored. An argument that is marked *quiet* is understood and not in the published
schema, to keep the list of tools short.

Every answer is text within a budget of tokens (` + "`maxTokens`" + `); with ` + "`format: \"json\"`" + ` the same answer is JSON.
`

func (o Op) where() string {
	var profiles []string
	for _, p := range []struct {
		profile Profile
		name    string
	}{{Default, "default"}, {Verbs, "verbs"}, {Full, "full"}} {
		if slices.Contains(o.listed, p.profile) {
			profiles = append(profiles, p.name)
		}
	}
	if o.care {
		profiles = append(profiles, "and wherever a lobe is degraded")
	}
	return strings.Join(profiles, ", ")
}

func (p param) kindWords() string {
	switch {
	case p.kind == kindTexts && p.one:
		return "text or list"
	case p.kind == kindTexts:
		return "list of texts"
	case p.kind == kindObjects:
		return "list of objects"
	case p.kind == kindText:
		return "text"
	case p.kind == kindWhole:
		return "whole number"
	case p.kind == kindSwitch:
		return "true or false"
	}
	return "number"
}

func (p param) meaning() string {
	var parts []string
	if p.must {
		parts = append(parts, "*required*")
	}
	if p.hide {
		parts = append(parts, "*quiet*")
	}
	if len(p.enum) > 0 {
		parts = append(parts, "one of "+strings.Join(p.enum, ", "))
	}
	if p.doc != "" {
		parts = append(parts, p.doc)
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "|", `\|`)
}

// otherNames are the aliases of the operation's arguments.
func (o Op) otherNames() string {
	by := map[string][]string{}
	for _, alias := range sortedKeys(o.aliases) {
		target := o.aliases[alias]
		if _, ok := o.param(target); !ok {
			continue
		}
		if _, own := o.param(alias); !own {
			by[target] = append(by[target], alias)
		}
	}
	var parts []string
	for _, target := range sortedKeys(by) {
		parts = append(parts, fmt.Sprintf("`%s` (%s)", target, strings.Join(by[target], ", ")))
	}
	return strings.Join(parts, "; ")
}
