package main_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ask calls for JSON, and reads it.
func ask[T any](s *session, tool string, args map[string]any) T {
	s.t.Helper()
	args["format"], args["maxTokens"] = "json", 20000
	var answer T
	raw := s.want(tool, args)
	if err := json.Unmarshal([]byte(raw), &answer); err != nil {
		s.t.Fatalf("%s(%v): %v in %s", tool, args, err, raw)
	}
	return answer
}

// now is a moment between two calls.
func now() string {
	time.Sleep(5 * time.Millisecond)
	at := time.Now().UTC().Format(time.RFC3339Nano)
	time.Sleep(5 * time.Millisecond)
	return at
}

// foundAnswer is what a search gives.
type foundAnswer struct {
	Results []struct{ ID, Title, Content, Excerpt string }
	AsOf    string `json:"as_of"`
	ValidAt string `json:"valid_at"`
}

// changeAnswer is one change of a history.
type changeAnswer struct {
	ID, Kind, Title, Actor, Reason, Session string
	Recorded                                time.Time
	Words                                   []struct{ What, Text string }
}

// TestTheWorkedExample is an agent that learns where a project deploys, and
// later that it had moved: asked as of both times, why, and what changed.
func TestTheWorkedExample(t *testing.T) {
	w := newWorld(t)
	s := w.connect(w.repository)
	old := ask[storedAnswer](s, "memory_store", map[string]any{
		"content": "The project acme deploys via Heroku.", "title": "Where acme deploys", "topic": "decisions", "quote": "we use Heroku", "sources": "go.mod",
	}).Stored[0]
	before := now()
	revised := ask[struct {
		ID, Supersedes string
		ValidFrom      time.Time `json:"valid_from"`
	}](s, "memory_correct", map[string]any{
		"id": old.ID, "action": "supersede", "correction": "The project acme deploys via Fly.io.", "validFrom": "2026-06-01", "reason": "the team moved",
	})
	if revised.Supersedes != old.ID || revised.ID == old.ID || revised.ValidFrom.IsZero() {
		t.Fatalf("superseded %+v", revised)
	}

	present := ask[foundAnswer](s, "memory_query", map[string]any{"filter": "deploys", "detail": "full"})
	if len(present.Results) != 1 || present.Results[0].ID != revised.ID || !strings.Contains(present.Results[0].Content, "Fly.io") {
		t.Errorf("now it is %+v", present)
	}
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"memory_query", map[string]any{"filter": "deploys", "detail": "full", "asOf": before}},
		{"memory_query", map[string]any{"id": old.ID, "as_of": before}},
		{"memory_context", map[string]any{"context": "where does acme deploy", "detail": "full", "at": before}},
		{"memory_history", map[string]any{"action": "as_of", "at": before, "query": "deploys", "detail": "full"}},
		{"memory_query", map[string]any{"filter": "deploys", "detail": "full", "validAt": "2026-05-01"}},
	} {
		was := ask[foundAnswer](s, call.tool, call.args)
		if len(was.Results) != 1 || was.Results[0].ID != old.ID || !strings.Contains(was.Results[0].Content, "Heroku") || was.AsOf == "" || was.ValidAt == "" {
			t.Errorf("%s(%v) gives %+v", call.tool, call.args, was)
		}
	}

	why := ask[struct {
		Entry                  struct{ ID string }
		Ancestors, Descendants []struct {
			ID, Relation, Actor, Quote string
			Sources                    []string
		}
		Changes []changeAnswer
	}](s, "memory_history", map[string]any{"id": revised.ID})
	if why.Entry.ID != revised.ID || len(why.Ancestors) != 1 || why.Ancestors[0].ID != old.ID || why.Ancestors[0].Quote != "we use Heroku" || why.Ancestors[0].Actor != "tester 7" {
		t.Errorf("why: %+v", why)
	}
	if len(why.Changes) != 1 || why.Changes[0].Reason != "the team moved" {
		t.Errorf("its changes are %+v", why.Changes)
	}
	diff := ask[struct{ Learned, Revised, Retracted, Promoted, Adopted []changeAnswer }](s, "memory_history", map[string]any{"action": "diff", "since": before})
	if len(diff.Revised) != 1 || diff.Revised[0].ID != revised.ID || !said(diff.Revised[0], "removed", "Heroku") || !said(diff.Revised[0], "added", "Fly") {
		t.Errorf("diff: %+v", diff)
	}
	timeline := ask[struct {
		Changes []changeAnswer
		Next    string
	}](s, "memory_history", map[string]any{"action": "timeline", "limit": 2})
	if len(timeline.Changes) != 2 || timeline.Next == "" {
		t.Errorf("timeline: %+v", timeline)
	}
	s.want("memory_history", map[string]any{"action": "timeline", "before": timeline.Next}, old.ID)
}

