package lobes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"memory-mcp/store/entry"
)

// List describes all lobes. Current marks those that the target leads to.
func (s *Set) List(ctx context.Context, t Target) []LobeInfo {
	infos := make([]LobeInfo, 0, len(s.lobes))
	current, _, err := s.current(t, false)
	if err != nil {
		current = nil // a target that leads nowhere marks nothing
	}
	for _, l := range s.lobes {
		info := LobeInfo{
			Name: l.name, Root: l.site.root, Dir: l.spec.Dir, Budget: l.spec.Budget,
			AlwaysInclude: l.spec.AlwaysInclude, Global: l.spec.Global,
			Branch: s.tree(l, t).branch(), Current: slices.Contains(current, l),
		}
		if r, err := l.look(ctx); err == nil {
			info.Entries, info.Used = r.heads(), r.view.Bytes()
		}
		info.Health = l.health()
		infos = append(infos, info)
	}
	return infos
}

// Stats counts what the lobes hold that the target leads to. A lobe that
// cannot be served is told with its state alone.
func (s *Set) Stats(ctx context.Context, t Target) ([]LobeStats, error) {
	lobes, _, err := s.resolve(t, false)
	if err != nil {
		return nil, err
	}
	all := make([]LobeStats, 0, len(lobes))
	for _, l := range lobes {
		st := LobeStats{
			Lobe: l.name, Dir: l.spec.Dir, Budget: l.spec.Budget, ByTopic: map[string]int{}, ByTrust: map[string]int{},
			ByStatus: map[string]int{}, ByKind: map[string]int{}, BySubject: map[string]int{}, Tags: []TagCount{},
		}
		r, err := l.look(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			h := l.health()
			st.Degraded = &h
		} else if err := r.count(ctx, &st, s.o.Now()); err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	return all, nil
}

func (r reading) count(ctx context.Context, st *LobeStats, now time.Time) error {
	usage, err := r.store.Usage()
	if err != nil {
		return err
	}
	st.Entries, st.Used, st.Broken, st.Copies = usage.Heads, usage.Bytes, usage.Broken, usage.Copies
	st.HistoryFiles, st.HistoryBytes = usage.HistoryFiles, usage.HistoryBytes
	st.RecordFiles, st.RecordBytes = usage.RecordFiles, usage.RecordBytes
	st.InboxFiles, st.InboxBytes = r.lobe.inbox().size()
	if st.Queue, err = r.queue(ctx); err != nil {
		return err
	}
	st.LedgerFiles, st.LedgerBytes = folderSize(filepath.Join(r.lobe.spec.Dir, stateName, ledgerName))
	if st.Usage, err = r.lobe.usage(); err != nil {
		r.lobe.o.Logger.Debug("usage is not told", "lobe", r.lobe.name, "cause", err)
	}
	for h := range r.view.Heads() {
		if h.Copy == "" {
			st.add(&h.Entry, r.lobe.o.Behavior, now)
		}
	}
	st.Tags = tagCounts([]reading{r})
	return nil
}

// heads counts the entries, without copies and files that do not parse.
func (r reading) heads() int {
	n := 0
	for h := range r.view.Heads() {
		if h.Copy == "" && h.Broken == nil {
			n++
		}
	}
	return n
}

func (st *LobeStats) add(e *entry.Entry, b Behavior, now time.Time) {
	st.ByTopic[e.Topic]++
	st.ByTrust[string(trustOf(e))]++
	status := e.Status
	if status == "" {
		status = "active"
	}
	st.ByStatus[status]++
	if e.Kind != "" {
		st.ByKind[e.Kind]++
	}
	if e.Subject != "" {
		st.BySubject[e.Subject]++
	}
	switch {
	case stale(e, b.staleDays(e.Topic), now):
		st.Stale++
	default:
		st.Fresh++
	}
	if len(e.Sources) == 0 {
		st.Unknown++
	}
	if e.Created.IsZero() {
		return
	}
	if st.Oldest.IsZero() || e.Created.Before(st.Oldest) {
		st.Oldest = e.Created
	}
	if e.Created.After(st.Newest) {
		st.Newest = e.Created
	}
}

// folderSize counts the regular files below a folder; one that cannot be read
// counts as empty.
func folderSize(dir string) (files int, bytes int64) {
	walk := func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
		return nil
	}
	if err := filepath.WalkDir(dir, walk); err != nil && !os.IsNotExist(err) {
		return 0, 0
	}
	return files, bytes
}

