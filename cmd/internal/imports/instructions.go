package imports

import (
	"path/filepath"
	"regexp"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// instructions reads a file of instructions for agents: each item of a list and
// each paragraph is one memory, under the headings that it stands below. What
// setup put there, comments and lines that only pull in other files are left
// out.
func (b *Batch) instructions(path, text string) {
	name := filepath.Base(path)
	_, text = frontMatter(text)
	g := newGrammar()
	text = g.comment.ReplaceAllString(g.block.ReplaceAllString(text, ""), "")
	var headings []string
	for _, p := range g.parts(text) {
		if p.level > 0 {
			headings = append(headings[:min(p.level-1, len(headings))], p.text)
			continue
		}
		if g.pulled.MatchString(p.text) || len(strings.Fields(p.text)) < fewestWords && !strings.Contains(p.text, "`") {
			continue
		}
		under := strings.Join(headings, " / ")
		n := lobes.Note{Topic: topicOf(under), Text: p.text, Tags: []string{"imported"}, References: []string{name}}
		if under != "" {
			n.References = []string{name + " (" + cut(under) + ")"}
		}
		b.add(name, "instructions\x00"+textanalysis.Normalize(p.text), n)
	}
	if len(b.Notes) == 0 {
		b.skip(name, "nothing in it is a memory")
	}
}

// fewestWords is what a part must have to say something by itself.
const fewestWords = 3

// A grammar is what lines of such a file look like. It is made when one is
// read: every start of the program would pay for it otherwise.
type grammar struct{ block, comment, pulled, heading, item *regexp.Regexp }

func newGrammar() grammar {
	return grammar{
		block:   regexp.MustCompile(`(?s)<!-- memory-mcp: begin -->.*?<!-- memory-mcp: end -->`),
		comment: regexp.MustCompile(`(?s)<!--.*?-->`),
		pulled:  regexp.MustCompile(`^@\S+$`),
		heading: regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`),
		item:    regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])\s+(.*)$`),
	}
}

// topicOf guesses the topic from the headings: rules for the work are
// conventions unless they say otherwise.
func topicOf(headings string) string {
	low := strings.ToLower(headings)
	for _, t := range []struct{ topic, words string }{
		{"gotchas", "gotcha pitfall trap caveat known issue watch out beware"},
		{"architecture", "architecture overview structure layout design"},
		{"decisions", "decision"},
		{"preferences", "preference"},
	} {
		for word := range strings.FieldsSeq(t.words) {
			if strings.Contains(low, word) && word != "known" && word != "out" {
				return t.topic
			}
		}
	}
	return "conventions"
}

func cut(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// A part is a heading, an item of a list with what hangs on it, or a paragraph
// with the code that follows.
type part struct {
	level int // of a heading, 0 for text
	text  string
}

// parts divides a text. Code between fences stays whole, with what is before
// it.
func (g grammar) parts(text string) []part {
	var all []part
	var at []string
	fence := ""
	end := func() {
		if s := strings.TrimSpace(strings.Join(at, "\n")); s != "" {
			all = append(all, part{text: s})
		}
		at = nil
	}
	gap := false // an empty line came before
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		if fence != "" {
			at = append(at, line)
			if strings.HasPrefix(bare, fence) {
				fence = ""
			}
			continue
		}
		switch m := g.heading.FindStringSubmatch(bare); {
		case strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~"):
			fence = bare[:3]
			at = append(at, line)
		case m != nil && !strings.HasPrefix(line, "    "):
			end()
			all = append(all, part{len(m[1]), m[2]})
		case bare == "":
			at = append(at, line)
		case g.item.MatchString(line):
			end()
			at = append(at, g.item.FindStringSubmatch(line)[1])
		case gap && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t"):
			end()
			at = append(at, line)
		default:
			at = append(at, line)
		}
		gap = bare == ""
	}
	end()
	return all
}
