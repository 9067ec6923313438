package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A record remembers what the files themselves do not tell. Without it,
// everything can still be taken back, and folders stay.
type record struct {
	Version  int      `json:"version"`
	Command  string   `json:"command"`
	Names    []string `json:"names,omitempty"` // of all programs that were registered, without folders
	SetHome  string   `json:"set_home,omitempty"`
	ReadOnly bool     `json:"read_only,omitempty"`
	Folders  []string `json:"folders"`            // made by us, the outermost first
	Files    []string `json:"files,omitempty"`    // of which a copy was kept
	Projects []string `json:"projects,omitempty"` // working trees in which Scope Project wrote
}

// recordVersion is raised when the meaning of the record changes.
const recordVersion = 1

// recall puts what was registered into options that leave it out.
func (r record) recall(o Options) Options {
	if o.Command == "" {
		o.Command, o.SetHome, o.ReadOnly = r.Command, r.SetHome, r.ReadOnly
	}
	o.names = r.Names
	return o
}

func lockPath(o Options) string { return filepath.Join(o.MemoryHome, "install.lock") }

func recordPath(o Options) string { return filepath.Join(o.MemoryHome, "install.json") }

func readRecord(o Options) (record, error) {
	r := record{Version: recordVersion, Folders: []string{}}
	text, err := os.ReadFile(recordPath(o))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil && json.Unmarshal(text, &r) != nil {
		// What is ours is known by itself: a record that was damaged costs no
		// more than one that was lost.
		return record{Version: recordVersion, Folders: []string{}}, nil
	}
	if err == nil && r.Version > recordVersion {
		err = fmt.Errorf("version %d is newer than this program", r.Version)
	}
	if err != nil {
		return r, fmt.Errorf("read the record of setup %q: %w", recordPath(o), err)
	}
	return r, nil
}

func (r *record) add(folders []string) {
	for _, f := range folders {
		if !slices.Contains(r.Folders, f) {
			r.Folders = append(r.Folders, f)
		}
	}
}

func (r record) save(o Options) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	old, err := readFile(recordPath(o))
	if err != nil {
		return err
	}
	return swapFile(recordPath(o), old, append(text, '\n'), 0o600)
}

// backupsKept is how many copies of one file stay.
const backupsKept = 3

func backupFolder(o Options) string { return filepath.Join(o.MemoryHome, "backups") }

// backupStem is what the names of all copies of one file begin with.
func backupStem(o Options, path string) string {
	h := sha256.Sum256([]byte(path))
	return filepath.Join(backupFolder(o), filepath.Base(path)+"."+hex.EncodeToString(h[:4]))
}

// backup keeps a copy of a file in the memory's home, so that nothing is left
// beside the file itself.
func backup(o Options, path string, text []byte) (string, error) {
	if err := os.MkdirAll(backupFolder(o), 0o700); err != nil {
		return "", err
	}
	stem := backupStem(o, path)
	at := stem + "." + o.Now().UTC().Format("20060102T150405.000000000Z")
	if err := os.WriteFile(at, text, 0o600); err != nil {
		return "", fmt.Errorf("keep a copy: %w", err)
	}
	all := copiesOf(o, path)
	for len(all) > backupsKept {
		if err := os.Remove(all[0]); err != nil {
			return "", err
		}
		all = all[1:]
	}
	return at, nil
}

// copiesOf are the copies of a file, the oldest first.
func copiesOf(o Options, path string) []string {
	found, err := os.ReadDir(backupFolder(o))
	if err != nil {
		return nil
	}
	var all []string
	for _, f := range found {
		if at := filepath.Join(backupFolder(o), f.Name()); strings.HasPrefix(at, backupStem(o, path)+".") {
			all = append(all, at)
		}
	}
	return all
}
