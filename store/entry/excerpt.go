package entry

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Excerpt is the first prose of a Markdown text, on one line without marks, in
// at most limit characters. It is cut between words where there are any,
// and never inside of what a reader sees as one character; what was cut ends
// in "…". Code speaks only when there is no prose. It is taken from the text's
// first 16 KiB.
func Excerpt(body string, limit int) string {
	if limit <= 0 {
		return ""
	}
	r := bodyReader{src: []byte(beginning(body))}
	doc := parseMarkdown(r.src)
	var b strings.Builder
	for n := doc.FirstChild(); n != nil && b.Len() <= limit*utf8.UTFMax; n = n.NextSibling() {
		if !isProse(n) {
			continue
		}
		r.text.Reset()
		r.block(n)
		b.WriteString(r.text.String())
	}
	prose := oneLine(b.String())
	if prose == "" {
		r.text.Reset()
		r.blocks(doc)
		prose = oneLine(r.text.String())
	}
	return cutWords(prose, limit)
}

func isProse(n ast.Node) bool {
	switch n.(type) {
	case *ast.Heading, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *ast.ThematicBreak, *extast.Table:
		return false
	}
	return true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cutWords cuts s to at most limit characters, the ellipsis among them.
func cutWords(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	used, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += utf8.RuneCountInString(cluster); used > limit-1 {
			break
		}
		end += len(cluster)
	}
	cut := s[:end]
	next, _ := utf8.DecodeRuneInString(s[end:])
	if at := strings.LastIndexByte(cut, ' '); !unicode.IsSpace(next) && at >= len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
