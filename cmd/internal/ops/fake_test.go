package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/crash"
	"memory-mcp/lobes"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// memory is a small memory that answers what it was given, and remembers what
// it was asked.
type memory struct {
	mode       string
	err        error
	answer     lobes.Answer
	briefing   lobes.Briefing
	remembered lobes.Remembered
	corrected  lobes.Corrected
	chain      lobes.Chain
	diff       lobes.Differences
	timeline   lobes.Timeline
	forgotten  lobes.Forgotten

	why        string
	window     lobes.Window
	forgetting lobes.Forgetting
	material   lobes.Material
	recorded   lobes.Recorded
	said       lobes.Feedback
	given      lobes.GivenFeedback
	notes      []lobes.Note
	query      lobes.Query
	target     lobes.Target
	by         lobes.By
	correction lobes.Correction
	calls      int
	verb       func()
}

func (m *memory) asked(t lobes.Target) error {
	m.target = t
	m.calls++
	if m.verb != nil {
		m.verb()
	}
	return m.err
}

func (m *memory) Mode() string    { return m.mode }
func (m *memory) Names() []string { return []string{"app", "global", "web"} }

func (m *memory) Remember(_ context.Context, by lobes.By, t lobes.Target, n []lobes.Note) (lobes.Remembered, error) {
	m.by, m.notes = by, n
	return m.remembered, m.asked(t)
}

func (m *memory) Record(_ context.Context, by lobes.By, t lobes.Target, x lobes.Material) (lobes.Recorded, error) {
	m.by, m.material = by, x
	return m.recorded, m.asked(t)
}

func (m *memory) Feedback(_ context.Context, by lobes.By, t lobes.Target, f lobes.Feedback) (lobes.GivenFeedback, error) {
	m.by, m.said = by, f
	return m.given, m.asked(t)
}

func (m *memory) Recall(_ context.Context, t lobes.Target, q lobes.Query) (lobes.Answer, error) {
	m.query = q
	return m.answer, m.asked(t)
}

func (m *memory) Brief(_ context.Context, t lobes.Target) (lobes.Briefing, error) {
	return m.briefing, m.asked(t)
}

func (m *memory) Correct(_ context.Context, by lobes.By, t lobes.Target, c lobes.Correction) (lobes.Corrected, error) {
	m.by, m.correction = by, c
	return m.corrected, m.asked(t)
}

func (m *memory) Why(_ context.Context, t lobes.Target, id string) (lobes.Chain, error) {
	m.why = id
	return m.chain, m.asked(t)
}

func (m *memory) Diff(_ context.Context, t lobes.Target, w lobes.Window) (lobes.Differences, error) {
	m.window = w
	return m.diff, m.asked(t)
}

func (m *memory) Timeline(_ context.Context, t lobes.Target, w lobes.Window) (lobes.Timeline, error) {
	m.window = w
	return m.timeline, m.asked(t)
}

func (m *memory) Forget(_ context.Context, by lobes.By, t lobes.Target, f lobes.Forgetting) (lobes.Forgotten, error) {
	m.by, m.forgetting = by, f
	return m.forgotten, m.asked(t)
}

func (m *memory) Bootstrap(_ context.Context, _ lobes.By, t lobes.Target, o lobes.BootstrapOptions) (lobes.Bootstrapped, error) {
	if o.Progress != nil {
		o.Progress(1, 2, "README.md")
	}
	return lobes.Bootstrapped{Lobe: "app", Stored: []lobes.Stored{stored(1)}, Unchanged: 2, Skipped: 1, Warnings: []string{"no commits"}}, m.asked(t)
}

func (m *memory) List(context.Context, lobes.Target) []lobes.LobeInfo {
	return []lobes.LobeInfo{
		{Name: "app", Root: "/src/app", Dir: "/src/app/.git/memory", Entries: 3, Used: 2048, Budget: 2 << 20, Branch: "main", Current: true, Health: lobes.Health{Name: "app", State: lobes.Running}},
		{Name: "web", Dir: "/x", Health: lobes.Health{Name: "web", State: lobes.Degraded, Cause: "no such folder", Remedy: []string{"create it"}}},
		{Name: "global", Dir: "/home/x/.memory-mcp/global", Global: true},
	}
}

