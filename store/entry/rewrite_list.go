package entry

import "strings"

// listItem is one item of a block list, with the comments and blank lines
// above it.
type listItem struct {
	above []string
	line  string
	text  string
}

// blockItems takes a block list apart whose items are one line each.
func (b *block) blockItems() ([]listItem, bool) {
	if s := strings.Trim(afterColon(b.text[0]), " \t"); s != "" && s[0] != '#' {
		return nil, false
	}
	var items []listItem
	var above []string
	for _, line := range b.text[1:] {
		trimmed := strings.TrimLeft(line, " ")
		if isBlank(line) || trimmed[0] == '#' {
			above = append(above, line)
			continue
		}
		v, _, err := decodeYAML([]string{b.text[0], line})
		if err != nil || len(v.list) != 1 || !strings.HasPrefix(trimmed, "- ") {
			return nil, false
		}
		items = append(items, listItem{above, line, normalText(v.list[0])})
		above = nil
	}
	return items, len(items) > 0 && len(above) == 0
}

// blockList writes a changed block list. Items that stay keep their lines, and
// every comment stays; new items are indented as the first old one.
func (b *block) blockList(list []string) ([]string, bool) {
	old, ok := b.blockItems()
	if !ok {
		return nil, false
	}
	indent, _, _ := strings.Cut(old[0].line, "-")
	lines := b.text[:1:1]
	for _, text := range list {
		at := indexItem(old, text)
		if at < 0 {
			lines = append(lines, indent+"- "+yamlText(text, true))
			continue
		}
		for _, item := range old[:at+1] {
			lines = append(lines, item.above...)
		}
		lines = append(lines, old[at].line)
		old = old[at+1:]
	}
	for _, item := range old {
		lines = append(lines, item.above...)
	}
	return lines, true
}

func indexItem(items []listItem, text string) int {
	for i, item := range items {
		if item.text == text {
			return i
		}
	}
	return -1
}
