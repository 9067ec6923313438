// Package imports reads what other memories left behind, and what this one
// exported, and makes memories of it. It only reads: [Read] gives a [Batch],
// of which the caller shows as much as it likes before anything is stored.
//
// Texts from elsewhere become notes, each with the place that it came from and
// a trust below that of what an agent stores; entries of this memory and of its
// ancestor come as copies, to the byte.
package imports

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/lobes"
)

// A Kind is what a file or folder was written by.
type Kind string

// The kinds that can be read.
const (
	ClaudeMemory Kind = "claude-memory"    // the folder of Claude Code's own memory, or one file of it
	ClaudeMD     Kind = "claude-md"        // CLAUDE.md
	AgentsMD     Kind = "agents-md"        // AGENTS.md, GEMINI.md and their kin
	MCPMemory    Kind = "mcp-memory-jsonl" // the knowledge graph of the reference memory server
	MemoryMCP    Kind = "memory-mcp"       // an export, or a lobe's folder
)

// Kinds are all kinds.
func Kinds() []Kind { return []Kind{ClaudeMemory, ClaudeMD, AgentsMD, MCPMemory, MemoryMCP} }

// A Batch is what was found.
type Batch struct {
	Notes   []lobes.Received // of other memories
	Source  string           // of the notes: see [lobes.By]
	Copies  []lobes.Copy     // of this one
	Skipped []Skipped
}

// A Skipped is a part that is no memory.
type Skipped struct {
	Where string // the file, with a line or a name where there is one
	Why   string
}

// MaxFile is the size in bytes of the largest file that is read.
const MaxFile = 256 << 20

// importedConfidence is that of a note: below what an agent says.
const importedConfidence = 0.5

// An UnknownKindError says that nothing of a kind can be read.
type UnknownKindError struct{ Kind string }

func (e *UnknownKindError) Error() string {
	var known []string
	for _, k := range Kinds() {
		known = append(known, string(k))
	}
	return fmt.Sprintf("nothing is known of the kind %q (known: %s)", e.Kind, strings.Join(known, ", "))
}

// Read reads a file or a folder.
func Read(kind Kind, path string) (Batch, error) {
	if !slices.Contains(Kinds(), kind) {
		return Batch{}, &UnknownKindError{Kind: string(kind)}
	}
	info, err := os.Stat(path)
	if err != nil {
		return Batch{}, err
	}
	b := Batch{Source: lobes.ImportSource}
	switch {
	case kind == ClaudeMemory:
		b.Source = lobes.MirrorSource
		err = b.each(path, info, claudeFiles, (*Batch).claudeMemory)
	case kind == MemoryMCP && info.IsDir():
		err = b.lobe(path)
	case kind == MemoryMCP:
		err = b.file(path, (*Batch).exported)
	case kind == MCPMemory:
		err = b.each(path, info, func(name string) bool { return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json") }, (*Batch).graph)
	default:
		err = b.each(path, info, func(name string) bool { return instructions(kind, name) }, (*Batch).instructions)
	}
	return b, err
}

// instructions tells whether a folder's file is one of a kind.
func instructions(kind Kind, name string) bool {
	names := []string{"AGENTS.md", "GEMINI.md", "QWEN.md", "AGENTS.override.md"}
	if kind == ClaudeMD {
		names = []string{"CLAUDE.md", "CLAUDE.local.md"}
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// each reads the file that is named, or those of the folder that are meant.
func (b *Batch) each(path string, info fs.FileInfo, meant func(name string) bool, read func(*Batch, string, string)) error {
	if !info.IsDir() {
		return b.file(path, read)
	}
	all, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	found := 0
	for _, f := range all {
		if f.Type().IsRegular() && meant(f.Name()) {
			found++
			if err := b.file(filepath.Join(path, f.Name()), read); err != nil {
				b.skip(f.Name(), "%v", err)
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("%q holds no file of this kind", path)
	}
	return nil
}

// file reads one file whole.
func (b *Batch) file(path string, read func(b *Batch, name, text string)) error {
	text, err := slurp(path)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
		return fmt.Errorf("%q is no text in UTF-8", path)
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(string(text), "\uFEFF"), "\r\n", "\n")
	read(b, path, plain)
	return nil
}

func slurp(path string) (text []byte, err error) {
	info, err := os.Stat(path) // before it is opened, which waits on a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(text) > MaxFile {
		err = fmt.Errorf("%q is longer than %d bytes", path, MaxFile)
	}
	return text, err
}

func (b *Batch) skip(where, format string, args ...any) {
	b.Skipped = append(b.Skipped, Skipped{where, fmt.Sprintf(format, args...)})
}

// add adds a note from elsewhere, once for each key.
func (b *Batch) add(where, key string, n lobes.Note) {
	n.Text = strings.TrimSpace(n.Text)
	switch {
	case n.Text == "":
		b.skip(where, "it holds no text")
		return
	case len(n.Text) > lobes.MaxText:
		b.skip(where, "it is longer than %d bytes", lobes.MaxText)
		return
	case slices.ContainsFunc(b.Notes, func(r lobes.Received) bool { return r.Key == key }):
		return
	}
	confidence := importedConfidence
	n.Trust, n.Confidence, n.StoreAnyway = "agent-inferred", &confidence, true
	b.Notes = append(b.Notes, lobes.Received{Note: n, Key: key, Follow: b.Source == lobes.MirrorSource})
}
