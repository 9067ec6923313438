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

// firstHeading is the text of the first heading of any level, "" if there is none.
func firstHeading(body string) string {
	if !strings.ContainsAny(body, "#=-") {
		return ""
	}
	if h := ReadBody(body).Headings; len(h) > 0 {
		return normalTitle(h[0])
	}
	return ""
}
