package entry

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Rewrite changes a file so that [Parse] gives [Normal] of e, and touches no line that it
// need not touch. It refuses a malformed file with its [*SyntaxError], inside
// a [*KeyError] when it is about a key.
func Rewrite(old []byte, e Entry) ([]byte, error) {
	return rewrite(old, e, func(*Parsed) {})
}

// RewriteFile is [Rewrite] for a file whose path states what its header does
// not. modified is the time of modification that the path's next reader will see: if it is not
// the old file's, a created time that followed from the old one is
// written down.
func RewriteFile(path string, modified time.Time, old []byte, e Entry) ([]byte, error) {
	out, err := rewrite(old, e, func(p *Parsed) { complete(p, path, modified) })
	if err != nil {
		return nil, fmt.Errorf("rewrite %q: %w", path, err)
	}
	return out, nil
}

func rewrite(old []byte, e Entry, complete func(*Parsed)) ([]byte, error) {
	text := string(old)
	have, err := parse(text)
	if err != nil {
		var syntax *SyntaxError
		if errors.As(err, &syntax) && syntax.key != "" {
			return nil, &KeyError{Key: syntax.key, Cause: err}
		}
		return nil, err
	}
	complete(&have)
	want := Parsed{Entry: Normal(e), Form: have.Form}
	complete(&want)
	if reflect.DeepEqual(have.Entry, want.Entry) {
		return bytes.Clone(old), nil
	}
	if err := checkExtra(want.Extra); err != nil {
		return nil, err
	}
	for _, p := range []plan{{}, {withTitle: true}, {withHeader: true}, {withTitle: true, withHeader: true}} {
		r, err := newRewriter(text, have, want.Entry, p)
		if err != nil {
			return nil, err
		}
		out := r.run()
		again, err := parse(out)
		if err != nil {
			continue
		}
		complete(&again)
		if reflect.DeepEqual(again.Entry, want.Entry) {
			return []byte(out), nil
		}
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	return nil, &KeyError{Key: differing(have.Entry, want.Entry), Cause: errors.New("the file cannot state it")}
}

// differing names the first key whose value differs.
func differing(a, b Entry) string {
	for i := range keys {
		if !keys[i].get(&a).equal(keys[i].get(&b)) {
			return keys[i].name
		}
	}
	return titleKey.name
}

// A plan is a way to change a file: with as few lines as possible, or with a
// title line or a whole front matter where the file says too little.
type plan struct{ withTitle, withHeader bool }

// rewriter holds a file as lines, and what is to become of them.
type rewriter struct {
	plan
	layout
	have, want Entry
	old        []rawLine
	style      string         // line end for new lines
	change     map[int]change // by the first line that it replaces
}

// rawLine is a line and its end: "\n", "\r\n", or "" at the end of the file.
type rawLine struct{ text, end string }

// change puts lines in the place of count old ones.
type change struct {
	count int
	lines []string
}

func newRewriter(text string, have Parsed, want Entry, p plan) (*rewriter, error) {
	l, err := split(text)
	if err != nil {
		return nil, err
	}
	r := &rewriter{plan: p, layout: l, have: have.Entry, want: want, style: "\n", change: map[int]change{}}
	for rest := l.text; rest != ""; {
		line, after := cutLine(rest)
		r.old = append(r.old, rawLine{line, rest[len(line) : len(rest)-len(after)]})
		rest = after
	}
	if len(r.old) > 0 && len(r.old[0].end) > 1 {
		r.style = "\r\n"
	}
	return r, nil
}

func (r *rewriter) run() string {
	r.changeHeader()
	r.changeTitle()
	r.changeBody()
	return r.assemble()
}

func (r *rewriter) put(at, count int, lines ...string) {
	if old, ok := r.change[at]; ok {
		lines = append(old.lines, lines...)
		count += old.count
	}
	r.change[at] = change{count, lines}
}

// changeHeader changes the keys that differ, in the form that the file has.
func (r *rewriter) changeHeader() {
	same := r.sameKeys()
	switch {
	case r.form == FrontMatter:
		r.changeKeys(r.close)
	case r.withHeader || r.form == Plain && !same:
		r.form = FrontMatter
		for _, b := range r.blocks {
			r.put(b.line, 1)
		}
		want := r.want
		r.put(0, 0, freshHeader(&want)...)
	case r.form == Bullets && !same:
		r.changeKeys(r.blocks[len(r.blocks)-1].line + 1)
	}
}

func (r *rewriter) sameKeys() bool {
	for i := range keys {
		if !keys[i].get(&r.have).equal(keys[i].get(&r.want)) {
			return false
		}
	}
	return reflect.DeepEqual(r.have.Extra, r.want.Extra)
}

// changeKeys changes the keys of a header; new ones come before the line end.
func (r *rewriter) changeKeys(end int) {
	for i := range keys {
		k := &keys[i]
		v := k.get(&r.want)
		if k.get(&r.have).equal(v) {
			continue
		}
		b := r.block(k)
		switch {
		case b == nil && !v.empty():
			r.put(end, 0, r.keyLines(k, k.newName(r.form), v)...)
		case b != nil && v.empty():
			r.put(b.line, len(b.text))
		case b != nil:
			r.put(b.line, len(b.text), r.changedLines(k, b, v)...)
		}
	}
	r.changeExtra(end)
}

func (r *rewriter) block(k *key) *block {
	for i := range r.blocks {
		if keyNamed(r.blocks[i].name) == k {
			return &r.blocks[i]
		}
	}
	return nil
}

// newName is the name that a new line has: the bullet header has "source".
func (k *key) newName(f Form) string {
	if f == Bullets && k.name == "sources" {
		return "source"
	}
	return k.name
}

func (r *rewriter) keyLines(k *key, name string, v value) []string {
	if r.form == Bullets {
		return []string{bulletLine(name, v)}
	}
	return k.frontLines(name, v)
}

// changedLines writes a key that is there in the style that it has, and keeps
// its comments.
func (r *rewriter) changedLines(k *key, b *block, v value) []string {
	if r.form == FrontMatter && v.isList {
		if lines, ok := b.blockList(v.list); ok {
			return lines
		}
	}
	lines := r.keyLines(k, b.name, v)
	if r.form == FrontMatter && len(b.text) == 1 && len(lines) == 1 {
		if _, comment, err := decodeYAML(b.text); err == nil && comment != "" {
			lines[0] += " " + comment
		}
	}
	return lines
}

// changeExtra brings the unknown keys to those of the new entry.
func (r *rewriter) changeExtra(end int) {
	if reflect.DeepEqual(r.have.Extra, r.want.Extra) {
		return
	}
	kept := r.keepsExtraOrder()
	for i := range r.blocks {
		b := &r.blocks[i]
		if keyNamed(b.name) != nil {
			continue
		}
		f := fieldNamed(r.want.Extra, b.name)
		switch old := fieldNamed(r.have.Extra, b.name); {
		case f == nil || !kept:
			r.put(b.line, len(b.text))
		case !slices.Equal(f.Lines, old.Lines):
			r.put(b.line, len(b.text), r.extraLines(*f)...)
		}
	}
	for _, f := range r.want.Extra {
		if !kept || fieldNamed(r.have.Extra, f.Key) == nil {
			r.put(end, 0, r.extraLines(f)...)
		}
	}
}

// keepsExtraOrder tells whether the unknown keys that stay are in the old
// order, with the new ones behind them.
func (r *rewriter) keepsExtraOrder() bool {
	var stay []string
	for _, f := range r.have.Extra {
		if fieldNamed(r.want.Extra, f.Key) != nil {
			stay = append(stay, f.Key)
		}
	}
	for i, f := range r.want.Extra {
		if i < len(stay) && stay[i] != f.Key {
			return false
		}
	}
	return true
}

func fieldNamed(list []Field, name string) *Field {
	for i := range list {
		if list[i].Key == name {
			return &list[i]
		}
	}
	return nil
}

// extraLines writes an unknown key in the form of the file. One that a bullet
// cannot state is left out, which makes the next plan add a front matter.
func (r *rewriter) extraLines(f Field) []string {
	if r.form != Bullets {
		return f.Lines
	}
	b := block{name: f.Key, text: f.Lines}
	v, err := b.decode()
	if err != nil || v.isList {
		return nil
	}
	return []string{"- **" + f.Key + "**: " + v.text}
}
