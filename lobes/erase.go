package lobes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// A place is an entry of a lobe.
type place struct {
	lobe *Lobe
	id   string
}

// gone is what an erase came to.
type gone struct {
	ids  []string
	left []string
}

// outOfReach is what an erase cannot reach, in words.
func outOfReach() []string {
	return []string{
		"backups and undo files of editors",
		"other copies of the folder, and remotes that it was sent to: erase there too, or a merge is what brings the erasing there",
		"commits, if the folder was ever committed",
		"transcripts that agent hosts keep of their sessions",
	}
}

// eraseOne erases an entry, at once.
func (s *Set) eraseOne(ctx context.Context, t Target, f *fix) error {
	if f.ID == "" {
		return &ValueError{Field: "id", Why: "it is empty"}
	}
	if f.Revision != "" {
		return s.eraseState(ctx, t, f)
	}
	r, err := s.knower(ctx, t, f.ID)
	if err != nil {
		return err
	}
	p, err := r.store.Past(ctx)
	if err != nil {
		return err
	}
	h := history{r, p}
	f.out.ID, f.out.Lobe, f.out.Action = f.ID, r.lobe.name, outcomes()["erase"].done
	f.warnings = nil
	if was, ok := h.last(f.ID); ok {
		f.tell(r, &was.is)
		f.out.Path = h.abs(was.path)
	} else if line := h.past.Line(f.ID); len(line) > 0 {
		f.warnings = []string{"it was erased before, at " + line[0].Recorded.UTC().Format(time.RFC3339)}
	}
	if f.Preview {
		all, err := s.whole(ctx, []place{{r.lobe, f.ID}})
		if err != nil {
			return err
		}
		f.out.Preview, f.out.Erased, f.out.Left = true, all.ids(), outOfReach()
		return nil
	}
	done, err := s.erase(ctx, f.by, []place{{r.lobe, f.ID}})
	f.out.Erased, f.out.Left = done.ids, done.left
	return err
}

// A ruin is all that an erase takes away.
type ruin struct {
	places []place
	texts  []string // that were said, in any state
	all    []history
}

