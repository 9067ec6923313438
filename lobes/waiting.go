package lobes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	inboxName = ".inbox"
	// waitingPrefix opens the names of files of what was received and had no
	// room.
	waitingPrefix = "sweep-"
	// mostWaiting is the size in bytes of all that may wait in a lobe.
	mostWaiting = 8 << 20
)

// ErrInboxFull says that what was received has neither room in the lobe nor in
// its inbox.
var ErrInboxFull = errors.New("the inbox is full")

// hold keeps what was received until the lobe has room.
func (r reading) hold(by By, all []Received, most int) error {
	dir := filepath.Join(r.lobe.spec.Dir, inboxName)
	b, err := json.Marshal(waiting{By: by, Most: most, All: all})
	if err != nil {
		return err
	}
	if _, used := folderSize(dir); used+int64(len(b)) > mostWaiting {
		return ErrInboxFull
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	sum := sha256.Sum256(b)
	name := waitingPrefix + hex.EncodeToString(sum[:8]) + ".json"
	f, err := os.CreateTemp(dir, ".tmp-")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// waiting is a file of the inbox.
type waiting struct {
	By   By         `json:"by"`
	Most int        `json:"most"`
	All  []Received `json:"all"`
}

// ReceiveWaiting tries once more to store what had no room when it came, and
// tells how much still waits.
func (s *Set) ReceiveWaiting(ctx context.Context, t Target) (left int, err error) {
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return 0, err
	}
	dir := filepath.Join(lobes[0].spec.Dir, inboxName)
	names, err := filepath.Glob(filepath.Join(dir, waitingPrefix+"*.json"))
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, name := range names {
		done, err := s.receiveFile(ctx, t, name)
		errs = append(errs, err)
		if !done {
			left++
		}
	}
	return left, errors.Join(errs...)
}

// receiveFile stores what one file holds, and removes it when that is done. One
// that cannot be read stays for a person to look at.
func (s *Set) receiveFile(ctx context.Context, t Target, name string) (done bool, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	var w waiting
	if err := json.Unmarshal(b, &w); err != nil {
		return false, errors.Join(err, os.Rename(name, strings.TrimSuffix(name, ".json")+".bad"))
	}
	_, err = s.receive(ctx, w.By, t, w.All, w.Most)
	var full *FullError
	if errors.As(err, &full) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, os.Remove(name)
}
