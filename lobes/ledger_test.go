package lobes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/lobes"
)

// ledgers is a project that was written before, and the person's own store
// that was not.
func ledgers(t *testing.T) (*lobes.Set, lobes.Target, string) {
	t.Helper()
	top := t.TempDir()
	root, dir := filepath.Join(top, "root"), filepath.Join(top, "lobe")
	for _, d := range []string{root, dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	set := lobes.NewSet([]lobes.Spec{{Name: "app", Root: root, Dir: dir}, lobes.GlobalSpec(filepath.Join(top, "home"))}, lobes.Options{})
	return set, lobes.Target{Dirs: []string{root}}, dir
}

func ledger(t *testing.T, set *lobes.Set, to lobes.Target, who lobes.Session) *lobes.Ledger {
	t.Helper()
	l, err := set.Ledger(to, who)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestALedgerIsOfOneContext(t *testing.T) {
	set, to, dir := ledgers(t)
	one := lobes.Shown{Lobe: "app, the second", ID: "mem-00000001"}
	update := func(l *lobes.Ledger, f func(*lobes.LedgerPage)) {
		t.Helper()
		if err := l.Update(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	main := lobes.Session{ID: "s"}
	if l := ledger(t, set, to, main); l.Begun() || l.Read().Told(one) {
		t.Error("an empty ledger holds something")
	}
	if _, err := os.Stat(filepath.Join(dir, ".state")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made a folder: %v", err)
	}
	update(ledger(t, set, to, main), func(p *lobes.LedgerPage) {
		p.Tell(one)
		p.Mark("greeted")
		p.Follow("codex", "s", "/a path/with spaces.jsonl")
		p.Sweep(12)
	})
	p := ledger(t, set, to, main).Read()
	if !p.Told(one) || p.Marked("greeted").IsZero() || p.Marked("other") != (time.Time{}) {
		t.Errorf("the ledger forgot: %+v", p)
	}
	if want := (lobes.Transcript{Host: "codex", Session: "s", Path: "/a path/with spaces.jsonl", Swept: 12}); p.Transcript() != want {
		t.Errorf("the transcript is %+v", p.Transcript())
	}
	for _, other := range []lobes.Session{{ID: "t"}, {ID: "s", Agent: "a"}} {
		if ledger(t, set, to, other).Read().Told(one) {
			t.Errorf("%+v was told what another context was told", other)
		}
	}
	update(ledger(t, set, to, main), func(p *lobes.LedgerPage) { p.Clear() })
	if p := ledger(t, set, to, main).Read(); p.Told(one) || !p.Marked("greeted").IsZero() || p.Transcript().Swept != 12 {
		t.Errorf("after it was cleared: %+v", p)
	}
	update(ledger(t, set, to, main), func(p *lobes.LedgerPage) { p.Tell(lobes.Shown{Lobe: "x\nmark greeted 1", ID: "mem-1"}) })
	if p := ledger(t, set, to, main).Read(); !p.Marked("greeted").IsZero() {
		t.Error("the name of a lobe became a line")
	}
}

// Many processes at once tell a memory once.
func TestALedgerIsUpdatedByOneAtATime(t *testing.T) {
	set, to, _ := ledgers(t)
	var told sync.Map
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			l := ledger(t, set, to, lobes.Session{ID: "s"})
			for i := range 5 {
				m := lobes.Shown{Lobe: "app", ID: "mem-" + string(rune('a'+i))}
				first := false
				if err := l.Update(context.Background(), func(p *lobes.LedgerPage) {
					first = !p.Told(m)
					p.Tell(m)
				}); err != nil {
					t.Error(err)
				}
				if first {
					if _, twice := told.LoadOrStore(m, true); twice {
						t.Errorf("%v was told twice", m)
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestWhereThereIsNoLedger(t *testing.T) {
	set, to, dir := ledgers(t)
	if _, err := set.Ledger(to, lobes.Session{}); !errors.Is(err, lobes.ErrNoLedger) {
		t.Errorf("a session without a name: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Ledger(to, lobes.Session{ID: "s"}); !errors.Is(err, lobes.ErrNoLedger) {
		t.Errorf("where nothing was ever written: %v", err)
	}
	if err := set.Count(to, lobes.Use{Session: "s", Call: "memory_query"}); err != nil {
		t.Errorf("counting where nothing was ever written: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
	only := lobes.NewSet([]lobes.Spec{{Name: "app", Root: to.Dirs[0], Dir: dir}}, lobes.Options{ReadOnly: true})
	if _, err := only.Ledger(to, lobes.Session{ID: "s"}); !errors.Is(err, lobes.ErrNoLedger) {
		t.Errorf("read-only: %v", err)
	}
}

func TestUsageIsCounted(t *testing.T) {
	set, to, dir := ledgers(t)
	if err := os.Mkdir(filepath.Join(dir, ".state"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, u := range []lobes.Use{
		{Session: "a", Tokens: 120, Injected: []string{"mem-1", "mem-2"}},
		{Session: "a", Call: "memory_query", Opened: []string{"mem-1", "mem-9"}},
		{Session: "a", Call: "memory_query", Opened: []string{"mem-1"}},
		{Session: "a", Call: "memory_correct", Confirmed: []string{"mem-2"}},
		{Session: "b c\nd", Call: "memory_context"},
		{Call: "memory_query", Opened: []string{"mem-2"}}, // a host that does not tell the session
		{Session: "b", Tokens: 40, Injected: []string{"mem-1"}},
	} {
		if err := set.Count(to, u); err != nil {
			t.Fatal(err)
		}
	}
	all, err := set.Stats(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	u := all[0].Usage
	if u.Calls["memory_query"] != 3 || u.Calls["memory_correct"] != 1 || u.Tokens != 160 || u.Injections != 2 || u.Injected != 3 || u.Opened != 2 || u.Confirmed != 1 {
		t.Errorf("in all %+v", u)
	}
	by := map[string]lobes.SessionUsage{}
	for _, s := range u.Sessions {
		by[s.Session] = s
	}
	if a := by["a"]; a.Calls != 3 || a.Tokens != 120 || a.Injected != 2 || a.Opened != 1 || a.Confirmed != 1 {
		t.Errorf("session a: %+v", a)
	}
	if len(by) != 4 || by["bcd"].Calls != 1 || by[""].Calls != 1 {
		t.Errorf("sessions %+v", by)
	}

	// The log stays small, and keeps what is newest.
	long := strings.Repeat("mem-00000000 ", 2000)
	for range 30 {
		if err := set.Count(to, lobes.Use{Session: "z", Call: "memory_query", Opened: strings.Fields(long)}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, ".state", "usage"))
	if err != nil || info.Size() > 600<<10 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
}
