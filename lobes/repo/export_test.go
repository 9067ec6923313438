package repo

import (
	"bufio"
	"strings"
)

// Setting is one line of a configuration, for tests.
type Setting struct{ Section, Subsection, Key, Value string }

// ParseConfig lets tests read the format of git's configuration.
func ParseConfig(b []byte) ([]Setting, error) {
	c, err := parseConfig(b)
	var out []Setting
	for _, s := range c {
		out = append(out, Setting{s.section, s.subsection, s.key, s.value})
	}
	return out, err
}

// ParseGitFile lets tests read a ".git" file.
func ParseGitFile(b []byte) (string, bool) { return parseGitFile(b) }

// ParseHead lets tests read HEAD.
func ParseHead(b []byte) (ref, commit string, err error) {
	h, err := parseHead(b)
	return h.ref, h.commit, err
}

// FindPacked lets tests look a reference up in packed-refs.
func FindPacked(text, ref string) (string, error) {
	return findPacked(bufio.NewReader(strings.NewReader(text)), ref)
}

// ParseIndex lets tests list the paths of an index.
func ParseIndex(b []byte, hash int) ([]string, error) {
	var out []string
	err := parseIndex(b, hash, func(e indexEntry) bool { out = append(out, e.path); return true })
	return out, err
}

// WindowsRootURI reads an address as on Windows.
func WindowsRootURI(uri string) (string, error) { return rootURI(uri, true) }