// Diagnose tells how the lobes are, and what a person should look at. It reads
// every lobe.
func (s *Set) Diagnose(ctx context.Context) Diagnosis {
	d := Diagnosis{Lobes: []Health{}, Problems: []Problem{}, Queues: []Queue{}, Behavior: s.o.Behavior}
	for _, l := range s.lobes {
		before := s.o.Now() // a file that is written from here on may not be what the look saw
		if r, err := l.look(ctx); err == nil {
			d.Problems = append(d.Problems, r.problems(ctx, before)...)
			q, err := r.queue(ctx)
			if err != nil {
				d.Problems = append(d.Problems, Problem{Lobe: l.name, File: l.inbox().dir, What: "it cannot be looked through: " + err.Error(), Remedy: "make the folder readable for you"})
			}
			if !q.Idle() {
				d.Queues = append(d.Queues, q)
			}
		}
		d.Problems = append(d.Problems, s.suggestions(l)...)
		d.Lobes = append(d.Lobes, l.health())
	}
	d.Mode = s.Mode()
	return d
}

func (r reading) problems(ctx context.Context, now time.Time) []Problem {
	found, err := r.store.Problems(ctx)
	err = errors.Join(err, r.lookForVanished(ctx))
	told := slices.Concat(r.exposed(), r.openSecrets(ctx, now), r.misfiled())
	for _, p := range found {
		told = append(told, Problem{Lobe: r.lobe.name, File: p.File, Line: p.Line, What: p.What, Remedy: p.Remedy})
	}
	if err != nil {
		told = append(told, Problem{
			Lobe: r.lobe.name, File: r.lobe.spec.Dir, What: "it cannot be looked through: " + err.Error(),
			Remedy: "make the folder readable for you",
		})
	}
	return told
}

// mostMisfiled is how many files are named that lie in another topic's folder.
const mostMisfiled = 20

// misfiled names files that lie in another topic's folder than their header
// says: somebody moved them, and meant perhaps that their topic is another one.
func (r reading) misfiled() []Problem {
	var all []Problem
	for h := range r.view.Heads() {
		if h.Broken != nil || h.Copy != "" || len(all) == mostMisfiled {
			continue
		}
		if topic := entry.FiledUnder(h.Entry, h.Path); topic != "" {
			all = append(all, Problem{
				Lobe: r.lobe.name, File: r.abs(h.Path), What: fmt.Sprintf("it lies in the folder of %s, and says that its topic is %s, which counts", topic, h.Entry.Topic),
				Remedy: fmt.Sprintf("if the folder is right: memory-mcp correct %s move --to-topic %s; else move the file back", h.Entry.ID, topic),
			})
		}
	}
	return all
}

// othersMayWrite are the permission bits of group and others to write.
const othersMayWrite = 0o022

// exposed names a folder that others may write to: what they put there would
// be recalled as the person's own memory.
func (r reading) exposed() []Problem {
	info, err := os.Stat(r.lobe.spec.Dir)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&othersMayWrite == 0 {
		return nil
	}
	return []Problem{{
		Lobe: r.lobe.name, File: r.lobe.spec.Dir, What: fmt.Sprintf("others may write here (mode %04o)", info.Mode().Perm()),
		Remedy: "chmod go-w " + r.lobe.spec.Dir + ", unless the repository is shared on purpose (core.sharedRepository)",
	}}
}
