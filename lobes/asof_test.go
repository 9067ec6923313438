package lobes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// on is noon of a day.
func on(t *testing.T, date string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		t.Fatal(err)
	}
	return at.Add(12 * time.Hour)
}

// set moves the clock to a time.
func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = at
}

func bodies(a lobes.Answer) []string {
	out := []string{}
	for _, r := range a.Results {
		out = append(out, r.Entry.Body)
	}
	return out
}

// byTool is a write at a time that no editor disturbs: files are as old as the
// clock of the test says, which lies behind the machine's.
func (w *world) at(date string) *world {
	w.clock.set(on(w.T, date))
	return w
}

// deploys walks the worked example: Heroku was learned on June 9th; on June
// 16th it turned out that it was Fly.io since the 1st.
func deploys(t *testing.T) (w *world, heroku, fly string) {
	t.Helper()
	w = newWorld(t, nil, "acme")
	w.at("2026-06-09")
	old := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Deploy target", Subject: "project:acme", Text: "The project deploys via Heroku.", Sources: []string{"session-2026-06-09"}})
	w.at("2026-06-16")
	c := w.correct(lobes.Target{}, lobes.Correction{
		ID: old.ID, Action: "supersede", Text: "The project deploys via Fly.io.", ValidFrom: "2026-06-01", Reason: "the team moved",
		Sources: []string{"session-2026-06-16"}, Quote: "we moved to Fly on June 1",
	})
	if c.Action != "superseded" || c.Supersedes != old.ID || c.ID == old.ID || c.Title != "Deploy target" || c.ValidFrom == nil {
		t.Fatalf("supersede: %+v", c)
	}
	w.at("2026-06-20")
	return w, old.ID, c.ID
}

func TestWorkedExample(t *testing.T) {
	w, heroku, fly := deploys(t)
	via := func(what string, q lobes.Query, want ...string) {
		t.Helper()
		a := w.recall(lobes.Target{}, q)
		got := bodies(a)
		for i, b := range got {
			got[i] = strings.TrimSuffix(strings.TrimPrefix(b, "The project deploys via "), ".")
		}
		same(t, what, got, append([]string{}, want...))
	}
	june9, june16 := on(t, "2026-06-09"), on(t, "2026-06-16")
	before := on(t, "2026-05-20")
	for form, q := range map[string]lobes.Query{
		"text": {Text: "deploys via"}, "filter": {Filter: "deploys"}, "list": {}, "topic": {Scope: "architecture"}, "subject": {Subject: "project:acme"},
	} {
		ask := func(asOf, at time.Time) lobes.Query { q.AsOf, q.At = asOf, at; return q }
		via(form+" now", ask(time.Time{}, time.Time{}), "Fly.io")
		via(form+" as of June 9th", ask(june9, time.Time{}), "Heroku")
		via(form+" a millisecond before", ask(june9.Add(-time.Millisecond), time.Time{}))
		via(form+" a millisecond before the change", ask(june16.Add(-time.Millisecond), time.Time{}), "Heroku")
		via(form+" as of June 16th", ask(june16, time.Time{}), "Fly.io")
		via(form+" of May, as known now", ask(time.Time{}, before), "Heroku")
		via(form+" of June 5th, as known now", ask(time.Time{}, on(t, "2026-06-05")), "Fly.io")
		via(form+" of June 5th, as known on the 9th", ask(june9, on(t, "2026-06-05")), "Heroku")
	}
	same(t, "got by id", w.recall(lobes.Target{}, lobes.Query{IDs: []string{heroku}, AsOf: june9}).Results[0].Entry.Valid.Until.IsZero(), true)
	_, err := w.set.Recall(context.Background(), lobes.Target{}, lobes.Query{IDs: []string{fly}, AsOf: june9})
	if e := wants[*lobes.UnknownIDError](t, "what was not known then", err); e == nil || !e.AsOf.Equal(june9) {
		t.Errorf("%v", err)
	}
	_, err = w.set.Recall(context.Background(), lobes.Target{}, lobes.Query{AsOf: on(t, "2026-07-01")})
	contains(t, "future", wants[*lobes.ValueError](t, "future", err).Error(), "future")
	a := w.recall(lobes.Target{}, lobes.Query{AsOf: june9})
	if !a.AsOf.Equal(june9) || !a.ValidAt.Equal(june9) {
		t.Errorf("as of %v, valid at %v", a.AsOf, a.ValidAt)
	}
}

