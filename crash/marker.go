package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	runningFolder = "running"
	lockSuffix    = ".lock"
	stateSuffix   = ".state"
	// maxListed keeps the state of a marker within one page, so that writing
	// it is one step.
	maxListed = 8
	maxName   = 100
)

// begun is work in progress.
type begun struct {
	Doing
	Since time.Time `json:"since"`
	id    int
}

// state is what a marker says.
type state struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Boot    string    `json:"boot"`
	Started time.Time `json:"started"`
	Doing   []begun   `json:"doing"`
}

// marker is the pair of files of this process: a lock that is held while the
// process lives, and the state beside it, rewritten in place. The state is not
// synced, because a power cut changes the boot and the marker is dropped then.
type marker struct {
	base string // path without suffix
	boot string
	lock *flock.Flock
	file *os.File
	size int
}

// Begin says that this process serves: from now on a marker tells which
// operations are in progress. The marker's files are created by the first
// operation that writes, or by any once the journal's home exists.
func (j *Journal) Begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.serving = true
}

// Close takes the marker away, at an orderly exit. Guarded work that is still
// running is not reported any more.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.serving = false
	if j.marker == nil {
		return nil
	}
	err := j.marker.remove()
	j.marker = nil
	if err != nil {
		return fmt.Errorf("remove crash marker: %w", err)
	}
	return nil
}

// begin puts the work on the marker and returns what takes it off again.
func (j *Journal) begin(d Doing) func() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.serving {
		return func() {}
	}
	j.next++
	id := j.next
	short := Doing{Op: shorten(d.Op), Lobe: shorten(d.Lobe), Phase: shorten(d.Phase), Writes: d.Writes}
	j.doing = append(j.doing, begun{short, j.opts.Now().UTC(), id})
	j.mark(d.Writes)
	return func() { j.end(id) }
}

func (j *Journal) end(id int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.doing = slices.DeleteFunc(j.doing, func(b begun) bool { return b.id == id })
	if j.marker != nil {
		j.mark(false)
	}
}

// mark writes the state. The caller holds the mutex.
func (j *Journal) mark(writes bool) {
	if j.marker == nil {
		if _, err := os.Stat(filepath.Dir(j.dir)); err != nil && !writes {
			return
		}
		m, err := newMarker(filepath.Join(j.dir, runningFolder))
		if err != nil {
			j.problem = fmt.Errorf("write crash marker: %w", err)
			return
		}
		j.marker = m
	}
	listed := j.doing[:min(len(j.doing), maxListed)]
	err := j.marker.write(state{Version: j.opts.Version, PID: os.Getpid(), Boot: j.marker.boot, Started: j.started, Doing: listed})
	if err != nil {
		j.problem = fmt.Errorf("write crash marker: %w", err)
	}
}

func shorten(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

func newMarker(dir string) (*marker, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	base := filepath.Join(dir, fmt.Sprintf("%d-%s", os.Getpid(), random()))
	m := &marker{base: base, boot: boot(), lock: flock.New(base + lockSuffix)}
	if err := m.take(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(base+stateSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Join(err, remove(m.lock.Path()), m.lock.Close())
	}
	m.file = file
	return m, nil
}

// take locks the lock file and makes sure that it is still in place: a process
// that cleans up may have met it in the moment before it was locked.
func (m *marker) take() error {
	const attempts = 5
	for range attempts {
		locked, err := m.lock.TryLock()
		if err != nil {
			return err
		}
		if !locked {
			continue
		}
		held, heldErr := m.lock.Stat()
		there, thereErr := os.Stat(m.lock.Path())
		if heldErr == nil && thereErr == nil && os.SameFile(held, there) {
			return nil
		}
		if err := m.lock.Close(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is taken away again and again", m.lock.Path())
}

// write replaces the state in one write; a shorter one is filled with blanks.
func (m *marker) write(s state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	size := len(text)
	for len(text) < m.size {
		text = append(text, ' ')
	}
	m.size = size
	_, err = m.file.WriteAt(text, 0)
	return err
}

// remove takes the state away first, so that a lock alone means nothing.
func (m *marker) remove() error {
	err := errors.Join(m.file.Close(), remove(m.base+stateSuffix))
	return errors.Join(err, removeLock(m.lock))
}

// Recover turns the markers of processes that were killed during an operation
// into reports, and takes away those of processes that were killed while idle
// or under an earlier boot. Markers of living processes stay. The reports are
// returned also when some markers could not be handled.
func (j *Journal) Recover() ([]Report, error) {
	dir := filepath.Join(j.dir, runningFolder)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []Report{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for crash markers: %w", err)
	}
	reports, problems := []Report{}, []error(nil)
	for _, e := range list {
		base, isLock := strings.CutSuffix(filepath.Join(dir, e.Name()), lockSuffix)
		if !isLock || j.owns(base) || j.justBegun(e, base) {
			continue
		}
		r, err := j.recoverMarker(base)
		if err != nil {
			problems = append(problems, fmt.Errorf("crash marker %s: %w", base, err))
		}
		if r != nil {
			reports = append(reports, *r)
		}
	}
	return reports, errors.Join(problems...)
}

func (j *Journal) owns(base string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.marker != nil && j.marker.base == base
}

// justBegun is true for a lock that has no state yet and may be about to get
// one: it is not even tried, since that would be in its owner's way.
func (j *Journal) justBegun(e fs.DirEntry, base string) bool {
	if _, err := os.Stat(base + stateSuffix); err == nil {
		return false
	}
	info, err := e.Info()
	return err != nil || j.opts.Now().Sub(info.ModTime()) < time.Minute
}

// recoverMarker reports and removes one marker, unless its process lives.
func (j *Journal) recoverMarker(base string) (*Report, error) {
	lock := flock.New(base+lockSuffix, flock.SetFlag(os.O_RDWR))
	locked, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // its process has just ended in good order
	}
	if err != nil || !locked {
		return nil, err
	}
	var killed *Report
	text, err := os.ReadFile(base + stateSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil:
		killed, err = j.killed(text)
	}
	return killed, errors.Join(err, remove(base+stateSuffix), removeLock(lock))
}

// killed reports the state of a dead process, nil when it was idle or belongs
// to another boot.
func (j *Journal) killed(text []byte) (*Report, error) {
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		if len(strings.TrimSpace(string(text))) == 0 {
			return nil, nil // killed before the first write
		}
		return nil, fmt.Errorf("its state cannot be read: %w", err)
	}
	if len(s.Doing) == 0 || !sameBoot(s.Boot, boot()) {
		return nil, nil
	}
	first := s.Doing[0]
	r := Report{When: first.Since, Version: s.Version, Kind: KindKilled, Phase: first.Phase, Op: first.Op, Lobe: first.Lobe, PID: s.PID,
		Err:           "the process ended during the operation without a word: killed, or out of memory",
		UptimeSeconds: first.Since.Sub(s.Started).Seconds(), Also: []Doing{}, Remedy: remedies(KindKilled, first.Phase, nil)}
	for _, other := range s.Doing[1:] {
		r.Also = append(r.Also, other.Doing)
	}
	r = j.save(r)
	return &r, nil
}
