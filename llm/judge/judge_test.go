package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/llm"
	"memory-mcp/llm/judge"
)

// script chooses by what was written down, a line for each question.
type script struct {
	choices []judge.Choice
	err     error
	asked   []judge.Question
}

func (s *script) Name() string { return "script" }

func (s *script) Choose(_ context.Context, q judge.Question) (judge.Choice, error) {
	s.asked = append(s.asked, q)
	if s.err != nil {
		return judge.Choice{}, s.err
	}
	c := s.choices[min(len(s.asked), len(s.choices))-1]
	return c, nil
}

func sides() (a, b judge.Side) {
	day := time.Date(2026, 6, 9, 23, 30, 0, 0, time.UTC)
	return judge.Side{ID: "arch-1", Revision: "aa", Text: "deploys via Heroku", Created: day, Project: "acme", Conditions: []string{"os: linux"}},
		judge.Side{ID: "arch-2", Revision: "bb", Text: "deploys via Fly.io", Created: day.AddDate(0, 0, 7), Project: "acme"}
}

func TestVerdicts(t *testing.T) {
	type choices = []judge.Choice
	relation := (*judge.Judge).Relation
	procedure := (*judge.Judge).Procedure
	project := (*judge.Judge).Project
	for _, c := range []struct {
		name string
		ask  func(*judge.Judge, context.Context, judge.Side, judge.Side) (judge.Verdict, error)
		says choices
		want judge.Verdict
	}{
		{"same procedure", procedure, choices{{"same_procedure", .75}}, judge.Together},
		{"perhaps the same procedure", procedure, choices{{"same_procedure", .74}}, judge.Nothing},
		{"another procedure", procedure, choices{{"different", 1}}, judge.Nothing},
		{"contradiction, twice", relation, choices{{"contradiction", .6}, {"conflict", .6}}, judge.Review},
		{"contradiction, once", relation, choices{{"contradiction", .9}, {"both_can_hold", .9}}, judge.Nothing},
		{"contradiction, hardly", relation, choices{{"contradiction", .9}, {"conflict", .5}}, judge.Nothing},
		{"perhaps a contradiction", relation, choices{{"contradiction", .5}, {"conflict", 1}}, judge.Nothing},
		{"a newer value", relation, choices{{"newer_value_supersedes", .6}}, judge.Older},
		{"perhaps a newer value", relation, choices{{"newer_value_supersedes", .5}}, judge.Nothing},
		{"compatible", relation, choices{{"compatible", 1}}, judge.Nothing},
		{"one project", project, choices{{"same_project", .8}}, judge.Together},
		{"perhaps one project", project, choices{{"same_project", .79}}, judge.Nothing},
	} {
		a, b := sides()
		if got, err := c.ask(judge.New(&script{choices: c.says}), t.Context(), a, b); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	a, b := sides()
	b.Created = a.Created
	got, err := judge.New(&script{choices: choices{{"newer_value_supersedes", 1}}}).Relation(t.Context(), a, b)
	if err != nil || got != judge.Nothing {
		t.Errorf("of two of one age one is older: %q, %v", got, err)
	}
}

func TestVerdictsAreRemembered(t *testing.T) {
	s := &script{choices: []judge.Choice{{Option: "same_procedure", Confidence: 1}}}
	j := judge.New(s)
	a, b := sides()
	ask := func(a, b judge.Side) {
		t.Helper()
		if v, err := j.Procedure(t.Context(), a, b); err != nil || v != judge.Together {
			t.Errorf("%q, %v", v, err)
		}
	}
	ask(a, b)
	ask(b, a)
	if len(s.asked) != 1 {
		t.Errorf("asked %d times", len(s.asked))
	}
	b.Revision = "cc"
	ask(a, b)
	if calls, fails := j.Counts(); len(s.asked) != 2 || calls != 2 || fails != 0 {
		t.Errorf("asked %d times, counted %d and %d", len(s.asked), calls, fails)
	}
}

// An error is no verdict, and is not remembered as one.
func TestErrorsAreNoVerdict(t *testing.T) {
	s := &script{err: errors.New("down"), choices: []judge.Choice{{Option: "same_procedure", Confidence: 1}}}
	j := judge.New(s)
	a, b := sides()
	if v, err := j.Procedure(t.Context(), a, b); !errors.Is(err, s.err) || v != judge.Nothing {
		t.Errorf("%q, %v", v, err)
	}
	s.err = nil
	if v, err := j.Procedure(t.Context(), a, b); err != nil || v != judge.Together {
		t.Errorf("%q, %v", v, err)
	}
	if _, fails := j.Counts(); fails != 1 {
		t.Errorf("%d failures are counted", fails)
	}
}

// What leaves is the text, its conditions, the day and the project's name.
func TestWhatLeaves(t *testing.T) {
	s := &script{choices: []judge.Choice{{Option: "compatible", Confidence: 1}}}
	a, b := sides()
	if _, err := judge.New(s).Relation(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	if got, want := s.asked[0].A, "project: acme\nwritten: 2026-06-09\nholds under: os: linux\ndeploys via Heroku"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	a.Text = strings.Repeat("字", 5000)
	if _, err := judge.New(s).Project(t.Context(), a, b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.asked[1].A, "字"); n != 800 {
		t.Errorf("%d characters of a project's notes are told", n)
	}
}

type asker struct{ text string }

func (a asker) Ask(context.Context, llm.Question) (llm.Reply, error) {
	return llm.Reply{Text: a.text}, nil
}

func TestModel(t *testing.T) {
	q := judge.Question{Ask: "?", Options: []string{"yes", "no"}}
	for text, ok := range map[string]bool{
		`{"option":"yes","confidence":0.5}`: true, `{"option":"maybe","confidence":0.5}`: false, `{"option":"yes"}`: false,
		`{"option":"yes","confidence":7}`: false, `{"option":1,"confidence":0.5}`: false,
	} {
		c, err := judge.Model("m", asker{text}).Choose(t.Context(), q)
		if (err == nil) != ok || ok && (c != judge.Choice{Option: "yes", Confidence: .5}) {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
}

func TestService(t *testing.T) {
	var sent map[string]any
	status, answer := http.StatusOK, `{"option":"yes","confidence":0.9,"usage":{"total_tokens":11}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(b, &sent)
		}
		if err != nil || r.URL.Path != "/v1/systemone" || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("asked %s: %v", r.URL.Path, err)
		}
		w.WriteHeader(status)
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	client, err := llm.New(llm.Endpoint{URL: server.URL + "/v1", Key: "k", Model: "jev"}, llm.Options{Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	q := judge.Question{Ask: "?", Options: []string{"yes", "no"}, A: "a", B: "b"}
	c, err := judge.Service("jev", client).Choose(t.Context(), q)
	if err != nil || c.Option != "yes" || c.Confidence != .9 {
		t.Errorf("%v, %v", c, err)
	}
	keys := []string{}
	for key := range sent {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if want := []string{"model", "options", "question", "records"}; !slices.Equal(keys, want) {
		t.Errorf("sent %v", keys)
	}
	for _, bad := range []string{`{"option":"perhaps","confidence":1}`, `{"option":"yes"}`, `[]`} {
		answer = bad
		if c, err := judge.Service("jev", client).Choose(t.Context(), q); err == nil {
			t.Errorf("%s gives %v", bad, c)
		}
	}
	status = 529
	var refused *llm.StatusError
	if _, err := judge.Service("jev", client).Choose(t.Context(), q); !errors.As(err, &refused) {
		t.Errorf("an overloaded service gives %v", err)
	}
}