func TestWorkedExampleDiffAndWhy(t *testing.T) {
	w, heroku, fly := deploys(t)
	ctx := context.Background()
	d, err := w.set.Diff(ctx, lobes.Target{}, lobes.Window{Since: on(t, "2026-06-15")})
	if err != nil || len(d.Revised) != 1 || len(d.Learned)+len(d.Retracted)+len(d.Adopted)+len(d.Promoted) > 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	c := d.Revised[0]
	if c.ID != fly || c.Supersedes[0] != heroku || c.Reason != "the team moved" || c.Quote == "" {
		t.Errorf("%+v", c)
	}
	var words []string
	for _, p := range c.Words {
		if p.What != "same" {
			words = append(words, p.What+" "+p.Text)
		}
	}
	same(t, "words", strings.Join(words, ", "), "removed Heroku, added Fly.io")
	for _, id := range []string{heroku, fly} {
		chain, err := w.set.Why(ctx, lobes.Target{}, id)
		if err != nil {
			t.Fatal(err)
		}
		links := append(chain.Ancestors, chain.Descendants...)
		if len(links) != 1 || links[0].Relation != "supersedes" || links[0].Actor != agent.Actor || len(links[0].Sources) != 1 {
			t.Errorf("links of %s: %+v", id, chain)
		}
	}
	chain, err := w.set.Why(ctx, lobes.Target{}, heroku)
	if err != nil || len(chain.Changes) != 2 || chain.Changes[1].Kind != "superseded" || chain.Descendants[0].ID != fly || chain.State != "believed" || chain.Entry == nil {
		t.Errorf("%+v, %v", chain, err)
	}
	line, err := w.set.Timeline(ctx, lobes.Target{}, lobes.Window{Limit: 2})
	if err != nil || len(line.Changes) != 2 || line.Next == "" {
		t.Fatalf("%+v, %v", line, err)
	}
	rest, err := w.set.Timeline(ctx, lobes.Target{}, lobes.Window{Before: line.Next})
	if err != nil || len(rest.Changes) != 1 || rest.Next != "" || rest.Changes[0].Kind != "learned" || rest.Changes[0].ID != heroku {
		t.Errorf("%+v, %v", rest, err)
	}
}

// TestThreeCorrectionsAndAnEdit corrects an entry three times by tool and once
// in an editor, and asks what was believed before each.
func TestThreeCorrectionsAndAnEdit(t *testing.T) {
	w := newWorld(t, nil, "app")
	w.at("2026-01-01")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.at("2026-01-02")
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 8081."})
	w.at("2026-01-03")
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "append", Text: "Behind a proxy."})
	w.at("2026-01-04")
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "edit", Title: ptr("Ports")})
	w.at("2026-01-05")
	b, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.Path, strings.Replace(string(b), "8081", "9999", 1))
	past := on(t, "2026-01-05")
	if err := os.Chtimes(s.Path, past, past); err != nil {
		t.Fatal(err)
	}
	says := func(date, title, body string) {
		t.Helper()
		a := w.recall(lobes.Target{}, lobes.Query{Text: "listens", AsOf: on(t, date)})
		if len(a.Results) != 1 || a.Results[0].Entry.Title != title || a.Results[0].Entry.Body != body {
			t.Errorf("on %s: %q %q", date, titles(a), bodies(a))
		}
	}
	check := func() {
		t.Helper()
		same(t, "before", w.recall(lobes.Target{}, lobes.Query{AsOf: on(t, "2025-12-31")}).Total, 0)
		says("2026-01-01", "Port", "It listens on 8080.")
		says("2026-01-02", "Port", "It listens on 8081.")
		says("2026-01-03", "Port", "It listens on 8081.\n\nBehind a proxy.")
		says("2026-01-04", "Ports", "It listens on 8081.\n\nBehind a proxy.")
		same(t, "now", bodies(w.recall(lobes.Target{}, lobes.Query{})), []string{"It listens on 9999.\n\nBehind a proxy."})
	}
	w.clock.pass(time.Hour)
	check()
	if err := w.set.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.open()
	check()
}

