package store

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"memory-mcp/store/entry"
)

const damagedRemedy = "bring the file back from a copy of the folder, or move it away"

// audit reads all that history and what was brought along hold.
type audit struct {
	s      *Store
	root   *os.Root
	erased map[string]string   // the tombstone's key of each erased id
	files  map[string][]string // of each id, below the store's folder
	follow map[string][]string // the keys of the states that those of an id follow
	stand  map[string][]fact   // of each id what stands in for other states
	found  []Problem
}

// historyProblems reads every revision and names those whose bytes are not
// what their names promise, and what is left of entries that were erased.
func (s *Store) historyProblems(ctx context.Context, root *os.Root, view *View) ([]Problem, error) {
	a := &audit{s: s, root: root, erased: map[string]string{}, files: map[string][]string{}, follow: map[string][]string{}, stand: map[string][]fact{}}
	for _, top := range []string{historyDir, broughtDir} {
		folders, err := namesIn(root, top)
		if err != nil {
			a.found = append(a.found, s.unlistable(top, err))
		}
		for _, folder := range folders {
			if err := ctx.Err(); err != nil {
				return a.found, err
			}
			switch dir := path.Join(top, folder); {
			case !isFile(root, dir):
				a.folder(dir, folder)
			case !strings.HasPrefix(folder, "."): // those are of the system, such as .DS_Store
				a.found = append(a.found, Problem{File: s.abs(dir), What: "is no folder: history holds only folders of two hex digits", Remedy: "move it away"})
			}
		}
	}
	a.leftOver(view)
	a.replaced()
	a.missing()
	a.branched(view)
	return append(a.found, s.twinProblems()...), nil
}

// isFile tells whether a file lies where a folder belongs.
func isFile(root *os.Root, name string) bool {
	info, err := root.Stat(name)
	return err == nil && !info.IsDir()
}

// folder reads one folder of revisions.
func (a *audit) folder(dir, folder string) {
	names, err := namesIn(a.root, dir)
	if err != nil {
		a.found = append(a.found, a.s.unlistable(dir, err))
		return
	}
	for _, name := range names {
		if what := a.file(dir, folder, name); what != "" {
			a.found = append(a.found, Problem{File: a.s.abs(path.Join(dir, name)), What: what, Remedy: damagedRemedy})
		}
	}
}

// file tells what is wrong with a file of history.
func (a *audit) file(dir, folder, name string) string {
	if strings.HasPrefix(name, ".") {
		return ""
	}
	id, key, ok := entry.SplitName(name)
	if !ok {
		return "is not a revision: history holds only files named ID.TIME-HASH.md"
	}
	if entry.HistoryDir(id) != folder {
		return "lies in the wrong folder of history, where it is not found"
	}
	a.files[id] = append(a.files[id], path.Join(dir, name))
	b, err := a.root.ReadFile(path.Join(dir, name))
	if err == nil {
		var r entry.Revision
		if r, err = readRevision(b, id, key); r.Op == entry.OpErase {
			a.erased[id] = key
		}
		a.follow[id] = append(a.follow[id], r.Parents...)
		if len(r.Instead) > 0 {
			a.stand[id] = append(a.stand[id], factOf(key, r))
		}
	}
	if err != nil {
		return "is damaged, and not used: " + err.Error()
	}
	return ""
}

// missing names the states that others follow and whose files are gone.
func (a *audit) missing() {
	for _, id := range slices.Sorted(maps.Keys(a.follow)) {
		if a.erased[id] != "" {
			continue
		}
		there := make(map[string]bool, len(a.files[id]))
		for _, file := range a.files[id] {
			if _, key, ok := entry.SplitName(path.Base(file)); ok {
				there[key] = true
			}
		}
		stand := standInsOf(a.stand[id])
		for _, key := range a.follow[id] {
			if there[stand.now(key)] {
				continue
			}
			there[key] = true // named once
			file := path.Join(historyDir, entry.HistoryDir(id), id+"."+key+".md")
			a.found = append(a.found, Problem{File: a.s.abs(file), What: "is gone: what was believed of it then is not known", Remedy: "bring the file back from a copy of the folder"})
		}
	}
}

