package entry

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/adrg/frontmatter"
	"gopkg.in/yaml.v3"
)

// decode reads the value of a front matter key. Most are plain words on one
// line, which are read here; the YAML library reads the rest, and says the same
// of plain words. What it refuses on one line is read as the text that
// stands there, since people write "title: a: b" and `C:\Users`.
func (b *block) decode() (value, error) {
	if len(b.text) == 1 {
		if v, ok := simpleValue(afterColon(b.text[0])); ok {
			return v, nil
		}
	}
	v, _, err := decodeYAML(b.text)
	if err == nil || len(b.text) > 1 {
		return v, err
	}
	raw := strings.Trim(afterColon(b.text[0]), " \t")
	if raw == "" || strings.IndexByte("[{|>!&", raw[0]) >= 0 {
		return v, err
	}
	return value{text: unquote(raw)}, nil
}

// unquote takes the quotes off that stand around a text.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// afterColon is what stands behind the key of a key line.
func afterColon(line string) string {
	at := 0
	if q := line[0]; q == '"' || q == '\'' {
		at = 1 + strings.IndexByte(line[1:], q)
	}
	for {
		at += strings.IndexByte(line[at:], ':') + 1
		if endsKey(line[at:]) {
			return line[at:]
		}
	}
}

// simpleValue reads a plain scalar, or a flow list of such, of characters that
// mean nothing to YAML.
func simpleValue(raw string) (value, bool) {
	s := strings.Trim(raw, " \t")
	if s == "" {
		return value{}, true
	}
	if s[0] != '[' {
		return value{text: s}, isPlain(s, false) && !isNull(s)
	}
	if s[len(s)-1] != ']' {
		return value{}, false
	}
	s = strings.Trim(s[1:len(s)-1], " ")
	v := value{isList: true}
	if s == "" {
		return v, true
	}
	v.list = make([]string, 0, 1+strings.Count(s, ","))
	for item := range strings.SplitSeq(s, ",") {
		item = strings.Trim(item, " ")
		if !isPlain(item, true) || isNull(item) {
			return value{}, false
		}
		v.list = append(v.list, item)
	}
	return v, true
}

// isPlain tells whether YAML reads s, unquoted, as the text s.
func isPlain(s string, inList bool) bool {
	if s == "" || !startsPlain(s[0]) || s[len(s)-1] == ' ' {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x80:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !printable(r) {
				return false
			}
			i += n - 1
		case c < ' ' || c == 0x7f:
			return false
		case c == ':' && (inList || i+1 == len(s) || s[i+1] == ' '):
			return false
		case c == '#' && i > 0 && s[i-1] == ' ':
			return false
		case inList && strings.IndexByte("[]{},?\"'", c) >= 0:
			return false
		}
	}
	return true
}

func startsPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 ||
		c == '/' || c == '_' || c == '('
}

func isNull(s string) bool {
	switch s {
	case "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// printable tells whether a YAML text may hold r without it ending the line.
// Line ends other than LF are text to us.
func printable(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || ' ' <= r && r <= '~':
		return true
	case r == '\u2028' || r == '\u2029' || r == '\ufeff':
		return false
	}
	return 0xa0 <= r && r <= 0xd7ff || 0xe000 <= r && r <= 0xfffd || r >= 0x10000
}

// decodeYAML reads one key by the YAML library, and gives the comment that
// stands behind its value.
func decodeYAML(lines []string) (value, string, error) {
	text, unshield := shield(strings.Join(lines, "\n"))
	node, err := yamlNode(text)
	if err != nil {
		return value{}, "", err
	}
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		return value{}, "", errors.New("not one key and its value")
	}
	v, err := valueOf(node.Content[1], unshield)
	return v, unshield(commentOf(node)), err
}

func yamlNode(text string) (*yaml.Node, error) {
	fence := "---"
	for strings.Contains(text, fence) {
		fence += "-"
	}
	var doc yaml.Node
	format := frontmatter.NewFormat(fence, fence, yaml.Unmarshal)
	_, err := frontmatter.Parse(strings.NewReader(fence+"\n"+text+"\n"+fence+"\n"), &doc, format)
	if err != nil {
		return nil, fmt.Errorf("read YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) != 1 {
		return nil, errors.New("read YAML: empty")
	}
	return doc.Content[0], nil
}

func commentOf(n *yaml.Node) string {
	if c := n.Content[1].LineComment; c != "" {
		return c
	}
	return n.Content[0].LineComment
}

func valueOf(n *yaml.Node, unshield func(string) string) (value, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return value{text: scalarOf(n, unshield)}, nil
	case yaml.SequenceNode:
		v := value{isList: true}
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return value{}, errors.New("a list that holds more than texts")
			}
			v.list = append(v.list, scalarOf(item, unshield))
		}
		return v, nil
	}
	return value{}, errors.New("neither a text nor a list")
}

// scalarOf is the text as it was written; an unquoted null is no text.
func scalarOf(n *yaml.Node, unshield func(string) string) string {
	if n.Style == 0 && isNull(n.Value) {
		return ""
	}
	return unshield(n.Value)
}

// shield replaces the characters that YAML forbids, or takes for line ends, by
// private ones that do not occur in s, and gives the way back.
func shield(s string) (string, func(string) string) {
	if strings.IndexFunc(s, func(r rune) bool { return !printable(r) }) < 0 {
		return s, func(s string) string { return s }
	}
	there := map[rune]rune{}
	back := map[rune]rune{}
	next := rune(0xf0000)
	out := strings.Map(func(r rune) rune {
		if printable(r) {
			return r
		}
		if _, ok := there[r]; !ok {
			for next++; strings.ContainsRune(s, next); next++ {
				continue
			}
			there[r], back[next] = next, r
		}
		return there[r]
	}, s)
	return out, func(s string) string {
		return strings.Map(func(r rune) rune {
			if b, ok := back[r]; ok {
				return b
			}
			return r
		}, s)
	}
}
