package lobes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// forgetSecrets masks what looks like a secret in files and in their history.
// A secret that a person typed by hand is adopted as it stands: this is how it
// goes.
func (s *Set) forgetSecrets(ctx context.Context, by By, t Target, f Forgetting) (Forgotten, error) {
	lobes, own, err := s.resolve(t, false)
	if err != nil {
		return Forgotten{}, err
	}
	if t.Lobe == "" && own > 0 {
		lobes = lobes[:own]
	}
	readings, _, err := s.look(ctx, t, lobes, own)
	if err != nil {
		return Forgotten{}, err
	}
	var found matching
	left := []string{}
	err = settled(func() error {
		found, left = matching{lobes: []string{}}, []string{}
		for _, r := range readings {
			found.lobes = append(found.lobes, r.lobe.name)
			p, err := r.store.Past(ctx)
			if err != nil {
				return err
			}
			h := history{r, p}
			some, err := h.secrets(ctx, f)
			if err != nil {
				return err
			}
			found.all = append(found.all, some...)
			left = append(left, h.unmaskable()...)
		}
		return nil
	})
	if err != nil {
		return Forgotten{}, err
	}
	answer := found.answer(f)
	answer.Left = append(left, outOfReach()...)
	if !f.Apply || len(found.all) == 0 {
		return answer, nil
	}
	if f.Token != answer.Token {
		return answer, &StaleTokenError{Given: f.Token, Now: answer.Token}
	}
	for _, one := range found.all {
		if _, err := one.store.Mask(ctx, one.id, s.maskFile); err != nil {
			return answer, err
		}
		one.lobe.written.Store(true)
		answer.Masked = append(answer.Masked, one.id)
	}
	answer.Applied = true
	return answer, nil
}

// secrets finds the entries of which a state holds a secret.
func (h history) secrets(ctx context.Context, f Forgetting) ([]match, error) {
	var found []match
	for id := range h.past.IDs() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, m := range slices.Backward(slices.Concat(h.past.Brought(id), h.past.Beside(id), h.past.Line(id))) {
			if m.Gone || !f.spans(m.Recorded) {
				continue
			}
			s, err := h.read(m)
			if err = unusable(err); err != nil {
				return nil, err
			}
			if _, secrets := textanalysis.MaskSecrets(string(s.rev.Head)); s.ID != "" && len(secrets) > 0 && (f.Session == "" || s.rev.Session == f.Session) && isActor(s.rev.Actor, f.Actor) {
				found = append(found, match{history: h, id: id, last: s})
				break
			}
		}
	}
	return found, nil
}

// unmaskable names the files with a secret that only a person may change.
func (h history) unmaskable() []string {
	var files []string
	for head := range h.past.View().Heads() {
		if head.Broken == nil && head.Copy == "" {
			continue
		}
		if _, secrets := textanalysis.MaskSecrets(said(&head.Entry)); len(secrets) > 0 {
			files = append(files, fmt.Sprintf("%s: it is no entry of its own, so only a person may change it", h.path(head)))
		}
	}
	return files
}

// maskFile masks the secrets in the bytes of an entry's file.
func (s *Set) maskFile(path string, b []byte) ([]byte, error) {
	if _, found := textanalysis.MaskSecrets(string(b)); len(found) == 0 {
		return b, nil
	}
	now := s.o.Now()
	file, err := entry.ParseFile(path, now, b)
	if err != nil {
		masked, _ := textanalysis.MaskSecrets(string(b)) // a state of the past that nobody can parse: text
		return []byte(masked), nil
	}
	e := file.Entry
	maskEntry(&e)
	rewritten, err := entry.RewriteFile(path, now, b, e)
	if err != nil {
		return nil, err
	}
	// What stands in comments and in keys of others is no field of ours.
	rest, found := textanalysis.MaskSecrets(string(rewritten))
	if len(found) == 0 {
		return rewritten, nil
	}
	if again, err := entry.ParseFile(path, now, []byte(rest)); err != nil || again.Entry.ID != e.ID {
		return nil, fmt.Errorf("%s: line with a secret that cannot be masked where it stands", path)
	}
	return []byte(rest), nil
}

// maskEntry masks the secrets in an entry's texts.
func maskEntry(e *entry.Entry) {
	mask := func(text string) string {
		masked, _ := textanalysis.MaskSecrets(text)
		return masked
	}
	for _, text := range []*string{&e.Title, &e.Body, &e.Subject, &e.Problem, &e.Solution, &e.Quote, &e.Origin} {
		*text = mask(*text)
	}
	for _, list := range []*[]string{&e.Sources, &e.References, &e.Tags, &e.Conditions, &e.Files, &e.Concepts} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = mask((*list)[i])
		}
	}
}

// mostSecrets is how many files with a secret a diagnosis names.
const mostSecrets = 20

// openSecrets names the files that hold what looks like a secret: typed by
// hand, since what passes through here is masked; or of a kind that the rules
// did not know when it was stored.
func (r reading) openSecrets(ctx context.Context, now time.Time) []Problem {
	var found []Problem
	kinds := r.secretsIn(ctx, now)
	heads := slices.SortedFunc(maps.Keys(kinds), func(a, b *store.Head) int { return strings.Compare(a.Path, b.Path) })
	for _, h := range heads[:min(len(heads), mostSecrets)] {
		found = append(found, Problem{
			Lobe: r.lobe.name, File: r.path(h),
			What:   fmt.Sprintf("it holds what looks like a secret (%s; rules %s)", kinds[h], textanalysis.SecretRulesVersion),
			Remedy: secretRemedy(r.lobe.name),
		})
	}
	if more := len(heads) - len(found); more > 0 {
		found = append(found, Problem{Lobe: r.lobe.name, File: r.lobe.spec.Dir, What: fmt.Sprintf("%d more files hold what looks like a secret", more), Remedy: secretRemedy(r.lobe.name)})
	}
	return found
}

func secretRemedy(lobe string) string {
	return "memory-mcp forget --secrets --lobe " + lobe + "   masks it, in the history too"
}

// said is all the text of an entry's file, keys of others included.
func said(e *entry.Entry) string {
	parts := []string{e.Title, e.Body, e.Subject, e.Problem, e.Solution, e.Quote}
	for _, list := range [][]string{e.Sources, e.References, e.Conditions, e.Files, e.Concepts} {
		parts = append(parts, list...)
	}
	for _, f := range e.Extra {
		parts = append(parts, f.Lines...)
	}
	return strings.Join(parts, "\n")
}
