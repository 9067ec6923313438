package timeproof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// vocabulary are words that resemble nothing, each other least of all.
func vocabulary() []string {
	return []string{"velkorim", "brantuzo", "quilmeda", "snorvath", "pliggore", "drumexal", "hastivob", "yoccumel"}
}

// text makes the nth text: two words that others have too, and numbers that no
// other text has, so that none is taken for another one said again.
func text(n, choice int) string {
	v := vocabulary()
	return fmt.Sprintf("%s needs %d of %s, and %d more.", v[choice%len(v)], n*7919+10007, v[(choice/3+n)%len(v)], n*104729+1009)
}

func title(n, choice int) string {
	v := vocabulary()
	return fmt.Sprintf("Case %d %s", n*31+1000, v[(choice*5+n)%len(v)])
}

// read takes an entry's file apart. It knows the one form in which new files
// are written, and nothing more.
func read(b string) (id string, is belief, err error) {
	header, body, found := strings.Cut(strings.TrimPrefix(b, "---\n"), "\n---\n")
	if !found || !strings.HasPrefix(b, "---\n") {
		return "", is, fmt.Errorf("no header in %q", b)
	}
	for line := range strings.Lines(header + "\n") {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		value = strings.Trim(value, `"'`)
		var at time.Time
		switch key {
		case "valid_from", "valid_until", "expires":
			if at, err = time.Parse(time.RFC3339Nano, value); err != nil {
				return "", is, err
			}
		}
		switch key {
		case "id":
			id = value
		case "topic":
			is.topic = value
		case "status":
			is.status = value
		case "valid_from":
			is.from = at.UTC()
		case "valid_until":
			is.until = at.UTC()
		case "expires":
			is.expires = at.UTC()
		case "verified":
			is.verified = value[:min(len(value), len("2006-01-02"))]
		}
	}
	heading, rest, _ := strings.Cut(body, "\n")
	name, titled := strings.CutPrefix(heading, "# ")
	if !titled {
		return "", is, fmt.Errorf("no title in %q", b)
	}
	is.title, is.body = name, strings.Trim(rest, "\n")
	return id, is, nil
}

// retold is a file as a person leaves it who changed title or body.
func retold(b string, is belief) string {
	header, _, _ := strings.Cut(strings.TrimPrefix(b, "---\n"), "\n---\n")
	return "---\n" + header + "\n---\n# " + is.title + "\n\n" + is.body + "\n"
}

// A recording is what a file of the history says of itself.
type recording struct {
	id, op, change, key, path, movedTo string
	at                                 time.Time
	bytes                              string
	gone                               bool
	parents                            []string
}

// recordings reads the history of a folder, as anybody could.
func recordings(dir string) ([]recording, error) {
	names, err := filepath.Glob(filepath.Join(dir, ".history", "*", "*.md"))
	if err != nil {
		return nil, err
	}
	var all []recording
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r, err := readRecording(string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		stem := strings.TrimSuffix(filepath.Base(name), ".md")
		r.key = strings.TrimPrefix(stem, r.id+".")
		all = append(all, r)
	}
	return all, nil
}

func (r recording) hash() string {
	_, hash, _ := strings.Cut(r.key, "-")
	return hash
}

func readRecording(b string) (recording, error) {
	envelope, head, found := strings.Cut(b, "---\n")
	if !found {
		return recording{}, fmt.Errorf("no separator in %q", b)
	}
	r := recording{bytes: head, gone: true}
	for line := range strings.Lines(envelope) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "id":
			r.id = value
		case "op":
			r.op = value
		case "change":
			r.change = value
		case "path":
			r.path = value
		case "moved_to":
			r.movedTo = value
		case "parents":
			r.parents = strings.Fields(value)
		case "sha256":
			r.gone = false
		case "recorded":
			at, err := time.Parse(time.RFC3339Nano, value)
			if err != nil {
				return r, err
			}
			r.at = at
		}
	}
	return r, nil
}
