package lobes_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

func TestRouting(t *testing.T) {
	places := []lobes.Ground{
		{Name: "app", Root: "/w/app", Common: "/w/app/.git"},
		{Name: "app-tools", Root: "/w/app-tools", Common: "/w/app-tools/.git"},
		{Name: "global", Shared: true},
		{Name: "notes", Root: "/w/notes"},
		{Name: "part", Root: "/w/app/part", Common: "/w/app/.git"},
		{Name: "team", Root: "/w/team", Common: "/w/team/.git", Shared: true},
	}
	one := []lobes.Ground{{Name: "global", Shared: true}, {Name: "only", Root: "/w/only", Common: "/w/only/.git"}}
	type spots = []lobes.Spot
	app := func(p string) lobes.Spot { return lobes.Spot{Path: p, Common: "/w/app/.git"} }
	for _, c := range []struct {
		what               string
		places             []lobes.Ground
		paths, dirs, roots spots
		has                map[string]int
		read, write        string // names with commas, or "ambiguous:…" or "none"
	}{
		{"an absolute path", places, spots{app("/w/app/main.go")}, nil, nil, nil, "app", "app"},
		{"whole segments", places, spots{{"/w/app-tools/x.go", "/w/app-tools/.git"}}, nil, nil, nil, "app-tools", "app-tools"},
		{"the longest root", places, spots{app("/w/app/part/x.go")}, nil, nil, nil, "part", "part"},
		{"a path beats the environment", places, spots{{"/w/notes/a.md", ""}}, spots{app("/w/app")}, nil, nil, "notes", "notes"},
		{"the environment beats roots", places, nil, spots{app("/w/app/cmd")}, spots{{"/w/notes", ""}}, nil, "app", "app"},
		{"the first folder that leads somewhere", places, nil, spots{{"/tmp", ""}, app("/w/app")}, nil, nil, "app", "app"},
		{"a linked worktree elsewhere", places[:2], nil, spots{app("/other/tree/cmd")}, nil, nil, "app", "app"},
		{"a linked worktree of a shared repository", places, nil, spots{app("/other/tree")}, nil, nil, "app,part", "ambiguous:app,part"},
		{"an always included lobe by its folder", places, nil, spots{{"/w/team/x", "/w/team/.git"}}, nil, nil, "team", "team"},
		{"paths in two lobes, the folder decides", places, spots{app("/w/app/a"), {"/w/notes/b", ""}}, spots{{"/w/notes", ""}}, nil, nil, "notes", "notes"},
		{"paths in two lobes", places, spots{app("/w/app/a"), {"/w/notes/b", ""}}, nil, nil, nil, "app,notes", "ambiguous:app,notes"},
		{"a root in a lobe", places, nil, nil, spots{{"/w/notes/deep", ""}}, nil, "notes", "notes"},
		{"a root that holds several", places, nil, nil, spots{{"/w", ""}}, nil, "app,app-tools,notes,part,team", "ambiguous:app,app-tools,notes,part,team"},
		{"a relative path decides between roots", places, nil, nil, spots{{"/w", ""}}, map[string]int{"notes": 2, "app": 1}, "notes", "notes"},
		{"a repository without a lobe", places, nil, spots{{"/w/else", "/w/else/.git"}}, nil, nil, "", "none"},
		{"a repository inside a lobe's folder", places, nil, spots{{"/w/app/vendor/x", "/w/app/vendor/x/.git"}}, nil, nil, "", "none"},
		{"a repository inside a folder outside git", places, nil, spots{{"/w/notes/x", "/w/notes/x/.git"}}, nil, nil, "notes", "notes"},
		{"nothing", places, nil, nil, nil, nil, "", "ambiguous:app,app-tools,notes,part"},
		{"nothing, and one lobe", one, nil, nil, nil, nil, "only", "only"},
		{"outside git, and one lobe", one, nil, spots{{"/tmp", ""}}, nil, nil, "only", "only"},
		{"another repository, and one lobe", one, nil, spots{{"/w/else", "/w/else/.git"}}, nil, nil, "", "none"},
		{"no project at all", one[:1], nil, nil, nil, nil, "", "none"},
	} {
		for _, write := range []bool{false, true} {
			got, err := lobes.Choose(c.places, c.paths, c.dirs, c.roots, c.has, write)
			want := c.read
			if write {
				want = c.write
			}
			if said := routed(got, err); said != want {
				t.Errorf("%s (write %v): got %q, want %q", c.what, write, said, want)
			}
		}
	}
}

