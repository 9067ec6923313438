package install

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"memory-mcp/cmd/internal/hosts"
)

// A Plan is what setup or its inverse would do.
type Plan struct {
	Hosts   []HostPlan
	Changes []Change // of files, in the order of the hosts
	options Options
	removal bool
}

// A HostPlan is what a person has to know about one host.
type HostPlan struct {
	ID, Name string
	Here     bool
	Had      bool     // something of ours was there before
	Sign     string   // by which it was found
	Notes    []string // of what is there: names that are taken, a second registration
	Next     []string // what is left to do by hand
	Show     *Snippet // to be pasted, where no file is edited
	Errors   []*FileError
}

// A Change is one file before and after. A nil text is no file.
type Change struct {
	Path     string // of the file itself, behind links
	Hosts    []string
	What     []string
	Old, New []byte
	Mode     fs.FileMode // of a file that is made
	edits    []Edit
}

// Kind is created, changed, removed or unchanged.
func (c Change) Kind() string {
	switch {
	case (c.Old == nil) == (c.New == nil) && bytes.Equal(c.Old, c.New):
		return "unchanged"
	case c.Old == nil:
		return "created"
	case c.New == nil:
		return "removed"
	}
	return "changed"
}

// Diff shows the change line by line, very long lines cut short.
func (c Change) Diff() string {
	if c.Kind() == "unchanged" {
		return ""
	}
	from, to := c.Path, c.Path
	if c.Old == nil {
		from = os.DevNull
	}
	if c.New == nil {
		to = os.DevNull
	}
	text := string(diff.Diff(from, c.Old, to, c.New))
	_, text, _ = strings.Cut(text, "\n") // the line that names the tool
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if len(l) > longestLine {
			lines[i] = strings.ToValidUTF8(l[:longestLine], "") + "…\n"
		}
	}
	return strings.Join(lines, "")
}

const longestLine = 300

// Prepare says what setup would do. A host that is asked for by name and is not
// here gets nothing.
func Prepare(o Options) (Plan, error) {
	o, err := o.with()
	if err != nil {
		return Plan{}, err
	}
	if !filepath.IsAbs(o.Command) && o.OS == runtime.GOOS {
		return Plan{}, fmt.Errorf("the program %q is not named by an absolute path", o.Command)
	}
	rec, err := readRecord(o)
	if err != nil {
		return Plan{}, err
	}
	o = rec.recall(o)
	p := Plan{options: o}
	m := o.maker()
	all := len(o.Hosts) == 0 || slices.Contains(o.Hosts, "all")
	for _, h := range hosts.All() {
		sign, here := m.isHere(h)
		asked := slices.Contains(o.Hosts, h.ID)
		if m.chosen[h.ID] = here && (all || asked); all && here || asked {
			p.Hosts = append(p.Hosts, HostPlan{ID: h.ID, Name: h.Name, Here: here, Sign: sign})
		}
	}
	for i := range p.Hosts {
		p.prepare(m, &p.Hosts[i])
	}
	return p, nil
}

func (p *Plan) prepare(m maker, hp *HostPlan) {
	h, _ := hosts.Lookup(hp.ID)
	if !hp.Here {
		hp.Notes = append(hp.Notes, h.Name+" is not found here, so nothing is written for it")
		hp.Show = snippet(m, h)
		return
	}
	edits := m.edits(h)
	if !slices.ContainsFunc(edits, func(e Edit) bool { return e.What == "server" }) {
		hp.Show = snippet(m, h)
		hp.Notes = append(hp.Notes, m.unsure(h)...)
	}
	hooked := false
	for _, e := range edits {
		changed := p.include(e, hp)
		hooked = hooked || changed && h.Hooks != nil && (e.What == "hooks" || e.What == "hook")
	}
	if hooked && h.Hooks.Review != "" {
		hp.Next = append(hp.Next, h.Hooks.Review)
	}
	if m.Scope == Project && len(h.Project) > 0 {
		hp.Notes = append(hp.Notes, "the files of a project are shared, so they name "+program+" without a folder: it has to be on each person's PATH; hooks stay in the person's own files")
	}
	if h.Reload != "" && !hp.Idle(*p) {
		hp.Next = append(hp.Next, h.Reload)
	}
}

// unsure says between which files of a host nobody can choose from outside.
func (m maker) unsure(h hosts.Host) (notes []string) {
	for _, f := range m.files(h) {
		if all := m.places(f.Paths); len(all) > 1 {
			notes = append(notes, h.Name+" reads one of these, and which cannot be told, so none is written: "+strings.Join(all, ", "))
		}
	}
	return notes
}

