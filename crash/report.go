package crash

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	reportSuffix = ".json"
	timeInName   = "20060102T150405.000Z"
	maxReport    = 1 << 20
)

// Report is one death, as its file holds it.
type Report struct {
	// ID is the name of the file without its suffix; IDs sort by time.
	ID string `json:"id"`
	// When it happened; of a kill, when the operation had begun.
	When    time.Time `json:"when"`
	Version string    `json:"version"`
	Kind    Kind      `json:"kind"`
	Phase   string    `json:"phase"`
	Op      string    `json:"op"`
	Lobe    string    `json:"lobe"`
	// Err is what the runtime or the system said.
	Err string `json:"err"`
	// Stack is where it happened, empty for anything but a panic.
	Stack         string  `json:"stack"`
	PID           int     `json:"pid"`
	UptimeSeconds float64 `json:"uptime_seconds"`
	// Also are the other operations that a kill interrupted.
	Also []Doing `json:"also"`
	// Remedy is what a person can do, a step each.
	Remedy []string `json:"remedy"`
	// Shown says that a briefing has told of it.
	Shown bool `json:"shown"`
	// Path is the file of the report.
	Path string `json:"-"`
}

// A CorruptReportError is a file in the journal that is no report. It is left
// where it is until newer reports push it out.
type CorruptReportError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *CorruptReportError) Error() string {
	return fmt.Sprintf("crash report %s cannot be read: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptReportError) Unwrap() error {
	return e.Err
}

// Reports returns the reports, newest first. The error joins a
// [*CorruptReportError] for each file that cannot be read; the other reports
// are returned nevertheless.
func (j *Journal) Reports() ([]Report, error) {
	names, err := j.names()
	if err != nil {
		return nil, fmt.Errorf("list crash reports: %w", err)
	}
	reports, problems := []Report{}, []error(nil)
	for _, name := range slices.Backward(names) {
		path := filepath.Join(j.dir, name)
		r, err := readReport(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // dropped by another process meanwhile
		case err != nil:
			problems = append(problems, &CorruptReportError{path, err})
		default:
			r.Shown = r.Shown || j.wasShown(r.ID)
			reports = append(reports, r)
		}
	}
	return reports, errors.Join(problems...)
}

// Latest returns the newest report that no briefing has told of yet. The error
// is that of [Journal.Reports], and does not spoil the report.
func (j *Journal) Latest() (Report, bool, error) {
	reports, err := j.Reports()
	for _, r := range reports {
		if !r.Shown {
			return r, true, err
		}
	}
	return Report{}, false, err
}

// MarkShown notes that a briefing told of this report, and with it of all the
// older ones. The process remembers it also when the files cannot be written.
func (j *Journal) MarkShown(r Report) error {
	reports, err := j.Reports()
	if len(reports) == 0 {
		return err
	}
	var problems []error // files that cannot be read are never shown, and are none
	for _, older := range reports {
		if older.Shown || older.ID > r.ID {
			continue
		}
		j.mu.Lock()
		j.shown[older.ID] = true
		j.mu.Unlock()
		older.Shown = true
		problems = append(problems, writeReport(older.Path, older))
	}
	if err = errors.Join(problems...); err != nil {
		return fmt.Errorf("mark crash reports as shown: %w", err)
	}
	return nil
}

func (j *Journal) wasShown(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.shown[id]
}

// names lists the files of reports, oldest first.
func (j *Journal) names() ([]string, error) {
	list, err := os.ReadDir(j.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range list {
		if name := e.Name(); !e.IsDir() && strings.HasSuffix(name, reportSuffix) && name[0] != '.' {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// prune drops all reports but the newest ones, and temporaries of writers that
// died a day ago or more.
func (j *Journal) prune() error {
	names, err := j.names()
	if err != nil {
		return fmt.Errorf("drop old crash reports: %w", err)
	}
	var problems []error
	for _, name := range names[:max(0, len(names)-Kept)] {
		problems = append(problems, remove(filepath.Join(j.dir, name)))
	}
	list, err := os.ReadDir(j.dir)
	problems = append(problems, err)
	for _, e := range list {
		if !temporary(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && j.opts.Now().Sub(info.ModTime()) > 24*time.Hour {
			problems = append(problems, remove(filepath.Join(j.dir, e.Name())))
		}
	}
	return errors.Join(problems...)
}

// temporary is true for the names that writeReport writes under.
func temporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, reportSuffix+".")
}

// remove takes a file away; another process may have been faster.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func readReport(path string) (Report, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Report{}, err
	}
	if info.Size() > maxReport {
		return Report{}, fmt.Errorf("the file has %d bytes, and a report at most %d", info.Size(), maxReport)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return Report{}, err
	}
	if r.Kind == "" || r.When.IsZero() {
		return Report{}, errors.New("the file does not say what happened and when")
	}
	r.ID, r.Path = strings.TrimSuffix(filepath.Base(path), reportSuffix), path
	if r.Also == nil {
		r.Also = []Doing{}
	}
	if r.Remedy == nil {
		r.Remedy = []string{}
	}
	return r, nil
}

// writeReport puts the whole report in place, or nothing.
func writeReport(path string, r Report) (err error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(f.Name()))
		}
	}()
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

func random() string {
	var b [4]byte
	// Read never fails: the runtime ends the process first.
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
