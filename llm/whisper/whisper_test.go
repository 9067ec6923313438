//go:build whisper

package whisper_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/llm/tiny"
	"memory-mcp/llm/whisper"
)

// childWord makes the test's own program the child that listens.
const childWord = "listen"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		os.Exit(child(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// child takes the arguments as they are promised: --threads N -- MODEL FILE.
func child(args []string) int {
	threads, err := strconv.Atoi(args[1])
	if err != nil || args[0] != "--threads" || args[2] != "--" || len(args) != 5 {
		fmt.Fprintln(os.Stderr, "the arguments are", args, err)
		return 2
	}
	if err := whisper.Listen(os.Stdin, os.Stdout, whisper.Options{Model: args[3], Threads: threads}, args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// model is an ear that says " the tone is" and what it hears.
var model = sync.OnceValue(func() []byte { return tiny.Ear(2, tiny.Sentence("the tone is "+tiny.Tone)...) })

func listener(t *testing.T) *whisper.Transcriber {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ggml-ear.bin")
	if err := os.WriteFile(path, model(), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := whisper.New(whisper.Options{Model: path, Program: []string{os.Args[0], childWord}, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A part is a tone in a recording, or a pause of 0 Hz.
type part struct {
	hertz, seconds, loud float64
}

// record writes a WAV file of 16 bits with the parts one after another, the
// same in each channel.
func record(t *testing.T, rate, channels int, parts ...part) string {
	t.Helper()
	var body []byte
	for _, p := range parts {
		for i := range int(p.seconds * float64(rate)) {
			x := int16(32767 * p.loud * math.Sin(2*math.Pi*p.hertz*float64(i)/float64(rate)))
			for range channels {
				body = binary.LittleEndian.AppendUint16(body, uint16(x))
			}
		}
	}
	b := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00"), byte(channels), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*2*channels))
	b = append(b, byte(2*channels), 0, 16, 0)
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(len(body)))
	path := filepath.Join(t.TempDir(), "note.wav")
	if err := os.WriteFile(path, append(b, body...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHears goes the whole way from a file to words. A file that is taken for
// another rate or for another number of channels has another tone.
func TestHears(t *testing.T) {
	w := listener(t)
	if w.Name() != "whisper-ear" {
		t.Errorf("it is called %q", w.Name())
	}
	for _, row := range []struct {
		rate, channels int
		hertz, loud    float64
		word           string
	}{
		{16000, 1, 300, 0.5, "low"}, {16000, 1, 1200, 0.5, "mid"}, {16000, 1, 3000, 0.5, "high"}, {16000, 1, 6000, 0.5, "high"},
		{16000, 1, 1200, 0.01, "mid"}, {44100, 2, 300, 0.5, "low"}, {44100, 2, 1200, 0.5, "mid"}, {44100, 1, 1200, 0.5, "mid"},
		{8000, 1, 1200, 0.5, "mid"}, {8000, 1, 400, 0.5, "low"}, {48000, 2, 3000, 0.5, "high"}, {96000, 1, 1000, 0.5, "mid"},
	} {
		pieces, err := w.Transcribe(t.Context(), record(t, row.rate, row.channels, part{row.hertz, 1.5, row.loud}), nil)
		if err != nil || len(pieces) != 1 || pieces[0].Text != "the tone is "+row.word || pieces[0].From != 0 || pieces[0].To != 1500*time.Millisecond {
			t.Errorf("%+v: %+v, %v", row, pieces, err)
		}
	}
}

// TestOtherFormats hears what other programs have written.
func TestOtherFormats(t *testing.T) {
	w := listener(t)
	names, err := filepath.Glob("../sound/testdata/tones/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	for _, name := range names {
		pieces, err := w.Transcribe(t.Context(), name, nil)
		if err != nil || len(pieces) != 1 || !strings.HasPrefix(pieces[0].Text, "the tone is ") {
			t.Errorf("%s: %+v, %v", name, pieces, err)
		}
	}
}

// TestTimes places what is said: each window is heard for itself, at its own
// time, and a pause in which nothing is said has no words.
func TestTimes(t *testing.T) {
	w := listener(t)
	path := record(t, 16000, 1,
		part{300, 26, 0.5}, part{0, 3, 0}, part{3000, 25, 0.5}, part{0, 62, 0}, part{1200, 0.3, 0.5})
	type step struct{ done, total time.Duration }
	var steps []step
	pieces, err := w.Transcribe(t.Context(), path, func(done, total time.Duration) { steps = append(steps, step{done, total}) })
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, p := range pieces {
		words = append(words, strings.TrimPrefix(p.Text, "the tone is "))
	}
	if got := strings.Join(words, " "); got != "low high mid" {
		t.Fatalf("%q was heard: %+v", got, pieces)
	}
	within := func(at time.Duration, from, to float64) bool { return at.Seconds() >= from && at.Seconds() <= to }
	if !within(pieces[0].From, 0, 0) || !within(pieces[1].From, 26, 29) || !within(pieces[2].From, 86, 116) {
		t.Errorf("the times are %+v", pieces)
	}
	last := step{}
	for _, s := range steps {
		if s.done <= last.done || s.total != 116300*time.Millisecond {
			t.Errorf("the steps are %v", steps)
		}
		last = s
	}
	if last.done != last.total {
		t.Errorf("the last step is %v", last)
	}
}

// TestNothing: silence is no error, and no sound at all is one.
func TestNothing(t *testing.T) {
	w := listener(t)
	pieces, err := w.Transcribe(t.Context(), record(t, 16000, 1, part{0, 40, 0}), nil)
	if err != nil || len(pieces) != 0 {
		t.Errorf("in silence %+v is heard, %v", pieces, err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		record(t, 16000, 1):                "it holds no sound: it is 0 s long",
		write("empty.wav", ""):             "it holds no sound: it is 0 s long",
		write("notes.md", "# Notes"):       "it is no WAV, FLAC, MP3, or Ogg file with Vorbis or Opus",
		write("cut.wav", "RIFF....WAVEfm"): "read WAV: it ends within its header",
		filepath.Join(dir, "gone.wav"):     "no such file or directory",
		dir:                                "it is no file",
	} {
		_, err := w.Transcribe(t.Context(), path, nil)
		var bad *whisper.SoundError
		if !errors.As(err, &bad) || bad.What != want || bad.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestBadModels: a file that is none, or not whole, is named at once where its
// head tells, else by the child. The process that it may end is not this one.
func TestBadModels(t *testing.T) {
	recording := record(t, 16000, 1, part{1200, 1, 0.5})
	dir, whole := t.TempDir(), model()
	change := func(at int, with ...byte) []byte {
		b := bytes.Clone(whole)
		copy(b[at:], with)
		return b
	}
	const cut = "it is cut short: "
	for name, row := range map[string]struct {
		file []byte
		want string // "" when only the library finds it out
	}{
		"empty":              {nil, "it is no speech model of whisper.cpp"},
		"a text":             {[]byte("# Not a model, but long enough to be one by its length alone"), "it is no speech model of whisper.cpp"},
		"another model":      {append([]byte("GGUF"), whole[4:]...), "it is no speech model of whisper.cpp"},
		"cut in its head":    {whole[:20], "it is no speech model of whisper.cpp"},
		"cut in the words":   {whole[:100000], cut},
		"large beyond sense": {change(4, 0xff, 0xff, 0xff, 0x7f), "it is no speech model of whisper.cpp"},
		"negative":           {change(12, 0xff, 0xff, 0xff, 0xff), "it is no speech model of whisper.cpp"},
		"cut in the weights": {whole[:len(whole)*9/10], ""},
		"of wrong sizes":     {change(12, 128), ""},
	} {
		m := filepath.Join(dir, "m.bin")
		if err := os.WriteFile(m, row.file, 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := whisper.New(whisper.Options{Model: m, Program: []string{os.Args[0], childWord}})
		var bad *whisper.ModelError
		if row.want != "" {
			if !errors.As(err, &bad) || bad.Path != m || !strings.HasPrefix(bad.What, row.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := w.Transcribe(t.Context(), recording, nil)
		var died *whisper.DiedError
		if len(pieces) > 0 || !errors.As(err, &bad) && !errors.As(err, &died) {
			t.Errorf("%s: %+v, %v", name, pieces, err)
		}
		t.Logf("%s: %v", name, err)
	}
	var bad *whisper.ModelError
	for _, path := range []string{filepath.Join(dir, "gone.bin"), dir} {
		if _, err := whisper.New(whisper.Options{Model: path, Program: []string{"p"}}); !errors.As(err, &bad) {
			t.Errorf("%v", err)
		}
	}
}

// TestChildrenThatDie are told from recordings that are bad.
func TestChildrenThatDie(t *testing.T) {
	w := listener(t)
	path := record(t, 16000, 1, part{1200, 1, 0.5})
	for name, row := range map[string]struct {
		script string
		want   string
	}{
		"without a word":      {"exit 0", "the process that listened ended: it did not say how it went"},
		"with an error":       {"echo a long story >&2; echo GGML_ASSERT: no memory >&2; exit 3", "the process that listened ended: exit status 3; it said: GGML_ASSERT: no memory"},
		"by a signal":         {"kill -9 $$", "the process that listened ended: signal: killed"},
		"in the middle":       {`echo '{"piece":{"from":0,"to":1,"text":"half"}}'; kill -9 $$`, "the process that listened ended: signal: killed"},
		"with something else": {"echo what is this", "the process that listened ended: invalid character"},
	} {
		w.Program = []string{"/bin/sh", "-c", row.script, "child"}
		pieces, err := w.Transcribe(t.Context(), path, nil)
		var died *whisper.DiedError
		if len(pieces) > 0 || !errors.As(err, &died) || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: %+v, %v", name, pieces, err)
		}
	}
	w.Program = []string{filepath.Join(t.TempDir(), "gone")}
	if _, err := w.Transcribe(t.Context(), path, nil); err == nil {
		t.Error("a program that is not there has listened")
	}
}

// TestStopped ends the child in the middle of an hour.
func TestStopped(t *testing.T) {
	w := listener(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	last := time.Duration(0)
	pieces, err := w.Transcribe(ctx, record(t, 8000, 1, part{1200, 3600, 0.5}), func(done, _ time.Duration) {
		last = done
		stop()
	})
	if !errors.Is(err, context.Canceled) || len(pieces) > 0 || last == 0 || last > 50*time.Minute {
		t.Errorf("%d pieces up to %v, %v", len(pieces), last, err)
	}
}

// TestAlone: a child whose parent is gone ends in the middle of an hour, and
// not at its end.
func TestAlone(t *testing.T) {
	w := listener(t)
	path := record(t, 8000, 1, part{1200, 3600, 0.5})
	c := exec.Command(os.Args[0], childWord, "--threads", "1", "--", w.Model, path)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said := json.NewDecoder(out)
	for n := 0; ; n++ {
		var l map[string]any
		if err := said.Decode(&l); err != nil {
			break
		}
		if n == 0 {
			in.Close()
		}
		if _, ended := l["end"]; ended {
			t.Error("it listened to the end")
		}
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
}

// TestTogether listens to several recordings at the same time.
func TestTogether(t *testing.T) {
	w := listener(t)
	var all sync.WaitGroup
	for hertz, word := range map[float64]string{300: "low", 1200: "mid", 3000: "high"} {
		path := record(t, 16000, 1, part{hertz, 1, 0.5})
		all.Go(func() {
			pieces, err := w.Transcribe(t.Context(), path, nil)
			if err != nil || len(pieces) != 1 || pieces[0].Text != "the tone is "+word {
				t.Errorf("%v Hz: %+v, %v", hertz, pieces, err)
			}
		})
	}
	all.Wait()
}

// TestRemarks leaves out what a model says of a noise.
func TestRemarks(t *testing.T) {
	path := record(t, 16000, 1, part{1200, 1, 0.5})
	for text, kept := range map[string]bool{
		"[BLANK_AUDIO]": false, "(upbeat music)": false, "*sighs*": false, "♪ la la ♪": false,
		"use [brackets] here": true, "[a] and [b]": true, "(see below) the tests": true, "日本語 で 書く": true,
	} {
		m := filepath.Join(t.TempDir(), "m.bin")
		if err := os.WriteFile(m, tiny.Ear(1, tiny.Sentence(text)...), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := whisper.New(whisper.Options{Model: m, Program: []string{os.Args[0], childWord}, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := w.Transcribe(t.Context(), path, nil)
		if err != nil || kept && (len(pieces) != 1 || pieces[0].Text != text) || !kept && len(pieces) > 0 {
			t.Errorf("%q: %+v, %v", text, pieces, err)
		}
	}
}

// TestSpeechModel listens to a person with a model that was learned, where one
// is given: no other test can tell how well it hears.
func TestSpeechModel(t *testing.T) {
	path := os.Getenv("MEMORY_MCP_TEST_WHISPER")
	if path == "" {
		t.Skip("MEMORY_MCP_TEST_WHISPER names no model, as ggml-base.bin")
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ggerganov/whisper.cpp/bindings/go").Output()
	if err != nil {
		t.Fatal(err)
	}
	w, err := whisper.New(whisper.Options{Model: path, Program: []string{os.Args[0], childWord}})
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := w.Transcribe(t.Context(), filepath.Join(strings.TrimSpace(string(dir)), "samples", "jfk.wav"), nil)
	var text strings.Builder
	for _, p := range pieces {
		fmt.Fprintln(&text, p.From, p.Text)
	}
	if err != nil || !strings.Contains(text.String(), "what your country can do for you") {
		t.Errorf("%s%v", text.String(), err)
	}
}
