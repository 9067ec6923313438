package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/hook"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

type recordOptions struct {
	role, session, source, lobe string
	json                        bool
}

func newRecord(e *env) *cobra.Command {
	var o recordOptions
	c := &cobra.Command{
		Use:     "record [FILE... | -]",
		Short:   "Record raw material in which a model finds memories",
		GroupID: groupDaily,
		Long: `Put raw material into the inbox: text files, transcripts as the hosts of agents
keep them (.jsonl), recordings of speech (WAV, FLAC, MP3, Ogg), standard input
with "-" or without a file. It waits there until a model for generation has
looked through it: in a server of an agent within half a minute, or by
"memory-mcp work --once".

A recording is turned into text here and now, and each memory tells when it was
said. That takes a program that was built with whisper.cpp, and a model:

  memory-mcp models pull whisper-base
  memory-mcp models use whisper-base`,
		Example: `  memory-mcp record notes.md
  memory-mcp record note.wav
  git log -20 --format=%B | memory-mcp record -
  echo "From now on we deploy on Fridays only." | memory-mcp record --role user`,
		RunE: func(c *cobra.Command, args []string) error { return within(c, e.record(c.Context(), o, args)) },
	}
	f := c.Flags()
	f.StringVar(&o.role, "role", "", "user when it is your own words; else assistant")
	f.StringVar(&o.session, "session", "", "the session that it comes from")
	f.StringVar(&o.source, "source", "", "what it rests on; the file when absent")
	f.StringVar(&o.lobe, "lobe", "", "the lobe to store into; the current project's when absent")
	f.BoolVar(&o.json, "json", false, "answer as JSON, a line for each file")
	return c
}

func (e *env) record(ctx context.Context, o recordOptions, names []string) error {
	if len(names) == 0 {
		names = []string{"-"}
	}
	a := e.open()
	defer end(ctx, a, true)
	for _, name := range names {
		if err := e.recordFile(ctx, a, o, name); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) recordFile(ctx context.Context, a *app.App, o recordOptions, name string) error {
	if strings.EqualFold(filepath.Ext(name), ".jsonl") {
		return e.recordTranscript(ctx, a, o, name)
	}
	if sound, err := e.sounds(name); err != nil {
		return err
	} else if sound {
		return e.dictate(ctx, a, o, name)
	}
	text, err := e.material(name)
	if err != nil {
		return err
	}
	if o.role == "" && name == "-" && e.person() {
		o.role = "user"
	}
	args := map[string]any{"content": text}
	if name != "-" && o.source == "" {
		o.source = e.sourceOf(name)
	}
	for key, value := range map[string]string{"role": o.role, "session": o.session, "source": o.source, "lobe": o.lobe} {
		set(args, key, value)
	}
	return e.call(ctx, a, request{op: "memory_record", args: args, json: o.json, pretty: e.showRecorded})
}

// recordTranscript records what was said in a session, a few turns a text.
func (e *env) recordTranscript(ctx context.Context, a *app.App, o recordOptions, name string) (err error) {
	f, err := e.openMaterial(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	session := either(o.session, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	all, messages, err := hook.Materials(ctx, f, session)
	if err != nil {
		return err
	}
	if messages == 0 {
		return &HintedError{Err: fmt.Errorf("record %s: nobody says anything in it", name), Hint: "a transcript is one message a line, in JSON", Code: ops.ExitUsage}
	}
	by := e.by(a)
	by.Session = session
	n, err := hook.RecordAll(ctx, set, by, a.Target(o.lobe), all)
	if err != nil {
		return a.Env(by, true).Explain(err)
	}
	if o.json {
		return e.say(compact(map[string]any{"messages": messages, "texts": len(all), "recorded": n}))
	}
	return e.sayf("%s with %s: %d recorded, the others were there before", counted(messages, "message", "messages"), counted(len(all), "text", "texts"), n)
}

// sourceOf is the path of a file as a source: below the working directory it
// is told from there.
func (e *env) sourceOf(name string) string {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	if below, err := filepath.Rel(e.Dir, path); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return path
}

// material reads a file, or standard input.
func (e *env) material(name string) (string, error) {
	in := e.Stdin
	if name != "-" {
		f, err := e.openMaterial(name)
		if err != nil {
			return "", err
		}
		defer f.Close() // only read
		in = f
	} else if isTerminal(e.Stdin) {
		return "", &UsageError{Err: errors.New("the material is missing"), Hint: `name a file, or pipe the text in: echo TEXT | memory-mcp record -`}
	}
	b, err := io.ReadAll(io.LimitReader(in, lobes.MaxMaterial+1))
	if err != nil {
		return "", fmt.Errorf("record %s: %w", name, err)
	}
	return string(b), nil
}

// openMaterial opens a regular file.
func (e *env) openMaterial(name string) (*os.File, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, &HintedError{Err: fmt.Errorf("record %s: %w", name, err), Hint: `name a file, or pipe the text in: echo TEXT | memory-mcp record -`, Code: ops.ExitUsage}
	}
	return f, nil
}

// showRecorded prints the answer of a record for a person.
func (e *env) showRecorded(structure []byte) error {
	var r lobes.Recorded
	if err := json.Unmarshal(structure, &r); err != nil {
		return err
	}
	t := e.terminal
	text := map[string]string{
		lobes.MaterialQueued: t.green("Recorded"), lobes.MaterialWaiting: "It waits already", lobes.MaterialFailed: t.yellow("It was given up before"),
		lobes.MaterialSettled: "It was looked through before",
	}[r.State] + " in lobe " + r.Lobe + ", " + counted(r.Waiting, "text waits", "texts wait") + " there\n"
	if r.Waits != "" {
		text += t.yellow("it will wait: "+r.Waits) + "\n"
	}
	if r.Cut {
		text += t.faint("recalled memories were left out of it") + "\n"
	}
	if len(r.Masked) > 0 {
		text += t.yellow("masked before it was written: "+strings.Join(r.Masked, ", ")) + "\n"
	}
	return e.say(text)
}
