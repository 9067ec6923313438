package entry

import (
	"slices"
	"strings"
)

// changeTitle changes the title where it stands: its line, or its key.
func (r *rewriter) changeTitle() {
	differs := r.have.Title != r.want.Title
	k := r.block(&titleKey)
	if k != nil && differs && r.form == FrontMatter && r.want.Title != "" && r.statesTitle(k) {
		r.put(k.line, len(k.text), r.changedLines(&titleKey, k, value{text: r.want.Title})...)
		differs = r.title >= 0
	}
	if k != nil && r.want.Title == "" {
		r.put(k.line, len(k.text))
	}
	switch {
	case r.title >= 0 && r.want.Title == "":
		r.put(r.title, 1)
	case r.title >= 0 && differs:
		r.put(r.title, 1, "# "+r.want.Title)
	case r.title < 0 && (differs || r.withTitle) && r.want.Title != "":
		from, _ := r.bodyLines()
		r.put(from, 0, "# "+r.want.Title)
		if r.want.Body != "" {
			r.put(from, 0, "")
		}
	}
}

// statesTitle tells whether the title key has the title that is to change.
func (r *rewriter) statesTitle(b *block) bool {
	v, err := b.decode()
	return err == nil && normalTitle(v.text) == r.have.Title
}

// bodyLines gives the lines of the body without the blank ones around it. An
// empty body is behind the header and the title.
func (r *rewriter) bodyLines() (from, to int) {
	from, to = r.first, len(r.old)
	for from < to && isBlank(r.old[to-1].text) {
		to--
	}
	for i := from; i < to; i++ {
		if !isBlank(r.old[i].text) {
			return i, to
		}
	}
	return from, from
}

// changeBody changes the lines between the first and the last that differ.
func (r *rewriter) changeBody() {
	if r.have.Body == r.want.Body {
		return
	}
	from, to := r.bodyLines()
	lines := bodySplit(r.want.Body)
	if from == to && len(lines) > 0 {
		if r.title >= 0 || r.form == Bullets {
			r.put(from, 0, "")
		}
		r.put(from, 0, lines...)
		return
	}
	if len(lines) > 0 && r.form == Bullets && r.blocks[len(r.blocks)-1].line+1 == from {
		if _, _, ok := bulletOf(lines[0]); ok {
			r.put(from, 0, "")
		}
	}
	begin := from
	for from < to && len(lines) > 0 && r.old[from].text == lines[0] {
		from++
		lines = lines[1:]
	}
	for to > from && len(lines) > 0 && r.old[to-1].text == lines[len(lines)-1] {
		to--
		lines = lines[:len(lines)-1]
	}
	if from == begin || len(lines) > 0 || to > from {
		r.put(from, to-from, lines...)
	}
}

func bodySplit(body string) []string {
	if body == "" {
		return nil
	}
	return strings.Split(body, "\n")
}

// assemble writes the lines, the kept ones with the ends that they had.
func (r *rewriter) assemble() string {
	var out []rawLine
	fresh := false // whether the last line is a new one
	for n := 0; n <= len(r.old); {
		c, ok := r.change[n]
		end := r.style
		if ok && c.count > 0 && r.old[n].end != "" {
			end = r.old[n].end
		}
		for _, line := range c.lines {
			out = append(out, rawLine{line, end})
			fresh = true
		}
		if c.count == 0 && n < len(r.old) {
			out = append(out, r.old[n])
			fresh = false
			n++
			continue
		}
		n += max(1, c.count)
	}
	if len(out) == 0 {
		return r.mark()
	}
	out = slices.Clip(out)
	for i := range out {
		if !strings.HasSuffix(out[i].end, "\n") && i < len(out)-1 {
			out[i].end += r.style
		}
	}
	if n := len(r.old); fresh && n > 0 && !strings.HasSuffix(r.old[n-1].end, "\n") {
		out[len(out)-1].end = strings.TrimRight(out[len(out)-1].end, "\r\n")
	}
	var b strings.Builder
	b.WriteString(r.mark())
	for _, l := range out {
		b.WriteString(l.text + l.end)
	}
	return b.String()
}

func (r *rewriter) mark() string {
	if r.bom {
		return byteOrderMark
	}
	return ""
}
