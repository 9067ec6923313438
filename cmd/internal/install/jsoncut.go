package install

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// cut takes back what stands at a path, and the containers around it that hold
// nothing else and were made for it. A file that was made for it ends as nil.
func (f *jsonFile) cut(path ...any) error {
	t, err := parse(f.text, f.format)
	if err != nil || t.blank {
		return err
	}
	v, err := t.at(path)
	if err != nil || v == nil {
		return err
	}
	for depth := len(path) - 1; depth >= 0; depth-- {
		outer, err := t.at(path[:depth])
		if err != nil {
			return err
		}
		if depth == 0 {
			break
		}
		if !t.madeFor(outer) {
			f.text = t.without(outer, path[depth])
			return nil
		}
		path = path[:depth]
	}
	f.text = t.cutRoot(path[0])
	return nil
}

// madeFor tells whether a container was made by us for its only item: no
// comment is in it, and no empty line stands before its end.
func (t tree) madeFor(v *hujson.Value) bool {
	b := boxOf(v)
	if len(b.items) != 1 {
		return false
	}
	_, before := t.before(b, 0)
	_, tail := t.tail(b)
	between := t.text[b.items[0].end : b.close-len(tail)]
	for _, text := range [][]byte{before, tail, between} {
		if end, _ := lastComment(text); end > 0 {
			return false
		}
	}
	return !bytes.HasPrefix(tail, []byte(t.nl+t.nl))
}

// without is the file without one item of a container that stays.
func (t tree) without(v *hujson.Value, step any) []byte {
	b := boxOf(v)
	i := b.position(step)
	it := b.items[i]
	from, before := t.before(b, i)
	end, _ := lastComment(before)
	start := from + end
	switch {
	case it.comma > 0:
		after := t.text[it.end:it.comma]
		if len(bytes.TrimSpace(after)) == 0 {
			after = nil
		}
		return t.whole(slices.Concat(t.text[:start], after, t.text[it.comma+1:]))
	case i > 0:
		comma := b.items[i-1].comma
		return t.whole(slices.Concat(t.text[:comma], t.text[comma+1:start], t.text[it.end:]))
	}
	stop := it.end
	if bytes.HasPrefix(t.text[stop:b.close], []byte(t.emptied(b))) {
		stop += len(t.emptied(b))
	}
	return t.whole(slices.Concat(t.text[:start], t.text[stop:]))
}

func (b *box) position(step any) int {
	if n, ok := step.(int); ok {
		return n
	}
	return slices.IndexFunc(b.items, func(it item) bool { return it.name == step })
}

// cutRoot takes a member out of the whole file, which is gone with it when it
// was made for it.
func (t tree) cutRoot(step any) []byte {
	before, after := t.text[:t.root.StartOffset], t.text[min(t.root.EndOffset, len(t.text)):]
	if len(before) > 0 || !t.madeFor(t.root) {
		return t.without(t.root, step)
	}
	rest, was := bytes.CutPrefix(after, []byte(t.nl+t.nl))
	switch {
	case was:
		return t.whole(rest)
	case string(after) == t.nl && len(t.mark) == 0:
		return nil
	}
	return t.without(t.root, step)
}
