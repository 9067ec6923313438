package entry

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Outline is what a Markdown text holds, without its marks.
type Outline struct {
	Headings []string // of every level, in order
	Links    []Link
	Code     []string // code spans
	Fences   []Fence  // code blocks, fenced and indented
	Text     string   // everything that is read, code too; blocks end in "\n"
}

// Link is a link or an image.
type Link struct{ Text, Target string }

// Fence is a block of code. Lang is the first word behind the fence.
type Fence struct{ Lang, Text string }

var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

// ReadBody reads a Markdown text. One with a paragraph, table or block of code
// over 16 KiB is not read as Markdown: all of it is Text.
func ReadBody(md string) Outline {
	if hasLongRun(md) {
		return Outline{Text: strings.TrimRight(md, "\n")}
	}
	r := bodyReader{src: []byte(md)}
	r.blocks(parseMarkdown(r.src))
	r.out.Text = strings.TrimRight(r.text.String(), "\n")
	return r.out
}

func parseMarkdown(src []byte) ast.Node { return markdown().Parse(text.NewReader(src)) }

type bodyReader struct {
	src  []byte
	out  Outline
	text strings.Builder
}

// blocks reads the block nodes below n.
func (r *bodyReader) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.block(c)
	}
}

func (r *bodyReader) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		s := strings.TrimSpace(r.inline(n))
		r.out.Headings = append(r.out.Headings, s)
		r.line(s)
	case *ast.FencedCodeBlock:
		r.fence(string(n.Language(r.src)), n.Lines())
	case *ast.CodeBlock:
		r.fence("", n.Lines())
	case *ast.HTMLBlock:
		s := string(n.Lines().Value(r.src))
		if n.HasClosure() {
			s += string(n.ClosureLine.Value(r.src))
		}
		r.line(strings.TrimSpace(stripTags(s)))
	case *ast.Paragraph, *ast.TextBlock:
		r.line(r.inline(n))
	case *extast.TableRow, *extast.TableHeader:
		var cells []string
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, r.inline(c))
		}
		r.line(strings.Join(cells, " "))
	default:
		r.blocks(n)
	}
}

func (r *bodyReader) line(s string) {
	if s != "" {
		r.text.WriteString(s + "\n")
	}
}

func (r *bodyReader) fence(lang string, lines *text.Segments) {
	s := strings.TrimSuffix(string(lines.Value(r.src)), "\n")
	r.out.Fences = append(r.out.Fences, Fence{lang, s})
	r.line(s)
}

// inline gives the text below n.
func (r *bodyReader) inline(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.span(&b, c)
	}
	return b.String()
}

func (r *bodyReader) span(b *strings.Builder, n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		b.WriteString(plainText(n, r.src))
		switch {
		case n.HardLineBreak():
			b.WriteByte('\n')
		case n.SoftLineBreak():
			b.WriteByte(' ')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.CodeSpan:
		s := r.inline(n)
		r.out.Code = append(r.out.Code, s)
		b.WriteString(s)
	case *ast.Link:
		r.link(b, n, n.Destination)
	case *ast.Image:
		r.link(b, n, n.Destination)
	case *ast.AutoLink:
		s := string(n.Label(r.src))
		r.out.Links = append(r.out.Links, Link{s, string(n.URL(r.src))})
		b.WriteString(s)
	case *ast.RawHTML:
		// Tags and comments are marks, not text.
	default:
		b.WriteString(r.inline(n))
	}
}

func (r *bodyReader) link(b *strings.Builder, n ast.Node, target []byte) {
	s := r.inline(n)
	r.out.Links = append(r.out.Links, Link{s, string(target)})
	b.WriteString(s)
}

func plainText(n *ast.Text, src []byte) string {
	v := n.Segment.Value(src)
	if !n.IsRaw() && bytes.ContainsAny(v, `\&`) {
		v = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(v)))
	}
	return string(v)
}

// stripTags takes comments and tags out of a block of HTML.
func stripTags(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "<")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		end := ">"
		if strings.HasPrefix(rest, "!--") {
			rest, end = rest[3:], "-->"
		}
		_, s, _ = strings.Cut(rest, end)
	}
}
