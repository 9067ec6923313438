package lobes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

// reader listens to files of text: each line is said for a minute.
type reader struct {
	mu     sync.Mutex
	heard  []string // paths
	answer func(path string) error
}

func (r *reader) Name() string { return "reader" }

func (r *reader) Transcribe(_ context.Context, path string, progress func(done, total time.Duration)) ([]lobes.Spoken, error) {
	r.mu.Lock()
	r.heard = append(r.heard, path)
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		if err := answer(path); err != nil {
			return nil, err
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var spoken []lobes.Spoken
	lines := strings.Split(string(b), "\n")
	for i, line := range lines {
		from := time.Duration(i) * time.Minute
		if line != "" {
			spoken = append(spoken, lobes.Spoken{From: from, To: from + time.Minute, Text: " " + line})
		}
		if progress != nil {
			progress(from+time.Minute, time.Duration(len(lines))*time.Minute)
		}
	}
	return spoken, nil
}

func (r *reader) times() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.heard)
}

// listening is a world with a repository, a model that finds memories (nil is
// without) and one that listens.
func listening(t *testing.T, f *finder, r *reader) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		if f != nil {
			w.options.Extractor = f
		}
		w.options.Transcriber = r
	}, "app")
}

// speak writes a recording into the project.
func (w *world) speak(name string, lines ...string) string {
	w.Helper()
	path := filepath.Join(w.root("app"), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// itemFields are what an item in the inbox says, by name.
func (w *world) itemFields(name string) map[string]any {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.inbox(), name))
	if err != nil {
		w.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		w.Fatal(err)
	}
	return fields
}

// TestARecordingBecomesMemories goes from the call to the entry, whose
// reference tells when it was said. The recording is listened to once.
func TestARecordingBecomesMemories(t *testing.T) {
	f, r := &finder{}, &reader{}
	w := listening(t, f, r)
	path := w.speak("talks/monday.wav", "The cache is emptied each night by a timer.", "", port)
	got := w.record(lobes.Material{Audio: "talks/monday.wav", Role: "user"})
	if got.State != lobes.MaterialQueued || got.Waits != "" || r.times() != 0 {
		t.Fatalf("recorded %+v, and listened %d times", got, r.times())
	}
	sound := w.itemFields(got.Item)["sound"].(map[string]any)
	if sound["path"] != path || sound["size"] != float64(len("The cache is emptied each night by a timer.\n\n"+port)) || len(sound["sha256"].(string)) != 64 {
		t.Errorf("the item says %v", sound)
	}
	if again := w.record(lobes.Material{Audio: path, Role: "user"}); again.State != lobes.MaterialWaiting {
		t.Errorf("recorded again: %+v", again)
	}
	done := w.work(lobes.Working{})
	if len(done.Items) != 1 || len(done.Items[0].Stored) != 2 || done.Left != 0 || r.times() != 1 {
		t.Fatalf("worked %+v, listened %d times", done, r.times())
	}
	var references []string
	for _, x := range done.Items[0].Stored {
		e := w.get(w.app(), x.ID).Entry
		references = append(references, fmt.Sprint(e.Sources), fmt.Sprint(e.References))
	}
	want := []string{"[talks/monday.wav]", "[talks/monday.wav#00:00:00]", "[talks/monday.wav]", "[talks/monday.wav#00:02:00]"}
	if !reflect.DeepEqual(references, want) {
		t.Errorf("they rest on %q", references)
	}
	if again := w.record(lobes.Material{Audio: path, Role: "user"}); again.State != lobes.MaterialSettled {
		t.Errorf("recorded after it was settled: %+v", again)
	}
}

