package install

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"memory-mcp/cmd/internal/hosts"
)

// An Edit is one change of one file, and its inverse. A nil text is a file that
// is not there. Add done twice is Add done once; Remove of what Add made gives
// the text from before, byte for byte.
type Edit struct {
	Host   string
	Path   string
	What   string      // for a person: "server", "hooks", "skill", …
	Mode   fs.FileMode // of a file that is made
	Add    func(old []byte) ([]byte, error)
	Remove func(old []byte) ([]byte, error)
	Notes  func(old []byte) []string // what to tell about a text, nil for nothing
}

// maker makes the edits of hosts. exists looks at the disk.
type maker struct {
	Options
	machine hosts.Machine
	exists  func(pattern string) string // the newest file that fits, or nothing
	onPath  func(command string) bool
	chosen  map[string]bool
}

func (m maker) server() server {
	s := server{command: m.Command, args: []string{"serve"}, home: m.SetHome, names: m.names}
	if m.ReadOnly {
		s.args = append(s.args, "--read-only")
	}
	if m.Scope == Project {
		// The files of a project are shared, so they name no one's folders.
		s.command, s.home = program, ""
	}
	return s
}

// hookWords is the command of a host's hooks.
func (m maker) hookWords(id string) []string {
	w := []string{m.Command, "hook", id}
	if m.OS == "windows" {
		w[0] = strings.ReplaceAll(w[0], `\`, "/")
	}
	if m.SetHome != "" {
		w = append(w, "--home", m.SetHome)
	}
	return w
}

// edits are all edits of one host in the scope that is asked for.
func (m maker) edits(h hosts.Host) []Edit {
	var out []Edit
	for _, f := range m.files(h) {
		if e, ok := m.serverEdit(h, f); ok {
			out = append(out, e)
		}
	}
	if m.Scope == User && h.Hooks != nil && !m.NoHooks {
		out = append(out, m.hookEdits(h)...)
	}
	for _, g := range h.Guides {
		if e, ok := m.guideEdit(h, g); ok {
			out = append(out, e)
		}
	}
	for i, e := range out {
		out[i] = e.proven()
	}
	return out
}

var errNoInverse = errors.New("taking the change back would not give the file from before; please report its form")

// proven is an edit that proves, for a file without anything of ours, that it
// can be taken back to the byte, and refuses the file otherwise.
func (e Edit) proven() Edit {
	add := e.Add
	e.Add = func(old []byte) ([]byte, error) {
		next, err := add(old)
		if err != nil {
			return nil, err
		}
		bare, err := e.Remove(old)
		if err != nil || !equal(bare, old) {
			return next, nil // ours is there already, or was changed by hand
		}
		back, err := e.Remove(next)
		if err != nil || !equal(back, old) {
			return nil, errors.Join(errNoInverse, err)
		}
		return next, nil
	}
	return e
}

func (m maker) files(h hosts.Host) []hosts.File {
	if m.Scope == Project {
		return h.Project
	}
	return h.User
}

// place is the file at which an edit works: the first that exists, else the
// only one that can be meant. It is empty when that cannot be told.
func (m maker) place(p hosts.Paths) string {
	if all := m.places(p); len(all) == 1 {
		return all[0]
	}
	return ""
}

// places are the files that a host may read here. Where some lie in folders
// that only the host makes, those folders tell.
func (m maker) places(p hosts.Paths) []string {
	var certain, made []string
	uncertain := false
	for _, pattern := range p.On(m.machine) {
		if found := m.exists(pattern); found != "" {
			return []string{found}
		}
		uncertain = uncertain || strings.Contains(pattern, "*")
		if dir := m.exists(m.dir(pattern)); dir != "" {
			made = append(made, m.join(dir, path.Base(m.slashed(pattern))))
		}
		if !strings.Contains(pattern, "*") {
			certain = append(certain, pattern)
		}
	}
	if uncertain && len(made) > 0 {
		return made
	}
	return certain[:min(1, len(certain))]
}

func (m maker) serverEdit(h hosts.Host, f hosts.File) (Edit, bool) {
	at := m.place(f.Paths)
	if at == "" || f.Format == hosts.YAML || f.Format == hosts.Settings || !m.wanted(f, at) {
		return Edit{}, false
	}
	s := m.server()
	e := Edit{
		Host: h.ID, Path: at, What: "server", Mode: m.mode(),
		Add:    func(old []byte) ([]byte, error) { return s.addServer(old, f) },
		Remove: func(old []byte) ([]byte, error) { return s.removeServer(old, f) },
		Notes:  func(old []byte) []string { return s.noteServers(old, f) },
	}
	if f.Format == hosts.TOML {
		e.Add = func(old []byte) ([]byte, error) { return s.addTable(old, f.Key) }
		e.Remove = func(old []byte) ([]byte, error) { return s.removeTable(old, f.Key) }
	}
	return e, true
}

// wanted tells whether a file may be made or edited here.
func (m maker) wanted(f hosts.File, at string) bool {
	if m.exists(at) != "" {
		return true
	}
	if f.Existing {
		return false
	}
	needs := f.Needs.On(m.machine)
	for _, p := range needs {
		if m.exists(p) != "" {
			return true
		}
	}
	for _, c := range f.Commands {
		if m.onPath(c) {
			return true
		}
	}
	return len(needs) == 0
}

func (m maker) mode() fs.FileMode {
	if m.Scope == Project {
		return 0o644
	}
	return 0o600
}

func (m maker) hookEdits(h hosts.Host) []Edit {
	at, words := m.place(h.Hooks.Paths), m.hookWords(h.ID)
	if at == "" {
		return nil
	}
	switch h.Hooks.Style {
	case hosts.Plugin:
		return []Edit{whole(h.ID, at, "plugin", 0o600, plugin(words))}
	case hosts.Scripts:
		var out []Edit
		for _, e := range h.Hooks.Events {
			out = append(out, whole(h.ID, m.join(at, e.Name), "hook", 0o700, script(words)))
		}
		return out
	}
	k := hooker{server: m.server(), hooks: *h.Hooks, words: words, shell: h.Hooks.Shell.On(m.OS)}
	return []Edit{{Host: h.ID, Path: at, What: "hooks", Mode: 0o600, Add: k.add, Remove: k.remove}}
}

func (m maker) guideEdit(h hosts.Host, g hosts.Guide) (Edit, bool) {
	paths := g.User
	if m.Scope == Project {
		paths = g.Project
	}
	at := m.place(paths)
	if at == "" || g.Kind == hosts.Skill && m.chosen[h.SkillsOf] {
		return Edit{}, false
	}
	if g.Kind == hosts.Block {
		return Edit{
			Host: h.ID, Path: at, What: "instructions", Mode: m.mode(),
			Add:    func(old []byte) ([]byte, error) { return addBlock(old, blockText) },
			Remove: removeBlock,
		}, true
	}
	what := map[hosts.GuideKind]string{hosts.Skill: "skill", hosts.Rule: "rule"}[g.Kind]
	if what == "" {
		what = "command /mem"
	}
	return whole(h.ID, at, what, m.mode(), m.server().guideFile(g.Kind)), true
}

// whole is the edit of a file that is ours alone.
func whole(host, at, what string, mode fs.FileMode, text []byte) Edit {
	return Edit{
		Host: host, Path: at, What: what, Mode: mode,
		Add:    func(old []byte) ([]byte, error) { return addWhole(old, text) },
		Remove: removeWhole,
	}
}

func (m maker) slashed(p string) string {
	if m.OS == "windows" {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

func (m maker) dir(p string) string { return m.native(path.Dir(m.slashed(p))) }

func (m maker) join(dir, name string) string { return m.native(m.slashed(dir) + "/" + name) }

func (m maker) native(p string) string {
	if m.OS == "windows" {
		return strings.ReplaceAll(p, "/", `\`)
	}
	return p
}

// Edits are the edits of hosts that are taken to be here, in the scope that is
// asked for. They look at the disk only to choose between files.
func Edits(o Options, ids []string) ([]Edit, error) { return EditsWith(o, ids, newest) }

// EditsWith is [Edits] on a disk of which exists tells what fits a pattern,
// empty for nothing: that of another system, or of none.
func EditsWith(o Options, ids []string, exists func(pattern string) string) ([]Edit, error) {
	o, err := o.with()
	if err != nil {
		return nil, err
	}
	m := o.maker()
	m.exists = exists
	var all []Edit
	for _, id := range ids {
		h, known := hosts.Lookup(id)
		if !known {
			return nil, &UnknownHostError{ID: id, Known: hosts.IDs()}
		}
		all = append(all, m.edits(h)...)
	}
	return all, nil
}
