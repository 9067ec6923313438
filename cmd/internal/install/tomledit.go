package install

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// errOtherForm is about an entry that is written in one of the forms that we
// never write, as an inline table.
var errOtherForm = errors.New("the server is there in another form than a table of its own; change it by hand")

// tomlServers reads all entries of a file, by name.
func tomlServers(old []byte, key string) (map[string]any, error) {
	all, err := decodeTOML(old)
	if err != nil {
		return nil, err
	}
	servers, ok := all[key].(map[string]any)
	if !ok && all[key] != nil {
		return nil, fmt.Errorf("%q is no table", key)
	}
	return servers, nil
}

func decodeTOML(old []byte) (map[string]any, error) {
	var all map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(old, []byte(byteOrderMark)), &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("it is not valid TOML at line %d, column %d: %w", line, column, err)
		}
		return nil, fmt.Errorf("it is not valid TOML: %w", err)
	}
	return all, nil
}

// addTable registers the server in a TOML file, as a table at its end.
func (s server) addTable(old []byte, key string) ([]byte, error) {
	servers, err := tomlServers(old, key)
	if err != nil {
		return nil, err
	}
	name, err := s.choose(servers[firstName], servers[secondName])
	if err != nil {
		return nil, err
	}
	there, exists := servers[name].(map[string]any)
	out := old
	switch {
	case !exists:
		out = appendBlock(old, strings.Join(s.tableLines(key, name), newline(old)))
	case s.upToDate(there):
		return old, nil
	default:
		out, err = s.renewTable(old, key, name)
	}
	if err != nil {
		return nil, err
	}
	after, err := tomlServers(out, key)
	if err != nil || !s.ownsEntry(after[name]) {
		return nil, errors.Join(errOtherForm, err)
	}
	return out, nil
}

func (s server) upToDate(there map[string]any) bool {
	env, ok := there["env"].(map[string]any)
	home, isText := env[homeVariable].(string)
	return there["command"] == s.command && reflect.DeepEqual(texts(there["args"]), s.args) &&
		(s.home == "" && (!ok || env[homeVariable] == nil) || isText && home == s.home)
}

func (s server) tomlArgs() string {
	var args []string
	for _, a := range s.args {
		args = append(args, tomlText(a))
	}
	return "[" + strings.Join(args, ", ") + "]"
}

// tableLines is the entry as a table of its own.
func (s server) tableLines(key, name string) []string {
	lines := []string{
		"[" + key + "." + name + "]",
		"command = " + tomlText(s.command),
		"args = " + s.tomlArgs(),
	}
	if s.home != "" {
		lines = append(lines, "env."+homeVariable+" = "+tomlText(s.home))
	}
	return lines
}

// tomlText is a text in the plain quotes where it can, since backslashes stay
// themselves there.
func tomlText(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }) {
		if strings.ContainsRune(s, '\\') || strings.ContainsRune(s, '"') {
			return "'" + s + "'"
		}
	}
	return literal(s)
}

// table finds the lines of a server's tables: those between the header of its
// own and the last statement of it and of the tables below it.
func table(text []byte, key, name string) (start, end int, inside []statement) {
	start = -1
	mine := false
	for _, st := range scanTOML(text) {
		if st.header != nil {
			mine = len(st.header) >= 2 && st.header[0] == key && st.header[1] == name
			if mine && start < 0 && len(st.header) == 2 {
				start = st.start
			}
			mine = mine && start >= 0
		}
		if mine {
			end, inside = st.end, append(inside, st)
		}
	}
	return start, end, inside
}

// renewTable writes our values anew where they stand; a value that is not
// there follows the header. From the last one to the first, so that positions
// stay right.
func (s server) renewTable(old []byte, key, name string) ([]byte, error) {
	start, _, inside := table(old, key, name)
	if start < 0 {
		return nil, errOtherForm
	}
	out, nl := old, newline(old)
	ours := map[string]string{"command": tomlText(s.command), "args": s.tomlArgs()}
	if s.home != "" {
		ours["env."+homeVariable] = tomlText(s.home)
	}
	under := inside[0].header
	headers := make([][]string, len(inside))
	for i, st := range inside {
		if st.header != nil {
			under = st.header
		}
		headers[i] = under
	}
	for i := len(inside) - 1; i >= 0; i-- {
		st := inside[i]
		full := strings.Join(append(slices.Clone(headers[i][2:]), st.key...), ".")
		value, wanted := ours[full]
		switch {
		case st.header != nil && full == "env" && ours["env."+homeVariable] != "":
			line := nl + homeVariable + " = " + ours["env."+homeVariable]
			out = slices.Concat(out[:st.end], []byte(line), out[st.end:])
			delete(ours, "env."+homeVariable)
		case st.header != nil:
		case wanted:
			line := strings.Join(st.key, ".") + " = " + value
			out = slices.Concat(out[:st.start], []byte(line), out[st.end:])
			delete(ours, full)
		case full == "env."+homeVariable:
			out = slices.Concat(out[:st.start], out[min(lineEnd(out, st.end)+1, len(out)):])
		}
	}
	var missing strings.Builder
	for _, k := range slices.Sorted(maps.Keys(ours)) {
		missing.WriteString(nl + k + " = " + ours[k])
	}
	return slices.Concat(out[:inside[0].end], []byte(missing.String()), out[inside[0].end:]), nil
}

// removeTable takes the server out of a TOML file.
func (s server) removeTable(old []byte, key string) ([]byte, error) {
	servers, err := tomlServers(old, key)
	if err != nil {
		return nil, err
	}
	out := old
	for _, name := range []string{secondName, firstName} {
		if !s.ownsEntry(servers[name]) {
			continue
		}
		start, end, _ := table(out, key, name)
		if start < 0 {
			return nil, errOtherForm
		}
		out = cutBlock(out, start, end)
		if _, err := decodeTOML(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}
