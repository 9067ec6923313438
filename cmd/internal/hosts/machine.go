package hosts

import (
	"path"
	"strings"
)

// A Machine is what paths depend on.
type Machine struct {
	OS      string // as runtime.GOOS
	Home    string
	Project string // the working tree, for files of a project
	Getenv  func(string) string
}

// Paths are templates of paths on each system. Where a system has none of its
// own, those of Any hold. A part in braces is a folder of the machine, as
// {home}; a template may hold a * for one part of a path.
type Paths struct {
	Any, Linux, Darwin, Windows []string
}

func at(templates ...string) Paths { return Paths{Any: templates} }

// On computes the paths on one machine, with the separators of its system. A
// template whose folder is not known there gives none.
func (p Paths) On(m Machine) []string {
	templates := p.Any
	switch own := map[string][]string{"linux": p.Linux, "darwin": p.Darwin, "windows": p.Windows}[m.OS]; {
	case own != nil:
		templates = own
	case m.OS != "windows" && m.OS != "darwin" && p.Linux != nil:
		templates = p.Linux
	}
	var found []string
	for _, t := range templates {
		if one := m.expand(t); one != "" {
			found = append(found, one)
		}
	}
	return found
}

func (m Machine) expand(template string) string {
	rest := template
	if name, after, ok := strings.Cut(template, "}"); ok && strings.HasPrefix(name, "{") {
		dir := m.folder(name[1:])
		if dir == "" {
			return ""
		}
		rest = strings.TrimRight(m.slashed(dir), "/") + after
	}
	rest = path.Clean(rest)
	if m.OS == "windows" {
		return strings.ReplaceAll(rest, "/", `\`)
	}
	return rest
}

func (m Machine) slashed(p string) string {
	if m.OS == "windows" {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// folder is one of the folders that templates name.
func (m Machine) folder(name string) string {
	home := m.slashed(m.Home)
	under := func(rest string) string {
		if home == "" {
			return ""
		}
		return strings.TrimRight(home, "/") + "/" + rest
	}
	switch name {
	case "home":
		return home
	case "project":
		return m.Project
	case "config": // of programs that follow the desktop's rules on Linux, and use the same elsewhere
		return m.variable("XDG_CONFIG_HOME", under(".config"))
	case "dotconfig": // of those that do not ask the variable
		return under(".config")
	case "support":
		return under("Library/Application Support")
	case "appdata":
		return m.variable("APPDATA", under("AppData/Roaming"))
	case "localappdata":
		return m.variable("LOCALAPPDATA", under("AppData/Local"))
	case "claude":
		return m.variable("CLAUDE_CONFIG_DIR", under(".claude"))
	case "claudejson": // lies in the folder when that was moved, else beside it
		return m.variable("CLAUDE_CONFIG_DIR", home)
	case "codex":
		return m.variable("CODEX_HOME", under(".codex"))
	case "copilot":
		return m.variable("COPILOT_HOME", under(".copilot"))
	case "cline":
		return m.variable("CLINE_DIR", under(".cline"))
	}
	return ""
}

// variable is a folder that the environment may move. One that is not absolute
// would mean another folder in each process, so it does not count.
func (m Machine) variable(name, otherwise string) string {
	if m.Getenv == nil {
		return otherwise
	}
	if value := m.slashed(m.Getenv(name)); m.absolute(value) {
		return value
	}
	return otherwise
}

func (m Machine) absolute(p string) bool {
	if m.OS != "windows" {
		return strings.HasPrefix(p, "/")
	}
	return strings.HasPrefix(p, "//") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}
