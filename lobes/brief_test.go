package lobes_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
)

func TestBriefingOrder(t *testing.T) {
	w := newWorld(t, nil, "app")
	in := w.in("app")
	for _, n := range []lobes.Note{
		{Topic: "general", Title: "G", Text: "Something general about it."},
		{Topic: "recent-work", Title: "R", Text: "Lexer half ported."},
		{Topic: "modules/b", Title: "MB", Text: "Module b sends mail."},
		{Topic: "modules/a", Title: "MA", Text: "Module a reads mail."},
		{Topic: "conventions", Title: "C", Text: "Errors are wrapped with what was tried."},
		{Topic: "architecture", Title: "A1", Text: "Three layers, imports point down."},
		{Topic: "architecture", Title: "A2", Text: "Files are the truth.", Trust: "user"},
		{Topic: "decisions", Title: "D", Text: "No database."},
		{Topic: "gotchas", Title: "Go", Text: "The linker drops symbols."},
		{Topic: "preferences", Scope: "project", Title: "P1", Text: "Here spaces are used."},
		{Topic: "preferences", Title: "P2", Text: "Tabs are used elsewhere."},
		{Topic: "user", Title: "U", Text: "Ann maintains it."},
	} {
		w.stored(in, n)
		w.clock.pass(time.Second)
	}
	var got []string
	b := w.brief(in)
	for _, s := range b.Sections {
		var titles []string
		for _, r := range s.Results {
			titles = append(titles, r.Entry.Title)
		}
		got = append(got, s.Topic+"@"+s.Lobe+":"+strings.Join(titles, "+"))
	}
	same(t, "sections", got, []string{
		"user@global:U", "preferences@global:P2", "preferences@app:P1", "gotchas@app:Go", "decisions@app:D",
		"architecture@app:A2+A1", "conventions@app:C", "modules@app:MA+MB", "recent-work@app:R", "general@app:G",
	})
	if b.Entries != 12 || b.Empty || b.Stale != 0 || len(b.Degraded) != 0 {
		t.Errorf("%+v", b)
	}
	w.clock.pass(31 * 24 * time.Hour)
	b = w.brief(in)
	var stale []string
	for _, r := range b.StaleFirst {
		stale = append(stale, r.Entry.Title)
		if r.Fresh.Verdict != "stale" {
			t.Errorf("%+v", r.Fresh)
		}
	}
	same(t, "stale", stale, []string{"A1", "A2", "C", "MB", "MA"})
	same(t, "stale in all", b.Stale, 7)
	b2, err := json.Marshal(b)
	if err != nil || strings.Contains(string(b2), ":null") {
		t.Errorf("%v or a null list in %s", err, b2)
	}
}

