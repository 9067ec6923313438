package lobes_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"memory-mcp/lobes"
)

func TestMaterialThatIsNone(t *testing.T) {
	w := working(t, &finder{})
	for name, c := range map[string]struct{ text, want string }{
		"empty":    {" \n", "is empty"},
		"binary":   {"PK\x03\x04\x00", "NUL"},
		"not text": {"abc\xff", "not UTF-8"},
		"too long": {strings.Repeat("x", lobes.MaxMaterial+1), "too long"},
		"private":  {"<private>my own</private>", "private"},
		"recalled": {"<recalled-memory source=\"lobe app\">\n- the port is 8081\n</recalled-memory>\n", "nothing but memories"},
		"cut off":  {"<recalled-memory source=\"lobe app\">\n- the port is 80", "nothing but memories"},
	} {
		if _, err := w.set.Record(t.Context(), agent, w.app(), lobes.Material{Text: c.text}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	if _, err := os.Stat(w.inbox()); !os.IsNotExist(err) {
		t.Errorf("the inbox was made: %v", err)
	}
	r := w.record(lobes.Material{Text: strings.Repeat("The port is 8081. ", lobes.MaxMaterial/18)})
	if r.State != lobes.MaterialQueued {
		t.Errorf("a megabyte: %+v", r)
	}
}

// A recorder that loops what it was told never stores it again.
func TestRecalledTextIsLeftOut(t *testing.T) {
	f := &finder{}
	w := working(t, f)
	w.stored(w.app(), lobes.Note{Topic: "general", Text: "The uploads go through the queue, since direct ones lose events."})
	r := w.record(lobes.Material{Text: port + "\n<recalled-memory source=\"lobe app\">\n- The uploads go through the queue, since direct ones lose events.\n</recalled-memory>"})
	w.work(lobes.Working{})
	if !r.Cut || f.times() != 1 || strings.Contains(f.asked[0], "uploads") {
		t.Errorf("recorded %+v, asked %q", r, f.asked)
	}
	more := "Told once more: the uploads go through the queue, since direct ones lose events. The archive of the logs is kept for a week on the second disk."
	if r := w.record(lobes.Material{Text: more}); r.Cut {
		t.Error("a text that says more than what is remembered was cut")
	}
	_, err := w.set.Record(t.Context(), agent, w.app(), lobes.Material{Text: "The uploads go through the queue, since direct ones lose events.\n\n" + port + "\n"})
	var recalled *lobes.RecalledError
	if !errors.As(err, &recalled) {
		t.Errorf("known texts without a fence: %v", err)
	}
	_, err = w.set.Record(t.Context(), agent, w.app(), lobes.Material{Text: "# Uploads\n\nThe uploads go through the queue, since direct ones lose events."})
	if !errors.As(err, &recalled) {
		t.Errorf("a known text with its title: %v", err)
	}
}

// To forget a session takes its material along, as far as it waits.
func TestForgettingTakesMaterialAlong(t *testing.T) {
	for _, erase := range []bool{false, true} {
		w := working(t, &finder{})
		w.record(lobes.Material{Text: port})
		w.work(lobes.Working{})
		w.record(lobes.Material{Text: "The retry queue holds at most 500 jobs."})
		if _, err := w.set.Record(t.Context(), person, w.app(), lobes.Material{Text: "The log is kept for a week."}); err != nil {
			t.Fatal(err)
		}
		f := lobes.Forgetting{Session: agent.Session, Erase: erase}
		shown := w.forget(w.app(), f)
		if len(shown.Matches) != 1 || shown.Material != 1 {
			t.Fatalf("erase %t: shown %+v", erase, shown)
		}
		f.Apply, f.Token = true, shown.Token
		if done := w.forget(w.app(), f); !done.Applied || done.Material != 1 {
			t.Errorf("erase %t: %+v", erase, done)
		}
		done := w.work(lobes.Working{})
		if len(done.Items) != 1 || len(done.Items[0].Stored) != 1 || done.Items[0].Stored[0].Title != "The log is kept for a week" {
			t.Errorf("erase %t: then %+v", erase, done)
		}
	}
}
