package entry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// frontLines writes a key and its value as lines of a front matter.
func (k *key) frontLines(name string, v value) []string {
	switch {
	case v.isList:
		items := make([]string, len(v.list))
		for i, item := range v.list {
			items[i] = yamlText(item, true)
		}
		return []string{name + ": [" + strings.Join(items, ", ") + "]"}
	case !k.free():
		return []string{name + ": " + v.text}
	case strings.Contains(v.text, "\n") && fitsBlock(v.text):
		lines := []string{name + ": |-"}
		for line := range strings.SplitSeq(v.text, "\n") {
			if line != "" {
				line = "  " + line
			}
			lines = append(lines, line)
		}
		return lines
	}
	return []string{name + ": " + yamlText(v.text, false)}
}

// free tells whether a key's text can be anything.
func (k *key) free() bool {
	_, isText := k.field(new(Entry)).(*string)
	return isText && k.word == nil || k.name == "id" || k.name == "topic"
}

// fitsBlock tells whether a text without blanks around it can stand as it is
// in a YAML block.
func fitsBlock(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !printable(r) }) < 0
}

// yamlText writes a text on one line of YAML, quoted when it would not be
// read as that text, or not as a text at all, by any reader.
func yamlText(s string, inList bool) string {
	if isPlain(s, inList) && !otherType(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case printable(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// otherType tells whether some reader of YAML may take a plain text for a
// number, a truth value, a time or nothing.
func otherType(s string) bool {
	switch strings.ToLower(s) {
	case "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return '0' <= s[0] && s[0] <= '9' && strings.Trim(s, "0123456789abcdefABCDEFoOxX.,+-_:TtZz ") == ""
}

// bulletLine writes a key of a bullet header.
func bulletLine(name string, v value) string {
	text := v.text
	if v.isList {
		text = joinCommas(v.list)
	} else if needsQuotes(text) {
		text = jsonText(text)
	}
	return "- **" + name + "**: " + text
}

func needsQuotes(s string) bool {
	return strings.HasPrefix(s, `"`) || strings.ContainsAny(s, "\n\r")
}

// bulletValue reads the text behind a bullet key.
func bulletValue(text string) value {
	var s string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &s) == nil {
		text = s
	}
	return value{text: text}
}

// joinCommas writes a list as one text that [splitCommas] takes apart again.
func joinCommas(list []string) string {
	items := make([]string, len(list))
	for i, item := range list {
		if strings.Contains(item, ",") || needsQuotes(item) {
			item = jsonText(item)
		}
		items[i] = item
	}
	return strings.Join(items, ", ")
}

// splitCommas takes a comma-separated list apart. An item that holds a comma
// stands in double quotes, as a JSON string.
func splitCommas(s string) []string {
	var out []string
	for s != "" {
		s = strings.TrimLeft(s, " \t")
		item, rest, ok := quotedItem(s)
		if !ok {
			item, rest, _ = strings.Cut(s, ",")
			item = strings.TrimRight(item, " \t")
		}
		out, s = append(out, item), rest
	}
	return out
}

func quotedItem(s string) (item, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if s[i] != '"' {
			continue
		}
		rest = strings.TrimLeft(s[i+1:], " \t")
		if rest != "" && rest[0] != ',' || json.Unmarshal([]byte(s[:i+1]), &item) != nil {
			return "", "", false
		}
		return item, strings.TrimPrefix(rest, ","), true
	}
	return "", "", false
}

// check tells whether the lines of an unknown key can stand in a header.
func (f Field) check() error {
	fail := func(why string) error { return &KeyError{Key: f.Key, Cause: errors.New(why)} }
	if len(f.Lines) == 0 {
		return fail("it has no lines")
	}
	if name, ok := keyOf(f.Lines[0]); !ok || name != f.Key {
		return fail("its first line does not begin with it")
	}
	if keyNamed(f.Key) != nil {
		return fail("it is a key with a field of its own")
	}
	for i, line := range f.Lines {
		_, isKey := keyOf(line)
		switch {
		case !utf8.ValidString(line) || strings.Contains(line, "\n") || strings.HasSuffix(line, "\r"):
			return fail("a line that is not one line of UTF-8")
		case i > 0 && (isKey || isClose(line)):
			return fail("a line that would not belong to it")
		}
	}
	if last := f.Lines[len(f.Lines)-1]; len(f.Lines) > 1 && (isBlank(last) || last[0] == '#') {
		return fail("a last line that would not belong to it")
	}
	return nil
}
