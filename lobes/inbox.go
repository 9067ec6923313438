package lobes

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	// itemPrefix opens the names of files of raw material in the inbox.
	itemPrefix = "item-"
	failedName = "failed" // the folder of what was given up
	// itemTime orders the names of items.
	itemTime = "20060102T150405.000000000Z"
	// MaxMaterial is the length in bytes of the longest material.
	MaxMaterial = 1 << 20
	// itemLength is the number of bytes of the hash that names material.
	itemLength = 8
	// mostItemFile bounds the file of an item: each byte of the text may be
	// written as six.
	mostItemFile = 8 * MaxMaterial
)

// An item is a file of the inbox: raw material, and how far it has come.
type item struct {
	Hash     string    `json:"hash"` // names the material, as it was given
	Text     string    `json:"text"`
	Role     string    `json:"role"` // user or assistant
	Actor    string    `json:"actor"`
	Session  string    `json:"session,omitempty"`
	Source   string    `json:"source,omitempty"` // what the memories will rest on
	Swept    bool      `json:"swept,omitempty"`  // nobody asked for it to be recorded
	Recorded time.Time `json:"recorded"`
	// Why what is found in it is only a candidate.
	Masked    bool     `json:"masked,omitempty"`
	Truncated bool     `json:"truncated,omitempty"`
	Spoken    []Spoken `json:"spoken,omitempty"` // of a recording: when what was said
	Sound     *sound   `json:"sound,omitempty"`  // the recording, when it is to be listened to

	// Attempts counts how often the present piece was begun. It is written
	// before, so that a death counts.
	Attempts  int       `json:"attempts"`
	LastError string    `json:"last_error,omitempty"`
	NotBefore time.Time `json:"not_before,omitzero"`
	Done      int       `json:"done"` // pieces that are settled
	// Found is what the model answered about the present piece, once it did: it
	// is not asked again, and the memories have the same keys.
	Found *[]Candidate `json:"found,omitempty"`
	Model string       `json:"model,omitempty"` // that found it
	// Entries are the ids of what came of it so far.
	Entries []string `json:"entries,omitempty"`
	tally
}

// A tally counts what became of an item so far.
type tally struct {
	Stored    int            `json:"stored,omitempty"`
	Confirmed int            `json:"confirmed,omitempty"`
	Known     int            `json:"known,omitempty"`
	Refused   int            `json:"refused,omitempty"`
	Dropped   map[string]int `json:"dropped,omitempty"`
}

func (t *tally) drop(why map[string]int) {
	for w, n := range why {
		if t.Dropped == nil {
			t.Dropped = map[string]int{}
		}
		t.Dropped[w] += n
	}
}

// hashOf names material: who said what.
func hashOf(role, text string) string {
	sum := sha256.Sum256([]byte(role + "\x00" + text))
	return hex.EncodeToString(sum[:itemLength])
}

func (it *item) name() string {
	return itemPrefix + it.Recorded.UTC().Format(itemTime) + "-" + it.Hash + ".json"
}

// inbox is the folder of a lobe in which raw material waits.
type inbox struct{ dir string }

func (l *Lobe) inbox() inbox { return inbox{filepath.Join(l.spec.Dir, inboxName)} }

func (b inbox) failed() inbox { return inbox{filepath.Join(b.dir, failedName)} }

func (b inbox) path(name string) string { return filepath.Join(b.dir, name) }

// tempPrefix opens the names of files that are being written, and tempAge is
// how old one is whose writer died.
const (
	tempPrefix = ".tmp-"
	tempAge    = 24 * time.Hour
)

// sweep takes away what writers that died have left half-written.
func (b inbox) sweep(now time.Time) error {
	listed, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range listed {
		info, e2 := e.Info()
		if e2 != nil || !strings.HasPrefix(e.Name(), tempPrefix) || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < tempAge {
			continue
		}
		if e := os.Remove(b.path(e.Name())); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// size counts what the inbox holds, without what belongs to its own keeping.
func (b inbox) size() (files int, bytes int64) {
	for _, box := range []inbox{b, b.failed()} {
		listed, err := os.ReadDir(box.dir)
		if err != nil {
			continue // there is none
		}
		for _, e := range listed {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				files++
				bytes += info.Size()
			}
		}
	}
	return files, bytes
}

// names are the files of items, the oldest first. A folder that is not there
// has none.
func (b inbox) names() ([]string, error) {
	listed, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range listed {
		if strings.HasPrefix(e.Name(), itemPrefix) && strings.HasSuffix(e.Name(), ".json") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// find gives the name of the item with a hash; "" when it is not there.
func (b inbox) find(hash string) (string, error) {
	names, err := b.names()
	for _, name := range names {
		if strings.HasSuffix(name, "-"+hash+".json") {
			return name, err
		}
	}
	return "", err
}

// write writes an item whole or not at all, so that it survives a power cut.
func (b inbox) write(name string, it *item) error {
	raw, err := json.Marshal(it)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(b.dir, tempPrefix)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), b.path(name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(b.dir)
}

// errGone says that an item went while it was worked at: what came of it was
// erased, or somebody took it away.
var errGone = errors.New("the material is gone")

// save writes an item that is there.
func (b inbox) save(name string, it *item) error {
	if _, err := os.Lstat(b.path(name)); errors.Is(err, fs.ErrNotExist) {
		return errGone
	} else if err != nil {
		return err
	}
	return b.write(name, it)
}

// syncFolder makes the names in a folder survive a power cut.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be opened there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// A badItemError is a file of the inbox that holds no item.
type badItemError struct {
	Path  string
	Cause error
}

func (e *badItemError) Error() string {
	return fmt.Sprintf("%s holds no material: %v", e.Path, e.Cause)
}

func (e *badItemError) Unwrap() error { return e.Cause }

func (b inbox) read(name string) (*item, error) {
	info, err := os.Lstat(b.path(name))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &badItemError{b.path(name), errors.New("it is no regular file")}
	case info.Size() > mostItemFile:
		return nil, &badItemError{b.path(name), fmt.Errorf("its %d bytes are more than the %d of an item", info.Size(), mostItemFile)}
	}
	raw, err := os.ReadFile(b.path(name))
	if err != nil {
		return nil, err
	}
	var it item
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&it); err != nil {
		return nil, &badItemError{b.path(name), err}
	}
	if strings.TrimSpace(it.Text) == "" && it.Sound == nil || it.Hash == "" {
		return nil, &badItemError{b.path(name), errors.New("it has no text, or no hash of it")}
	}
	return &it, nil
}

// remove takes an item out of the inbox for good.
func (b inbox) remove(name string) error {
	if err := os.Remove(b.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncFolder(b.dir)
}

// giveUp puts an item aside, with what went wrong with it.
func (b inbox) giveUp(name string, it *item) error {
	if err := b.save(name, it); err != nil {
		return err
	}
	return b.move(name, b.failed())
}

// move puts an item into another folder of the inbox.
func (b inbox) move(name string, to inbox) error {
	if err := os.MkdirAll(to.dir, 0o700); err != nil {
		return err
	}
	if err := os.Rename(b.path(name), to.path(name)); err != nil {
		return err
	}
	return errors.Join(syncFolder(to.dir), syncFolder(b.dir))
}
