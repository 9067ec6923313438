package lobes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

func (w *world) forget(t lobes.Target, f lobes.Forgetting) lobes.Forgotten {
	w.Helper()
	got, err := w.set.Forget(context.Background(), person, t, f)
	if err != nil {
		w.Fatal(err)
	}
	return got
}

// holding are the files below a folder that hold some words.
func (w *world) holding(dir, words string) []string {
	w.Helper()
	var found []string
	for _, file := range w.files(dir) {
		b, err := os.ReadFile(file)
		if err != nil {
			w.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(b)), strings.ToLower(words)) {
			found = append(found, file)
		}
	}
	return found
}

func matched(f lobes.Forgotten) []string {
	ids := []string{}
	for _, c := range f.Matches {
		ids = append(ids, c.ID)
	}
	return sorted(ids)
}

func TestForgetShowsFirst(t *testing.T) {
	w := newWorld(t, nil, "app")
	ctx := context.Background()
	by := func(session string) lobes.By { return lobes.By{Actor: "agent 1.2", Session: session} }
	put := func(session, title, source string) string {
		t.Helper()
		w.clock.pass(time.Hour)
		r, err := w.set.Remember(ctx, by(session), lobes.Target{}, []lobes.Note{{Topic: "architecture", Title: title, Text: title + " is a matter of its own.", Sources: []string{source}, StoreAnyway: true}})
		if err != nil || len(r.Stored) != 1 {
			t.Fatal(r, err)
		}
		return r.Stored[0].ID
	}
	begin := w.clock.Now()
	quartz, vellum, bramble := put("one", "Quartz", "src/a.go:12"), put("two", "Vellum", "src/a.go"), put("two", "Bramble", "session:two#4")
	for name, tt := range map[string]struct {
		f    lobes.Forgetting
		want []string
	}{
		"session":           {lobes.Forgetting{Session: "two"}, sorted([]string{vellum, bramble})},
		"source":            {lobes.Forgetting{Source: "src/a.go"}, sorted([]string{quartz, vellum})},
		"session as source": {lobes.Forgetting{Source: "two"}, []string{bramble}},
		"actor":             {lobes.Forgetting{Actor: "Agent"}, sorted([]string{quartz, vellum, bramble})},
		"another version":   {lobes.Forgetting{Actor: "agent 1.3"}, []string{}},
		"since":             {lobes.Forgetting{Since: begin.Add(2 * time.Hour)}, sorted([]string{vellum, bramble})},
		"until":             {lobes.Forgetting{Until: begin.Add(2 * time.Hour)}, sorted([]string{quartz, vellum})},
		"both":              {lobes.Forgetting{Source: "src/a.go", Session: "two"}, []string{vellum}},
		"nobody":            {lobes.Forgetting{Session: "nobody"}, []string{}},
	} {
		same(t, name, matched(w.forget(lobes.Target{}, tt.f)), tt.want)
	}
	_, err := w.set.Forget(ctx, person, lobes.Target{}, lobes.Forgetting{})
	wants[*lobes.ValueError](t, "everything", err)
	_, err = w.set.Forget(ctx, person, lobes.Target{}, lobes.Forgetting{Since: begin, Until: begin.Add(-time.Hour)})
	wants[*lobes.ValueError](t, "until before since", err)
	for _, f := range []lobes.Forgetting{{Until: w.clock.Now().Add(time.Hour)}, {Since: w.clock.Now().Add(time.Hour)}, {Session: "two", Until: w.clock.Now().Add(time.Second)}} {
		_, err = w.set.Forget(ctx, person, lobes.Target{}, f)
		wants[*lobes.ValueError](t, "a time that has not come", err)
	}
	same(t, "nothing is gone", w.recall(lobes.Target{}, lobes.Query{}).Total, 3)

	w.clock.pass(time.Hour)
	f := lobes.Forgetting{Session: "two", Apply: true}
	_, err = w.set.Forget(ctx, person, lobes.Target{}, f)
	wants[*lobes.StaleTokenError](t, "without a token", err)
	f.Token = w.forget(lobes.Target{}, lobes.Forgetting{Session: "two"}).Token
	w.correct(lobes.Target{}, lobes.Correction{ID: vellum, Action: "append", Text: "And something else."})
	_, err = w.set.Forget(ctx, person, lobes.Target{}, f)
	stale := wants[*lobes.StaleTokenError](t, "a stale token", err)
	f.Erase, f.Token = true, stale.Now
	_, err = w.set.Forget(ctx, person, lobes.Target{}, f)
	wants[*lobes.StaleTokenError](t, "a token for another act", err)
	f.Erase = false
	got := w.forget(lobes.Target{}, f)
	same(t, "retracted", sorted(got.Retracted), sorted([]string{vellum, bramble}))
	same(t, "applied", got.Applied, true)
	same(t, "left", titles(w.recall(lobes.Target{}, lobes.Query{})), []string{"Quartz"})
	same(t, "history", w.recall(lobes.Target{}, lobes.Query{AsOf: w.clock.Now().Add(-time.Minute)}).Total, 3)
}

