package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Progress hears how many bytes of a file are here, of how many; total is 0
// while it is unknown.
type Progress func(done, total int64)

// A SumError says that a file is not the one that was meant. What was fetched
// of it is gone.
type SumError struct{ File, Want, Have string }

// Error tells both checksums.
func (e *SumError) Error() string {
	return fmt.Sprintf("%s has the checksum %s, not %s: it was thrown away", e.File, e.Have, e.Want)
}

// A RoomError says that the disk is too full.
type RoomError struct {
	Dir        string
	Need, Free int64
}

// Error tells how much is missing.
func (e *RoomError) Error() string {
	return fmt.Sprintf("%s has room for %d MB, and %d MB are needed", e.Dir, e.Free/1e6, e.Need/1e6)
}

// A BusyError says that another process fetches into the folder.
type BusyError struct{ Dir string }

// Error names the folder.
func (e *BusyError) Error() string {
	return "another process is fetching a model into " + e.Dir
}

// spare is what stays free on the disk.
const spare = 512 << 20

// Pull fetches a model into the folder, and gives the path of its file. What is
// here already is not fetched again; what was interrupted goes on. The file is
// under its name only when it is whole and has the right checksum.
func (f Folder) Pull(ctx context.Context, from Source, m Model, progress Progress) (string, error) {
	return f.take(ctx, m, progress, func(at int64) (piece, error) { return from.open(ctx, m, at) })
}

// Take is Pull of a file that a person brings. It is copied.
func (f Folder) Take(ctx context.Context, path string, m Model, progress Progress) (string, error) {
	return f.take(ctx, m, progress, func(at int64) (piece, error) {
		file, err := os.Open(path)
		if err != nil {
			return piece{}, err
		}
		return fromFile(file, at)
	})
}

// lockName is held while a file is fetched. It stays: whoever removed it could
// take the lock from another process.
const lockName = ".lock"

func (f Folder) take(ctx context.Context, m Model, progress Progress, open func(from int64) (piece, error)) (string, error) {
	path := f.Path(m)
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return "", fmt.Errorf("fetch %s: %w", m.Name, err)
	}
	lock := flock.New(filepath.Join(f.Dir, lockName), flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", m.Name, err)
	}
	if !mine {
		return "", &BusyError{f.Dir}
	}
	here, err := sizeOf(path)
	if err == nil && here == 0 {
		err = f.fill(ctx, m, progress, open)
	}
	if err := errors.Join(err, lock.Close()); err != nil {
		return "", fmt.Errorf("fetch %s: %w", m.Name, err)
	}
	return path, nil
}

// fill brings the partial file to its end, and gives it its name.
func (f Folder) fill(ctx context.Context, m Model, progress Progress, open func(from int64) (piece, error)) error {
	path := f.Path(m) + partial
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close() // once more after a close that was looked at, or after an error
	sum := sha256.New()
	begun, err := io.Copy(sum, file)
	if err != nil {
		return err
	}
	if begun > 0 && hex.EncodeToString(sum.Sum(nil)) == m.SHA256 {
		return f.named(m, file) // only the name was missing
	}
	p, err := open(begun)
	if err != nil {
		return err
	}
	defer p.Close() // only read
	if p.from != begun {
		begun = p.from
		sum.Reset()
		if err := file.Truncate(begun); err != nil {
			return err
		}
		if _, err := file.Seek(begun, io.SeekStart); err != nil {
			return err
		}
	}
	total := max(m.Size, p.size)
	if p.local {
		total = p.size // all of it is here, whatever it is
	}
	if err := f.room(total - begun); err != nil {
		return err
	}
	if err := f.copy(ctx, io.MultiWriter(file, sum), p, &meter{begun, total, progress, time.Time{}}); err != nil {
		return err
	}
	if err := verify(m, p, sum, path); err != nil {
		return err
	}
	return f.named(m, file)
}

// named gives a whole file its name.
func (f Folder) named(m Model, file *os.File) error {
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), f.Path(m))
}

// room tells whether the disk has it, with some to spare.
func (f Folder) room(need int64) error {
	free, err := freeOn(f.Dir)
	if err != nil {
		return err
	}
	if need+spare > free {
		return &RoomError{f.Dir, need + spare, free}
	}
	return nil
}

func (f Folder) copy(ctx context.Context, to io.Writer, p piece, m *meter) error {
	block := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.Read(block)
		if n > 0 {
			if _, err := to.Write(block[:n]); err != nil {
				return err
			}
			m.add(int64(n))
		}
		if err == io.EOF {
			return m.end()
		}
		if err != nil {
			return plain(err)
		}
	}
}

// verify throws away what has the wrong checksum: it cannot become right. A
// file of which nobody knows the checksum is taken from this machine only.
func verify(m Model, p piece, sum hash.Hash, path string) error {
	want, have := firstOf(m.SHA256, p.sum), hex.EncodeToString(sum.Sum(nil))
	switch {
	case want == "" && !p.local:
		return fmt.Errorf("no checksum is known for %s, neither here nor at the source", m.File)
	case want != "" && have != want:
		return errors.Join(&SumError{m.File, want, have}, os.Remove(path))
	}
	return nil
}

// meter tells the progress a few times a second.
type meter struct {
	done, total int64
	tell        Progress
	last        time.Time
}

const tellEvery = 100 * time.Millisecond

func (m *meter) add(n int64) {
	m.done += n
	if m.tell != nil && time.Since(m.last) >= tellEvery {
		m.tell(m.done, m.total)
		m.last = time.Now()
	}
}

// end tells the last of it. A file that ends early was cut on its way.
func (m *meter) end() error {
	if m.total > 0 && m.done < m.total {
		return fmt.Errorf("it ended after %d of %d bytes: %w", m.done, m.total, io.ErrUnexpectedEOF)
	}
	if m.tell != nil {
		m.tell(m.done, m.total)
	}
	return nil
}
