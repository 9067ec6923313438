package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"memory-mcp/llm/sidecar"
)

// program is a server that is none: a small state machine in its place.
type program struct {
	at   sidecar.Address
	done chan struct{}
	once sync.Once
	err  error
	last func() // what it does before anybody learns that it is gone; may be nil
}

func (p *program) Address() sidecar.Address { return p.at }
func (p *program) Done() <-chan struct{}    { return p.done }
func (p *program) Err() error               { return p.err }
func (p *program) Stop()                    { p.die(nil) }

func (p *program) die(err error) {
	p.once.Do(func() {
		if p.last != nil {
			p.last()
		}
		p.err = err
		close(p.done)
	})
}

func (p *program) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// launcher starts programs that take a second to answer, or fails.
type launcher struct {
	mu       sync.Mutex
	programs []*program
	fail     error
}

func (l *launcher) launch(ctx context.Context) (sidecar.Server, error) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		l.programs = append(l.programs, nil)
		return nil, l.fail
	}
	p := &program{at: sidecar.Address{URL: fmt.Sprintf("http://%d", len(l.programs))}, done: make(chan struct{})}
	l.programs = append(l.programs, p)
	return p, nil
}

func (l *launcher) all() []*program {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*program{}, l.programs...)
}

// supervised runs a test with a supervisor on a clock of its own.
func supervised(t *testing.T, o sidecar.Options, test func(t *testing.T, s *sidecar.Supervisor, l *launcher)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &launcher{}
		o.Launch = l.launch
		s := sidecar.New(o)
		ctx, stop := context.WithCancel(context.Background())
		over := make(chan struct{})
		go func() { s.Run(ctx); close(over) }()
		synctest.Wait()
		test(t, s, l)
		stop()
		<-over
		for i, p := range l.all() {
			if p != nil && !p.gone() {
				t.Errorf("program %d outlives its supervisor", i)
			}
		}
		if _, err := s.Wait(context.Background()); err == nil {
			t.Error("a supervisor that has ended lends")
		}
	})
}

func notReady(t *testing.T, err error, state string) {
	t.Helper()
	var e *sidecar.NotReadyError
	if !errors.As(err, &e) || e.State.Name != state {
		t.Errorf("error %v, want state %s", err, state)
	}
}

func TestBorrowNeverWaits(t *testing.T) {
	supervised(t, sidecar.Options{}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		before := time.Now()
		_, err := s.Borrow(t.Context())
		notReady(t, err, sidecar.Starting)
		if waited := time.Since(before); waited != 0 {
			t.Errorf("Borrow waited %v", waited)
		}
		time.Sleep(2 * time.Second)
		lease, err := s.Borrow(t.Context())
		if err != nil || lease.URL != "http://0" {
			t.Errorf("Borrow = %v, %v", lease, err)
		}
		lease.Return()
		lease.Return()
		if n := len(l.all()); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

// Before anybody runs the supervisor there is nothing to wait for.
func TestBorrowBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := time.Now()
		_, err := sidecar.New(sidecar.Options{}).Borrow(t.Context())
		notReady(t, err, sidecar.Idle)
		if waited := time.Since(before); waited != 0 {
			t.Errorf("Borrow waited %v", waited)
		}
	})
}

func TestManyWaitForOneStart(t *testing.T) {
	supervised(t, sidecar.Options{}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				lease, err := s.Wait(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				lease.Return()
			})
		}
		all.Wait()
		if n := len(l.all()); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestIdleProgramIsStopped(t *testing.T) {
	supervised(t, sidecar.Options{Idle: time.Minute}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		lease, err := s.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if l.all()[0].gone() {
			t.Fatal("a program in use was stopped")
		}
		lease.Return()
		time.Sleep(59 * time.Second)
		if l.all()[0].gone() {
			t.Fatal("it was stopped too early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !l.all()[0].gone() || s.State().Name != sidecar.Idle {
			t.Fatalf("it is still %s", s.State().Name)
		}
		if lease, err = s.Wait(t.Context()); err != nil || lease.URL != "http://1" {
			t.Errorf("after a rest: %v, %v", lease, err)
		}
	})
}

func TestProgramThatDiesIsStartedAgain(t *testing.T) {
	supervised(t, sidecar.Options{}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		lease, err := s.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.all()[0].die(errors.New("killed"))
		synctest.Wait()
		_, err = s.Borrow(t.Context())
		notReady(t, err, sidecar.Waiting)
		lease.Return()
		if lease, err = s.Wait(t.Context()); err != nil || lease.URL != "http://1" {
			t.Errorf("after a death: %v, %v", lease, err)
		}
	})
}

func TestThreeFailuresAreEnough(t *testing.T) {
	supervised(t, sidecar.Options{}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		l.fail = errors.New("no such model")
		before := time.Now()
		_, err := s.Wait(t.Context())
		notReady(t, err, sidecar.Off)
		if !errors.Is(err, l.fail) {
			t.Errorf("the error %v does not tell the cause", err)
		}
		// Three starts of a second, pauses of one and two seconds between.
		if took := time.Since(before); took != 6*time.Second {
			t.Errorf("gave up after %v", took)
		}
		time.Sleep(time.Hour)
		_, err = s.Borrow(t.Context())
		notReady(t, err, sidecar.Off)
		if n := len(l.all()); n != 3 {
			t.Errorf("%d starts", n)
		}
	})
}

// A program that worked for long may die now and then.
func TestDeathsFarApartAreForgiven(t *testing.T) {
	supervised(t, sidecar.Options{Idle: 24 * time.Hour}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		for i := range 10 {
			lease, err := s.Wait(t.Context())
			if err != nil {
				t.Fatalf("after %d deaths: %v", i, err)
			}
			lease.Return()
			time.Sleep(2 * time.Minute)
			l.all()[i].die(errors.New("killed"))
			synctest.Wait()
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	supervised(t, sidecar.Options{Idle: time.Minute}, func(t *testing.T, s *sidecar.Supervisor, l *launcher) {
		ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer stop()
		if _, err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %v", err)
		}
		// What was lent to the one who left came back: the program idles out.
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if !l.all()[0].gone() {
			t.Error("the loan of a caller who left was never given back")
		}
	})
}

func TestEndWhileStarting(t *testing.T) {
	supervised(t, sidecar.Options{}, func(t *testing.T, s *sidecar.Supervisor, _ *launcher) {
		_, err := s.Borrow(t.Context())
		notReady(t, err, sidecar.Starting)
	})
}
