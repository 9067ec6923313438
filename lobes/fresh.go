package lobes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes/repo"
	"memory-mcp/store/entry"
)

// The verdicts of [Fresh].
const (
	FreshVerdict   = "fresh"
	StaleVerdict   = "stale"
	ChangedVerdict = "changed"
	GoneVerdict    = "gone"
	UnknownVerdict = "unknown"
)

// The bounds of looking at cited files.
const (
	maxPins    = 20      // files of one entry
	maxPinned  = 1 << 20 // bytes of one file
	maxCitings = 64      // files looked at for one briefing
)

// stale tells whether an entry is to be checked because of its age: the days
// since it was written or last verified reach the limit. Zero days is never.
func stale(e *entry.Entry, days int, now time.Time) bool {
	return days > 0 && !since(e).IsZero() && age(e, now) >= days
}

// since is when the entry was last known to be right.
func since(e *entry.Entry) time.Time {
	if e.Verified.After(e.Created) {
		return e.Verified
	}
	return e.Created
}

func age(e *entry.Entry, now time.Time) int {
	return int(now.Sub(since(e)) / (24 * time.Hour))
}

// agedOut is what ranking knows without looking at a file: stale by age,
// unless there is evidence to go by.
func (b Behavior) agedOut(e *entry.Entry, now time.Time) bool {
	return len(e.Pins) == 0 && stale(e, b.staleDays(e.Topic), now)
}

// judge tells how fresh an entry is. Evidence goes first: when the files that
// it cites are what they were when it was last checked, it is fresh however
// old; when one differs or is gone, it is not. Age decides where there is no
// evidence.
func (b Behavior) judge(e *entry.Entry, now time.Time, files *citings) Fresh {
	f := Fresh{Verdict: FreshVerdict, Commit: e.GitSHA, Changes: []FreshChange{}}
	if !since(e).IsZero() {
		f.Days = max(0, age(e, now))
	}
	checked := 0
	for _, pin := range e.Pins[:min(len(e.Pins), maxPins)] {
		file, want, ok := splitPin(pin)
		if !ok {
			continue
		}
		have, err := files.sum(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.Changes = append(f.Changes, FreshChange{File: file, What: GoneVerdict})
		case err != nil:
			continue // it cannot be looked at: no evidence
		case have != want:
			f.Changes = append(f.Changes, FreshChange{File: file, What: ChangedVerdict})
		}
		checked++
	}
	switch {
	case slices.ContainsFunc(f.Changes, func(c FreshChange) bool { return c.What == ChangedVerdict }):
		f.Verdict = ChangedVerdict
	case len(f.Changes) > 0:
		f.Verdict = GoneVerdict
	case checked > 0:
	case len(e.Pins) > 0 && !stale(e, b.staleDays(e.Topic), now):
		f.Verdict = UnknownVerdict
	case stale(e, b.staleDays(e.Topic), now):
		f.Verdict = StaleVerdict
	}
	return f
}

// splitPin reads "PATH SHA256".
func splitPin(pin string) (file, sum string, ok bool) {
	i := strings.LastIndexByte(pin, ' ')
	if i <= 0 || len(pin)-i-1 != hex.EncodedLen(sha256.Size) {
		return "", "", false
	}
	return pin[:i], pin[i+1:], true
}

// citings hashes cited files below one folder, each once. It never leaves the
// folder, and reads nothing but regular files of moderate size.
type citings struct {
	root string
	left int // files that may still be read
	sums map[string]cited
}

type cited struct {
	sum string
	err error
}

var (
	errNoRoot  = errors.New("there is no folder that cited files lie in")
	errTooMany = errors.New("enough files were read for one answer")
	errNoFile  = errors.New("not a regular file of moderate size")
)

func newCitings(root string, most int) *citings {
	return &citings{root: root, left: most, sums: make(map[string]cited)}
}

// sum is the SHA-256 of a cited file, in hex.
func (c *citings) sum(file string) (string, error) {
	if c.root == "" {
		return "", errNoRoot
	}
	if known, ok := c.sums[file]; ok {
		return known.sum, known.err
	}
	if c.left <= 0 {
		return "", errTooMany
	}
	c.left--
	sum, err := hashBelow(c.root, file)
	c.sums[file] = cited{sum, err}
	return sum, err
}