// TestRecordingsElsewhere are refused: what an agent names has to lie in the
// project, whatever links lead to it.
func TestRecordingsElsewhere(t *testing.T) {
	r := &reader{}
	w := listening(t, &finder{}, r)
	inside := w.speak("note.wav", port)
	elsewhere := filepath.Join(t.TempDir(), "secret.wav")
	if err := os.WriteFile(elsewhere, []byte(port), 0o600); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"link.wav": elsewhere, "loop.wav": "loop.wav", "dir": filepath.Dir(elsewhere), "good.wav": inside}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(w.root("app"), name)); err != nil {
			t.Fatal(err)
		}
	}
	for audio, want := range map[string]string{
		elsewhere:                              "it is not inside the project ",
		"../" + filepath.Base(w.root("app")):   "it is no file",
		"../../etc/passwd":                     "",
		"link.wav":                             "it is not inside the project ",
		"dir/secret.wav":                       "it is not inside the project ",
		"loop.wav":                             "",
		"gone.wav":                             "no such file or directory",
		".":                                    "it is no file",
		filepath.Join(w.root("app"), "..", ""): "it is not inside the project ",
	} {
		_, err := w.set.Record(context.Background(), agent, w.app(), lobes.Material{Audio: audio})
		var bad *lobes.SoundPathError
		if !errors.As(err, &bad) || !strings.HasPrefix(bad.Why, want) || bad.Path != audio {
			t.Errorf("%s: %v, and not %q", audio, err, want)
		}
	}
	if got := w.record(lobes.Material{Audio: "good.wav"}); got.State != lobes.MaterialQueued {
		t.Errorf("a link inside the project: %+v", got)
	}
	if _, err := w.set.Record(context.Background(), agent, lobes.Target{Lobe: lobes.GlobalName}, lobes.Material{Audio: inside}); err == nil {
		t.Error("the global store has listened to a file of a project")
	}
}

// TestAChangedRecording is not listened to: the file was another one when it
// was allowed.
func TestAChangedRecording(t *testing.T) {
	for name, change := range map[string]func(w *world, path string) error{
		"it has changed since": func(w *world, path string) error { return os.WriteFile(path, []byte("Something else."), 0o600) },
		"it is gone":           func(w *world, path string) error { return os.Remove(path) },
		"it is no file": func(w *world, path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		},
		"path escapes from parent": func(w *world, path string) error {
			other := filepath.Join(w.TempDir(), "other.wav")
			return errors.Join(os.Remove(path), os.WriteFile(other, []byte(port), 0o600), os.Symlink(other, path))
		},
	} {
		r := &reader{}
		w := listening(t, &finder{}, r)
		path := w.speak("note.wav", port)
		w.record(lobes.Material{Audio: "note.wav"})
		if err := change(w, path); err != nil {
			t.Fatal(err)
		}
		done := w.work(lobes.Working{})
		if len(done.Items) != 1 || !strings.Contains(done.Items[0].Failed, name) || r.times() != 0 || done.Failed != 1 || done.Left != 0 {
			t.Errorf("%s: %+v, listened %d times", name, done, r.times())
		}
	}
}

// TestListeningFails: what is wrong with the recording is told at once, what is
// wrong with the model lets it wait and keeps nothing else from being done.
func TestListeningFails(t *testing.T) {
	f, r := &finder{}, &reader{}
	w := listening(t, f, r)
	w.speak("note.wav", port)
	w.record(lobes.Material{Audio: "note.wav"})
	w.record(lobes.Material{Text: "The cache is emptied each night by a timer."})

	r.answer = func(string) error { return &lobes.UnaskedError{Cause: errors.New("the model is cut short")} }
	done := w.work(lobes.Working{Patient: true})
	if len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || done.Left != 1 || !strings.Contains(done.Stopped, "the model is cut short") {
		t.Fatalf("without a model: %+v", done)
	}
	r.answer = func(string) error { return errors.New("it was killed") }
	done = w.work(lobes.Working{Patient: true})
	if len(done.Items) != 1 || done.Items[0].Failed != "it was killed" || r.times() != 4 || done.Failed != 1 {
		t.Fatalf("killed: %+v after %d times", done, r.times())
	}
	r.answer = func(path string) error { return &lobes.UnheardError{Path: path, Why: "it is no WAV"} }
	done = w.work(lobes.Working{Patient: true, Retry: true})
	if len(done.Items) != 1 || !strings.Contains(done.Items[0].Failed, "it is no WAV") || r.times() != 5 {
		t.Fatalf("a bad recording: %+v after %d times", done, r.times())
	}
	r.answer = nil
	done = w.work(lobes.Working{Patient: true, Retry: true})
	if len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || done.Failed != 0 || r.times() != 6 {
		t.Fatalf("at last: %+v after %d times", done, r.times())
	}
}

