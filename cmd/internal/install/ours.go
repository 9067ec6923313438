package install

import (
	"slices"
	"strings"

	"memory-mcp/cmd/internal/hosts"
)

// program is the base name by which a command is known as ours.
const program = "memory-mcp"

// The names under which hosts know the server: the second where another
// server has the first. They are short, since hosts join them with the names
// of the tools and cut the result.
const (
	firstName  = "memory"
	secondName = "mem"
)

// homeVariable moves the folder of the memory for a process.
const homeVariable = "MEMORY_MCP_HOME"

// A server is what hosts start.
type server struct {
	command string
	args    []string
	home    string // value of MEMORY_MCP_HOME, empty for none
	names   []string
}

// base is the name of a program without folders and without .exe.
func base(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	if low := strings.ToLower(name); strings.HasSuffix(low, ".exe") {
		name = name[:len(name)-len(".exe")]
	}
	return name
}

// owns tells whether a command is ours, by the program and what it is told to
// do: "serve" for a server, "hook" for a hook.
func (s server) owns(words []string, verb string) bool {
	if len(words) < 2 || words[1] != verb {
		return false
	}
	name := base(words[0])
	return name == program || name == base(s.command) || slices.Contains(s.names, name)
}

// ownsEntry tells whether a host's entry starts our server.
func (s server) ownsEntry(entry any) bool {
	m, ok := entry.(map[string]any)
	if !ok {
		return false
	}
	words := texts(m["command"])
	if one, ok := m["command"].(string); ok {
		words = append([]string{one}, texts(m["args"])...)
	}
	return s.owns(words, "serve")
}

// entry is the server in the shape of a host.
func (s server) entry(shape hosts.Entry) object {
	var env object
	if s.home != "" {
		env = object{{homeVariable, s.home}}
	}
	with := func(o object, key string) object {
		if env != nil {
			o = append(o, field{key, env})
		}
		return o
	}
	run := object{{"command", s.command}, {"args", s.args}}
	switch shape {
	case hosts.Stdio:
		return with(append(object{{"type", "stdio"}}, run...), "env")
	case hosts.Tools:
		return append(with(append(object{{"type", "local"}}, run...), "env"), field{"tools", []string{"*"}})
	case hosts.Joined:
		all := object{{"type", "local"}, {"command", append([]string{s.command}, s.args...)}}
		return append(with(all, "environment"), field{"enabled", true})
	case hosts.Custom:
		return with(append(object{{"source", "custom"}}, run...), "env")
	}
	return with(run, "env")
}

// envKey is where a shape keeps the environment.
func envKey(shape hosts.Entry) string {
	if shape == hosts.Joined {
		return "environment"
	}
	return "env"
}

// choose is the name under which the server is, or goes, in a file, given what
// is there under each name.
func (s server) choose(first, second any) (string, error) {
	switch {
	case s.ownsEntry(first):
		return firstName, nil
	case s.ownsEntry(second):
		return secondName, nil
	case first == nil:
		return firstName, nil
	case second == nil:
		return secondName, nil
	}
	return "", &NameTakenError{Names: []string{firstName, secondName}}
}

// words splits a command line as shells do where we write one: blanks divide,
// quotes of both kinds hold together, PowerShell's & is no word.
func words(line string) []string {
	var out []string
	var word strings.Builder
	var quote rune
	in := false
	line = strings.ReplaceAll(line, `'\''`, quoteInside)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t':
			if in {
				out = append(out, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		out = append(out, word.String())
	}
	if len(out) > 0 && out[0] == "&" {
		out = out[1:]
	}
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], quoteInside, "'")
	}
	return out
}

// quoteInside stands for a quote inside quotes while a line is split.
const quoteInside = "\x00"

// line writes a command line for a shell, with quotes only where it needs
// them.
func line(shell hosts.Shell, all []string) string {
	out := slices.Clone(all)
	for i, w := range out {
		out[i] = quoted(shell, w)
	}
	text := strings.Join(out, " ")
	if shell == hosts.PowerShell && out[0] != all[0] {
		text = "& " + text
	}
	return text
}

func quoted(shell hosts.Shell, w string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !safe(r) }) < 0 {
		return w
	}
	switch shell {
	case hosts.CMD:
		return `"` + w + `"`
	case hosts.PowerShell:
		return "'" + strings.ReplaceAll(w, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