func (m *memory) Stats(_ context.Context, t lobes.Target) ([]lobes.LobeStats, error) {
	return []lobes.LobeStats{
		{Lobe: "app", Dir: "/src/app/.git/memory", Entries: 3, ByTopic: map[string]int{"gotchas": 2, "user": 1}, Tags: tags(), Fresh: 2, Stale: 1, Oldest: noon, Newest: noon},
		{Lobe: "web", Degraded: &lobes.Health{Name: "web", State: lobes.Degraded, Cause: "no such folder"}},
	}, m.asked(t)
}

func (m *memory) Diagnose(context.Context) lobes.Diagnosis {
	return lobes.Diagnosis{
		Mode:     m.mode,
		Lobes:    []lobes.Health{{Name: "app", State: lobes.Running}, {Name: "web", State: lobes.Degraded, Cause: "no such folder", Remedy: []string{"create it"}}},
		Problems: []lobes.Problem{{Lobe: "app", File: "/src/app/.git/memory/gotchas/x.md", Line: 3, What: "no closing line", Remedy: "add ---"}},
	}
}

func tags() []lobes.TagCount {
	return []lobes.TagCount{{Tag: "build", Count: 3}, {Tag: "net", Count: 1}}
}

func stored(i int) lobes.Stored {
	return lobes.Stored{
		ID: fmt.Sprintf("gotcha-0000000%d", i), Lobe: "app", Topic: "gotchas", Title: fmt.Sprintf("Title %d", i), Path: fmt.Sprintf("/src/app/.git/memory/gotchas/gotcha-0000000%d.md", i),
		Trust: "user", TrustFrom: "topic", Actor: "claude-code 2.1", Confidence: 1, Revision: "9f8e7d6c5b4a3928", Action: "created", Derived: []string{"title", "lobe"},
	}
}

func result(i int) lobes.Result {
	return lobes.Result{
		Entry: entry.Entry{
			ID: fmt.Sprintf("gotcha-0000000%d", i), Topic: "gotchas", Title: fmt.Sprintf("Uploads go through the queue, case %d", i),
			Body: "Direct uploads lose events.\nUse the queue.", Trust: entry.User, TrustFrom: "topic", Tags: []string{"net"}, Sources: []string{"upload.go"},
			Created: noon,
		},
		Lobe: "app", Path: fmt.Sprintf("/src/app/.git/memory/gotchas/gotcha-0000000%d.md", i), Excerpt: "Direct uploads lose events. Use the queue.", Score: 3.5, Confidence: 1,
		Fresh: lobes.Fresh{Verdict: "fresh"}, Why: "uploads in title", Revision: "9f8e7d6c5b4a3928",
	}
}

func results(n int) []lobes.Result {
	all := make([]lobes.Result, n)
	for i := range all {
		all[i] = result(i)
	}
	return all
}

// change is one of each kind of change, by its number.
func change(i int, kind string) lobes.Change {
	return lobes.Change{
		Recorded: noon.Add(-time.Duration(i) * time.Hour), Kind: kind, Op: "replace", ID: fmt.Sprintf("gotcha-0000000%d", i), Lobe: "app", Topic: "gotchas",
		Title: fmt.Sprintf("Uploads, case %d", i), Path: fmt.Sprintf("/src/app/.git/memory/gotchas/gotcha-0000000%d.md", i), Key: "k", Actor: "claude-code 2.1",
		Session: "s1", Role: "user", Reason: "they moved", Change: "c1", Sources: []string{"upload.go"}, Quote: "we moved",
		Words:  []textanalysis.Piece{{What: "same", Text: "deploys via "}, {What: "removed", Text: "Heroku"}, {What: "added", Text: "Fly.io"}},
		Fields: []lobes.FieldChange{{Field: "trust", Old: "agent-inferred", New: "user"}},
	}
}

func someChanges(n int, kind string) []lobes.Change {
	all := make([]lobes.Change, n)
	for i := range all {
		all[i] = change(i, kind)
	}
	return all
}

