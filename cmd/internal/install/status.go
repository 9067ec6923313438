package install

import (
	"slices"

	"memory-mcp/cmd/internal/hosts"
)

// A State is what is registered with one host.
type State struct {
	ID, Name string
	Here     bool
	Sign     string
	Servers  []Registered
	Hooks    []Hooked
	Files    []FileState
}

// A FileState compares one file with what setup would make of it.
type FileState struct {
	Path, What string
	State      string // "current", "outdated", "missing" or "unreadable"
	Err        error
}

// A Registered is a server of ours as a host starts it.
type Registered struct {
	Path, Name string
	Command    string
	Args       []string
	Env        map[string]string
}

// A Hooked is a hook of ours as a host starts it.
type Hooked struct {
	Path, Event string // the event is empty where one program serves all
	Command     []string
}

// Look tells what is registered with each host that is here, or that has
// something of ours.
func Look(o Options) ([]State, error) {
	o, err := o.with()
	if err != nil {
		return nil, err
	}
	rec, err := readRecord(o)
	if err != nil {
		return nil, err
	}
	o = rec.recall(o)
	m := o.maker()
	for _, h := range hosts.All() {
		_, m.chosen[h.ID] = m.isHere(h)
	}
	var states []State
	for _, h := range hosts.All() {
		if len(o.Hosts) > 0 && !slices.Contains(o.Hosts, h.ID) && !slices.Contains(o.Hosts, "all") {
			continue
		}
		s := State{ID: h.ID, Name: h.Name}
		s.Sign, s.Here = m.isHere(h)
		for _, e := range m.edits(h) {
			s.Files = append(s.Files, stateOf(e))
		}
		for _, f := range m.files(h) {
			s.Servers = append(s.Servers, m.registered(f)...)
		}
		s.Hooks = m.hooked(h)
		if s.Here || len(s.Servers) > 0 {
			states = append(states, s)
		}
	}
	return states, nil
}

func stateOf(e Edit) FileState {
	s := FileState{Path: e.Path, What: e.What, State: "unreadable"}
	var old, next, bare []byte
	if old, s.Err = readFile(e.Path); s.Err != nil {
		return s
	}
	if next, s.Err = e.Add(old); s.Err != nil {
		return s
	}
	if bare, s.Err = e.Remove(old); s.Err != nil {
		return s
	}
	switch {
	case equal(next, old):
		s.State = "current"
	case equal(bare, old):
		s.State = "missing"
	default:
		s.State = "outdated"
	}
	return s
}

// registered are the servers of ours in a file that can be read.
func (m maker) registered(f hosts.File) []Registered {
	at := m.place(f.Paths)
	if at == "" || f.Format == hosts.YAML {
		return nil
	}
	text, err := readFile(at)
	if err != nil || text == nil {
		return nil
	}
	all, err := serversIn(text, f)
	if err != nil {
		return nil
	}
	var found []Registered
	for _, name := range sortedKeys(all) {
		entry, ok := all[name].(map[string]any)
		if !ok || !m.server().ownsEntry(entry) {
			continue
		}
		command := texts(entry["command"])
		if one, ok := entry["command"].(string); ok {
			command = append([]string{one}, texts(entry["args"])...)
		}
		r := Registered{Path: at, Name: name, Command: command[0], Args: command[1:], Env: map[string]string{}}
		env, ok := entry[envKey(f.Entry)].(map[string]any)
		for k, v := range env {
			if s, isText := v.(string); ok && isText {
				r.Env[k] = s
			}
		}
		found = append(found, r)
	}
	return found
}

// hooked are the hooks of ours in the file of a host, in the order of the
// host's events; what cannot be read holds none.
func (m maker) hooked(h hosts.Host) []Hooked {
	if h.Hooks == nil {
		return nil
	}
	at := m.place(h.Hooks.Paths)
	if at == "" {
		return nil
	}
	if h.Hooks.Style == hosts.Plugin || h.Hooks.Style == hosts.Scripts {
		return m.programs(h, at)
	}
	text, err := readFile(at)
	if err != nil || text == nil {
		return nil
	}
	k := hooker{server: m.server(), hooks: *h.Hooks, words: m.hookWords(h.ID), shell: h.Hooks.Shell.On(m.OS)}
	file := &jsonFile{text, h.Hooks.Format}
	spots, err := k.spots(file)
	if err != nil {
		return nil
	}
	var found []Hooked
	for _, s := range k.inOrder(spots) {
		v, err := file.get(s.path()...)
		handler, ok := v.(map[string]any)
		if err == nil && ok {
			found = append(found, Hooked{Path: at, Event: s.event, Command: k.command(handler)})
		}
	}
	return found
}

// programs are the hooks that are whole files of ours, if they are there.
func (m maker) programs(h hosts.Host, at string) []Hooked {
	if h.Hooks.Style == hosts.Plugin {
		if m.exists(at) == "" {
			return nil
		}
		return []Hooked{{Path: at, Command: m.hookWords(h.ID)}}
	}
	var found []Hooked
	for _, e := range h.Hooks.Events {
		if file := m.join(at, e.Name); m.exists(file) != "" {
			if text, err := readFile(file); err == nil {
				if ours, _ := sealed(text); ours {
					found = append(found, Hooked{Path: file, Event: e.Name, Command: m.hookWords(h.ID)})
				}
			}
		}
	}
	return found
}