func TestEmptyBriefingTellsWhereTheMemoryWent(t *testing.T) {
	w := newWorld(t, nil, "app")
	if b := w.brief(w.in("app")); !b.Empty || len(b.Moved) != 0 {
		t.Errorf("%+v", b)
	}
	w.stored(w.in("app"), lobes.Note{Text: "The build uses plain go commands."})
	w.shut()
	b, err := os.ReadFile(filepath.Join(w.home, "lobes.json"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "registry", string(b), w.root("app"))
	memory := filepath.Join(w.root("app"), ".git", "memory")
	if err := os.Rename(filepath.Join(w.root("app"), ".git"), filepath.Join(w.dir, "old.git")); err != nil {
		t.Fatal(err)
	}
	w.specs[0].Dir = filepath.Join(w.root("app"), "elsewhere")
	w.open()
	brief := w.brief(w.in("app"))
	if len(brief.Moved) != 1 || brief.Moved[0].Dir != memory || brief.Moved[0].Count != 1 {
		t.Errorf("%+v", brief.Moved)
	}
}

func TestOneBrokenLobeSinksNothingElse(t *testing.T) {
	w := newWorld(t, func(w *world) {
		w.specs[1].Err, w.specs[1].Remedy = errors.New("no such disk"), []string{"mount it"}
	}, "app", "lib")
	w.stored(w.in("app"), lobes.Note{Title: "Fine", Text: "The app is served."})
	same(t, "mode", w.set.Mode(), lobes.Degraded)
	_, err := w.set.Remember(context.Background(), agent, w.in("lib"), []lobes.Note{{Text: "x y z"}})
	same(t, "remedy", wants[*lobes.DegradedError](t, "a store", err).Remedy, []string{"mount it"})
	_, err = w.set.Recall(context.Background(), w.in("lib"), lobes.Query{})
	wants[*lobes.DegradedError](t, "a read", err)
	a := w.recall(lobes.Target{Lobe: "*"}, lobes.Query{Filter: "served"})
	if len(a.Results) != 1 || len(a.Degraded) != 1 || a.Degraded[0].Name != "lib" {
		t.Errorf("%+v", a)
	}
	d := w.set.Diagnose(context.Background())
	if d.Mode != lobes.Degraded || len(d.Lobes) != 3 || d.Lobes[2].Cause != "no such disk" || d.Lobes[0].State != lobes.Running {
		t.Errorf("%+v", d)
	}
	stats, err := w.set.Stats(context.Background(), lobes.Target{Lobe: "*"})
	if err != nil || len(stats) != 3 || stats[2].Degraded == nil || stats[0].Entries != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	list := w.set.List(context.Background(), w.in("app"))
	if len(list) != 3 || !list[0].Current || list[0].Branch != "main" || list[2].Health.State != lobes.Degraded {
		t.Errorf("%+v", list)
	}
}

func TestSafeMode(t *testing.T) {
	for _, specs := range [][]lobes.Spec{nil, {{Name: "a", Err: errors.New("gone")}}} {
		set := lobes.NewSet(specs, lobes.Options{})
		same(t, "mode", set.Mode(), lobes.Safe)
		_, err := set.Recall(context.Background(), lobes.Target{}, lobes.Query{})
		wants[*lobes.SafeModeError](t, "a read", err)
		same(t, "mode told", set.Diagnose(context.Background()).Mode, lobes.Safe)
		if err := set.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestALobeThatFailsIsTriedAgain(t *testing.T) {
	w := newWorld(t, nil, "app")
	memory := filepath.Join(w.root("app"), ".git", "memory")
	write(t, memory, "a file where the folder should be")
	_, err := w.set.Recall(context.Background(), w.in("app"), lobes.Query{})
	e := wants[*lobes.DegradedError](t, "a file in the way", err)
	if len(e.Remedy) == 0 || w.set.Mode() != lobes.Degraded {
		t.Errorf("%+v, %s", e, w.set.Mode())
	}
	if err := os.Remove(memory); err != nil {
		t.Fatal(err)
	}
	w.stored(w.in("app"), lobes.Note{Text: "The folder of memories is made at the first write."})
	same(t, "mode", w.set.Mode(), lobes.Running)
}

func TestPlaces(t *testing.T) {
	w := newWorld(t, nil, "app")
	home := filepath.Join(w.dir, "home")
	git := repo.Options{Home: home}
	plain := filepath.Join(w.dir, "plain", "notes")
	write(t, filepath.Join(plain, "x.txt"), "x")
	at := func(o lobes.PlaceOptions) lobes.Spec {
		o.Home, o.Git = w.home, git
		return lobes.Place(o)
	}
	sub := filepath.Join(w.root("app"), "cmd", "deep")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	same(t, "git", at(lobes.PlaceOptions{Root: sub}).Dir, filepath.Join(w.root("app"), ".git", "memory"))
	wide := at(lobes.PlaceOptions{Root: sub, Widen: true})
	same(t, "widened", []string{wide.Root, wide.Name}, []string{w.root("app"), "app"})
	same(t, "memoryDir", at(lobes.PlaceOptions{Root: w.root("app"), MemoryDir: "notes"}).Dir, filepath.Join(w.root("app"), "notes"))
	outside := at(lobes.PlaceOptions{Root: plain})
	same(t, "outside git", filepath.Dir(outside.Dir), filepath.Join(w.home, "lobes"))
	contains(t, "outside git", filepath.Base(outside.Dir), "notes-")
	write(t, filepath.Join(w.home, "notes", "gotchas", "gotcha-00000001.md"), "# Old\n\n- **id**: gotcha-00000001\n- **topic**: gotchas\n\nText.\n")
	same(t, "of an earlier program", at(lobes.PlaceOptions{Root: plain}).Dir, filepath.Join(w.home, "notes"))
	for what, o := range map[string]lobes.PlaceOptions{
		"home":     {Root: home},
		"root":     {Root: "/"},
		"missing":  {Root: filepath.Join(w.dir, "nowhere")},
		"relative": {Root: "x"},
		"a file":   {Root: filepath.Join(plain, "x.txt")},
	} {
		if s := at(o); s.Err == nil || len(s.Remedy) == 0 {
			t.Errorf("%s: %+v", what, s)
		}
	}
}

func TestUniqueNames(t *testing.T) {
	var got []string
	for _, s := range lobes.UniqueNames([]lobes.Spec{
		{Name: "app", Root: "/a/app"}, {Name: "App", Root: "/b/App"}, {Name: "app", Root: "/b/app"}, {Name: "models", Root: "/w/models"},
		{Name: "", Root: ""}, {Name: "global", Root: "/z/global"}, {Name: "x,y*", Root: "/q/x"}, lobes.GlobalSpec("/h"),
	}) {
		got = append(got, s.Name)
	}
	same(t, "names", got, []string{"app", "b-App", "b-app-2", "w-models", "lobe", "z-global", "x-y-", "global"})
}

func TestSettleAdoptsEditsThatRest(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Settle = time.Second }, "app")
	s := w.stored(lobes.Target{}, lobes.Note{Title: "Port", Text: "It listens on 8080."})
	hand := filepath.Join(filepath.Dir(s.Path), "hand.md")
	write(t, hand, "# By hand\n\nA note by hand.\n")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(hand, past, past); err != nil {
		t.Fatal(err)
	}
	id := w.recall(lobes.Target{}, lobes.Query{Filter: "hand"}).Results[0].Entry.ID
	if !w.get(lobes.Target{}, id).Pending {
		t.Error("not pending")
	}
	w.shut() // an orderly exit takes edits as they are
	w.open()
	if r := w.get(lobes.Target{}, id); r.Pending || r.Revision == "" {
		t.Errorf("%+v", r)
	}
}

func TestManyEntriesGoneAtOnceAreNotDeletions(t *testing.T) {
	w := newWorld(t, nil, "app")
	var notes []lobes.Note
	for i := range 6 {
		notes = append(notes, lobes.Note{Topic: "gotchas", Title: strings.Repeat("x", i+1), Text: "Trap number " + strings.Repeat("i", i+1) + " is set."})
	}
	r := w.remember(lobes.Target{}, notes...)
	for _, s := range r.Stored[:5] {
		if err := os.Remove(s.Path); err != nil {
			t.Fatal(err)
		}
	}
	w.open()
	b := w.brief(w.in("app"))
	if len(b.Vanished) != 1 || b.Vanished[0].Count != 5 || b.Vanished[0].Lobe != "app" {
		t.Fatalf("%+v", b.Vanished)
	}
	d := w.set.Diagnose(context.Background())
	h := d.Lobes[0]
	if d.Mode != lobes.Degraded || h.State != lobes.Degraded || len(h.Remedy) != 2 {
		t.Errorf("%+v", d)
	}
	left := w.recall(w.in("app"), lobes.Query{})
	same(t, "what is left is served", left.Total, 1)
	same(t, "and said to be what is left", len(left.Vanished), 1)
	then := w.recall(w.in("app"), lobes.Query{AsOf: w.clock.Now().Add(-time.Second)})
	same(t, "history lacks nothing", len(then.Vanished), 0)
	back, err := w.set.RestoreVanished(context.Background(), person, w.in("app"))
	if err != nil || len(back) != 5 || back[0].Lobe != "app" {
		t.Fatalf("%+v, %v", back, err)
	}
	all := w.recall(w.in("app"), lobes.Query{})
	same(t, "all is back", all.Total, 6)
	same(t, "and no more is said", len(all.Vanished), 0)
	same(t, "mode", w.set.Mode(), lobes.Running)
	for _, r := range back {
		if err := os.Remove(r.Path); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := w.set.ForgetVanished(context.Background(), person, w.in("app")); err != nil || len(gone) != 5 {
		t.Errorf("%+v, %v", gone, err)
	}
	if b := w.brief(w.in("app")); len(b.Vanished) != 0 || b.Entries != 1 {
		t.Errorf("%+v", b)
	}
	if again, err := w.set.Restore(context.Background(), person, w.in("app"), back[0].ID); err != nil || len(again) != 1 {
		t.Errorf("%+v, %v", again, err)
	}
	_, err = w.set.Restore(context.Background(), person, w.in("app"), "gotcha-00000000")
	wants[*lobes.UnknownIDError](t, "never stored", err)
}

func TestAFolderThatOthersMayWriteIsNamed(t *testing.T) {
	w := newWorld(t, nil, "app")
	w.stored(lobes.Target{}, lobes.Note{Text: "The build uses plain go commands."})
	dir := w.specs[0].Dir
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Skip("no such modes here")
	}
	found := w.set.Diagnose(context.Background()).Problems
	if len(found) != 1 || found[0].File != dir || !strings.Contains(found[0].Remedy, "chmod") {
		t.Errorf("%+v", found)
	}
}

func TestRequestsUnderWayOutliveAClose(t *testing.T) {
	w := newWorld(t, nil, "app")
	w.stored(lobes.Target{}, lobes.Note{Title: "Gate", Text: "The gate opens at ten."})
	set := w.set
	w.shut()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if a, err := set.Recall(ctx, w.in("app"), lobes.Query{Filter: "gate"}); err != nil || a.Total != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	w := newWorld(t, func(w *world) { w.options.Go = func(string, func(context.Context)) {} }, "app")
	w.stored(lobes.Target{}, lobes.Note{Text: "The build uses plain go commands."})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.set.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.set = nil
}
