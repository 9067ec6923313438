package install

import (
	"fmt"
	"slices"
	"strings"

	"memory-mcp/cmd/internal/hosts"
)

// addServer registers the server in a JSON file. One of ours that is there is
// brought up to date: what the person added to it stays.
func (s server) addServer(old []byte, f hosts.File) ([]byte, error) {
	all, err := serversIn(old, f)
	if err != nil {
		return nil, err
	}
	name, err := s.choose(present(all, firstName), present(all, secondName))
	if err != nil {
		return nil, err
	}
	file := &jsonFile{old, f.Format}
	entry := s.entry(f.Entry)
	if all[name] == nil {
		err = file.put(entry, f.Key, name)
		return file.text, err
	}
	for _, e := range entry {
		if e.key == envKey(f.Entry) {
			continue
		}
		if err := file.put(e.value, f.Key, name, e.key); err != nil {
			return nil, err
		}
	}
	if s.home != "" {
		err = file.put(s.home, f.Key, name, envKey(f.Entry), homeVariable)
	} else {
		err = file.cut(f.Key, name, envKey(f.Entry), homeVariable)
	}
	return file.text, err
}

// present is what stands under a name, of which even a null is something.
func present(all map[string]any, name string) any {
	if v, there := all[name]; there && v == nil {
		return "null"
	}
	return all[name]
}

// removeServer takes the server out of a JSON file.
func (s server) removeServer(old []byte, f hosts.File) ([]byte, error) {
	all, err := serversIn(old, f)
	if err != nil {
		return nil, err
	}
	file := &jsonFile{old, f.Format}
	for _, name := range []string{secondName, firstName} {
		if !s.ownsEntry(all[name]) {
			continue
		}
		if err := file.cut(f.Key, name); err != nil {
			return nil, err
		}
	}
	return file.text, nil
}

// noteServers says what a person may want to know about the servers that are
// there.
func (s server) noteServers(old []byte, f hosts.File) []string {
	all, err := serversIn(old, f)
	if err != nil {
		return nil
	}
	var notes []string
	for _, name := range sortedKeys(all) {
		switch ours := s.ownsEntry(all[name]); {
		case name == firstName && !ours:
			notes = append(notes, fmt.Sprintf("another server is named %q, so ours is %q", firstName, secondName))
		case ours && name != firstName && name != secondName:
			notes = append(notes, fmt.Sprintf("the server is registered by hand as %q too: remove one of the two", name))
		}
	}
	return notes
}

// serversIn reads all entries of a file, by name.
func serversIn(old []byte, f hosts.File) (map[string]any, error) {
	if f.Format == hosts.TOML {
		return tomlServers(old, f.Key)
	}
	file := &jsonFile{old, f.Format}
	all, err := file.get(f.Key)
	if err != nil {
		return nil, err
	}
	m, ok := all.(map[string]any)
	if !ok && all != nil {
		return nil, fmt.Errorf("%q is no object", f.Key)
	}
	return m, nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