// Idle tells that nothing of a host would change.
func (hp HostPlan) Idle(p Plan) bool {
	return !slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Kind() != "unchanged" && slices.Contains(c.Hosts, hp.ID) })
}

// Removal tells that the plan takes back.
func (p Plan) Removal() bool { return p.removal }

// Idle tells that nothing at all would change.
func (p Plan) Idle() bool {
	return !slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Kind() != "unchanged" })
}

// include adds an edit to the change of its file, or an error to its host. It
// tells whether the edit changes anything.
func (p *Plan) include(e Edit, hp *HostPlan) bool {
	at, err := behindLinks(e.Path)
	if err != nil {
		hp.Errors = append(hp.Errors, &FileError{Host: hp.ID, Path: e.Path, Err: err})
		return false
	}
	i := slices.IndexFunc(p.Changes, func(c Change) bool { return c.Path == at })
	var c Change
	if i >= 0 {
		c = p.Changes[i]
	} else {
		old, err := readFile(at)
		if err != nil {
			hp.Errors = append(hp.Errors, &FileError{Host: hp.ID, Path: at, Err: err})
			return false
		}
		c = Change{Path: at, Old: old, New: old, Mode: e.Mode}
	}
	next, err := p.run(e, c.New)
	if err != nil {
		hp.Errors = append(hp.Errors, &FileError{Host: hp.ID, Path: at, Err: err})
		return false
	}
	if bare, err := e.Remove(c.New); err == nil && !equal(bare, c.New) {
		hp.Had = true
	}
	if e.Notes != nil {
		hp.Notes = append(hp.Notes, e.Notes(c.New)...)
	}
	changed := (next == nil) != (c.New == nil) || !bytes.Equal(next, c.New)
	c.New = next
	c.edits = append(slices.Clone(c.edits), e)
	c.Hosts, c.What = once(c.Hosts, e.Host), once(c.What, e.What)
	if i >= 0 {
		p.Changes[i] = c
	} else {
		p.Changes = append(p.Changes, c)
	}
	return changed
}

func once(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(slices.Clone(list), s)
}

func (p *Plan) run(e Edit, old []byte) ([]byte, error) {
	if p.removal {
		return e.Remove(old)
	}
	return e.Add(old)
}

func equal(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// PrepareRemoval says what would take everything of ours out again: from the
// files of the hosts that are named, of all when none is. The files of a
// project are meant too when one is named.
func PrepareRemoval(o Options) (Plan, error) {
	o, err := o.with()
	if err != nil {
		return Plan{}, err
	}
	rec, err := readRecord(o)
	if err != nil {
		return Plan{}, err
	}
	o = rec.recall(o)
	p := Plan{options: o, removal: true}
	all := len(o.Hosts) == 0 || slices.Contains(o.Hosts, "all")
	for _, h := range hosts.All() {
		if !all && !slices.Contains(o.Hosts, h.ID) {
			continue
		}
		hp := HostPlan{ID: h.ID, Name: h.Name, Here: true}
		p.removeFrom(h, rec, &hp)
		if len(hp.Errors) > 0 || !hp.Idle(p) {
			p.Hosts = append(p.Hosts, hp)
		}
	}
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Kind() == "unchanged" })
	return p, nil
}

// removeFrom takes back the edits of a host, the last one first: those in the
// person's files, in the project that is named and in those that were set up.
func (p *Plan) removeFrom(h hosts.Host, rec record, hp *HostPlan) {
	projects := once(rec.Projects, p.options.Project)
	if p.options.Scope == Project {
		projects = []string{p.options.Project}
	} else {
		p.takeBack(h, User, "", hp)
	}
	for _, dir := range projects {
		if dir != "" {
			p.takeBack(h, Project, dir, hp)
		}
	}
}

// takeBack is removeFrom in one place. A file that does not hold the program's
// name holds nothing of ours, and is not read further.
func (p *Plan) takeBack(h hosts.Host, scope Scope, project string, hp *HostPlan) {
	o := p.options
	o.Scope, o.Project, o.NoHooks = scope, project, false
	edits := o.maker().edits(h)
	slices.Reverse(edits)
	for _, e := range edits {
		if p.mentions(e.Path) {
			p.include(e, hp)
		}
	}
}

func (p *Plan) mentions(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	names := append([]string{program, base(p.options.Command)}, p.options.names...)
	return slices.ContainsFunc(names, func(n string) bool { return n != "" && bytes.Contains(text, []byte(n)) })
}