func TestEraseLeavesNothing(t *testing.T) {
	w := newWorld(t, nil, "app", "lib")
	app := lobes.Target{Lobe: "app"}
	s := w.stored(app, lobes.Note{Topic: "architecture", Title: "Zanzibar", Text: "The zanzibar token lives in a drawer of the desk.", Quote: "put it in the zanzibar drawer"})
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "replace", Text: "The zanzibar token moved to a cupboard."})
	other := w.stored(app, lobes.Note{Topic: "gotchas", Title: "Cupboard", Text: "Doors of cupboards squeak.", Quote: "The zanzibar token moved to a cupboard"})
	quoted := w.stored(app, lobes.Note{Topic: "gotchas", Title: "Drawer", Text: "Drawers stick.", Quote: "The zanzibar token lives in a drawer"})
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: quoted.ID, Action: "replace", Text: "Drawers glide.", Quote: "they glide now"})
	w.correct(app, lobes.Correction{ID: quoted.ID, Action: "delete"})
	made := filepath.Join(w.specs[0].Dir, "general", "sum-1.md")
	write(t, made, "---\nid: sum-1\ntopic: general\nderived_from: ["+s.ID+"]\n---\n# A summary\n\nIt says zanzibar too.\n")
	w.clock.pass(time.Hour)
	w.correct(app, lobes.Correction{ID: s.ID, Action: "move", ToLobe: "lib"})
	w.clock.pass(time.Hour)
	lib := lobes.Target{Lobe: "lib"}
	asked := lobes.Query{Text: "zanzibar", AsOf: w.clock.Now().Add(-90 * time.Minute)}
	if w.recall(app, asked).Total == 0 {
		t.Fatal("the past does not know it")
	}
	c := w.correct(lib, lobes.Correction{ID: s.ID, Action: "erase", Preview: true})
	same(t, "would be erased", sorted(c.Erased), sorted([]string{s.ID, "sum-1"}))
	c = w.correct(lib, lobes.Correction{ID: s.ID, Action: "erase", Reason: "they asked"})
	same(t, "erased", sorted(c.Erased), sorted([]string{s.ID, "sum-1"}))
	if len(c.Left) == 0 {
		t.Error("nothing is said of what cannot be reached")
	}
	for _, dir := range []string{w.specs[0].Dir, w.specs[1].Dir, w.home} {
		if found := w.holding(dir, "zanzibar"); len(found) > 0 {
			t.Errorf("still there: %q", found)
		}
	}
	same(t, "the past", w.recall(app, asked).Total, 0)
	same(t, "the quote", w.get(app, other.ID).Entry.Quote, "")
	same(t, "the text beside it", w.get(app, other.ID).Entry.Body, "Doors of cupboards squeak.")
	w.open()
	same(t, "anew", w.recall(lobes.Target{Lobe: "*"}, lobes.Query{Text: "zanzibar"}).Total, 0)
	chain, err := w.set.Why(context.Background(), lib, s.ID)
	if err != nil || chain.State != "erased" || len(chain.Changes) != 1 || chain.Changes[0].Title != "" || chain.Entry != nil {
		t.Errorf("%+v, %v", chain, err)
	}
	for _, action := range []string{"restore", "undo"} {
		if _, err := w.set.Correct(context.Background(), person, lib, lobes.Correction{ID: s.ID, Action: action}); err == nil {
			t.Errorf("%s of what was erased was done", action)
		}
	}
	// No agent brings it back; a person can.
	note := lobes.Note{Title: "Anew", Text: "the ZANZIBAR token moved to a cupboard."}
	_, err = w.set.Remember(context.Background(), agent, app, []lobes.Note{note})
	if e := wants[*lobes.RefusedError](t, "an agent", err); e != nil && e.What != "erased" {
		t.Errorf("%+v", e)
	}
	if _, err := w.set.Remember(context.Background(), person, app, []lobes.Note{note}); err != nil {
		t.Error(err)
	}
}