func TestSupersedeIsRefused(t *testing.T) {
	w, heroku, fly := deploys(t)
	for what, tt := range map[string]struct {
		c    lobes.Correction
		want string
	}{
		"before it held":   {lobes.Correction{ID: fly, Text: "Other.", ValidFrom: "2026-05-01"}, "replace it"},
		"as it began":      {lobes.Correction{ID: fly, Text: "Other.", ValidFrom: "2026-06-01"}, "replace it"},
		"after it held":    {lobes.Correction{ID: heroku, Text: "Other.", ValidFrom: "2026-06-05"}, "no longer"},
		"not a time":       {lobes.Correction{ID: fly, Text: "Other.", ValidFrom: "soon"}, "neither a date"},
		"nothing to say":   {lobes.Correction{ID: fly, Text: " "}, "text is empty"},
		"an unknown entry": {lobes.Correction{ID: "arch-00000000", Text: "Other."}, "no entry has the id"},
	} {
		tt.c.Action = "supersede"
		if _, err := w.set.Correct(context.Background(), agent, lobes.Target{}, tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	same(t, "states", len(w.files(w.root("acme")+"/.git/memory/.history")), 3)
}

// TestATitleThatTwoHave stores again under the title of an entry that another
// one of the same title took the place of: the one that holds is replaced.
func TestATitleThatTwoHave(t *testing.T) {
	w, _, fly := deploys(t)
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Deploy target", Text: "The project deploys via Render."})
	same(t, "replaced", []string{s.Action, s.ID}, []string{"replaced", fly})
	w.correct(lobes.Target{}, lobes.Correction{ID: fly, Action: "edit", Tags: &[]string{"ops"}})
}

func TestDiffLists(t *testing.T) {
	w := newWorld(t, nil, "app")
	ctx := context.Background()
	note := func(title string) string {
		t.Helper()
		w.clock.pass(time.Minute)
		return w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: title, Text: title + " has a text of its own.", StoreAnyway: true}).ID
	}
	act := func(c lobes.Correction) {
		t.Helper()
		w.clock.pass(time.Minute)
		w.correct(lobes.Target{}, c)
	}
	revised, gone, promoted, confirmed, byHand := note("Revised"), note("Gone"), note("Promoted"), note("Confirmed"), note("Hand")
	act(lobes.Correction{ID: promoted, Action: "edit", Status: ptr("candidate")})
	w.clock.pass(24 * time.Hour)
	since := w.clock.Now()
	learned := note("Learned")
	passed := note("Passed")
	act(lobes.Correction{ID: passed, Action: "delete"})
	act(lobes.Correction{ID: revised, Action: "append", Text: "And more."})
	act(lobes.Correction{ID: revised, Action: "edit", Tags: &[]string{"ops"}})
	act(lobes.Correction{ID: gone, Action: "delete"})
	act(lobes.Correction{ID: promoted, Action: "edit", Status: ptr("active")})
	act(lobes.Correction{ID: confirmed, Action: "confirm"})
	path := w.get(lobes.Target{}, byHand).Path
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.pass(time.Minute)
	write(t, path, strings.Replace(string(b), "has a text", "was given a text", 1))
	now := w.clock.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	w.clock.pass(time.Minute)
	d, err := w.set.Diff(ctx, lobes.Target{}, lobes.Window{Since: since})
	if err != nil {
		t.Fatal(err)
	}
	ids := func(list []lobes.Change) []string {
		out := []string{}
		for _, c := range list {
			out = append(out, c.ID)
		}
		return out
	}
	same(t, "learned", ids(d.Learned), []string{learned})
	same(t, "revised", ids(d.Revised), []string{revised})
	same(t, "retracted", ids(d.Retracted), []string{gone})
	same(t, "promoted", ids(d.Promoted), []string{promoted})
	same(t, "adopted", ids(d.Adopted), []string{byHand})
	same(t, "counted", []int{d.Confirmed, d.Passed, d.Omitted}, []int{1, 1, 0})
	same(t, "retracted title", d.Retracted[0].Title, "Gone")
	fields := ""
	for _, f := range d.Revised[0].Fields {
		fields += f.Field + " " + f.Old + "→" + f.New + ";"
	}
	contains(t, "fields", fields, "tags →ops;")
	for what, window := range map[string]lobes.Window{
		"until before since": {Since: since, Until: since.Add(-time.Second)}, "future": {Until: w.clock.Now().Add(time.Second)}, "topic": {Topic: "nonsense"},
	} {
		if _, err := w.set.Diff(ctx, lobes.Target{}, window); err == nil {
			t.Errorf("%s was answered", what)
		}
	}
	d, err = w.set.Diff(ctx, lobes.Target{}, lobes.Window{Since: since, Topic: "gotchas"})
	same(t, "another topic", []any{len(d.Learned) + len(d.Revised) + len(d.Retracted), err}, []any{0, nil})
	d, err = w.set.Diff(ctx, lobes.Target{}, lobes.Window{Actor: "agent", ID: revised, Until: since})
	if err != nil || len(d.Learned) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestADeletedFileIsARetraction deletes a file by hand: the difference tells it
// before and after it is written down, and a restore brings it back.
func TestADeletedFileIsARetraction(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Settle = time.Second }, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Host", Text: "It runs on a machine in the cellar."})
	w.clock.pass(time.Hour)
	since := w.clock.Now()
	w.clock.pass(time.Hour)
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	retracted := func(what string, pending bool) {
		t.Helper()
		d, err := w.set.Diff(context.Background(), lobes.Target{}, lobes.Window{Since: since})
		if err != nil || len(d.Retracted) != 1 || d.Retracted[0].ID != s.ID || d.Retracted[0].Title != "Port" || d.Retracted[0].Pending != pending {
			t.Errorf("%s: %+v, %v", what, d, err)
		}
	}
	absentNow(t, w, s.ID, since)
	retracted("at once", true)
	same(t, "as of then", w.recall(lobes.Target{}, lobes.Query{AsOf: since}).Total, 2)
	for range 3 {
		w.clock.pass(time.Minute)
		if err := w.set.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	retracted("written down", false)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "restore"})
	same(t, "back", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 8080.")
}

