package lobes

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"memory-mcp/store/entry"
)

// tidyName is a small log beside the other caches: what was asked of models
// about which memories, so that it is not asked again. Losing it costs questions.
const (
	tidyName = stateName + "/tidy"
	mostTidy = 512 << 10 // bytes, from which on its older half goes
)

// A tidyLog remembers questions by their key; each line also names the ids that
// it is about, so that erasing finds it.
type tidyLog struct {
	path  string
	count map[string]int
}

func openTidyLog(l *Lobe) (*tidyLog, error) {
	t := &tidyLog{path: filepath.Join(l.spec.Dir, filepath.FromSlash(tidyName)), count: map[string]int{}}
	b, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		if key, _, ok := strings.Cut(lines.Text(), " "); ok {
			t.count[key]++
		}
	}
	return t, lines.Err()
}

// questionKey names a question about memories in their present states.
func questionKey(what string, states []string) string {
	return entry.Hash16([]byte(what + "\x00" + strings.Join(states, "\x00")))
}

// add notes that a question was asked once more.
func (t *tidyLog) add(key string, ids []string) error {
	t.count[key]++
	if info, err := os.Stat(t.path); err == nil && info.Size() > mostTidy {
		if err := halve(t.path); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(key + " " + strings.Join(ids, " ") + "\n")
	return errors.Join(err, f.Close())
}

// sown are the states of entries from which groups and pairs were looked for,
// in this process.
type sown struct {
	mu    sync.Mutex
	known map[string]string // the head's hash by what for and id
}

// fresh tells whether an entry was not looked at in this state.
func (s *sown) fresh(what, id, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[what+" "+id] != hash
}

func (s *sown) add(what, id, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]string{}
	}
	s.known[what+" "+id] = hash
}
