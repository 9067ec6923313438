package lobes

import (
	"bufio"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// refusals knows which texts were taken back, without knowing the texts: a
// keyed hash of each stands in a file beside the global store. What was
// retracted is refused of programs, in the lobe that it was in; what was erased
// is refused of everybody but a person, everywhere.
type refusals struct {
	mu    sync.Mutex
	key   []byte
	known map[string]bool
	size  int64
	read  time.Time // mtime of the file when it was read
}

const (
	keyName     = "key"
	refusedName = "refused"
	keySize     = 32
)

// hashOf is what stands for a text. The key must have been loaded.
func (f *refusals) hashOf(what, dir, text string) string {
	if what == Erased {
		dir = ""
	}
	mac := hmac.New(sha256.New, f.key)
	fmt.Fprintf(mac, "%s\n%s\n%s", what, dir, textanalysis.Normalize(text)) // a hash never fails to write
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// loadKey reads the key, and makes one if need be and allowed.
func (f *refusals) loadKey(home string, create bool) error {
	if f.key != nil {
		return nil
	}
	path := filepath.Join(home, keyName)
	key, err := os.ReadFile(path)
	if err == nil && len(key) < keySize {
		err = fmt.Errorf("%s: a key has %d bytes, not %d", path, keySize, len(key))
	}
	if errors.Is(err, fs.ErrNotExist) && create {
		key, err = makeKey(home, path)
	}
	if err != nil {
		return err
	}
	f.key = key
	return nil
}

// makeKey writes a key that is whole or not there. Of two processes at once one
// is first, and both use its key.
func makeKey(home, path string) ([]byte, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(home, "."+keyName+"-*")
	if err != nil {
		return nil, err
	}
	_, err = temp.Write(key)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Link(temp.Name(), path)
	}
	if err = errors.Join(ignoreExists(err), os.Remove(temp.Name())); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func ignoreExists(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// refuseOrWarn is refuse for what has happened already.
func (s *Set) refuseOrWarn(what string, l *Lobe, texts ...string) {
	if err := s.refuse(what, l, texts...); err != nil {
		s.o.Logger.Warn("what was taken back may be stored again", "cause", err)
	}
}

// refuse remembers texts that were taken back from a lobe. What was erased is
// refused everywhere, so that it needs none.
func (s *Set) refuse(what string, l *Lobe, texts ...string) error {
	if s.o.Home == "" || len(texts) == 0 {
		return nil
	}
	f := &s.refused
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.loadKey(s.o.Home, true); err != nil {
		return fmt.Errorf("remember what was %s: %w", what, err)
	}
	var lines strings.Builder
	dir := ""
	if l != nil {
		dir = l.spec.Dir
	}
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			lines.WriteString(f.hashOf(what, dir, text) + "\n")
		}
	}
	out, err := os.OpenFile(filepath.Join(s.o.Home, refusedName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = out.WriteString(lines.String())
		err = errors.Join(err, out.Sync(), out.Close())
	}
	if err != nil {
		return fmt.Errorf("remember what was %s: %w", what, err)
	}
	return nil
}

// refusedOf tells whether a text may not be stored by somebody, because it was
// retracted or erased; "" when it may. That nothing can be found out refuses
// nothing.
func (s *Set) refusedOf(by By, l *Lobe, text string) string {
	if s.o.Home == "" || by.Role == "user" && by.Source == "" {
		return ""
	}
	f := &s.refused
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.load(s.o.Home); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.o.Logger.Warn("what was taken back is not known", "cause", err)
		}
		return ""
	}
	switch {
	case f.known[f.hashOf(Erased, "", text)]:
		return Erased
	case by.Source != "" && f.known[f.hashOf(Retracted, l.spec.Dir, text)]:
		return Retracted
	}
	return ""
}

// load reads the hashes, unless they are known already.
func (f *refusals) load(home string) error {
	if err := f.loadKey(home, false); err != nil {
		return err
	}
	in, err := os.Open(filepath.Join(home, refusedName))
	if err != nil {
		return err
	}
	defer in.Close() // only read
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if f.known != nil && info.Size() == f.size && info.ModTime().Equal(f.read) {
		return nil
	}
	known := make(map[string]bool)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		known[strings.TrimSpace(lines.Text())] = true
	}
	if err := lines.Err(); err != nil {
		return err
	}
	f.known, f.size, f.read = known, info.Size(), info.ModTime()
	return nil
}

// withoutRefused leaves out the drafts whose text was taken back before, and
// says so. Somebody who states one text is told by an error.
func (s *Set) withoutRefused(by By, r reading, drafts []*draft, said *[]string) ([]*draft, error) {
	var kept []*draft
	for _, d := range drafts {
		what := s.refusedOf(by, r.lobe, d.entry.Body)
		if what == "" || r.choose(r.view, d).op == entry.OpConfirm {
			kept = append(kept, d)
			continue
		}
		refusal := &RefusedError{Title: d.entry.Title, What: what}
		if by.Source == "" {
			return nil, refusal
		}
		*said = append(*said, refusal.Error())
	}
	return kept, nil
}
