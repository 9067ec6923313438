package lobes_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store"
)

func TestCorrections(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	c := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "append", Text: "Behind a proxy it is 80 and 443."})
	same(t, "append", c.Action, "appended")
	if !c.SuggestPreference || c.Revision == s.Revision {
		t.Errorf("%+v", c)
	}
	same(t, "text", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 8080.\n\nBehind a proxy it is 80 and 443.")
	same(t, "trust of an append", c.Trust, "agent-inferred")
	c = w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "Replace", Text: "It listens on 9090.", Revision: c.Revision})
	same(t, "an agent has looked", c.Trust, "agent-confirmed")
	same(t, "text", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 9090.")
	by, err := w.set.Correct(context.Background(), person, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 9091."})
	if err != nil || by.Trust != "user" {
		t.Errorf("a person: %+v, %v", by, err)
	}
	same(t, "it stays", w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 9092."}).Trust, "user")
	w.clock.pass(72 * time.Hour)
	same(t, "append of nothing", w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "append"}).Action, "confirmed")
	same(t, "verified", w.get(lobes.Target{}, s.ID).Entry.Verified.Format(time.DateOnly), "2026-12-03")
	again := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "confirm"})
	same(t, "confirming twice writes once", again.Revision, w.get(lobes.Target{}, s.ID).Revision)
	same(t, "deleted", w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "delete"}).Action, "deleted")
	same(t, "gone", w.recall(lobes.Target{}, lobes.Query{}).Total, 0)
	if found := w.files(filepath.Join(w.root("app"), ".git", "memory", ".history")); len(found) != 7 {
		t.Errorf("history has %d states: %q", len(found), found)
	}
}

func TestEditSetsFields(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Taken", Text: "Another thing."})
	c := w.correct(lobes.Target{}, lobes.Correction{
		ID: s.ID, Action: "edit", Title: ptr("The port"), Kind: ptr("fact"), Trust: ptr("user"), Subject: ptr("net"),
		Tags: &[]string{"Net Work", "net-work"}, Importance: ptr(0.9), Expires: ptr("2027-01-01"),
	})
	same(t, "title", c.Title, "The port")
	e := w.get(lobes.Target{}, s.ID).Entry
	same(t, "tags", e.Tags, []string{"net-work"})
	if e.Kind != "fact" || e.Trust != "user" || e.Subject != "net" || *e.Importance != 0.9 || e.Expires.IsZero() || e.Body != "It listens on 8080." {
		t.Errorf("%+v", e)
	}
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "edit", Expires: ptr(""), Kind: ptr("")})
	e = w.get(lobes.Target{}, s.ID).Entry
	if !e.Expires.IsZero() || e.Kind != "" {
		t.Errorf("%+v", e)
	}
	for what, c := range map[string]lobes.Correction{
		"nothing":        {},
		"a taken title":  {Title: ptr("taken")},
		"an empty title": {Title: ptr(" # ")},
		"a kind":         {Kind: ptr("rumour")},
		"a status":       {Status: ptr("lost")},
		"a confidence":   {Confidence: ptr(-1.0)},
		"a time":         {Expires: ptr("later")},
	} {
		c.ID, c.Action = s.ID, "edit"
		if _, err := w.set.Correct(context.Background(), agent, lobes.Target{}, c); err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
}

func TestRefusedCorrections(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Title: "Port", Text: "It listens on 8080."})
	do := func(c lobes.Correction) error {
		_, err := w.set.Correct(context.Background(), agent, lobes.Target{}, c)
		return err
	}
	wants[*lobes.TextError](t, "an empty replace", do(lobes.Correction{ID: s.ID, Action: "replace", Text: "  "}))
	wants[*lobes.TextError](t, "only private", do(lobes.Correction{ID: s.ID, Action: "append", Text: "<private>x</private>"}))
	wants[*lobes.TextError](t, "too long in the end", do(lobes.Correction{ID: s.ID, Action: "append", Text: strings.Repeat("a ", lobes.MaxText/2-4)}))
	same(t, "near", wants[*lobes.ValueError](t, "an action", do(lobes.Correction{ID: s.ID, Action: "replase", Text: "x"})).Near, []string{"replace"})
	wants[*lobes.ValueError](t, "no id", do(lobes.Correction{Action: "delete"}))
	wants[*store.ConflictError](t, "an old revision", do(lobes.Correction{ID: s.ID, Action: "replace", Text: "x y", Revision: "0000000000000000"}))
	same(t, "unharmed", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 8080.")
}

