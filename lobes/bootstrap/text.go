package bootstrap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBody is the longest body in characters.
const maxBody = 1200

// tidy brings a proposal into its final form: no control characters, no more
// than the longest body, nothing nil.
func tidy(p Proposal) Proposal {
	p.Body = clipLines(printable(p.Body), maxBody)
	if p.Sources == nil {
		p.Sources = []string{}
	}
	if p.Tags == nil {
		p.Tags = []string{}
	}
	if p.Kind == "" {
		p.Kind = "fact"
	}
	return p
}

// printable drops what a terminal or a reader could be misled by: control
// characters and those that only steer the direction or hide.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// clip shortens a text to n characters, at a word if there is one near.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	short := string([]rune(s)[:n-1])
	if cut := strings.LastIndexAny(short, " \n"); cut > len(short)*2/3 {
		short = short[:cut]
	}
	return strings.TrimRight(short, " \n,;:") + "…"
}

// clipLines leaves out whole lines at the end, and shortens a single one.
func clipLines(s string, n int) string {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	short := string([]rune(s)[:n-2])
	if cut := strings.LastIndexByte(short, '\n'); cut > len(short)/2 {
		return strings.TrimRight(short[:cut], "\n ") + "\n…"
	}
	return clip(s, n)
}

// oneLine is a text with every run of white space made one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// some lists the first n names and says that there are more.
func some(names []string, n int) string {
	if len(names) > n {
		return strings.Join(names[:n], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

// amount tells how many without a number that is wrong tomorrow.
func amount(n int) string {
	switch {
	case n == 1:
		return "one file"
	case n < 12:
		return "a few files"
	case n < 100:
		return "dozens of files"
	case n < 1000:
		return "hundreds of files"
	}
	return "thousands of files"
}

// firstOf is at most n elements.
func firstOf(names []string, n int) []string { return slices.Clone(names[:min(n, len(names))]) }
