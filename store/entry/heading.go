package entry

import "strings"

// ownTitle takes the title out of a body that opens with it, or reads it off
// the body's first heading.
func ownTitle(body string) (title, rest string) {
	line, after := cutLine(body)
	if text, ok := headingText(line); ok {
		return text, normalBody(after)
	}
	return firstHeading(body), body
}

// firstHeading is the text of the first heading of any level in the beginning
// of a body, "" if there is none.
func firstHeading(body string) string {
	body = beginning(body)
	if !mayHaveHeading(body) {
		return ""
	}
	if h := ReadBody(body).Headings; len(h) > 0 {
		return normalTitle(h[0])
	}
	return ""
}

// mayHaveHeading tells whether a line looks like a heading or the line below one.
func mayHaveHeading(body string) bool {
	for line := range strings.SplitSeq(body, "\n") {
		rest := strings.TrimLeft(line, " \t\r\v\f\x00>-+*0123456789.)") // what stands in quotes and lists
		switch {
		case rest == "" && strings.Contains(line, "-"):
			return true
		case rest != "" && (rest[0] == '#' || rest[0] == '='):
			return true
		}
	}
	return false
}

// maxRun is how much of a text is read as one piece of Markdown: the time for it may grow
// with the square of its length.
const maxRun = 16 << 10

// beginning is as much of a text as its title and excerpt are looked for in.
func beginning(s string) string {
	if len(s) <= maxRun {
		return s
	}
	s = cutBytes(s, maxRun)
	if at := strings.LastIndexByte(s, '\n'); at > 0 {
		return s[:at]
	}
	return s
}

// hasLongRun tells whether lines that are not blank follow each other for more
// than a text written for reading has.
func hasLongRun(s string) bool {
	if len(s) <= maxRun {
		return false
	}
	run := 0
	for line := range strings.SplitSeq(s, "\n") {
		if run += len(line); isBlank(line) {
			run = 0
		}
		if run > maxRun {
			return true
		}
	}
	return false
}
