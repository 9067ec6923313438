package install

import (
	"strings"

	"memory-mcp/cmd/internal/hosts"
)

// A Snippet is an entry for a person to paste.
type Snippet struct {
	Path string // of the host's file, empty for its settings
	Text string
}

// Show is the entry of one host, as setup would write it into a new file.
func Show(o Options, id string) (Snippet, error) {
	o, err := o.with()
	if err != nil {
		return Snippet{}, err
	}
	h, known := hosts.Lookup(id)
	if !known {
		return Snippet{}, &UnknownHostError{ID: id, Known: hosts.IDs()}
	}
	if s := snippet(o.maker(), h); s != nil {
		return *s, nil
	}
	return Snippet{}, nil
}

func snippet(m maker, h hosts.Host) *Snippet {
	files := m.files(h)
	if len(files) == 0 {
		return nil
	}
	f := files[0]
	return &Snippet{Path: m.place(f.Paths), Text: m.server().text(f)}
}

func (s server) text(f hosts.File) string {
	switch f.Entry {
	case hosts.Table:
		return strings.Join(s.tableLines(f.Key, firstName), "\n") + "\n"
	case hosts.Goose:
		return s.yaml([]string{
			"extensions:", "  memory:", "    enabled: true", "    type: stdio", "    name: memory", "    timeout: 300",
		}, "    cmd: ", "    args: ", "    envs: ")
	case hosts.Continue:
		return s.yaml([]string{"mcpServers:", "  - name: memory", "    type: stdio"}, "    command: ", "    args: ", "    env: ")
	}
	return render(object{{f.Key, object{{firstName, s.entry(f.Entry)}}}}, "", "  ", "\n", true) + "\n"
}

// yaml closes lines with the command; what JSON writes, YAML reads.
func (s server) yaml(lines []string, command, args, env string) string {
	lines = append(lines, command+literal(s.command), args+render(s.args, "", "", "", false))
	if s.home != "" {
		lines = append(lines, env+render(object{{homeVariable, s.home}}, "", "", "", false))
	}
	return strings.Join(lines, "\n") + "\n"
}
