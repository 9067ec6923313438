package lobes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memory-mcp/store"
	"memory-mcp/textanalysis"
)

// scannedName is the cache that tells which files were looked through for
// secrets. Losing it means that all are looked through once more.
const scannedName = stateName + "/secrets"

// scanSlack is by how much the time of a file may lag behind ours.
const scanSlack = 2500 * time.Millisecond

// A scan is what a look through a lobe for secrets came to: of files that were
// not touched since, only those with a secret are looked at again. Rules of
// another version look through all once more.
type scan struct {
	rules string
	at    time.Time
	found []string // paths of files with what looks like a secret, below the lobe
}

func (l *Lobe) scanned() scan {
	b, err := os.ReadFile(filepath.Join(l.spec.Dir, scannedName))
	if err != nil {
		return scan{}
	}
	var s scan
	for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		switch i {
		case 0:
			s.rules = strings.TrimPrefix(line, "rules ")
		case 1:
			s.at, err = time.Parse(time.RFC3339Nano, strings.TrimPrefix(line, "at "))
		default:
			var path string
			path, err = strconv.Unquote(line)
			s.found = append(s.found, path)
		}
		if err != nil {
			return scan{} // it was cut, or somebody wrote into it
		}
	}
	return s
}

// knows tells whether a file was looked through by these rules and had nothing.
// A file without a time of its last change could have been put there since.
func (s scan) knows(h *store.Head, now time.Time) bool {
	return s.rules == textanalysis.SecretRulesVersion && !s.at.After(now) && !h.Changed.IsZero() &&
		h.Changed.Before(s.at.Add(-scanSlack)) && h.Modified.Before(s.at.Add(-scanSlack)) && !slices.Contains(s.found, h.Path)
}

// secretsIn looks through the files that need it, and gives the kind of secret
// in each that holds one. It remembers what it has done.
func (r reading) secretsIn(ctx context.Context, now time.Time) map[*store.Head]string {
	known, next := r.lobe.scanned(), scan{rules: textanalysis.SecretRulesVersion, at: now}
	kinds := map[*store.Head]string{}
	looked := 0
	for h := range r.view.Heads() {
		if ctx.Err() != nil {
			return kinds
		}
		if known.knows(h, now) {
			continue
		}
		looked++
		if _, secrets := textanalysis.MaskSecrets(said(&h.Entry)); len(secrets) > 0 {
			kinds[h] = secrets[0].Kind
			next.found = append(next.found, h.Path)
		}
	}
	if looked > 0 || known.rules != next.rules {
		r.remember(next)
	}
	return kinds
}

// remember writes down that a lobe was looked through, where there is a lobe.
func (r reading) remember(s scan) {
	if r.lobe.o.ReadOnly {
		return
	}
	if _, err := os.Lstat(filepath.Join(r.lobe.spec.Dir, ".lobe")); err != nil {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "rules %s\nat %s\n", s.rules, s.at.UTC().Format(time.RFC3339Nano)) // a builder never fails
	slices.Sort(s.found)
	for _, path := range s.found {
		fmt.Fprintln(&b, strconv.Quote(path))
	}
	name := filepath.Join(r.lobe.spec.Dir, scannedName)
	err := os.Mkdir(filepath.Dir(name), 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = replaceFile(name, []byte(b.String()))
	}
	if err != nil {
		r.lobe.o.Logger.Debug("all files are looked through for secrets again", "lobe", r.lobe.name, "cause", err)
	}
}
