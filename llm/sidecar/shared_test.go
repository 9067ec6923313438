package sidecar_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"memory-mcp/llm/sidecar"
)

// machine is what the processes of one machine have in common.
type machine struct {
	dir     string
	starts  atomic.Int32
	running atomic.Int32 // servers at this moment
	dead    atomic.Bool  // servers do not answer others
}

func (m *machine) launch(context.Context) (sidecar.Server, error) {
	m.starts.Add(1)
	if m.running.Add(1) > 1 {
		return nil, errors.New("a second server of the machine")
	}
	// Counted before it is told to be gone: the lock is free right after, and the
	// next one may start.
	last := func() { m.running.Add(-1) }
	return &program{at: sidecar.Address{URL: "http://one", Key: "k"}, done: make(chan struct{}), last: last}, nil
}

func (m *machine) share() func(context.Context) (sidecar.Server, error) {
	return sidecar.Shared(m.kind())
}

func (m *machine) kind() sidecar.Share {
	return sidecar.Share{
		Dir: m.dir, Name: "chat", Launch: m.launch, Every: 10 * time.Millisecond,
		Alive: func(_ context.Context, at sidecar.Address) error {
			if m.dead.Load() || at.Key != "k" {
				return errors.New("no answer")
			}
			return nil
		},
	}
}

func launched(t *testing.T, m *machine) sidecar.Server {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	s, err := m.share()(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOneServerOfAMachine(t *testing.T) {
	m := &machine{dir: filepath.Join(t.TempDir(), "side cars")}
	owner := launched(t, m)
	guest := launched(t, m)
	if n := m.starts.Load(); n != 1 || guest.Address() != owner.Address() {
		t.Fatalf("%d starts, addresses %v and %v", n, owner.Address(), guest.Address())
	}
	info, err := os.Stat(filepath.Join(m.dir, "chat.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the record with the key: %v, %v", info, err)
	}
	guest.Stop()
	if m.running.Load() != 1 || owner.Err() != nil {
		t.Error("a guest that leaves takes the server with it")
	}
	guest = launched(t, m)
	owner.Stop()
	if _, err := os.Stat(filepath.Join(m.dir, "chat.json")); !os.IsNotExist(err) {
		t.Errorf("the record stays: %v", err)
	}
	m.dead.Store(true)
	<-guest.Done()
	if guest.Err() == nil {
		t.Error("a guest whose server is gone tells no cause")
	}
	m.dead.Store(false)
	next := launched(t, m)
	if n := m.starts.Load(); n != 2 {
		t.Errorf("%d starts", n)
	}
	next.Stop()
}

// What a killed owner has left behind is not believed.
func TestRecordWithoutOwner(t *testing.T) {
	m := &machine{dir: t.TempDir()}
	for name, text := range map[string]string{"of the dead": `{"pid":1,"url":"http://gone","key":"k"}`, "cut": `{"pid"`, "empty": ""} {
		if err := os.WriteFile(filepath.Join(m.dir, "chat.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := launched(t, m)
		if got := s.Address().URL; got != "http://one" {
			t.Errorf("a record %s leads to %s", name, got)
		}
		s.Stop()
	}
}

func TestServerThatCannotStartFreesTheLock(t *testing.T) {
	m := &machine{dir: t.TempDir()}
	m.running.Store(1)
	for range 2 {
		if _, err := m.share()(t.Context()); err == nil {
			t.Fatal("no error")
		}
		m.running.Store(1)
	}
	m.running.Store(0)
	launched(t, m).Stop()
}

// While the owner is starting, others wait; they give up when told to.
func TestGuestGivesUp(t *testing.T) {
	m := &machine{dir: t.TempDir()}
	owner := launched(t, m)
	defer owner.Stop()
	m.dead.Store(true)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := m.share()(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("launch = %v", err)
	}
}

// Who starts nothing finds what runs, and leaves no trace where nothing does.
func TestRunning(t *testing.T) {
	m := &machine{dir: filepath.Join(t.TempDir(), "none")}
	nothing := func(when string) {
		t.Helper()
		if at, err := m.kind().Running(t.Context()); err == nil {
			t.Errorf("%s: found %v", when, at)
		}
	}
	nothing("before any start")
	if _, err := os.Stat(m.dir); !os.IsNotExist(err) {
		t.Errorf("looking made a folder: %v", err)
	}
	owner := launched(t, m)
	if at, err := m.kind().Running(t.Context()); err != nil || at != owner.Address() {
		t.Errorf("found %v, %v, not %v", at, err, owner.Address())
	}
	record, err := os.ReadFile(filepath.Join(m.dir, "chat.json"))
	if err != nil {
		t.Fatal(err)
	}
	m.dead.Store(true)
	nothing("while it does not answer")
	m.dead.Store(false)
	owner.Stop()
	nothing("after its end")
	if err := os.WriteFile(filepath.Join(m.dir, "chat.json"), record, 0o600); err != nil {
		t.Fatal(err)
	}
	nothing("with the record of an owner that was killed")
	if n := m.starts.Load(); n != 1 {
		t.Errorf("%d starts", n)
	}
}

// The record of an owner that was killed led others to whoever had its port,
// while the next owner's server was starting.
func TestARecordLeftBehindLeadsNobody(t *testing.T) {
	m := &machine{dir: t.TempDir()}
	path := filepath.Join(m.dir, "chat.json")
	if err := os.WriteFile(path, []byte(`{"pid":1,"url":"http://thief","key":"k"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	kind := m.kind()
	kind.Launch = func(ctx context.Context) (sidecar.Server, error) {
		if at, err := kind.Running(ctx); err == nil {
			t.Errorf("led to %v while the server starts", at)
		}
		return m.launch(ctx)
	}
	s, err := sidecar.Shared(kind)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
}