// absentNow asks every question about an entry whose file was deleted by hand a
// moment ago: each that reaches to the present tells it, and none other.
func absentNow(t *testing.T, w *world, id string, before time.Time) {
	t.Helper()
	ctx, now := context.Background(), w.clock.Now()
	told := func(what string, all []lobes.Change, err error, want bool) {
		t.Helper()
		i := slices.IndexFunc(all, func(c lobes.Change) bool { return c.ID == id && c.Kind == lobes.Retracted })
		if err != nil || want != (i >= 0) || want && (!all[i].Pending || all[i].Title != "Port" || all[i].Actor != "outside") {
			t.Errorf("%s: %+v, %v", what, all, err)
		}
	}
	for name, window := range map[string]struct {
		lobes.Window
		want bool
	}{
		"all":             {lobes.Window{}, true},
		"since then":      {lobes.Window{Since: before}, true},
		"until then":      {lobes.Window{Until: before}, false},
		"until now":       {lobes.Window{Until: now.Add(-time.Millisecond)}, false},
		"by a person":     {lobes.Window{Actor: "outside"}, true},
		"by an agent":     {lobes.Window{Actor: "agent"}, false},
		"of the topic":    {lobes.Window{Topic: "architecture"}, true},
		"of another":      {lobes.Window{Topic: "gotchas"}, false},
		"of the entry":    {lobes.Window{ID: id}, true},
		"of the other":    {lobes.Window{ID: "arch-00000000"}, false},
		"a page of one":   {lobes.Window{Limit: 1}, true},
		"before this day": {lobes.Window{Before: now.AddDate(0, 0, -1).Format(time.RFC3339)}, false},
	} {
		timeline, err := w.set.Timeline(ctx, lobes.Target{}, window.Window)
		told("timeline "+name, timeline.Changes, err, window.want)
		window.Before = ""
		if name != "before this day" && name != "all" && name != "by a person" && name != "a page of one" && name != "of the topic" && name != "of the entry" {
			d, err := w.set.Diff(ctx, lobes.Target{}, window.Window)
			told("diff "+name, d.Retracted, err, window.want)
		}
		if timeline.Next == "" {
			continue
		}
		rest, err := w.set.Timeline(ctx, lobes.Target{}, lobes.Window{Before: timeline.Next})
		told("the next page", rest.Changes, err, false)
		if len(rest.Changes) != 2 {
			t.Errorf("the next page has %d changes", len(rest.Changes))
		}
	}
	chain := w.why(lobes.Target{}, id)
	told("why", chain.Changes, nil, true)
	same(t, "why: the state", chain.State, lobes.StateRetracted)
	same(t, "now", w.recall(lobes.Target{}, lobes.Query{}).Total, 1)
	same(t, "as of now", w.recall(lobes.Target{}, lobes.Query{AsOf: now}).Total, 1)
	same(t, "as of a moment ago", w.recall(lobes.Target{}, lobes.Query{AsOf: now.Add(-time.Millisecond)}).Total, 2)
	u := w.correct(lobes.Target{}, lobes.Correction{ID: id, Action: "undo", Preview: true})
	if len(u.Undone) != 1 || u.Undone[0].Gone || u.Undone[0].Kind != lobes.Retracted || u.Undone[0].Actor != "outside" {
		t.Errorf("undo: %+v", u)
	}
}