func TestRetractedIsRefusedOfPrograms(t *testing.T) {
	w := newWorld(t, nil, "app", "lib")
	note := lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."}
	s := w.stored(lobes.Target{Lobe: "app"}, note)
	w.correct(lobes.Target{Lobe: "app"}, lobes.Correction{ID: s.ID, Action: "delete"})
	w.open()
	sweep := lobes.By{Actor: "sweep", Role: "user", Source: "sweep"}
	r, err := w.set.Remember(context.Background(), sweep, lobes.Target{Lobe: "app"}, []lobes.Note{note, {Title: "Other", Text: "Something else entirely."}})
	if err != nil || len(r.Stored) != 1 || r.Stored[0].Title != "Other" || len(r.Warnings) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.set.Remember(context.Background(), sweep, lobes.Target{Lobe: "lib"}, []lobes.Note{note}); err != nil || len(r.Stored) != 1 {
		t.Errorf("another lobe: %+v, %v", r, err)
	}
	same(t, "an agent may", w.stored(lobes.Target{Lobe: "app"}, note).Action, "created")
	key, err := os.Stat(filepath.Join(w.home, "key"))
	if err != nil || key.Mode().Perm() != 0o600 || key.Size() != 32 {
		t.Errorf("%+v, %v", key, err)
	}
	if found := w.holding(w.home, "listens on 8080"); len(found) > 0 {
		t.Errorf("the text stands in %q", found)
	}
}

func TestSecretsAreMaskedEverywhere(t *testing.T) {
	w := newWorld(t, nil, "app")
	ctx := context.Background()
	const secret = "AKIAZ5QWX7PLMN3RTKVB"
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Title: "Upload", Text: "Uploads need a key."})
	old := time.Now().Add(-time.Hour)
	edit := func(from, to string) {
		t.Helper()
		b, err := os.ReadFile(s.Path)
		if err != nil || !strings.Contains(string(b), from) {
			t.Fatal(string(b), err)
		}
		write(t, s.Path, strings.Replace(string(b), from, to, 1))
		if err := os.Chtimes(s.Path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	edit("need a key", "need aws_access_key_id = "+secret+" # keep")
	w.open()
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "append", Text: "They are slow."})
	edit("They are slow.", "They are slow, and "+secret+" is old.")
	if len(w.holding(w.specs[0].Dir, secret)) < 3 {
		t.Fatal("the secret is not where it should be")
	}
	named := w.set.Diagnose(ctx).Problems
	if len(named) != 1 || named[0].File != s.Path || !strings.Contains(named[0].Remedy, "forget --secrets") {
		t.Errorf("diagnosed: %+v", named)
	}
	f := w.forget(lobes.Target{}, lobes.Forgetting{Secrets: true})
	same(t, "found", matched(f), []string{s.ID})
	got := w.forget(lobes.Target{}, lobes.Forgetting{Secrets: true, Apply: true, Token: f.Token})
	same(t, "masked", got.Masked, []string{s.ID})
	if found := w.holding(w.specs[0].Dir, secret); len(found) > 0 {
		t.Errorf("still in %q", found)
	}
	contains(t, "the entry", w.get(lobes.Target{}, s.ID).Entry.Body, "[masked: ")
	same(t, "again", matched(w.forget(lobes.Target{}, lobes.Forgetting{Secrets: true})), []string{})
	chain, err := w.set.Why(ctx, lobes.Target{}, s.ID)
	if err != nil || len(chain.Changes) != 4 {
		t.Errorf("%+v, %v", chain, err)
	}
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"})
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"})
	contains(t, "undone twice", w.get(lobes.Target{}, s.ID).Entry.Body, "[masked: ")
}

// TestTheTokenIsNoSecret: a token that a preview gives can be repeated from any
// answer, so it must not look like what answers mask.
func TestTheTokenIsNoSecret(t *testing.T) {
	w := newWorld(t, nil, "app")
	for i := range 12 {
		w.clock.pass(time.Hour)
		w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: fmt.Sprint("Part ", i), Text: fmt.Sprintf("Gate %d leads to quay %d.", i*7919, i*104729)})
		token := w.forget(lobes.Target{}, lobes.Forgetting{Since: w.clock.Now().Add(-100 * time.Hour)}).Token
		for _, form := range []string{"token: %q", "{\"token\":%q}", "token %s", "--apply %s"} {
			said := fmt.Sprintf(form, token)
			if masked, _ := textanalysis.MaskSecrets(said); masked != said {
				t.Errorf("%s becomes %s", said, masked)
			}
		}
	}
}