// TestDeaf: without a model that listens a recording is refused, and one that
// waits already goes on waiting, with the reason.
func TestDeaf(t *testing.T) {
	w := listening(t, &finder{}, &reader{})
	w.speak("note.wav", port)
	item := w.record(lobes.Material{Audio: "note.wav"}).Item
	why := errors.New("no model for speech is configured")
	w.options.Transcriber, w.options.NoTranscriber = nil, why
	w.open()
	var deaf *lobes.NoTranscriberError
	if _, err := w.set.Record(context.Background(), agent, w.app(), lobes.Material{Audio: "note.wav"}); !errors.As(err, &deaf) || !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if _, err := w.set.Hear(context.Background(), "note.wav", nil); !errors.As(err, &deaf) {
		t.Errorf("%v", err)
	}
	done := w.work(lobes.Working{Patient: true})
	if done.Left != 1 || done.Failed != 0 || !strings.Contains(done.Stopped, why.Error()) || !strings.Contains(fmt.Sprint(w.itemFields(item)["last_error"]), why.Error()) {
		t.Errorf("worked %+v, the item says %v", done, w.itemFields(item))
	}
}

// TestOnlyEars: without a model that finds memories a recording becomes text,
// which waits. It is not listened to again.
func TestOnlyEars(t *testing.T) {
	r := &reader{}
	w := listening(t, nil, r)
	w.speak("note.wav", port)
	got := w.record(lobes.Material{Audio: "note.wav"})
	if got.Waits == "" {
		t.Errorf("recorded %+v", got)
	}
	for range 2 {
		done := w.work(lobes.Working{})
		if done.Left != 1 || !strings.Contains(done.Stopped, "generation") || w.itemFields(got.Item)["text"] != port || r.times() != 1 {
			t.Errorf("worked %+v, the item says %v", done, w.itemFields(got.Item))
		}
	}
	w.options.Extractor = &finder{}
	w.open()
	if done := w.work(lobes.Working{}); len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || r.times() != 1 {
		t.Errorf("with a model %+v, listened %d times", done, r.times())
	}
}

// TestNothingWasSaid settles a recording of silence, and one that says what is
// remembered. What is a secret is not written down.
func TestNothingWasSaid(t *testing.T) {
	f, r := &finder{}, &reader{}
	w := listening(t, f, r)
	w.speak("silence.wav", "", "")
	w.record(lobes.Material{Audio: "silence.wav"})
	done := w.work(lobes.Working{})
	if len(done.Items) != 1 || done.Items[0].Failed != "" || done.Items[0].Dropped["nothing was said"] != 1 || done.Left != 0 || f.times() != 0 {
		t.Errorf("silence: %+v", done)
	}
	if all := w.records(entry.RecordReceived); len(all) != 1 {
		t.Errorf("%d records", len(all))
	}
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	w.speak("secret.wav", port, "My token is "+secret+" for now.")
	w.options.Extractor = nil
	w.open()
	item := w.record(lobes.Material{Audio: "secret.wav"}).Item
	w.work(lobes.Working{})
	if said := fmt.Sprint(w.itemFields(item)); strings.Contains(said, secret) || !strings.Contains(said, port) || !strings.Contains(said, "masked:true") {
		t.Errorf("the item says %s", said)
	}
	if spoken := w.itemFields(item)["spoken"].([]any); len(spoken) != 1 {
		t.Errorf("the item has %v", spoken)
	}
}

// TestHearNow listens for somebody who waits, and tells how far it is.
func TestHearNow(t *testing.T) {
	r := &reader{}
	w := listening(t, nil, r)
	path := w.speak("note.wav", "One.", "Two.")
	var steps []string
	spoken, err := w.set.Hear(context.Background(), path, func(done, total time.Duration) { steps = append(steps, fmt.Sprint(done, "/", total)) })
	if err != nil || lobes.SpokenText(spoken) != "One.\nTwo." || fmt.Sprint(steps) != "[1m0s/2m0s 2m0s/2m0s]" {
		t.Errorf("%+v, %v, %v", spoken, steps, err)
	}
}