func hashBelow(folder, file string) (sum string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", errNoRoot // an unmounted project says nothing about its files
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	name := filepath.FromSlash(file)
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPinned {
		return "", errNoFile
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxPinned)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// pin writes down what the cited files are now. What is no file below the
// root, or is too large, has no pin; neither has one that is gone: whoever
// stands for the entry all the same has seen that. What cannot be looked at
// keeps the pin that it had.
func pin(e *entry.Entry, root string) []string {
	if root == "" || len(e.Sources)+len(e.Files) == 0 {
		return e.Pins
	}
	had := make(map[string]string, len(e.Pins))
	for _, line := range e.Pins {
		if file, _, ok := splitPin(line); ok {
			had[file] = line
		}
	}
	files := newCitings(root, maxPins)
	var pins []string
	for _, source := range slices.Concat(e.Sources, e.Files) {
		file, ok := belowRoot(root, source)
		if !ok {
			continue
		}
		line := had[file]
		switch sum, err := files.sum(file); {
		case err == nil:
			line = file + " " + sum
		case errors.Is(err, fs.ErrNotExist):
			continue
		}
		if line != "" && !slices.Contains(pins, line) && len(pins) < maxPins {
			pins = append(pins, line)
		}
	}
	return pins
}

// belowRoot is the slash-separated path of a cited file below the root.
func belowRoot(root, source string) (string, bool) {
	file := citedFile(source)
	if filepath.IsAbs(file) {
		rel, err := filepath.Rel(root, resolved(filepath.Clean(file)))
		if err != nil || root == "" {
			return "", false
		}
		file = rel
	}
	file = filepath.Clean(filepath.FromSlash(file))
	if file == "." || !filepath.IsLocal(file) {
		return "", false
	}
	return filepath.ToSlash(file), true
}

// citedFile takes the place within a file off a source: "a.go:12", "a.go:12-20",
// "a.go#L12".
func citedFile(source string) string {
	source = strings.TrimSpace(source)
	if i := strings.IndexByte(source, '#'); i > 0 {
		source = source[:i]
	}
	for {
		i := strings.LastIndexByte(source, ':')
		if i <= 1 || i == len(source)-1 || strings.Trim(source[i+1:], "0123456789-,") != "" {
			return source
		}
		source = source[:i]
	}
}

// explain adds what git knows of cited files, if the query asks for it.
func (a *Answer) explain(ctx context.Context, readings []reading, q Query) {
	if q.Commits {
		explainAll(ctx, readings, a.Results)
	}
}

// The bounds of what git is asked about cited files.
const (
	mostCommits = 1000
	gitTime     = 100 * time.Millisecond
)

// explainAll adds what git knows to the results of an answer, all of them
// within one bound.
func explainAll(ctx context.Context, readings []reading, results []Result) {
	ctx, done := context.WithTimeout(ctx, gitTime)
	defer done()
	for i := range results {
		for _, r := range readings {
			if r.lobe.name == results[i].Lobe {
				r.explain(ctx, &results[i].Entry, &results[i].Fresh)
			}
		}
	}
}

// explain adds what git knows of the cited files that are not what they were:
// how many commits touched them since, what the last one says, and where they
// went. What cannot be found out in time, or at all, is left out.
func (r reading) explain(ctx context.Context, e *entry.Entry, f *Fresh) {
	if ctx.Err() != nil || len(f.Changes) == 0 || r.tree.repo == nil || r.tree.root == "" {
		return
	}
	below, err := filepath.Rel(r.tree.repo.Root, r.tree.root)
	if err != nil || !filepath.IsLocal(below) {
		return
	}
	paths := make([]string, len(f.Changes))
	for i, c := range f.Changes {
		paths[i] = filepath.ToSlash(filepath.Join(below, filepath.FromSlash(c.File)))
	}
	touched, err := r.touched(ctx, e, paths)
	if err != nil {
		r.lobe.o.Logger.Debug("git does not tell of cited files", "lobe", r.lobe.name, "cause", err)
		return
	}
	for i := range f.Changes {
		t := touched[paths[i]]
		f.Changes[i].Commits, f.Changes[i].Subject = t.Commits, t.Subject
		if renamed, err := filepath.Rel(below, filepath.FromSlash(t.Renamed)); err == nil && t.Renamed != "" {
			f.Changes[i].Renamed = filepath.ToSlash(renamed)
		}
	}
}

func (r reading) touched(ctx context.Context, e *entry.Entry, paths []string) (found map[string]repo.Touch, err error) {
	history, err := r.tree.repo.History()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, history.Close()) }()
	return history.Touched(ctx, e.GitSHA, since(e), paths, mostCommits)
}
