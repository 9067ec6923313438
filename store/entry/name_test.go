package entry_test

import (
	"bytes"
	"errors"
	"math"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

func TestParseTopic(t *testing.T) {
	for given, want := range map[string]string{
		"user": "user", " Gotchas ": "gotchas", "RECENT-WORK": "recent-work", "modules/Messaging": "modules/messaging", "Modules/a b/c.d_e-1": "modules/a b/c.d_e-1",
		"modules/消息": "modules/消息", "modules/e\u0301": "modules/é", "modules/हिन्दी": "modules/हिन्दी", "modules/STRASSE": "modules/strasse",
	} {
		if got, err := entry.ParseTopic(given); got != want || err != nil {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
	for given, near := range map[string]string{
		"": "", "architecure": "architecture", "arch": "architecture", "gotcha": "gotchas", "prefs": "preferences", "modules": "modules/NAME", "modules/": "modules/NAME",
		"modules/..": "modules/NAME", "modules/a/../b": "modules/NAME", "modules/.": "modules/NAME", "modules//a": "modules/NAME", "modules/a/": "modules/NAME",
		"modules/a\\b": "modules/NAME", "modules/a:b": "modules/NAME", "modules/a\x00": "modules/NAME", "modules/\xff": "modules/NAME", "modules/ a": "modules/NAME",
		"module/x": "modules/NAME", "modules/...": "modules/NAME", "xyzzy": "", "modules/" + strings.Repeat("x", 101): "modules/NAME", "general/x": "general",
	} {
		got, err := entry.ParseTopic(given)
		var unknown *entry.TopicError
		if got != "" || !errors.As(err, &unknown) || unknown.Given != given || !slices.Equal(unknown.Known, entry.Topics()) {
			t.Errorf("%q: %q, %v", given, got, err)
			continue
		}
		if unknown.Near != near {
			t.Errorf("%q: nearest is %q, want %q", given, unknown.Near, near)
		}
	}
}

func TestInfoOf(t *testing.T) {
	for _, want := range []entry.TopicInfo{
		{Name: "user", Prefix: "user", Boost: 2.0, Trust: entry.User, Global: true},
		{Name: "preferences", Prefix: "pref", Boost: 1.8, Trust: entry.User, Global: true},
		{Name: "gotchas", Prefix: "gotcha", Boost: 1.5, Trust: entry.User},
		{Name: "decisions", Prefix: "dec", Boost: 1.2, Trust: entry.AgentInferred},
		{Name: "architecture", Prefix: "arch", Boost: 1.0, StaleDays: 30, Trust: entry.AgentInferred},
		{Name: "conventions", Prefix: "conv", Boost: 1.2, StaleDays: 30, Trust: entry.AgentInferred},
		{Name: "modules", Prefix: "mod", Boost: 1.1, StaleDays: 30, Trust: entry.AgentInferred},
		{Name: "recent-work", Prefix: "recent", Boost: 0.9, StaleDays: 30, Trust: entry.AgentInferred},
		{Name: "general", Prefix: "mem", Boost: 1.0, StaleDays: 30, Trust: entry.AgentInferred},
	} {
		topic := want.Name
		if topic == "modules" {
			topic = "modules/a/b"
		}
		if got := entry.InfoOf(topic); got != want {
			t.Errorf("%s: got %+v, want %+v", topic, got, want)
		}
		if id := entry.NewID(topic, bytes.NewReader([]byte{0x3f, 0x7a, 0x2b, 0x1c})); id != want.Prefix+"-3f7a2b1c" || !entry.ValidID(id) {
			t.Errorf("%s: id %q", topic, id)
		}
	}
	if got := entry.InfoOf("no such topic").Name; got != "general" {
		t.Errorf("an unknown topic is treated as %q", got)
	}
}

func TestValidID(t *testing.T) {
	for _, id := range []string{"a", "9", "arch-3f7a2b1c", "a.b_c-d", "中文", "é", strings.Repeat("x", 128)} {
		if !entry.ValidID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{"", ".", "..", "-a", "_a", ".a", "a/b", "a b", "a\\b", "a:b", "\u0301a", "a\x00", "\xff", strings.Repeat("x", 129), "a\n", "🙂"} {
		if entry.ValidID(id) {
			t.Errorf("%q is accepted", id)
		}
	}
}

func TestIDsOfPaths(t *testing.T) {
	for path, want := range map[string]string{
		"architecture/arch-1.md":                     "architecture.arch-1",
		"Architecture/ARCH-1.MD":                     "architecture.arch-1",
		"x.md":                                       "general.x",
		"notes/x.md":                                 "general.notes.x",
		"recent-work/feat-x/y.md":                    "recent-work.feat-x.y",
		"modules/a/b/c.md":                           "modules.a.b.c",
		"modules/x.md":                               "general.modules.x",
		"general/a  note of mine.md":                 "general.a-note-of-mine",
		"general/caf\u00e9.md":                       "general.café",
		"general/cafe\u0301.md":                      "general.café",
		"general/a+b.md":                             "general.a-b-" + entry.Sum([]byte("general.a+b"))[:4],
		"general/a&b.md":                             "general.a-b-" + entry.Sum([]byte("general.a&b"))[:4],
		"general/中文 笔记.md":                           "general.中文-笔记",
		"general/🙂.md":                               "general.--" + entry.Sum([]byte("general.🙂"))[:4],
		"general/" + strings.Repeat("é", 80) + ".md": "general." + strings.Repeat("é", 46) + "-" + entry.Sum([]byte("general." + strings.Repeat("é", 80)))[:8],
	} {
		p, err := entry.ParseFile(path, modified, []byte("text"))
		if err != nil || p.ID != want {
			t.Errorf("%q: id %q, want %q (err %v)", path, p.ID, want, err)
		}
		if !entry.ValidID(p.ID) {
			t.Errorf("%q: %q is no id", path, p.ID)
		}
	}
}

func TestEntryPaths(t *testing.T) {
	for _, p := range []string{"a.md", "a/b.MD", "modules/a b/c.md", "a.b/c.md"} {
		if !entry.IsEntryPath(p) {
			t.Errorf("%q is passed over", p)
		}
	}
	for _, p := range []string{"", ".md", "a.txt", ".history/e8/a.md", "a/.b.md", "#a.md", "~a.md", "a/~b/c.md", "a//b.md", "/a.md", "a.md/", "md"} {
		if entry.IsEntryPath(p) {
			t.Errorf("%q is read", p)
		}
	}
}

func TestDir(t *testing.T) {
	for want, e := range map[string]entry.Entry{
		"general":                   {Topic: "no topic"},
		"recent-work":               {Topic: "recent-work"},
		"recent-work/feature-x-1":   {Topic: "recent-work", Branch: "Feature//X 1-"},
		"recent-work/unknown":       {Topic: "recent-work", Branch: "../.."},
		"recent-work/con-":          {Topic: "recent-work", Branch: "CON"},
		"recent-work/修复":            {Topic: "recent-work", Branch: "修复"},
		"modules/messaging/nul-.md": {Topic: "modules/Messaging/nul.md"},
		"modules/-hidden/x-":        {Topic: "modules/.hidden/x."},
		"modules/com¹-":             {Topic: "modules/com1-"},
	} {
		if want == "modules/com¹-" {
			want = "modules/com1-"
		}
		if got := entry.Dir(e); got != want {
			t.Errorf("%q %q: %q, want %q", e.Topic, e.Branch, got, want)
		}
	}
	long := entry.Dir(entry.Entry{Topic: "recent-work", Branch: strings.Repeat("中", 200)})
	if len(long) > 130 || !utf8.ValidString(long) {
		t.Errorf("a long branch gives %q", long)
	}
}

// A folder never leads out of the lobe, and a file in it is always an entry of ours.
func TestDirLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entry.Entry{ID: "arch-1", Title: genLine.Draw(t, "title"), Topic: rapid.SampledFrom([]string{"recent-work", "modules/"}).Draw(t, "topic"), Branch: genText.Draw(t, "branch")}
		if e.Topic == "modules/" {
			e.Topic += rapid.StringMatching(`[a-zA-Z0-9._\- /éCON]{1,12}`).Draw(t, "name")
		}
		dir := entry.Dir(e)
		for _, withSlug := range []bool{false, true} {
			p := dir + "/" + entry.FileName(e, withSlug)
			if path.Clean(p) != p || strings.Contains(p, "..") && path.IsAbs(p) || !entry.IsEntryPath(p) || strings.ContainsAny(p, "<>:\"\\|?*\x00\n") {
				t.Fatalf("topic %q, branch %q: %q", e.Topic, e.Branch, p)
			}
			if !entry.NamedFor(path.Base(p), e.ID) {
				t.Fatalf("%q is not named for %q", p, e.ID)
			}
		}
	})
}

func TestFileName(t *testing.T) {
	for _, c := range []struct {
		id, title string
		slug      bool
		want      string
	}{
		{"arch-1", "Build: system", false, "arch-1.md"},
		{"arch-1", "Build: system!", true, "build-system-arch-1.md"},
		{"arch-1", "构建 系统", true, "构建-系统-arch-1.md"},
		{"arch-1", "🙂", true, "arch-1.md"},
		{"nul", "", false, "id-nul.md"},
		{"arch-1", ".hidden", true, "hidden-arch-1.md"},
		{"arch-1", strings.Repeat("word ", 100), true, strings.TrimSuffix(strings.Repeat("word-", 12), "-") + "-arch-1.md"},
	} {
		if got := entry.FileName(entry.Entry{ID: c.id, Title: c.title}, c.slug); got != c.want || !entry.NamedFor(got, c.id) {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if entry.NamedFor("arch-10.md", "arch-1") || entry.NamedFor("xarch-1.md", "arch-1") || entry.NamedFor("arch-1 (copy).md", "arch-1") {
		t.Error("a copy is taken for the head")
	}
}

func TestCleanTags(t *testing.T) {
	kept, dropped := entry.CleanTags([]string{"Build", "build", " Session Token ", "--a--b--", "x", "中", "中文标签", "c++", "", "#go", "naïve", "e\u0301t\u00e9", strings.Repeat("x", 51),
		"snake_case", "हिन्दी", "\xff", "9", "42"})
	if want := []string{"build", "session-token", "a-b", "中", "中文标签", "go", "naïve", "été", "snake-case", "हिन्दी"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
	if want := []string{"x", "c++", "", strings.Repeat("x", 51), "\xff", "9", "42"}; !slices.Equal(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
	again, none := entry.CleanTags(kept)
	if !slices.Equal(again, kept) || len(none) > 0 {
		t.Errorf("cleaned twice: %q, dropped %q", again, none)
	}
}

func TestWords(t *testing.T) {
	if k, err := entry.ParseKind(" Fact"); k != "fact" || err != nil {
		t.Errorf("%q, %v", k, err)
	}
	for given, near := range map[string]string{"desicion": "decision", "pref": "preference", "facts": "fact", "banana": "", "": ""} {
		_, err := entry.ParseKind(given)
		var unknown *entry.WordError
		if !errors.As(err, &unknown) || unknown.Near != near || unknown.What != "kind" {
			t.Errorf("%q: %v, want nearest %q", given, err, near)
		}
	}
	if s, err := entry.ParseStatus("ARCHIVED"); s != "archived" || err != nil {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := entry.ParseTrust("confirmed"); err == nil {
		t.Error("a trust of no known name")
	}
	if d, err := entry.ParseDurability("task_detail"); d != "task_detail" || err != nil {
		t.Errorf("%q, %v", d, err)
	}
}

func TestParseTime(t *testing.T) {
	utc := func(y int, m time.Month, d, h, mi, s, ns int) time.Time {
		return time.Date(y, m, d, h, mi, s, ns, time.UTC)
	}
	for given, want := range map[string]time.Time{
		"2026-02-18":                     utc(2026, 2, 18, 0, 0, 0, 0),
		"2026-02-18T12:00:00.000Z":       utc(2026, 2, 18, 12, 0, 0, 0),
		"2026-02-18t12:00:00z":           utc(2026, 2, 18, 12, 0, 0, 0),
		"2026-02-18 12:00:00":            utc(2026, 2, 18, 12, 0, 0, 0),
		"2026-02-18 12:00:00+02:00":      utc(2026, 2, 18, 10, 0, 0, 0),
		"2026-02-18T12:00":               utc(2026, 2, 18, 12, 0, 0, 0),
		"2026-02-18T12:00:00.123456789Z": utc(2026, 2, 18, 12, 0, 0, 123456789),
		"2024-02-29T23:59:59.5-14:00":    utc(2024, 3, 1, 13, 59, 59, 500000000),
		"9999-12-31":                     utc(9999, 12, 31, 0, 0, 0, 0),
	} {
		if got, err := entry.ParseTime(given); !got.Equal(want) || err != nil || got.Location() != time.UTC {
			t.Errorf("%q: %v, %v", given, got, err)
		}
	}
	for _, given := range []string{"", "yesterday", "2026-02-30", "2026-13-01", "10000-01-01", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "2026-02-18T24:00:00Z", "1700000000", "2026-02-18T12:00:00Zz"} {
		if got, err := entry.ParseTime(given); err == nil || !got.IsZero() {
			t.Errorf("%q: %v, %v", given, got, err)
		}
	}
}

func TestCheck(t *testing.T) {
	good := entry.Entry{ID: "arch-1", Topic: "general", Title: "T"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*entry.Entry){
		"id": func(e *entry.Entry) { e.ID = "a/b" }, "topic": func(e *entry.Entry) { e.Topic = "x" }, "no topic": func(e *entry.Entry) { e.Topic = "" },
		"trust": func(e *entry.Entry) { e.Trust = "me" }, "kind": func(e *entry.Entry) { e.Kind = "x" }, "number": func(e *entry.Entry) { e.Confidence = new(math.NaN()) },
		"body": func(e *entry.Entry) { e.Body = "\xff" }, "tag": func(e *entry.Entry) { e.Tags = []string{"\xff"} }, "text": func(e *entry.Entry) { e.Branch = "\xff" },
		"extra of ours":  func(e *entry.Entry) { e.Extra = []entry.Field{{Key: "id", Lines: []string{"id: x"}}} },
		"extra's fence":  func(e *entry.Entry) { e.Extra = []entry.Field{{Key: "x", Lines: []string{"x: |", "---"}}} },
		"extra's key":    func(e *entry.Entry) { e.Extra = []entry.Field{{Key: "x", Lines: []string{"y: 1"}}} },
		"extra's lines":  func(e *entry.Entry) { e.Extra = []entry.Field{{Key: "x"}} },
		"extra's breaks": func(e *entry.Entry) { e.Extra = []entry.Field{{Key: "x", Lines: []string{"x: 1\nid: evil"}}} },
		"extra twice": func(e *entry.Entry) {
			e.Extra = []entry.Field{{Key: "x", Lines: []string{"x: 1"}}, {Key: "x", Lines: []string{"x: 1"}}}
		},
	} {
		e := good
		change(&e)
		if err := e.Check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if e.Topic == "" {
			continue // its path may state it
		}
		if _, err := entry.Rewrite([]byte("---\nid: arch-1\ntopic: general\n---\n# T\n"), e); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

func TestFiledUnder(t *testing.T) {
	for _, c := range []struct{ topic, branch, file, want string }{
		{"general", "", "general/a.md", ""},
		{"general", "", "conventions/a.md", "conventions"},
		{"general", "", "Conventions/deep/a.md", "conventions"},
		{"general", "", "notes/a.md", ""},
		{"general", "", "a.md", ""},
		{"modules/con", "", "modules/con-/a.md", ""},
		{"modules/x", "", "modules/x/y/a.md", ""},
		{"modules/x", "", "modules/y/a.md", "modules/y"},
		{"recent-work", "feat/x", "recent-work/feat-x/a.md", ""},
		{"recent-work", "feat/x", "recent-work/other/a.md", ""},
		{"gotchas", "", "recent-work/other/a.md", "recent-work"},
	} {
		if got := entry.FiledUnder(entry.Entry{Topic: c.topic, Branch: c.branch}, c.file); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.topic, c.file, got, c.want)
		}
	}
}
