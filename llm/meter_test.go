package llm_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/llm"
)

func TestDaily(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 0, 0, 0, time.Local)
	clock := func() time.Time { return now }
	path := filepath.Join(t.TempDir(), "calls", "generation.json")
	one := &llm.Daily{Path: path, MaxCalls: 3, MaxTokens: 100, Now: clock}
	other := &llm.Daily{Path: path, MaxCalls: 3, MaxTokens: 100, Now: clock}
	if c := one.Today(); c != (llm.Count{Day: "2026-11-30"}) || one.Spent() != nil {
		t.Errorf("at first %+v, %v", c, one.Spent())
	}
	for _, d := range []*llm.Daily{one, other, one} {
		if err := d.Allow(); err != nil {
			t.Fatal(err)
		}
	}
	one.Used(40, nil)
	other.Used(20, errors.New("it failed"))
	want := llm.Count{Day: "2026-11-30", Calls: 3, Failed: 1, Tokens: 60, Error: "it failed"}
	if c := other.Today(); c != want {
		t.Errorf("counted %+v, want %+v", c, want)
	}
	var spent *llm.SpentError
	if err := other.Allow(); !errors.As(err, &spent) || spent.Calls != 3 || !spent.Until.Equal(now.Add(time.Hour)) || other.Today() != want {
		t.Errorf("a call too many: %v, %+v", err, other.Today())
	}
	now = now.Add(2 * time.Hour)
	if err := one.Allow(); err != nil || one.Today().Calls != 1 {
		t.Errorf("the next day: %v, %+v", err, one.Today())
	}
	if said := (&llm.SpentError{Calls: 3, Tokens: 60, MaxCalls: 3}).Error(); !strings.HasSuffix(said, "3 calls of 3, 60 tokens") {
		t.Errorf("without a ceiling of tokens: %s", said)
	}
	one.Used(100, nil)
	if err := one.Allow(); !errors.As(err, &spent) || spent.Tokens != 100 {
		t.Errorf("tokens too many: %v", err)
	}
}

// A count that cannot be written keeps no ceiling, so it allows nothing.
func TestDailyThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &llm.Daily{Path: filepath.Join(file, "generation.json")}
	if err := d.Allow(); err == nil || !strings.Contains(err.Error(), "count the calls") {
		t.Errorf("allowed: %v", err)
	}
	path := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = &llm.Daily{Path: path}
	if err := d.Allow(); err != nil || d.Today().Calls != 1 {
		t.Errorf("a broken count: %v, %+v", err, d.Today())
	}
}

func TestDailyCountsAll(t *testing.T) {
	const callers, calls = 4, 20
	path := filepath.Join(t.TempDir(), "generation.json")
	var all sync.WaitGroup
	for range callers {
		d := &llm.Daily{Path: path, MaxCalls: callers*calls - 1}
		all.Go(func() {
			for range calls {
				var spent *llm.SpentError
				if err := d.Allow(); err != nil && !errors.As(err, &spent) {
					t.Error(err)
				}
				d.Used(1, nil)
			}
		})
	}
	all.Wait()
	if c := (&llm.Daily{Path: path}).Today(); c.Calls != callers*calls-1 || c.Tokens != callers*calls {
		t.Errorf("counted %+v", c)
	}
}
