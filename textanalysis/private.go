package textanalysis

import "strings"

// longestPrivateTag bounds how far back the start of a tag is looked for.
const longestPrivateTag = 200

// DropPrivate leaves out every <private>…</private> block and says how many it
// dropped. Letter case, spaces and attributes in the tags do not matter, blocks
// may be nested, and a block that is never closed reaches to the end: what a
// person meant to keep out is never kept because of a slip. What remains holds
// no opening tag, so dropping twice changes nothing.
func DropPrivate(text string) (kept string, dropped int) {
	if !strings.Contains(text, "<") {
		return text, 0
	}
	out := make([]byte, 0, len(text))
	depth, opened := 0, 0
	for i := range len(text) {
		c := text[i]
		if depth > 0 {
			if c == '<' {
				opened = i
			}
			if c == '>' {
				depth += privateTag(text[opened : i+1])
			}
			continue
		}
		out = append(out, c)
		if c != '>' {
			continue
		}
		from := max(0, len(out)-longestPrivateTag)
		at := strings.LastIndexByte(string(out[from:]), '<')
		if at >= 0 && privateTag(string(out[from+at:])) > 0 {
			out = out[:from+at]
			depth, opened = 1, i
			dropped++
		}
	}
	return string(out), dropped
}

// privateTag is 1 for an opening tag, -1 for a closing one, else 0.
func privateTag(tag string) int {
	if len(tag) < len("<private>") || len(tag) > longestPrivateTag || tag[0] != '<' {
		return 0
	}
	inner := strings.TrimSpace(strings.ToLower(tag[1 : len(tag)-1]))
	name, closing := strings.CutPrefix(inner, "/")
	rest, ok := strings.CutPrefix(strings.TrimSpace(name), "private")
	switch {
	case !ok, rest != "" && !strings.ContainsAny(rest[:1], " \t\r\n"), strings.HasSuffix(rest, "/"):
		return 0
	case closing:
		return -1
	}
	return 1
}