func link(relation, id string) lobes.Link {
	return lobes.Link{
		Relation: relation, Of: "gotcha-00000001", Depth: 1, ID: id, Lobe: "app", State: lobes.StateBelieved, Title: "Deploys via Heroku", Topic: "gotchas",
		Excerpt: "deploys via Heroku", Recorded: noon, Actor: "claude-code 2.1", Session: "s1", Sources: []string{"fly.toml"}, Quote: "we moved", Reason: "told so",
		ValidFrom: &noonTime, ValidUntil: &noonTime,
	}
}

var noonTime = noon

// full is a memory whose answers hold something of everything.
func full() *memory {
	stale := result(5)
	stale.Fresh = lobes.Fresh{Verdict: "stale", Days: 45}
	changed := result(6)
	changed.Fresh = lobes.Fresh{Verdict: "changed", Changes: []lobes.FreshChange{{File: "upload.go", What: "changed"}}}
	related := lobes.Related{ID: "gotcha-00000007", Lobe: "app", Topic: "gotchas", Title: "Alike", Excerpt: "Much the same.", Similarity: .5, Confidence: .7}
	return &memory{
		mode: lobes.Running,
		recorded: lobes.Recorded{
			Lobe: "app", Item: "item-1.json", State: lobes.MaterialQueued, Path: "/src/app/.git/memory/.inbox/item-1.json",
			Waits: "no model is here", Cut: true, Masked: []string{"token"}, Waiting: 2,
		},
		given: lobes.GivenFeedback{
			ID: "gotcha-00000001", Lobe: "app", Topic: "gotchas", Title: "Mine", Path: "/x/gotcha-00000001.md", Kind: "experience", Verdict: lobes.Counterexample,
			Effect: lobes.EffectCandidate, Status: "candidate", Proof: &lobes.Proof{Tasks: 1, Sessions: 1, Counter: 1, NeedTasks: 3, NeedSessions: 2},
			Masked: []string{"token"}, Warnings: []string{"without a task it does not count"},
		},
		answer: lobes.Answer{
			Lobes: []string{"app"}, Results: append(results(3), stale, changed), Total: 9, Omitted: 4, NotValid: 1, Held: 1, Hidden: 1, Branches: 1, Weak: 1,
			RankedBy: lobes.RankedByWords, Fallback: "any-word", Tags: tags(), Matched: []string{"uploads"}, Missing: []string{"arch-1"},
			Conflicts: []lobes.Conflict{{A: lobes.ConflictSide{ID: "a-1", Title: "Always"}, B: lobes.ConflictSide{ID: "b-2", Title: "Never"}, Similarity: .6, Doubtful: "b-2"}},
			Degraded:  []lobes.Health{{Name: "web", State: lobes.Degraded, Cause: "no such folder"}},
			Vanished:  []lobes.Vanished{{Lobe: "app", Dir: "/x", Count: 7}},
		},
		briefing: lobes.Briefing{
			Lobes: []string{"app", "global"}, Sections: []lobes.Section{{Topic: "gotchas", Lobe: "app", Results: results(3)}}, Entries: 12, Stale: 2,
			StaleFirst: []lobes.Result{stale, changed},
			Overrides:  []lobes.Override{{ID: "gotcha-00000001", Lobe: "app", Title: "Mine", Path: "/x/gotcha-00000001.md"}},
			Late:       []lobes.Override{{ID: "gotcha-00000002", Lobe: "app", Title: "Late", Path: "/x/gotcha-00000002.md"}},
			Objections: []lobes.Objection{{ID: "gotcha-00000003", Lobe: "app", Title: "Said", Verdict: lobes.Wrong, Note: "Not so.", Actor: "agent 1"}},
			Vanished:   []lobes.Vanished{{Lobe: "app", Dir: "/x", Count: 7}},
			Degraded:   []lobes.Health{{Name: "web", State: lobes.Degraded, Cause: "no such folder", Remedy: []string{"create it"}}},
			Moved:      []lobes.Moved{{Lobe: "web", Dir: "/old", Count: 4}},
			Held:       2, Tags: tags(),
		},
		remembered: lobes.Remembered{
			Stored: []lobes.Stored{stored(1), stored(2)}, Confirmed: []lobes.Stored{stored(3)}, Similar: []lobes.Related{related, related},
			Preferences: []lobes.Related{related}, Masked: []string{"aws access key"},
		},
		corrected: lobes.Corrected{
			ID: "gotcha-00000001", Lobe: "app", Topic: "gotchas", Title: "Title", Path: "/x/gotcha-00000001.md", Revision: "9f8e7d6c5b4a3928", Action: "replaced",
			Trust: "user", SuggestPreference: true, Adopted: true, Masked: []string{"jwt"}, Warnings: []string{"a warning"},
			Supersedes: "gotcha-00000009", ValidFrom: &noonTime, From: &lobes.Location{Lobe: "web", Topic: "general", Path: "/y"},
			Undone:  []lobes.Undone{{ID: "gotcha-00000003", Lobe: "app", Title: "Undone", Kind: "revised", Recorded: noon, Actor: "x", Gone: true, Changes: []string{"c1"}}},
			Skipped: []lobes.Skipped{{ID: "gotcha-00000004", Lobe: "app", Title: "Skipped", Actor: "y", Recorded: noon, Why: "it was changed since"}},
			Left:    []string{"copies of the folder"}, Erased: []string{"gotcha-00000001"},
		},
		chain: lobes.Chain{
			ID: "gotcha-00000001", Lobe: "app", State: lobes.StateBelieved, Entry: ptr(result(1)), Changes: someChanges(3, "revised"), Beside: someChanges(1, "late"),
			Ancestors: []lobes.Link{link("supersedes", "gotcha-00000008")}, Descendants: []lobes.Link{link("derived_from", "gotcha-00000009")}, Omitted: 1,
		},
		diff: lobes.Differences{
			Lobes: []string{"app"}, From: noon.AddDate(0, 0, -7), To: noon, Learned: someChanges(2, "learned"), Revised: someChanges(2, "revised"), Retracted: someChanges(1, "retracted"),
			Promoted: someChanges(1, "promoted"), Adopted: someChanges(1, "adopted"), Confirmed: 3, Passed: 1, Omitted: 2,
			Degraded: []lobes.Health{{Name: "web", State: lobes.Degraded, Cause: "no such folder"}},
		},
		timeline: lobes.Timeline{
			Lobes: []string{"app"}, Changes: someChanges(5, "revised"), Next: "cursor", Degraded: []lobes.Health{{Name: "web", State: lobes.Degraded, Cause: "no such folder"}},
		},
		forgotten: lobes.Forgotten{Lobes: []string{"app"}, Matches: someChanges(3, "revised"), Token: "t0k3n", Left: []string{"copies of the folder"}},
	}
}

