package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/crash"
	"memory-mcp/lobes"
)

// sounds tells whether a file, or standard input, is a recording: by the
// ending of its name, or by its first bytes. Standard input can be read from
// its start afterwards.
func (e *env) sounds(name string) (bool, error) {
	if slices.Contains([]string{".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".m4a", ".aac"}, strings.ToLower(filepath.Ext(name))) {
		return true, nil
	}
	if name != "-" {
		f, err := e.openMaterial(name)
		if err != nil {
			return false, err
		}
		defer f.Close() // only read
		head := make([]byte, soundHead)
		n, err := io.ReadFull(f, head)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		return soundBegins(head[:n]), err
	}
	if isTerminal(e.Stdin) {
		return false, nil
	}
	in := bufio.NewReader(e.Stdin)
	e.Stdin = in
	head, err := in.Peek(soundHead)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return soundBegins(head), err
}

// soundHead is how many bytes tell a recording from a text.
const soundHead = 12

// soundBegins knows the marks of recordings, also of those that cannot be read
// here: what follows says so better than that a text is expected.
func soundBegins(head []byte) bool {
	at := func(i int, mark string) bool { return len(head) >= i && bytes.HasPrefix(head[i:], []byte(mark)) }
	return (at(0, "RIFF") || at(0, "RF64")) && at(8, "WAVE") || at(0, "fLaC") || at(0, "OggS") || at(0, "ID3") || at(4, "ftyp") ||
		len(head) > 1 && head[0] == 0xff && head[1]&0xe0 == 0xe0 && head[1] != 0xff && head[1] != 0xfe
}

// dictated is the answer of a record of speech.
type dictated struct {
	lobes.Recorded
	Spoken []lobes.Spoken `json:"spoken"`
}

// dictate turns a recording into text while somebody waits, and records that.
func (e *env) dictate(ctx context.Context, a *app.App, o recordOptions, name string) error {
	by := e.by(a)
	by.Session = either(o.session, by.Session)
	var d dictated
	err := a.Guard(crash.Doing{Op: "record", Phase: "listening", Writes: true}, func() error {
		set, err := a.Current(ctx)
		if err != nil {
			return err
		}
		if d.Spoken, err = e.listen(ctx, set, o, name); err != nil {
			return err
		}
		m := lobes.Material{Text: lobes.SpokenText(d.Spoken), Spoken: d.Spoken, Role: o.role, Source: o.source}
		if m.Text == "" {
			return nil
		}
		if m.Role == "" && e.person() {
			m.Role = "user"
		}
		if m.Source == "" && name != "-" {
			m.Source = e.sourceOf(name)
		}
		d.Recorded, err = set.Record(ctx, by, a.Target(o.lobe), m)
		return err
	})
	switch {
	case err != nil:
		return a.Env(by, true).Explain(err)
	case o.json:
		return e.say(compact(d))
	case len(d.Spoken) == 0:
		return e.sayf("nothing was said in %s, and nothing was recorded", either(strings.TrimPrefix(name, "-"), "it"))
	}
	var said strings.Builder
	for _, s := range d.Spoken {
		fmt.Fprintf(&said, "%s %s\n", e.terminal.faint(lobes.TimeCode(s.From)), printable(s.Text))
	}
	return errors.Join(e.say(said.String()), e.showRecorded([]byte(compact(d.Recorded))))
}

// listen gives what is said in a recording. What comes from standard input is
// a file meanwhile.
func (e *env) listen(ctx context.Context, set *lobes.Set, o recordOptions, name string) ([]lobes.Spoken, error) {
	path := name
	if name == "-" {
		file, err := spool(e.Stdin)
		if err != nil {
			return nil, fmt.Errorf("record standard input: %w", err)
		}
		defer os.Remove(file) // nobody misses it
		path = file
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	b := e.progress(o.json)
	defer b.end()
	return set.Hear(ctx, path, func(done, total time.Duration) {
		b.report(int(done/time.Second), int(total/time.Second), "listening, in seconds")
	})
}

// spool writes what comes into a file that only this user reads.
func spool(in io.Reader) (path string, err error) {
	f, err := os.CreateTemp("", "memory-mcp-*.sound")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
