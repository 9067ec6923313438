package entry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is one of the three forms of an entry's file.
type Form int

// The forms of a file. A file keeps the one in which it was found.
const (
	Plain       Form = iota // no header
	FrontMatter             // YAML between "---" lines
	Bullets                 // "- **key**: value" lines below the title
)

func (f Form) String() string {
	return [...]string{"plain", "front matter", "bullets"}[f]
}

const byteOrderMark = "\ufeff"

// block is one key of a header with the lines that belong to it.
type block struct {
	name string
	line int      // number of its first line, from 0
	end  int      // number of the line behind its last
	text []string // its lines, without their ends
}

// layout says where the parts of a file are. Offsets are into the text after
// the byte-order mark; lines are counted from 0.
type layout struct {
	form   Form
	text   string // the file after the byte-order mark
	bom    bool
	blocks []block
	close  int // line of the closing fence
	title  int // line of the title, or -1
	rest   int // offset of what follows the header and the title line
	name   string
	first  int // line number at rest
}

// cutLine takes the first line off s. It ends at "\n" only; carriage returns
// before that belong to the end.
func cutLine(s string) (line, rest string) {
	line = s
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		line, rest = s[:i], s[i+1:]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = strings.TrimRight(line, "\r")
	}
	return line, rest
}

// split finds the parts of a file. It is the only code that knows where they are.
func split(text string) (layout, error) {
	l := layout{text: text, title: -1}
	if rest, ok := strings.CutPrefix(text, byteOrderMark); ok {
		l.text, l.bom = rest, true
	}
	if line, rest := cutLine(l.text); isFence(line) {
		ok, err := l.splitFront(rest)
		if err != nil {
			return layout{}, err
		}
		if ok {
			return l, nil
		}
	}
	l.form, l.blocks = Plain, nil
	l.splitTitle(0, 0)
	if l.title >= 0 {
		l.splitBullets()
	}
	return l, nil
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "---") && strings.Trim(line[3:], " \t") == ""
}

func isClose(line string) bool {
	return isFence(line) || strings.HasPrefix(line, "...") && strings.Trim(line[3:], " \t") == ""
}

// splitFront reads the header below an opening fence. It gives false when the
// fence is a horizontal rule.
func (l *layout) splitFront(rest string) (bool, error) {
	l.form = FrontMatter
	l.blocks = make([]block, 0, 12)
	head := make([]string, 0, 16)
	var stray *SyntaxError // the first line that belongs to no key
	for rest != "" {
		var line string
		line, rest = cutLine(rest)
		n := len(head) + 1
		if isClose(line) {
			if !l.isHeader(head, stray != nil) {
				return false, nil
			}
			l.close = n
			l.fillBlocks(head)
			l.splitTitle(len(l.text)-len(rest), n+1)
			return true, orNil(stray)
		}
		head = append(head, line)
		name, isKey := keyOf(line)
		switch {
		case isKey:
			l.blocks = append(l.blocks, block{name: name, line: n, end: n + 1})
		case isBlank(line) || line[0] == '#': // text under a key is indented, so "#" begins a comment
		case len(l.blocks) > 0:
			l.blocks[len(l.blocks)-1].end = n + 1
		case stray == nil:
			stray = &SyntaxError{Line: n + 1, What: "a line of the header that is no key", Value: line,
				Remedy: `write it as "key: value", or put a "#" before it`}
		}
	}
	if len(head) == 0 {
		return false, nil
	}
	if name, ok := keyOf(head[0]); ok && isWord(name) {
		return false, &SyntaxError{Line: 1, What: "a header that does not close", Value: "---",
			Remedy: `put a line "---" below the last key`}
	}
	return false, nil
}

// fillBlocks gives each key its lines.
func (l *layout) fillBlocks(head []string) {
	for i := range l.blocks {
		b := &l.blocks[i]
		b.text = head[b.line-1 : b.end-1 : b.end-1]
	}
}

// isHeader tells a header from text between two horizontal rules. A header has
// a key that is one word; below a blank line, or a line that is no key, it
// has a key that we know.
func (l *layout) isHeader(head []string, stray bool) bool {
	if len(l.blocks) == 0 {
		return !stray
	}
	stray = stray || isBlank(head[0])
	for _, b := range l.blocks {
		if keyNamed(b.name) != nil || isWord(b.name) && !stray {
			return true
		}
	}
	return false
}

func orNil(e *SyntaxError) error {
	if e == nil {
		return nil
	}
	return e
}

// keyOf reads the key with which a line begins, if it does: a name at the very
// beginning and a colon with a blank or nothing behind it.
func keyOf(line string) (string, bool) {
	if line == "" || strings.IndexByte(" \t-#[]{},&*!|>%@`?:", line[0]) >= 0 {
		return "", false
	}
	if q := line[0]; q == '"' || q == '\'' {
		name, rest, ok := strings.Cut(line[1:], line[:1])
		rest = strings.TrimLeft(rest, " \t")
		if !ok || name == "" || strings.Contains(name, `\`) || rest == "" || rest[0] != ':' || !endsKey(rest[1:]) {
			return "", false
		}
		return name, true
	}
	for at := 0; ; {
		i := strings.IndexByte(line[at:], ':')
		if i < 0 {
			return "", false
		}
		at += i + 1
		if !endsKey(line[at:]) {
			continue
		}
		name := strings.TrimRight(line[:at-1], " \t")
		return name, !strings.Contains(name, " #") && !strings.Contains(name, "\t#")
	}
}

func endsKey(rest string) bool { return rest == "" || rest[0] == ' ' || rest[0] == '\t' }

func isWord(s string) bool {
	for _, r := range s {
		if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

// splitTitle looks for the title line from an offset on. It is the first line
// that is not blank, if that is a heading of level 1.
func (l *layout) splitTitle(offset, n int) {
	l.rest, l.first = offset, n
	rest := l.text[offset:]
	for rest != "" {
		var line string
		line, rest = cutLine(rest)
		if isBlank(line) {
			n++
			continue
		}
		if name, ok := headingText(line); ok {
			l.title, l.name = n, name
			l.rest, l.first = len(l.text)-len(rest), n+1
		}
		return
	}
}

// headingText is the text of a title line: "# " and some words.
func headingText(line string) (string, bool) {
	if len(line) < 3 || line[0] != '#' || line[1] != ' ' && line[1] != '\t' {
		return "", false
	}
	text := normalTitle(line[2:])
	return text, text != ""
}

// splitBullets looks for a run of "- **key**: value" lines below the title. It
// is a header only if it has an id.
func (l *layout) splitBullets() {
	rest, n := l.text[l.rest:], l.first
	hasID := false
	var blocks []block
	for {
		line, after := cutLine(rest)
		name, _, ok := bulletOf(line)
		if !ok && (len(blocks) > 0 || !isBlank(line) || rest == "") {
			break
		}
		if ok {
			blocks = append(blocks, block{name: name, line: n, end: n + 1, text: []string{line}})
			hasID = hasID || name == "id"
		}
		rest = after
		n++
	}
	if hasID {
		l.form, l.blocks = Bullets, blocks
		l.rest, l.first = len(l.text)-len(rest), n
	}
}

// bulletOf takes a line of the form "- **word**: value" apart.
func bulletOf(line string) (name, text string, ok bool) {
	rest, ok := strings.CutPrefix(line, "- **")
	if !ok {
		return "", "", false
	}
	name, text, ok = strings.Cut(rest, "**:")
	if !ok || name == "" {
		return "", "", false
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return "", "", false
		}
	}
	return name, strings.Trim(text, " \t"), true
}