func TestAnEditFromOutsideIsKeptUnderACorrection(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Title: "Port", Text: "It listens on 8080."})
	b, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.Path, strings.Replace(string(b), "8080", "8081", 1))
	past := time.Now().Add(-time.Hour) // the editor was closed long ago, as far as its times tell
	if err := os.Chtimes(s.Path, past, past); err != nil {
		t.Fatal(err)
	}
	w.open()
	_, err = w.set.Correct(context.Background(), agent, lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "x y", Revision: s.Revision})
	wants[*store.ConflictError](t, "a replace of what was read", err)
	c := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "append", Text: "And on 443."})
	same(t, "text", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 8081.\n\nAnd on 443.")
	if c.Action != "appended" {
		t.Errorf("%+v", c)
	}
}

func TestCorrectionsMaskSecrets(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Title: "Token", Text: "CI has a token."})
	secret := "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	c := w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "append", Text: "It is " + secret, Reason: "found " + secret})
	if len(c.Masked) == 0 {
		t.Errorf("%+v", c)
	}
	for _, file := range w.files(w.root("app")) {
		if b, err := os.ReadFile(file); err != nil || strings.Contains(string(b), secret) {
			t.Errorf("%s: %v, or it holds the secret", file, err)
		}
	}
}

// TestFieldsThatComeWithAText: a call that brings a new text and a new title
// means both.
func TestFieldsThatComeWithAText(t *testing.T) {
	w := newWorld(t, nil, "app")
	for _, action := range []string{"replace", "append", "supersede"} {
		s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port " + action, Text: "It listens on 8080 for " + action + "."})
		w.clock.pass(time.Hour)
		c := w.correct(lobes.Target{}, lobes.Correction{
			ID: s.ID, Action: action, Text: "It listens on 9090 by now.", Title: ptr("The " + action), Tags: &[]string{"net"}, Trust: ptr("agent-inferred"), Importance: ptr(0.9),
		})
		e := w.get(lobes.Target{}, c.ID).Entry
		same(t, action, []string{c.Title, e.Title, string(e.Trust), strings.Join(e.Tags, ",")}, []string{"The " + action, "The " + action, "agent-inferred", "net"})
		if !strings.HasSuffix(e.Body, "9090 by now.") || e.Importance == nil || *e.Importance != 0.9 || c.SuggestPreference != (action != "supersede") {
			t.Errorf("%s: %+v, %+v", action, e, c)
		}
	}
	a := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Another", Text: "Quite another thing."})
	_, err := w.set.Correct(context.Background(), agent, lobes.Target{}, lobes.Correction{ID: a.ID, Action: "replace", Text: "Another text.", Title: ptr("The append")})
	wants[*lobes.ValueError](t, "the title of another entry", err)
}

// A title that was taken from a text goes with it: "We deploy with Heroku" is no
// title for what says that it is Fly.io now. One that was given stays.
func TestATitleTakenFromTheTextGoesWithIt(t *testing.T) {
	for _, action := range []string{"replace", "supersede"} {
		w := newWorld(t, nil, "app")
		derived := w.stored(lobes.Target{}, lobes.Note{Topic: "decisions", Text: "We deploy with Heroku since it was quick to start."})
		given := w.stored(lobes.Target{}, lobes.Note{Topic: "decisions", Title: "Mail", Text: "We send mail with Postfix since it was there."})
		w.clock.pass(time.Hour)
		c := w.correct(lobes.Target{}, lobes.Correction{ID: derived.ID, Action: action, Text: "We deploy with Fly.io since June."})
		same(t, action+" of a text without a title of its own", w.get(lobes.Target{}, c.ID).Entry.Title, "We deploy with Fly.io since June")
		c = w.correct(lobes.Target{}, lobes.Correction{ID: given.ID, Action: action, Text: "We send mail with Exim since June."})
		same(t, action+" of a text with one", w.get(lobes.Target{}, c.ID).Entry.Title, "Mail")
	}
}
