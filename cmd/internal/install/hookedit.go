package install

import (
	"memory-mcp/cmd/internal/hosts"
)

// A hooker writes the hooks of one host into a JSON file.
type hooker struct {
	server
	hooks hosts.Hooks
	words []string // the program, hook, the host and what else
	shell hosts.Shell
}

// A spot is where a hook of ours stands: its element in the event's list, and
// the handler in it where elements are groups.
type spot struct {
	event          string
	element, inner int // inner is -1 when elements are handlers
	alone          bool
}

func (s spot) path() []any {
	if s.inner >= 0 {
		return []any{"hooks", s.event, s.element, "hooks", s.inner}
	}
	return []any{"hooks", s.event, s.element}
}

// whole is the path of what to take out, so that no empty group stays.
func (s spot) whole() []any {
	if s.inner >= 0 && !s.alone {
		return s.path()
	}
	return []any{"hooks", s.event, s.element}
}

func (h hooker) grouped() bool { return h.hooks.Style == hosts.Exec || h.hooks.Style == hosts.Grouped }

func (h hooker) versioned() bool {
	return h.hooks.Style == hosts.Listed || h.hooks.Style == hosts.ListExec
}

// handler is one hook in the words of the host.
func (h hooker) handler(e hosts.Event) object {
	var o object
	switch h.hooks.Style {
	case hosts.Exec:
		o = object{{"type", "command"}, {"command", h.words[0]}, {"args", h.words[1:]}}
	case hosts.Grouped:
		o = object{{"type", "command"}, {"command", line(h.shell, h.words)}}
	case hosts.ListExec:
		o = object{{"type", "command"}, {"exec", h.words[0]}, {"args", h.words[1:]}}
	case hosts.Cascade:
		return object{
			{"command", line(hosts.POSIX, h.words)}, {"powershell", line(hosts.PowerShell, h.words)}, {"show_output", false},
		}
	default:
		o = object{{"command", line(h.shell, h.words)}}
	}
	if h.hooks.Unit == 0 || e.Timeout == 0 {
		return o
	}
	name := "timeout"
	if h.hooks.Style == hosts.ListExec {
		name = "timeoutSec"
	}
	return append(o, field{name, int(e.Timeout / h.hooks.Unit)})
}

func (h hooker) element(e hosts.Event) object {
	if !h.grouped() {
		return h.handler(e)
	}
	group := object{}
	if e.Matcher != "" {
		group = append(group, field{"matcher", e.Matcher})
	}
	return append(group, field{"hooks", []any{h.handler(e)}})
}

// ownsHandler tells whether a handler of a file is ours, in any of the forms.
func (h hooker) ownsHandler(v any) bool {
	m, ok := v.(map[string]any)
	return ok && h.command(m) != nil
}

// command is what a handler of ours starts, nil for another's.
func (h hooker) command(handler map[string]any) []string {
	for _, key := range []string{"command", "exec", "powershell"} {
		command, ok := handler[key].(string)
		if !ok {
			continue
		}
		for _, all := range [][]string{append([]string{command}, texts(handler["args"])...), words(command)} {
			if h.owns(all, "hook") {
				return all
			}
		}
	}
	return nil
}

// spots finds our hooks, in the order of the file.
func (h hooker) spots(file *jsonFile) ([]spot, error) {
	all, err := file.get("hooks")
	if err != nil {
		return nil, err
	}
	events, ok := all.(map[string]any)
	if !ok {
		return nil, nil
	}
	var found []spot
	for _, event := range sortedKeys(events) {
		list, ok := events[event].([]any)
		if !ok {
			continue
		}
		for i, element := range list {
			found = append(found, h.spotsIn(event, i, element)...)
		}
	}
	return found, nil
}

func (h hooker) spotsIn(event string, i int, element any) []spot {
	if !h.grouped() {
		if h.ownsHandler(element) {
			return []spot{{event, i, -1, true}}
		}
		return nil
	}
	group, ok := element.(map[string]any)
	if !ok {
		return nil
	}
	handlers, ok := group["hooks"].([]any)
	if !ok {
		return nil
	}
	var found []spot
	for j, handler := range handlers {
		if h.ownsHandler(handler) {
			found = append(found, spot{event, i, j, len(handlers) == 1})
		}
	}
	return found
}