func (r ruin) ids() []string {
	ids := []string{}
	for _, p := range r.places {
		if !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// whole finds what belongs to some entries: what was made of them, in any
// lobe, and what they were in the lobes that they were moved from and to.
func (s *Set) whole(ctx context.Context, start []place) (ruin, error) {
	var out ruin
	var err error
	if out.all, err = s.histories(ctx, start); err != nil {
		return out, err
	}
	k := kinship{all: out.all, of: make(map[string][]kin)}
	if err := k.find(ctx); err != nil {
		return out, err
	}
	for queue := slices.Clone(start); len(queue) > 0; queue = queue[1:] {
		if slices.Contains(out.places, queue[0]) {
			continue
		}
		out.places = append(out.places, queue[0])
		queue = append(queue, out.next(k, queue[0])...)
	}
	for _, p := range out.places {
		out.texts = append(out.texts, out.said(p)...)
	}
	return out, nil
}

// histories are those of all lobes that can be served; those of the places must
// be among them.
func (s *Set) histories(ctx context.Context, must []place) ([]history, error) {
	var all []history
	for _, l := range s.lobes {
		r, err := l.look(ctx)
		if err != nil {
			if slices.ContainsFunc(must, func(p place) bool { return p.lobe == l }) {
				return nil, err
			}
			continue // what cannot be served cannot be reached either
		}
		p, err := r.store.Past(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, history{r, p})
	}
	return all, nil
}

// next are the places that an entry's erasing leads to.
func (r ruin) next(k kinship, from place) []place {
	var more []place
	for _, n := range k.of[from.id] {
		if n.relation != "derived_from" {
			continue
		}
		for _, h := range r.all {
			if len(h.past.Line(n.id)) > 0 {
				more = append(more, place{h.lobe, n.id})
			}
		}
	}
	moved := func(h history) bool {
		return len(h.past.Brought(from.id)) > 0 ||
			slices.ContainsFunc(h.past.Line(from.id), func(m store.Moment) bool { return m.Op == entry.OpMove && m.Gone })
	}
	if !slices.ContainsFunc(r.all, func(h history) bool { return h.lobe == from.lobe && moved(h) }) {
		return more
	}
	for _, h := range r.all {
		if h.lobe != from.lobe && moved(h) {
			more = append(more, place{h.lobe, from.id})
		}
	}
	return more
}

// said are the texts of all states of an entry.
func (r ruin) said(p place) []string {
	var texts []string
	for _, h := range r.all {
		if h.lobe != p.lobe {
			continue
		}
		for _, m := range slices.Concat(h.past.Brought(p.id), h.past.Line(p.id), h.past.Beside(p.id)) {
			if s, err := h.read(m); err == nil && !s.rev.Gone() && !slices.Contains(texts, s.is.Body) {
				texts = append(texts, s.is.Body)
			}
		}
	}
	return texts
}

// erase takes entries away with all that was made of them, and takes the
// quotes of them out of other entries.
func (s *Set) erase(ctx context.Context, by By, start []place) (gone, error) {
	done := gone{ids: []string{}, left: outOfReach()}
	all, err := s.whole(ctx, start)
	if err != nil {
		return done, err
	}
	for _, h := range all.all {
		var ids []string
		for _, p := range all.places {
			if p.lobe == h.lobe {
				ids = append(ids, p.id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		erased, err := h.store.Erase(ctx, by.store(""), ids...)
		for _, e := range erased {
			if !slices.Contains(done.ids, e.ID) {
				done.ids = append(done.ids, e.ID)
			}
		}
		h.lobe.written.Store(true)
		if err != nil {
			return done, err
		}
	}
	s.refuseOrWarn(Erased, nil, all.texts...)
	done.left = append(done.left, s.unquote(ctx, all.all, all.texts, nil)...)
	return done, nil
}

// shortQuote is the length in bytes below which a quote says nothing of its own.
const shortQuote = 20

// unquote takes quotes of erased texts out of the entries that are left, unless
// another text that stays says the same. It tells where that went wrong.
func (s *Set) unquote(ctx context.Context, all []history, erased, stay []string) (left []string) {
	texts, others := quotable(erased), quotable(stay)
	repeats := func(e *entry.Entry) bool {
		quote := textanalysis.Normalize(e.Quote)
		of := func(t string) bool { return strings.Contains(t, quote) || strings.Contains(quote, t) }
		return len(quote) >= shortQuote && slices.ContainsFunc(texts, of) && !slices.ContainsFunc(others, of)
	}
	for _, h := range all {
		ids, err := h.again(ctx, func(h history) ([]string, error) { return h.quoting(ctx, repeats) })
		if err != nil {
			left = append(left, fmt.Sprintf("quotes in lobe %s: %v", h.lobe.name, err))
		}
		for _, id := range ids {
			_, err := h.store.Mask(ctx, id, func(path string, b []byte) ([]byte, error) { return s.withoutQuote(path, b, repeats) })
			if err != nil {
				left = append(left, fmt.Sprintf("the quote in %s: %v", id, err))
			}
		}
	}
	return left
}

// again asks what history holds now.
func (h history) again(ctx context.Context, ask func(history) ([]string, error)) ([]string, error) {
	p, err := h.store.Past(ctx)
	if err != nil {
		return nil, err
	}
	return ask(history{h.reading, p})
}

// quotable are texts that are long enough to be told from others.
func quotable(texts []string) []string {
	var long []string
	for _, t := range texts {
		if t = textanalysis.Normalize(t); len(t) >= shortQuote {
			long = append(long, t)
		}
	}
	return long
}

// quoting are the entries of which a state repeats a text.
func (h history) quoting(ctx context.Context, repeats func(*entry.Entry) bool) ([]string, error) {
	var ids []string
	for id := range h.past.IDs() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, m := range slices.Concat(h.past.Brought(id), h.past.Line(id), h.past.Beside(id)) {
			if m.Gone {
				continue
			}
			if s, err := h.read(m); err == nil && repeats(&s.is) {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids, nil
}

func (s *Set) withoutQuote(path string, b []byte, repeats func(*entry.Entry) bool) ([]byte, error) {
	file, err := entry.ParseFile(path, s.o.Now(), b)
	var malformed *entry.SyntaxError
	if errors.As(err, &malformed) || err == nil && !repeats(&file.Entry) {
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	e := file.Entry
	e.Quote = ""
	return entry.RewriteFile(path, s.o.Now(), b, e)
}
