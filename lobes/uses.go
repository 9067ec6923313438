package lobes

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// uses counts how often each entry was asked for by name, or said again by
// somebody who did not know of it. What is shown unasked does not count: it
// would raise itself. The counts lie in a small log beside the other caches, one
// id a line: losing it loses only ranking.
type uses struct {
	mu    sync.Mutex
	known map[string]int // by id; nil until the log was read
	path  string
}

// usesName is the log below the folder of a lobe, and mostUses the size in
// bytes from which on it is begun anew.
const (
	usesName = ".state/uses"
	mostUses = 256 << 10
)

// open reads what was counted so far, once. What cannot be read counts as
// nothing.
func (u *uses) open(dir string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known != nil {
		return nil
	}
	u.known, u.path = make(map[string]int), filepath.Join(dir, filepath.FromSlash(usesName))
	f, err := os.Open(u.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		u.known[strings.TrimSpace(lines.Text())]++
	}
	return lines.Err()
}

func (u *uses) of(id string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.known[id]
}

// add counts one use. It makes no folder: where nothing was ever written, or
// no snapshot was left yet, the use is counted by this process alone.
func (u *uses) add(id string, write bool) (err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known == nil {
		return nil
	}
	u.known[id]++
	if !write {
		return nil
	}
	how := os.O_APPEND
	if info, err := os.Stat(u.path); err == nil && info.Size() > mostUses {
		how = os.O_TRUNC
	}
	if _, err := os.Stat(filepath.Dir(u.path)); err != nil {
		return nil // nothing was written here yet
	}
	f, err := os.OpenFile(u.path, os.O_CREATE|os.O_WRONLY|how, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.WriteString(id + "\n")
	return err
}

// use counts that an entry was asked for.
func (l *Lobe) use(id string) {
	if err := l.uses.add(id, !l.o.ReadOnly); err != nil {
		l.o.Logger.Debug("a use is not counted", "lobe", l.name, "cause", err)
	}
}
