package store

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// Problem is something in the folder that a person may want to mend.
type Problem struct {
	File   string `json:"file"` // absolute
	Line   int    `json:"line"` // from 1; 0 when it is about the whole file
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// Problems looks through the whole folder, history included, and names what is
// wrong. It writes nothing.
func (s *Store) Problems(ctx context.Context) ([]Problem, error) {
	view, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	root, err := s.root()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close() // a folder handle: nothing to lose
	problems := append(s.fileProblems(view), s.strayProblems()...)
	damaged, err := s.historyProblems(ctx, root, view)
	if err != nil {
		return problems, err
	}
	problems = append(problems, damaged...)
	records, err := s.recordProblems(ctx, root)
	if err != nil {
		return problems, err
	}
	problems = append(problems, records...)
	if gone, err := s.absentees(ctx, root, view); err == nil && massive(gone, view) { // what cannot be listed is named above
		problems = append(problems, Problem{File: s.dir,
			What:   fmt.Sprintf("%d entries vanished: their files are gone, their history is here", len(gone)),
			Remedy: "put the files back with `memory-mcp restore --vanished`, or accept it with `memory-mcp forget --vanished`"})
	}
	if have, where := formatOf(root); have > formatNow {
		problems = append(problems, Problem{File: s.abs(where), What: fmt.Sprintf("format %d is newer than the %d that this version writes: the folder is only read", have, formatNow), Remedy: "install the newer memory-mcp"})
	}
	if name := networkFS(s.dir); name != "" {
		problems = append(problems, Problem{File: s.dir, What: "the folder is on a network file system (" + name + "): locks may not reach other machines, so two machines that write at once are told apart only by comparing bytes", Remedy: "write from one machine at a time"})
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
	return problems, nil
}

func (s *Store) fileProblems(view *View) []Problem {
	var all []Problem
	for h := range view.Heads() {
		if h.Broken != nil {
			all = append(all, Problem{File: s.abs(h.Path), Line: h.Broken.Line, What: fmt.Sprintf("%s: %q; the file is searched as plain text and not changed", h.Broken.What, h.Broken.Value), Remedy: h.Broken.Remedy})
		} else if h.Copy != "" {
			all = append(all, Problem{File: s.abs(h.Path), What: fmt.Sprintf("a copy: the entry %q is %s", h.Entry.ID, s.abs(h.Copy)), Remedy: "take over what it has of its own, then delete it; or give it an id of its own"})
		}
	}
	return all
}

func (s *Store) strayProblems() []Problem {
	s.looking.Lock()
	defer s.looking.Unlock()
	var all []Problem
	for p, f := range s.files {
		switch {
		case f.bad != nil:
			all = append(all, Problem{File: s.abs(p), What: "cannot be read: " + f.bad.Error(), Remedy: "give yourself permission to read it"})
		case f.large:
			all = append(all, Problem{File: s.abs(p), What: fmt.Sprintf("has %d bytes, and an entry at most %d: it is not searched", f.stamp.size, maxHead), Remedy: "split it, or move it out of the folder"})
		case !f.empty.IsZero() && s.opts.Now().Sub(f.empty) >= emptyRest:
			all = append(all, Problem{File: s.abs(p), What: "is empty", Remedy: "write the text again, or delete the file; `memory-mcp restore` brings the last text back"})
		}
	}
	for _, p := range s.links {
		all = append(all, Problem{File: s.abs(p), What: "is a symbolic link, which is not followed", Remedy: "put the file itself here"})
	}
	if s.watch == nil && limitReached(s.unwatched) {
		all = append(all, Problem{File: s.dir, What: "each request scans the folder, since the system's limit for watching files is reached: " + s.unwatched.Error(), Remedy: "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches with sysctl"})
	}
	for p, err := range s.blind {
		all = append(all, s.unlistable(p, err))
	}
	for _, c := range s.found {
		all = append(all, Problem{File: c.Path, What: fmt.Sprintf("an editor wrote into the file after it had been replaced; its text is revision %s of %q", hash16(c.Key), c.ID), Remedy: "compare the two, and write what holds"})
	}
	return all
}

func (s *Store) unlistable(dir string, err error) Problem {
	return Problem{File: s.abs(dir), What: "cannot be listed: " + err.Error(), Remedy: "give yourself permission to list it"}
}

// Usage is how much a store holds.
type Usage struct {
	Heads        int   `json:"heads"`
	Bytes        int64 `json:"bytes"`         // of the heads
	HistoryFiles int   `json:"history_files"` // of what was brought along, too
	HistoryBytes int64 `json:"history_bytes"`
	Broken       int   `json:"broken"`
	Copies       int   `json:"copies"`
	RecordFiles  int   `json:"record_files"`
	RecordBytes  int64 `json:"record_bytes"`
}

// Usage counts what the last look saw, and what history holds now.
func (s *Store) Usage() (Usage, error) {
	view := s.View()
	u := Usage{Bytes: view.Bytes()}
	for h := range view.Heads() {
		switch {
		case h.Broken != nil:
			u.Broken++
		case h.Copy != "":
			u.Copies++
		default:
			u.Heads++
		}
	}
	root, err := s.root()
	if err != nil || root == nil {
		return u, err
	}
	defer root.Close() // a folder handle: nothing to lose
	for _, top := range []string{historyDir, broughtDir} {
		folders, err := foldersIn(root, top)
		if err != nil {
			return u, fmt.Errorf("list history: %w", err)
		}
		for _, folder := range folders {
			if err := u.count(root, path.Join(top, folder)); err != nil {
				return u, fmt.Errorf("list history: %w", err)
			}
		}
	}
	return u, u.countRecords(root)
}

func (u *Usage) count(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close() // a folder handle: nothing to lose
	names, err := f.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if st, err := stampAt(f, name); err == nil && st.kind == kindFile {
			u.HistoryFiles++
			u.HistoryBytes += st.size
		}
	}
	return nil
}
