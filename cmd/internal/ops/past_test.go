package ops_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

func TestHistoryTakesTheActionFromTheArguments(t *testing.T) {
	for _, tt := range []struct {
		args string
		did  func(m *memory) bool
	}{
		{`"gotcha-00000001"`, func(m *memory) bool { return m.why == "gotcha-00000001" }},
		{`{"action":"provenance","id":"a"}`, func(m *memory) bool { return m.why == "a" }},
		{`{"since":"2026-11-23"}`, func(m *memory) bool {
			return m.window.Since.Equal(noon.AddDate(0, 0, -7).Add(-12*time.Hour)) && m.window.Limit > 0
		}},
		{`{"action":"diff"}`, func(m *memory) bool { return m.window.Since.Equal(noon.AddDate(0, 0, -7).Add(-12 * time.Hour)) }},
		{`{}`, func(m *memory) bool { return reflect.DeepEqual(m.window, lobes.Window{}) && m.calls == 1 }},
		{`{"action":"timeline","before":"yesterday","limit":5,"actor":"x","session":"s","topic":"gotcha","id":"a"}`, func(m *memory) bool {
			return reflect.DeepEqual(m.window, lobes.Window{Before: "2026-11-29T00:00:00Z", Limit: 5, Actor: "x", Session: "s", Topic: "gotchas", ID: "a"})
		}},
		{`{"before":"2026-11-29T00:00:00Z/k/a/app"}`, func(m *memory) bool { return m.window.Before == "2026-11-29T00:00:00Z/k/a/app" }},
		{`{"action":"asOf","at":"yesterday","filter":"deploys"}`, func(m *memory) bool {
			return m.query.Filter == "deploys" && m.query.AsOf.Format(time.DateOnly) == "2026-11-29" && m.query.At.IsZero()
		}},
		{`{"validAt":"2026-06-01"}`, func(m *memory) bool { return m.query.AsOf.IsZero() && m.query.At.Format(time.DateOnly) == "2026-06-01" }},
	} {
		m := full()
		text(t, env(m, ops.Facts{}), "memory_history", tt.args)
		if !tt.did(m) {
			t.Errorf("%s asked for %+v, %+v, %q", tt.args, m.window, m.query, m.why)
		}
	}
	for _, args := range []string{`{"action":"why"}`, `{"action":"as_of"}`, `{"action":"dance"}`, `{"since":"tomorrow"}`, `{"since":"2026-02-01","until":"2026-01-01"}`} {
		m := full()
		if _, fault := ops.Call(t.Context(), env(m, ops.Facts{}), "memory_history", json.RawMessage(args)); fault == nil || fault.Code != "bad_argument" || m.calls > 0 {
			t.Errorf("%s: %+v after %d calls", args, fault, m.calls)
		}
	}
}

// TestATimelineThatIsCutGoesOnWhereItEnded loses no change between two pages.
func TestATimelineThatIsCutGoesOnWhereItEnded(t *testing.T) {
	m := full()
	m.timeline.Changes, m.timeline.Next = someChanges(9, "revised"), ""
	r := ask(t, env(m, ops.Facts{}), "memory_history", `{"action":"timeline","maxTokens":400}`)
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Changes []lobes.Change
		Next    string
		Omitted int
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	n := len(got.Changes)
	if n == 0 || n == 9 || got.Omitted != 9-n || got.Next != m.timeline.Changes[n-1].Mark() {
		t.Errorf("%d changes, %d left out, next %q", n, got.Omitted, got.Next)
	}
	words := r.Text()
	shown := strings.Count(words, "- 2026-")
	has(t, words, fmt.Sprintf("before: %q", m.timeline.Changes[shown-1].Mark()))
}

func TestForgettingIsShownFirst(t *testing.T) {
	m := full()
	got := text(t, env(m, ops.Facts{}), "memory_correct", `{"action":"erase","session":"s1","since":"yesterday","preview":true}`)
	has(t, got, "PREVIEW, nothing was done. In lobe app this would erase 3 entries", `session: "s1"`, `since: "2026-11-29T00:00:00Z"`, `apply: true, token: "t0k3n"`, "NOT REACHED: copies of the folder")
	if f := m.forgetting; f.Apply || !f.Erase || f.Session != "s1" {
		t.Errorf("asked %+v", f)
	}
	m.forgotten.Applied, m.forgotten.Erased = true, []string{"gotcha-00000000"}
	got = text(t, env(m, ops.Facts{}), "memory_correct", `{"action":"erase","session":"s1","apply":true,"token":"t0k3n"}`)
	has(t, got, "Erased in lobe app", "gotcha-00000000")
	if f := m.forgetting; !f.Apply || f.Token != "t0k3n" {
		t.Errorf("asked %+v", f)
	}
	for _, args := range []string{`{"action":"erase","session":"s1","apply":true}`, `{"action":"erase"}`, `{"session":"s1"}`, `{"action":"replace","session":"s1","correction":"x"}`} {
		m := full()
		if _, fault := ops.Call(t.Context(), env(m, ops.Facts{}), "memory_correct", json.RawMessage(args)); fault == nil || m.calls > 0 {
			t.Errorf("%s: %+v after %d calls", args, fault, m.calls)
		}
	}
}

