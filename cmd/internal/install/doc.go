// Package install registers the server, its hooks and its texts with the
// agents' hosts of a machine, and takes them back.
//
// [Prepare] looks and changes nothing: its [Plan] says for each file what it
// is and what it would be. [Plan.Apply] writes. [PrepareRemoval] is the
// inverse, also after a person has edited the rest; a file that nobody touched
// in between becomes byte for byte what it was, and one that was not there is
// gone. [Look] tells what is registered now.
//
// A file that its host could not read is named and left alone. Nothing of a
// person's is replaced: another server keeps its name, other hooks keep their
// places, comments and white space stay. What is ours is known by the program
// that it starts, so no record is needed to take it back; the record in the
// memory's home only remembers which folders were made.
package install

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"memory-mcp/cmd/internal/hosts"
)

// A Scope says whose files are edited.
type Scope string

const (
	User    Scope = "user"    // of the person, for all projects
	Project Scope = "project" // of one working tree, shared with others
)

// Options say what to register and where.
type Options struct {
	Hosts      []string // ids; empty or "all": every host that is here
	Scope      Scope    // User when empty
	NoHooks    bool
	ReadOnly   bool   // register a server that writes nothing
	Command    string // the program's absolute path
	MemoryHome string // the folder of the memory: record, lock and backups
	SetHome    string // value of MEMORY_MCP_HOME for what is registered, empty for none
	Home       string
	Project    string // the working tree of Scope Project
	OS         string // runtime.GOOS when empty
	Getenv     func(string) string
	Now        func() time.Time

	names []string // of programs that were registered before, without folders
}

// with fills in what was left out, and refuses what cannot work.
func (o Options) with() (Options, error) {
	if o.Scope == "" {
		o.Scope = User
	}
	if o.OS == "" {
		o.OS = runtime.GOOS
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Scope != User && o.Scope != Project:
		return o, fmt.Errorf("the scope %q is not user or project", o.Scope)
	case o.Home == "" || o.MemoryHome == "":
		return o, fmt.Errorf("no home folder is known (%q, %q)", o.Home, o.MemoryHome)
	case o.Scope == Project && o.Project == "":
		return o, fmt.Errorf("the scope is project, and no project is named")
	}
	for _, id := range o.Hosts {
		if _, known := hosts.Lookup(id); !known && id != "all" {
			return o, &UnknownHostError{ID: id, Known: hosts.IDs()}
		}
	}
	return o, nil
}

func (o Options) maker() maker {
	m := maker{
		Options: o, exists: newest, chosen: map[string]bool{},
		machine: hosts.Machine{OS: o.OS, Home: o.Home, Project: o.Project, Getenv: o.Getenv},
	}
	m.onPath = func(command string) bool { return onPath(o, command) }
	return m
}

// newest is the file or folder that fits a pattern and was changed last.
func newest(pattern string) string {
	if !strings.Contains(pattern, "*") {
		if _, err := os.Lstat(pattern); err != nil {
			return ""
		}
		return pattern
	}
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, func(a, b string) int { return changed(a).Compare(changed(b)) })
}

func changed(p string) time.Time {
	info, err := os.Stat(p)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func onPath(o Options, command string) bool {
	ends := []string{""}
	if o.OS == "windows" {
		ends = []string{".exe", ".cmd", ".bat", ".ps1"}
	}
	for _, dir := range filepath.SplitList(o.Getenv("PATH")) {
		for _, end := range ends {
			info, err := os.Stat(filepath.Join(dir, command+end))
			if err == nil && !info.IsDir() && filepath.IsAbs(dir) && (o.OS == "windows" || info.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}

// isHere tells whether a host is on the machine, and by what sign.
func (m maker) isHere(h hosts.Host) (sign string, here bool) {
	for _, c := range h.Commands {
		if m.onPath(c) {
			return "the command " + c, true
		}
	}
	for _, p := range h.Found.On(m.machine) {
		if found := m.exists(p); found != "" {
			return found, true
		}
	}
	return "", false
}
