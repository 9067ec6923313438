// Package hosts says what each agent host is: how to see that it is there,
// where its files are on each system, how it writes a server, a hook, a skill
// and a command, and what it tells the programs that it starts.
//
// A host is a [Host], a row of data; [All] lists them. Nothing here touches a
// disk: paths are computed from a [Machine], so that the files of one system
// can be told on another.
package hosts

import "time"

// A Format is how a file is written, and what its host refuses in it.
type Format string

const (
	JSON         Format = "json"          // strict: one comment and nothing is read
	JSONComments Format = "json-comments" // comments, but no trailing comma
	JSONC        Format = "jsonc"         // comments and trailing commas
	TOML         Format = "toml"          // tables, comments
	YAML         Format = "yaml"          // shown and never edited
	Settings     Format = "settings"      // no file at all: pasted into the host's settings
)

// An Entry is the shape in which a host wants a server.
type Entry string

const (
	Plain    Entry = "plain"    // command, args, env
	Stdio    Entry = "stdio"    // the same with type: stdio
	Tools    Entry = "tools"    // type: local, and which tools are allowed
	Joined   Entry = "joined"   // type: local, command and args in one list, environment
	Custom   Entry = "custom"   // source: custom
	Table    Entry = "table"    // a table and a sub-table for env
	Goose    Entry = "goose"    // cmd, args, envs
	Continue Entry = "continue" // an item of a list, with its name
)

// A File is a place where a host reads its servers.
type File struct {
	Paths    Paths    // the first that exists, else the first
	Needs    Paths    // written only where one of these exists; empty: wherever the host is
	Commands []string // or one of these commands does
	Format   Format
	Key      string // the member that holds the servers by name
	Entry    Entry
	Existing bool // only a file that is there is edited: where it lies is not certain
}

// A Style is how a host writes hooks.
type Style string

const (
	Exec     Style = "exec"     // groups with a matcher; command and args, no shell
	Grouped  Style = "grouped"  // groups with a matcher; one command line
	Listed   Style = "listed"   // one command line per event, and a version
	ListExec Style = "listexec" // exec and args per event, and a version
	Cascade  Style = "cascade"  // a command line and one for PowerShell
	Scripts  Style = "scripts"  // a program per event, named like it
	Plugin   Style = "plugin"   // a program of the host's own runtime
)

// An Event is a moment at which a host calls us.
type Event struct {
	Name    string
	Matcher string // which of them, in the host's words; empty for all
	Timeout time.Duration
}

// Hooks is where and how a host wants its hooks.
type Hooks struct {
	Paths  Paths
	Format Format
	Style  Style
	Unit   time.Duration // of a written timeout; 0: the host has none
	Shell  Shells
	Events []Event
	Review string // what a person has to do before they run
}

// A Shell is what reads a hook's command line.
type Shell string

// The shells that hosts use.
const (
	POSIX      Shell = "posix"
	CMD        Shell = "cmd"
	PowerShell Shell = "powershell"
)

// Shells are the shells of a host: on Windows and elsewhere.
type Shells struct{ Windows Shell }

// On is the shell on one system.
func (s Shells) On(system string) Shell {
	if system == "windows" && s.Windows != "" {
		return s.Windows
	}
	return POSIX
}

// A Guide is a file that tells an agent in words: a skill, a command, a rule.
type Guide struct {
	User, Project Paths
	Kind          GuideKind
}

// A GuideKind is the form of a [Guide].
type GuideKind string

const (
	Skill       GuideKind = "skill"        // SKILL.md with front matter
	Command     GuideKind = "command"      // Markdown with front matter, $ARGUMENTS
	CommandTOML GuideKind = "command-toml" // TOML with a prompt, {{args}}
	Rule        GuideKind = "rule"         // .mdc with front matter
	Block       GuideKind = "block"        // a marked block in a file of the person's
)

// A Host is one program that runs agents.
type Host struct {
	ID, Name string
	Commands []string // found on PATH
	Found    Paths    // or one of these exists
	User     []File
	Project  []File
	Hooks    *Hooks
	Guides   []Guide
	SkillsOf string   // the host whose skills this one reads too
	Dirs     []string // variables that tell a server the project's folder
	Sessions []string // variables that tell a server the session's id
	Reload   string   // what makes it read its files again
}

// Lookup finds a host by its id.
func Lookup(id string) (Host, bool) {
	for _, h := range All() {
		if h.ID == id {
			return h, true
		}
	}
	return Host{}, false
}

// IDs are the ids of all hosts, in the order of [All].
func IDs() []string {
	var ids []string
	for _, h := range All() {
		ids = append(ids, h.ID)
	}
	return ids
}