// TestAnUndoBringsADeletedFileBack: the deletion by hand was the last change.
func TestAnUndoBringsADeletedFileBack(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "replace", Text: "It listens on 9090."})
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"})
	same(t, "back", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 9090.")
	w.clock.pass(time.Hour)
	w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "undo"})
	same(t, "and further", w.get(lobes.Target{}, s.ID).Entry.Body, "It listens on 8080.")
}

// TestAFolderThatIsGoneRetractsNothing: nobody can have meant that.
func TestAFolderThatIsGoneRetractsNothing(t *testing.T) {
	w := newWorld(t, nil, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	w.clock.pass(time.Hour)
	if err := os.RemoveAll(filepath.Dir(s.Path)); err != nil {
		t.Fatal(err)
	}
	d, err := w.set.Diff(context.Background(), lobes.Target{}, lobes.Window{})
	if err != nil || len(d.Retracted) > 0 {
		t.Errorf("diff %+v, %v", d, err)
	}
	timeline, err := w.set.Timeline(context.Background(), lobes.Target{}, lobes.Window{})
	if err != nil || len(timeline.Changes) != 1 {
		t.Errorf("timeline %+v, %v", timeline, err)
	}
}

// TestFreshnessIsOfTheDayOfTheQuestion: when a memory held says nothing of how
// long ago somebody looked.
func TestFreshnessIsOfTheDayOfTheQuestion(t *testing.T) {
	w := newWorld(t, nil, "app")
	begin := w.clock.Now()
	w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "Port", Text: "It listens on 8080."})
	verdict := func(q lobes.Query) string {
		t.Helper()
		q.Filter = "listens"
		return w.recall(lobes.Target{}, q).Results[0].Fresh.Verdict
	}
	same(t, "of a time to come", verdict(lobes.Query{At: begin.AddDate(0, 3, 0)}), "fresh")
	w.clock.pass(60 * 24 * time.Hour)
	same(t, "of a time that was", verdict(lobes.Query{At: begin.Add(time.Hour)}), "stale")
	same(t, "as of a time that was", verdict(lobes.Query{AsOf: begin.Add(time.Hour)}), "fresh")
}

// TestConfirmCuresWhatIsGone: whoever says that it still holds, after a cited
// file went or changed, is not asked again before something else happens; what
// cannot be looked at now is looked at again.
func TestConfirmCuresWhatIsGone(t *testing.T) {
	w := newWorld(t, nil, "app")
	a, b := filepath.Join(w.root("app"), "a.go"), filepath.Join(w.root("app"), "b.go")
	one, two := "package a\n", "package a // two\n"
	steps := []struct {
		what string
		do   func() error
		want string // before somebody confirms
	}{
		{"nothing", func() error { return nil }, "fresh"},
		{"one changed", func() error { return os.WriteFile(a, []byte(two), 0o644) }, "changed"},
		{"one went", func() error { return os.Remove(a) }, "gone"},
		{"the other went, too", func() error { return os.Remove(b) }, "gone"},
		{"both are back: nobody knows of which state", func() error {
			return errors.Join(os.WriteFile(a, []byte(one), 0o644), os.WriteFile(b, []byte(one), 0o644))
		}, "fresh"},
		{"one went again", func() error { return os.Remove(b) }, "gone"},
		{"a folder has its name, and says nothing", func() error { return os.Mkdir(b, 0o755) }, "fresh"},
	}
	write(t, a, one)
	write(t, b, one)
	s := w.stored(lobes.Target{}, lobes.Note{Topic: "architecture", Title: "A", Text: "A calls B.", Sources: []string{"a.go:1", "b.go"}})
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(step.what, err)
		}
		w.clock.pass(time.Hour)
		same(t, step.what, w.get(lobes.Target{}, s.ID).Fresh.Verdict, step.want)
		w.correct(lobes.Target{}, lobes.Correction{ID: s.ID, Action: "confirm"})
		same(t, step.what+", and is confirmed", w.get(lobes.Target{}, s.ID).Fresh.Verdict, "fresh")
	}
}
