package bootstrap

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// maxSummary is the length that the first paragraphs are gathered up to.
const maxSummary = 700

// readme proposes the first paragraphs that say what the project is.
func readme(p *project) []Proposal {
	for _, name := range readmes(p) {
		raw := p.read(name)
		var paragraphs []string
		switch path.Ext(strings.ToLower(name)) {
		case ".md", ".markdown", ".mdown":
			paragraphs = markdownParagraphs([]byte(raw))
		default:
			paragraphs = plainParagraphs(raw)
		}
		if body := gather(paragraphs); body != "" {
			return []Proposal{{Topic: "architecture", Title: "README summary", Body: body, Sources: []string{name}, Tags: []string{"readme"}}}
		}
	}
	return nil
}

// readmes lists the candidates, the plainest name first.
func readmes(p *project) []string {
	found := p.match("readme", "readme.md", "readme.markdown", "readme.rst", "readme.txt", "readme.adoc", "readme.org", "readme.*.md", "docs/readme.md", ".github/readme.md")
	slices.SortStableFunc(found, func(a, b string) int { return readmeRank(a) - readmeRank(b) })
	return found
}

func readmeRank(name string) int {
	rank := 0
	if strings.Contains(name, "/") {
		rank += 100
	}
	switch strings.ToLower(path.Base(name)) {
	case "readme.md":
	case "readme", "readme.markdown", "readme.rst":
		rank += 10
	case "readme.txt", "readme.adoc", "readme.org":
		rank += 20
	default:
		rank += 30
	}
	return rank
}

// gather joins paragraphs until they say enough.
func gather(paragraphs []string) string {
	var out []string
	length := 0
	for _, para := range paragraphs {
		if length > 0 && length+utf8.RuneCountInString(para) > maxSummary {
			break
		}
		para = clip(para, maxSummary)
		out = append(out, para)
		length += utf8.RuneCountInString(para)
	}
	return strings.Join(out, "\n\n")
}

// enough is the length at which the next heading ends the introduction.
const enough = 200

// markdownParagraphs are the first paragraphs as text: no images, badges or
// HTML, of links only what is shown. A README whose introduction is written in
// HTML gives the text of that.
func markdownParagraphs(src []byte) []string {
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	var out, html []string
	length := 0
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindParagraph, ast.KindBlockquote:
			para := oneLine(tagPattern().ReplaceAllString(inline(n, src), ""))
			if worded(para) && !strings.HasSuffix(para, ":") {
				out = append(out, para)
				length += utf8.RuneCountInString(para)
			}
		case ast.KindHTMLBlock:
			if para := oneLine(stripTags(string(n.Lines().Value(src)))); worded(para) {
				html = append(html, para)
			}
		case ast.KindHeading:
			if length >= enough {
				return out
			}
		}
	}
	if length < 40 {
		return append(html, out...)
	}
	return out
}

// inline is the text of a node without images and raw HTML.
func inline(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Image, *ast.RawHTML:
		case *ast.Text:
			b.Write(c.Value(src))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.CodeSpan:
			b.WriteString("`" + inline(c, src) + "`")
		case *ast.AutoLink:
			b.Write(c.Label(src))
		case *ast.String:
			b.Write(c.Value)
		default:
			b.WriteString(inline(c, src))
		}
	}
	return b.String()
}

var (
	commentPattern = expression(`(?s)<!--.*?(-->|$)`)
	scriptPattern  = expression(`(?is)<(script|style)\b.*?(</(script|style)>|$)`)
	titlePattern   = expression(`(?is)<h[1-6]\b.*?</h[1-6]>`)
	tagPattern     = expression(`</?[A-Za-z!][^<>]*>`)
)

func stripTags(html string) string {
	html = scriptPattern().ReplaceAllString(commentPattern().ReplaceAllString(html, " "), " ")
	return tagPattern().ReplaceAllString(titlePattern().ReplaceAllString(html, " "), " ")
}

// worded tells a sentence from a row of badges, a menu or a rule.
func worded(para string) bool {
	letters := 0
	for _, r := range para {
		if r > ' ' && !strings.ContainsRune("|-=_*•·<>[](){}/\\#&;:.,!~`", r) {
			letters++
		}
	}
	if strings.Count(para, "|") >= 3 || strings.Count(para, "•")+strings.Count(para, "·") >= 3 {
		return false
	}
	return letters >= 12 && (strings.ContainsRune(para, ' ') || letters > 12 && !isASCII(para))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plainParagraphs are the paragraphs of plain text or reStructuredText,
// without titles, directives and what is indented below them.
func plainParagraphs(src string) []string {
	var out []string
	for block := range strings.SplitSeq(src, "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		first := lines[0]
		marked := strings.HasPrefix(first, " ") || strings.HasPrefix(first, "\t") || strings.HasPrefix(first, ".. ") ||
			strings.HasPrefix(first, "= ") || strings.HasPrefix(first, "==") || strings.HasPrefix(first, ":") || strings.HasPrefix(first, "|") || strings.HasPrefix(first, "*")
		titled := slices.ContainsFunc(lines, func(l string) bool { return len(l) > 2 && strings.Trim(l, "=-~^*#\"'`+") == "" })
		if para := oneLine(stripTags(block)); !marked && !titled && worded(para) {
			out = append(out, para)
		}
	}
	return out
}
