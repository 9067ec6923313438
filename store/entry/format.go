package entry

import "strings"

// Format writes a new file, in the form with a front matter. [Parse] gives
// [Normal] of e back if [Entry.Check] accepts e.
func (e Entry) Format() []byte {
	e = Normal(e)
	var b strings.Builder
	for _, line := range freshHeader(&e) {
		b.WriteString(line + "\n")
	}
	if e.Title != "" {
		b.WriteString("# " + e.Title + "\n")
		if e.Body != "" {
			b.WriteByte('\n')
		}
	}
	if e.Body != "" {
		b.WriteString(e.Body + "\n")
	}
	return []byte(b.String())
}

// freshHeader is the whole header of e, fences included.
func freshHeader(e *Entry) []string {
	lines := []string{"---"}
	for i := range keys {
		if v := keys[i].get(e); !v.empty() {
			lines = append(lines, keys[i].frontLines(keys[i].name, v)...)
		}
	}
	for _, f := range e.Extra {
		lines = append(lines, f.Lines...)
	}
	return append(lines, "---")
}