func ptr[T any](v T) *T { return &v }

// journal holds one report that nobody was shown.
type journal struct{ shown bool }

func (j *journal) Guard(d crash.Doing, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &crash.Panicked{Report: crash.Report{Op: d.Op, Err: fmt.Sprint(v), Path: "/home/x/crashes/1.json"}}
		}
	}()
	return f()
}

func (j *journal) report() crash.Report {
	return crash.Report{ID: "1", When: noon, Kind: crash.KindKilled, Op: "open", Lobe: "app", Path: "/home/x/crashes/1.json", Remedy: []string{"check the last store"}, Shown: j.shown}
}

func (j *journal) Reports() ([]crash.Report, error) { return []crash.Report{j.report()}, nil }
func (j *journal) Latest() (crash.Report, bool, error) {
	return j.report(), !j.shown, nil
}
func (j *journal) MarkShown(crash.Report) error { j.shown = true; return nil }

func env(m *memory, f ops.Facts) *ops.Env {
	return &ops.Env{
		Current: func(context.Context) (ops.Memory, error) { return m, nil },
		Facts:   func() ops.Facts { return f },
		Now:     func() time.Time { return noon },
		By:      lobes.By{Actor: "claude-code 2.1", Session: "s1", Role: "assistant"},
		Dirs:    []string{"/src/app"},
	}
}

func ask(t *testing.T, e *ops.Env, op, args string) ops.Reply {
	t.Helper()
	r, fault := ops.Call(t.Context(), e, op, json.RawMessage(args))
	if fault != nil {
		t.Fatalf("%s(%s): %v", op, args, fault)
	}
	return r
}

func text(t *testing.T, e *ops.Env, op, args string) string {
	t.Helper()
	return ask(t, e, op, args).Text()
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in\n%s", p, text)
		}
	}
}