func said(c changeAnswer, what, text string) bool {
	for _, w := range c.Words {
		if w.What == what && strings.Contains(w.Text, text) {
			return true
		}
	}
	return false
}

// TestCorrectedByToolAndByHand is a new user's way through the history: a
// memory is corrected three times by tool and once in an editor, asked what it
// was before each, taken back by session, and erased.
func TestCorrectedByToolAndByHand(t *testing.T) {
	w := newWorld(t)
	s := w.connect(w.repository)
	one := ask[storedAnswer](s, "memory_store", map[string]any{"content": "The gateway listens on port 1001, zebrafish.", "title": "Gateway port", "topic": "architecture"}).Stored[0]
	times := []string{now()}
	for _, port := range []string{"1002", "1003", "1004"} {
		s.want("memory_correct", map[string]any{"id": one.ID, "action": "replace", "correction": "The gateway listens on port " + port + ", zebrafish."}, one.ID)
		times = append(times, now())
	}
	text, err := os.ReadFile(one.Path)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the clock of files ticks that seldom, and may lag behind ours
	w.write(one.Path, strings.ReplaceAll(string(text), "1004", "1005"))
	time.Sleep(20 * time.Millisecond)
	times = append(times, now())
	for i, at := range times {
		want := "port 100" + string(rune('1'+i))
		s.want("memory_query", map[string]any{"id": one.ID, "asOf": at}, want)
	}
	s.want("memory_history", map[string]any{"id": one.ID}, "by outside", "[-1004-]{+1005+}")
	if text, bad := s.call("memory_query", map[string]any{"id": one.ID, "asOf": "3 days ago"}); !bad || !strings.Contains(text, "nothing was believed") {
		t.Errorf("before it was known: %s", text)
	}

	why := ask[struct{ Changes []struct{ Key string } }](s, "memory_history", map[string]any{"id": one.ID})
	_, second, _ := strings.Cut(why.Changes[1].Key, "-")
	s.want("memory_correct", map[string]any{"id": one.ID, "action": "erase", "revision": second}, "Erased the content of revision "+second)
	if held := holds(t, filepath.Join(w.repository, ".git", "memory"), "1002"); len(held) > 0 {
		t.Errorf("the erased state is still in %v", held)
	}
	for i, at := range times {
		if i != 1 {
			s.want("memory_query", map[string]any{"id": one.ID, "asOf": at}, "port 100"+string(rune('1'+i)))
		} else if text, bad := s.call("memory_query", map[string]any{"id": one.ID, "asOf": at}); !bad || !strings.Contains(text, "was erased") {
			t.Errorf("as of what was erased: %s", text)
		}
	}
	s.want("memory_history", map[string]any{"id": one.ID}, "its content was erased at", "by outside", "[-1004-]{+1005+}")
	s.want("memory_query", map[string]any{"filter": "gateway", "asOf": times[1]}, "of which it was erased what was believed then")

	time.Sleep(2 * time.Second) // the editor is done with the file
	s.want("memory_correct", map[string]any{"id": one.ID, "action": "undo"}, "Undone", one.ID)
	s.want("memory_query", map[string]any{"id": one.ID}, "port 1004")
	preview := ask[struct{ Token string }](s, "memory_correct", map[string]any{"action": "erase", "actor": "tester"})
	if text, bad := s.call("memory_correct", map[string]any{"action": "erase", "actor": "tester", "apply": true}); !bad || !strings.Contains(text, "token") {
		t.Errorf("erased without a token: %s", text)
	}
	s.want("memory_correct", map[string]any{"action": "erase", "actor": "tester", "apply": true, "token": preview.Token}, "Erased", one.ID, "NOT REACHED")
	if held := holds(t, filepath.Join(w.repository, ".git", "memory"), "zebrafish"); len(held) > 0 {
		t.Errorf("the words are still in %v", held)
	}
	if text, bad := s.call("memory_query", map[string]any{"id": one.ID, "asOf": times[2]}); !bad || strings.Contains(text, "1003") {
		t.Errorf("erased and still there: %s", text)
	}
}

// holds are the files below a folder that hold the words.
func holds(t *testing.T, dir, words string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(words)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