// TestASecretInADifferenceIsMasked also where the difference cuts it in two.
func TestASecretInADifferenceIsMasked(t *testing.T) {
	m := full()
	m.diff.Revised = someChanges(1, "revised")
	m.diff.Revised[0].Words = []textanalysis.Piece{
		{What: textanalysis.Same, Text: "use " + awsKey[:12]}, {What: textanalysis.Removed, Text: "x"}, {What: textanalysis.Added, Text: awsKey[12:]},
	}
	r := ask(t, env(m, ops.Facts{}), "memory_history", `{"action":"diff"}`)
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Text() + string(b); strings.Contains(got, awsKey[12:]) {
		t.Errorf("a key is shown:\n%s", got)
	}
}

func TestPastStructures(t *testing.T) {
	for _, tt := range []struct {
		args string
		keys []string
	}{
		{`{"action":"why","id":"a"}`, []string{"entry", "ancestors", "descendants", "changes", "as_of", "valid_at"}},
		{`{"action":"diff"}`, []string{"learned", "revised", "retracted", "promoted", "adopted", "from", "to", "as_of"}},
		{`{"action":"timeline"}`, []string{"changes", "next", "as_of"}},
		{`{"action":"as_of","at":"yesterday"}`, []string{"results", "as_of", "valid_at"}},
	} {
		b, err := ask(t, env(full(), ops.Facts{}), "memory_history", tt.args).JSON()
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(b, &keys); err != nil {
			t.Fatal(err)
		}
		for _, k := range tt.keys {
			if _, ok := keys[k]; !ok {
				t.Errorf("%s has no %s: %s", tt.args, k, b)
			}
		}
		checkSnakeCase(t, tt.args, keys)
	}
}

// TestFullDetailTellsWhatGitKnows: of a cited file that is not what it was.
func TestFullDetailTellsWhatGitKnows(t *testing.T) {
	m := full()
	m.answer.Results[4].Fresh.Changes = []lobes.FreshChange{{File: "upload.go", What: "gone", Commits: 2, Subject: "rename upload", Renamed: "send.go"}}
	want := "gone: upload.go, 2 commits since, the last: rename upload, now send.go\n"
	if got := text(t, env(m, ops.Facts{}), "memory_query", `{"filter":"f","detail":"full","maxTokens":4000}`); !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

func TestWhatAnUndoProposesCanBeDone(t *testing.T) {
	m := full()
	m.corrected.Action = "undone"
	for gone, want := range map[bool]string{true: `memory_correct(id: "gotcha-00000001", action: "restore"`, false: "One more undo takes back the change before."} {
		m.corrected.Undone[0].Gone = gone
		if got := text(t, env(m, ops.Facts{}), "memory_correct", `{"id":"gotcha-00000001","action":"undo"}`); !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestWhatLiesBesideIsSettledByACall(t *testing.T) {
	want := `What holds settles it: memory_correct(id: "gotcha-00000001", action: "confirm"), or memory_correct(id: "gotcha-00000001", action: "replace", correction: "the text that holds")`
	if got := text(t, env(full(), ops.Facts{}), "memory_history", `{"action":"why","id":"gotcha-00000001"}`); !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

func TestAPreviewDoesNotSpeakAsIfItWereDone(t *testing.T) {
	m := full()
	m.corrected.Preview, m.corrected.Action = true, "erased"
	got := text(t, env(m, ops.Facts{}), "memory_correct", `{"id":"gotcha-00000001","action":"erase","preview":true}`)
	if !strings.Contains(got, "These would go from files and history for good: gotcha-00000001.") || strings.Contains(got, "Nothing of it is left") {
		t.Error(got)
	}
}

// TestAnErrorShowsACallOfItsOwn: what went wrong in forgetting is answered with
// a call that forgets.
func TestAnErrorShowsACallOfItsOwn(t *testing.T) {
	for args, want := range map[string]string{
		`{"action":"delete","since":"2099-01-01"}`:                `memory_correct(action: "delete", since: "yesterday")`,
		`{"action":"delete","session":"s","apply":true}`:          `memory_correct(action: "delete", session: "s-42")`,
		`{"action":"erase","since":"today","until":"2020-01-01"}`: `memory_correct(action: "delete", since: "yesterday")`,
	} {
		if _, fault := ops.Call(t.Context(), env(full(), ops.Facts{}), "memory_correct", json.RawMessage(args)); fault == nil || !strings.Contains(fault.Error(), want) {
			t.Errorf("%s: %q is missing in\n%v", args, want, fault)
		}
	}
}

func TestABriefingTellsWhatAnotherCopyDid(t *testing.T) {
	m := full()
	m.briefing.Late = []lobes.Override{
		{ID: "gotcha-00000002", Lobe: "app", Title: "Port", Path: "/x/gotcha-00000002.md", Twin: true, Actor: "other 1.2"},
		{ID: "gotcha-00000003", Lobe: "app", Title: "Clock", Path: "/x/gotcha-00000003.md", Twin: true, Gone: true},
	}
	has(t, text(t, env(m, ops.Facts{}), "memory_context", `{"maxTokens":3000}`),
		`CONFLICT: another copy of the folder has changed gotcha-00000002 "Port", too, by other 1.2. Both texts: memory_history(action: "why", id: "gotcha-00000002", lobe: "app"). What holds settles it: memory_correct(id: "gotcha-00000002", action: "confirm"), or memory_correct(id: "gotcha-00000002", action: "replace"`,
		`has deleted gotcha-00000003 "Clock", too.`)
}