// branched notes the ids that have twins: of a folder that was copied over this
// one, nobody may have asked yet. Only those of which more than one state is
// followed by none are looked at.
func (a *audit) branched(view *View) {
	for _, id := range slices.Sorted(maps.Keys(a.files)) {
		followed, stand := make(map[string]bool, len(a.follow[id])), standInsOf(a.stand[id])
		for _, key := range a.follow[id] {
			followed[stand.now(key)] = true
		}
		leaves := 0
		for _, file := range a.files[id] {
			if _, key, _ := entry.SplitName(path.Base(file)); !followed[key] && strings.HasPrefix(file, historyDir+"/") {
				leaves++
			}
		}
		if leaves < 2 {
			continue
		}
		if h, _ := view.ID(id); len(a.s.twinsOf(a.root, id, h)) > 0 {
			a.s.noteTwins(id)
		}
	}
}

// replaced names states that are here though others stand in for them.
func (a *audit) replaced() {
	for _, id := range slices.Sorted(maps.Keys(a.stand)) {
		stand := standInsOf(a.stand[id])
		for _, file := range a.files[id] {
			_, key, _ := entry.SplitName(path.Base(file))
			blank := slices.ContainsFunc(a.stand[id], func(f fact) bool { return f.key == key && f.blank() })
			if blank || !stand.replaced(key) {
				continue
			}
			p := Problem{File: a.s.abs(file), What: fmt.Sprintf("is left of a state of %q that was masked: it is not used", id), Remedy: "mask it again: `memory-mcp forget --secrets`"}
			if slices.ContainsFunc(a.stand[id], func(f fact) bool { return f.key == stand.now(key) && f.blank() }) {
				p.What = fmt.Sprintf("is left of a state of %q that was erased: it is not used", id)
				p.Remedy = fmt.Sprintf("erase it again: `memory-mcp forget %s --erase --revision %s`", id, hash16(key))
			}
			a.found = append(a.found, p)
		}
	}
}

// leftOver names what is left of erased entries, or has come back.
func (a *audit) leftOver(view *View) {
	for id, key := range a.erased {
		remedy := fmt.Sprintf("erase it again: `memory-mcp forget %s --erase`", id)
		for _, file := range a.files[id] {
			if !strings.HasSuffix(file, key+".md") {
				a.found = append(a.found, Problem{File: a.s.abs(file), What: fmt.Sprintf("is left of %q, which was erased: it is not used", id), Remedy: remedy})
			}
		}
		if h, ok := view.ID(id); ok {
			a.found = append(a.found, Problem{File: a.s.abs(h.Path), What: fmt.Sprintf("has the id %q, which was erased: it is searched, and never becomes history", id), Remedy: "give it another id; or " + remedy})
		}
	}
	names, err := a.s.history(a.root)
	if err != nil {
		return // it was named above
	}
	for _, m := range begun(a.root, names) {
		a.found = append(a.found, Problem{File: a.s.abs(m.half), What: fmt.Sprintf("the erasure of %q was cut off", m.rev.ID), Remedy: "the next write completes it"})
	}
}

// twinProblems names the states that no head follows.
func (s *Store) twinProblems() []Problem {
	var all []Problem
	for _, c := range s.Conflicts() {
		if !c.Twin {
			continue // it is named with the files
		}
		what := fmt.Sprintf("another copy of the folder has changed %q, too: revision %s", c.ID, hash16(c.Key))
		if c.Gone {
			what = fmt.Sprintf("another copy of the folder has deleted %q: revision %s", c.ID, hash16(c.Key))
		}
		all = append(all, Problem{File: c.Path, What: what, Remedy: "compare the two, and write what holds"})
	}
	return all
}