// add puts a hook at the end of each event's list. A hook of ours that is
// there is brought up to date where it stands; one too many is taken out.
func (h hooker) add(old []byte) ([]byte, error) {
	file := &jsonFile{old, h.hooks.Format}
	if err := h.repair(file); err != nil {
		return nil, err
	}
	fresh, err := h.unversioned(file)
	if err != nil {
		return nil, err
	}
	for _, e := range h.hooks.Events {
		there, err := h.spots(file)
		if err != nil {
			return nil, err
		}
		if _, ok := firstOf(there, e.Name); ok {
			continue
		}
		if err := file.push(h.element(e), "hooks", e.Name); err != nil {
			return nil, err
		}
	}
	if fresh {
		err = file.put(1, "version")
	}
	return file.text, err
}

// unversioned tells whether the file has neither hooks nor the version that
// its host wants with them.
func (h hooker) unversioned(file *jsonFile) (bool, error) {
	if !h.versioned() {
		return false, nil
	}
	hooks, err := file.get("hooks")
	if err != nil {
		return false, err
	}
	version, err := file.get("version")
	return hooks == nil && version == nil, err
}

func firstOf(spots []spot, event string) (spot, bool) {
	for _, s := range spots {
		if s.event == event {
			return s, true
		}
	}
	return spot{}, false
}

// repair brings the hooks that are there up to date, from the last one to the
// first, so that those before keep their places.
func (h hooker) repair(file *jsonFile) error {
	spots, err := h.spots(file)
	if err != nil {
		return err
	}
	for i := len(spots) - 1; i >= 0; i-- {
		s := spots[i]
		event, wanted := h.event(s.event)
		if first, _ := firstOf(spots, s.event); !wanted || first != s {
			err = file.cut(s.whole()...)
		} else {
			err = h.renew(file, s, event)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (h hooker) event(name string) (hosts.Event, bool) {
	for _, e := range h.hooks.Events {
		if e.Name == name {
			return e, true
		}
	}
	return hosts.Event{}, false
}

// renew rewrites one handler when its program or its time differs.
func (h hooker) renew(file *jsonFile, s spot, e hosts.Event) error {
	t, err := parse(file.text, file.format)
	if err != nil {
		return err
	}
	v, err := t.at(s.path())
	if err != nil {
		return err
	}
	there, ok := decode(*v).(map[string]any)
	if !ok {
		return nil
	}
	wanted := h.handler(e)
	known := map[string]bool{"type": true, "command": true, "args": true, "exec": true, "powershell": true, "show_output": true, "timeout": true, "timeoutSec": true}
	for _, key := range sortedKeys(there) {
		if !known[key] {
			wanted = append(wanted, field{key, raw(there[key])})
		}
	}
	file.text = t.replace(v, wanted)
	return nil
}

// remove takes all our hooks out, and the version that came with them.
func (h hooker) remove(old []byte) ([]byte, error) {
	file := &jsonFile{old, h.hooks.Format}
	if err := h.dropVersion(file); err != nil {
		return nil, err
	}
	spots, err := h.spots(file)
	if err != nil {
		return nil, err
	}
	ordered := h.inOrder(spots)
	for i := len(ordered) - 1; i >= 0; i-- {
		if err := file.cut(ordered[i].whole()...); err != nil {
			return nil, err
		}
	}
	return file.text, nil
}

// inOrder sorts places as add makes them, so that taking them back from the
// last one undoes it step by step.
func (h hooker) inOrder(spots []spot) []spot {
	var out []spot
	for _, s := range spots {
		if _, wanted := h.event(s.event); !wanted {
			out = append(out, s)
		}
	}
	for _, e := range h.hooks.Events {
		for _, s := range spots {
			if s.event == e.Name {
				out = append(out, s)
			}
		}
	}
	return out
}

// dropVersion takes out the version that add wrote: the last member, right
// after hooks that hold nothing but ours.
func (h hooker) dropVersion(file *jsonFile) error {
	if !h.versioned() {
		return nil
	}
	t, err := parse(file.text, file.format)
	if err != nil || t.blank {
		return err
	}
	b := boxOf(t.root)
	n := len(b.items)
	if n < 2 || b.items[n-1].name != "version" || b.items[n-2].name != "hooks" || !same(1, b.items[n-1].value) {
		return nil
	}
	bare := h
	bare.hooks.Style = map[hosts.Style]hosts.Style{hosts.Listed: hosts.Cascade, hosts.ListExec: hosts.Cascade}[h.hooks.Style]
	without, err := bare.remove(file.text)
	if err != nil {
		return err
	}
	left, err := (&jsonFile{without, file.format}).get("hooks")
	if err != nil || left != nil {
		return err
	}
	return file.cut("version")
}