func routed(names []string, err error) string {
	var several *lobes.AmbiguousError
	var none *lobes.NoLobeError
	switch {
	case errors.As(err, &several):
		return "ambiguous:" + strings.Join(several.Candidates, ",")
	case errors.As(err, &none):
		return "none"
	case err != nil:
		return err.Error()
	}
	return strings.Join(names, ",")
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestVisibilityByStatus(t *testing.T) {
	for _, c := range []struct {
		status          string
		unasked, byName string
		all             string
	}{
		{"", "shown", "", "shown"},
		{"active", "shown", "shown", "shown"},
		{"candidate", "shown", "shown", "shown"},
		{"review", "held", "shown", "shown"},
		{"pending", "hidden", "hidden", "hidden"},
		{"archived", "hidden", "hidden", "hidden"},
		{"superseded", "hidden", "hidden", "hidden"},
	} {
		e := entry.Entry{Status: c.status}
		for asked, want := range map[string]string{"": c.unasked, c.status: c.byName, "*": c.all} {
			if asked == "" {
				want = c.unasked
			}
			if got := lobes.See(e, asked, noon); got != want {
				t.Errorf("status %q, asked for %q: got %q, want %q", c.status, asked, got, want)
			}
		}
		e.Expires = noon
		want := "not valid"
		if c.unasked != "shown" {
			want = c.unasked
		}
		if got := lobes.See(e, "", noon); got != want {
			t.Errorf("status %q, expired: got %q, want %q", c.status, got, want)
		}
	}
	for _, c := range []struct {
		what string
		e    entry.Entry
		want string
	}{
		{"until now", entry.Entry{Valid: entry.Interval{Until: noon}}, "not valid"},
		{"from now", entry.Entry{Valid: entry.Interval{From: noon}}, "shown"},
		{"from later", entry.Entry{Valid: entry.Interval{From: noon.Add(1)}}, "not valid"},
		{"until later", entry.Entry{Valid: entry.Interval{Until: noon.Add(1)}}, "shown"},
		{"expires later", entry.Entry{Expires: noon.Add(1)}, "shown"},
	} {
		if got := lobes.See(c.e, "", noon); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	if !lobes.HasStatus(entry.Entry{}, "active") || lobes.HasStatus(entry.Entry{}, "review") || !lobes.HasStatus(entry.Entry{Status: "review"}, "*") {
		t.Error("the selection by status is wrong")
	}
}

func TestWeight(t *testing.T) {
	half, one := 0.5, 1.0
	for _, c := range []struct {
		what          string
		e             entry.Entry
		stale, boosts bool
		want          float64
		reasons       int
	}{
		{"neutral", entry.Entry{Topic: "architecture", Trust: entry.User}, false, true, 1, 0},
		{"user", entry.Entry{Topic: "user", Trust: entry.User}, false, true, 2, 1},
		{"preferences", entry.Entry{Topic: "preferences", Trust: entry.User}, false, true, 1.8, 1},
		{"gotchas", entry.Entry{Topic: "gotchas", Trust: entry.User}, false, true, 1.5, 1},
		{"a module", entry.Entry{Topic: "modules/x", Trust: entry.User}, false, true, 1.1, 1},
		{"recent work", entry.Entry{Topic: "recent-work", Trust: entry.User}, false, true, 0.9, 1},
		{"inferred", entry.Entry{Topic: "architecture"}, false, true, 0.7, 1},
		{"stated confidence", entry.Entry{Topic: "architecture", Confidence: &half}, false, true, 0.5, 1},
		{"stale", entry.Entry{Topic: "architecture", Trust: entry.User}, true, true, 0.7, 1},
		{"candidate", entry.Entry{Topic: "architecture", Trust: entry.User, Status: "candidate"}, false, true, 0.6, 1},
		{"important", entry.Entry{Topic: "architecture", Trust: entry.User, Importance: &one}, false, true, 1.5, 1},
		{"of neutral importance", entry.Entry{Topic: "architecture", Trust: entry.User, Importance: &half}, false, true, 1, 0},
		{"all", entry.Entry{Topic: "conventions", Status: "candidate", Importance: &one}, true, true, 0.6 * 1.2 * 0.7 * 0.7 * 1.5, 5},
		{"all, without boosts", entry.Entry{Topic: "conventions", Status: "candidate", Importance: &one}, true, false, 0.6, 1},
	} {
		got, reasons := lobes.Weigh(c.e, c.stale, c.boosts)
		if diff := got - c.want; diff > 1e-9 || diff < -1e-9 || len(reasons) != c.reasons {
			t.Errorf("%s: got %v with %d reasons, want %v with %d", c.what, got, len(reasons), c.want, c.reasons)
		}
	}
}

func TestCurrentLobeGoesFirstAmongEquals(t *testing.T) {
	for _, c := range []struct {
		names  string
		scores []float64
		want   string
	}{
		{"global home", []float64{1.04, 1}, "home global"},
		{"global home", []float64{1.06, 1}, "global home"},
		{"global global home", []float64{1.05, 1.01, 1}, "home global global"},
		{"home global", []float64{1, 1}, "home global"},
		{"global home home", []float64{1.03, 1, 0.99}, "home home global"},
	} {
		got := strings.Join(lobes.HomeFirst(strings.Fields(c.names), c.scores, "home"), " ")
		if got != c.want {
			t.Errorf("%s %v: got %q, want %q", c.names, c.scores, got, c.want)
		}
	}
}

func TestFreshness(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a")
	write(t, filepath.Join(root, "b.go"), "package b")
	cites := entry.Entry{Topic: "architecture", Sources: []string{"a.go:3-9", filepath.Join(root, "b.go"), "gone.go", "../x", "https://x.test/y"}}
	cites.Pins = lobes.Pin(cites, root)
	if len(cites.Pins) != 2 {
		t.Fatalf("pins: %q", cites.Pins)
	}
	old := noon.AddDate(0, 0, -40)
	with := func(change func(*entry.Entry)) entry.Entry {
		e := cites
		change(&e)
		return e
	}
	changed := t.TempDir()
	write(t, filepath.Join(changed, "a.go"), "package a // more")
	write(t, filepath.Join(changed, "b.go"), "package b")
	for _, c := range []struct {
		what    string
		e       entry.Entry
		b       lobes.Behavior
		root    string
		verdict string
		changes int
	}{
		{"young", entry.Entry{Topic: "architecture", Created: noon.AddDate(0, 0, -29)}, lobes.Behavior{}, root, "fresh", 0},
		{"of age", entry.Entry{Topic: "architecture", Created: noon.AddDate(0, 0, -30)}, lobes.Behavior{}, root, "stale", 0},
		{"verified", entry.Entry{Topic: "architecture", Created: old, Verified: noon.AddDate(0, 0, -2)}, lobes.Behavior{}, root, "fresh", 0},
		{"a gotcha never", entry.Entry{Topic: "gotchas", Created: old}, lobes.Behavior{}, root, "fresh", 0},
		{"a gotcha, as configured", entry.Entry{Topic: "gotchas", Created: old}, lobes.Behavior{StaleDaysGotchas: 30}, root, "stale", 0},
		{"a preference never", entry.Entry{Topic: "preferences", Created: old}, lobes.Behavior{}, root, "fresh", 0},
		{"a decision never", entry.Entry{Topic: "decisions", Created: old}, lobes.Behavior{}, root, "fresh", 0},
		{"without a date", entry.Entry{Topic: "architecture"}, lobes.Behavior{}, root, "fresh", 0},
		{"old, with evidence", with(func(e *entry.Entry) { e.Created = old }), lobes.Behavior{}, root, "fresh", 0},
		{"young, a file changed", with(func(e *entry.Entry) { e.Created = noon }), lobes.Behavior{}, changed, "changed", 1},
		{"young, files gone", with(func(e *entry.Entry) { e.Created = noon }), lobes.Behavior{}, t.TempDir(), "gone", 2},
		{"young, no folder to look in", with(func(e *entry.Entry) { e.Created = noon }), lobes.Behavior{}, filepath.Join(root, "none"), "unknown", 0},
		{"old, no folder to look in", with(func(e *entry.Entry) { e.Created = old }), lobes.Behavior{}, "", "stale", 0},
		{"a pin nobody can read", with(func(e *entry.Entry) { e.Created, e.Pins = old, []string{"a.go", "b.go zz"} }), lobes.Behavior{}, root, "stale", 0},
	} {
		got := lobes.JudgeFresh(c.b, c.e, noon, c.root)
		if got.Verdict != c.verdict || len(got.Changes) != c.changes {
			t.Errorf("%s: got %+v, want %s with %d changes", c.what, got, c.verdict, c.changes)
		}
	}
}

func TestCitedFile(t *testing.T) {
	for source, want := range map[string]string{
		"a.go": "a.go", "a.go:12": "a.go", "a.go:12-20": "a.go", "a.go:12:3": "a.go", "a.go#L12": "a.go",
		"dir/a b.go": "dir/a b.go", "C:": "C:", "https://x.test": "https://x.test", "": "", "a.go:": "a.go:", "#12": "#12",
	} {
		if got := lobes.CitedFile(source); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

func TestPinsStayBelowTheRoot(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	write(t, filepath.Join(dir, "secret"), "s")
	write(t, filepath.Join(root, "large"), strings.Repeat("x", 1<<20+1))
	if err := os.Symlink("../secret", filepath.Join(root, "link")); err != nil {
		t.Skip(err)
	}
	e := entry.Entry{Sources: []string{"link", "../secret", filepath.Join(dir, "secret"), "large", ".", ""}}
	if pins := lobes.Pin(e, root); len(pins) > 0 {
		t.Errorf("pinned %q", pins)
	}
}

func TestDerivedTopic(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"", "The build uses plain go commands.", "general"},
		{"decision", "We use files.", "decisions"},
		{"preference", "Tabs.", "preferences"},
		{"task", "Port the parser.", "recent-work"},
		{"", "Gotcha: the cache is keyed by mtime.", "gotchas"},
		{"", "**Decision**: files are the truth.", "decisions"},
		{"", "约定：缩进用制表符", "conventions"},
		{"", "Retry policy: three times.", "general"},
		{"", "see http://x.test", "general"},
	} {
		if got := lobes.TopicFor(c.kind, c.text); got != c.want {
			t.Errorf("%q %q: got %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}

func TestTimesOfACall(t *testing.T) {
	zone := time.FixedZone("here", 2*60*60)
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		text string
		ends bool
		want time.Time
		fail bool
	}{
		{"2026-11-30", false, at("2026-11-29T22:00:00Z"), false},
		{"2026-11-30", true, at("2026-11-30T22:00:00Z"), false},
		{"2026-11-30T08:00:00+02:00", true, at("2026-11-30T06:00:00Z"), false},
		{"", true, time.Time{}, false},
		{"soon", false, time.Time{}, true},
	} {
		got, err := lobes.CallTime(c.text, zone, c.ends)
		var bad *lobes.ValueError
		if !got.Equal(c.want) || (err != nil) != c.fail || c.fail && !errors.As(err, &bad) {
			t.Errorf("%q, ends %v: got %v, %v", c.text, c.ends, got, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}
