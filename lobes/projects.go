package lobes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// The bounds of the question whether two lobes are of one project.
const (
	mostProjects    = 10 // pairs in a round
	mostOfProject   = 4  // memories of each
	mostProjectText = 200
)

// sameName is a file beside the caches of a lobe: the folders of the lobes that
// a judge takes for the same project, one a line.
const sameName = stateName + "/same"

// judgeProjects asks the judge whether lobes under different names are of one
// project. That is only ever a suggestion to a person.
func (s *Set) judgeProjects(ctx context.Context) error {
	if s.o.Judge == nil || s.o.ReadOnly {
		return nil
	}
	var sides []JudgedSide
	var lobes []*Lobe
	for _, l := range s.lobes {
		if l.spec.Global || l.spec.Err != nil || !l.used.Load() {
			continue
		}
		r, err := l.look(ctx)
		if err != nil {
			continue // it tells of that itself
		}
		if side, ok := r.projectSide(); ok {
			sides, lobes = append(sides, side), append(lobes, l)
		}
	}
	if len(lobes) < 2 {
		return nil
	}
	asked := 0
	for i, a := range lobes {
		same := []string{}
		for j := i + 1; j < len(lobes); j++ {
			if asked++; asked > mostProjects {
				return nil
			}
			yes, err := s.o.Judge.SameProject(ctx, sides[i], sides[j])
			if err != nil {
				return fmt.Errorf("judge whether lobes %s and %s are one project: %w", a.name, lobes[j].name, err)
			}
			if yes {
				same = append(same, lobes[j].spec.Dir)
			}
		}
		if err := a.noteSame(same); err != nil {
			return err
		}
	}
	return nil
}

// projectSide is a lobe as the judge is told of it: its name and the beginning
// of a few memories.
func (r reading) projectSide() (JudgedSide, bool) {
	var heads []*store.Head
	for h := range r.view.Heads() {
		if r.standing(h) && hasStatus(&h.Entry, "active") && h.Entry.Topic != "user" && h.Entry.Topic != "preferences" {
			heads = append(heads, h)
		}
	}
	slices.SortFunc(heads, func(a, b *store.Head) int {
		return cmp.Or(cmp.Compare(b.Entry.Certainty(), a.Entry.Certainty()), cmp.Compare(a.Path, b.Path))
	})
	var texts []string
	for _, h := range heads[:min(len(heads), mostOfProject)] {
		texts = append(texts, clip(memberText(&h.Entry), mostProjectText))
	}
	text := strings.Join(texts, "\n")
	return JudgedSide{ID: r.lobe.spec.Dir, Revision: entry.Hash16([]byte(r.lobe.name + text)), Text: text, Project: r.lobe.name}, len(texts) > 0
}

// noteSame keeps what the judge said for whoever asks next.
func (l *Lobe) noteSame(dirs []string) error {
	path := filepath.Join(l.spec.Dir, filepath.FromSlash(sameName))
	if len(dirs) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Join(dirs, "\n")+"\n"), 0o600)
}

// suggestions tell of the lobes of this set that a judge takes for the same
// project as this one.
func (s *Set) suggestions(l *Lobe) []Problem {
	b, err := os.ReadFile(filepath.Join(l.spec.Dir, filepath.FromSlash(sameName)))
	if err != nil {
		return nil
	}
	var all []Problem
	for dir := range strings.Lines(string(b)) {
		for _, other := range s.lobes {
			if other != l && other.spec.Dir == strings.TrimSpace(dir) {
				all = append(all, Problem{
					Lobe: l.name, File: other.spec.Dir, What: fmt.Sprintf("lobe %s may be of the same project as lobe %s, says the judge", other.name, l.name),
					Remedy: fmt.Sprintf("if it is: memory-mcp import --from memory-mcp %s --lobe %s, and take lobe %s out of the configuration", other.spec.Dir, l.name, other.name),
				})
			}
		}
	}
	return all
}

// compareProjects is judgeProjects for the background: when the judge fails,
// nothing follows.
func (s *Set) compareProjects(ctx context.Context) {
	if err := s.judgeProjects(ctx); err != nil && ctx.Err() == nil {
		s.o.Logger.Warn("lobes are not compared", "cause", err)
	}
}
