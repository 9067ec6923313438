package sidecar

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// An Address is where a program answers, and the key that it asks for.
type Address struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// A Server is a program that runs and answers.
type Server interface {
	Address() Address
	// Done is closed when the program is gone, and Err tells how it ended.
	Done() <-chan struct{}
	Err() error
	// Stop ends it, and returns when it is gone.
	Stop()
}

// Options adjust a supervisor; Launch is required.
type Options struct {
	// Launch starts the program and returns when it answers. When ctx ends it
	// gives up, and leaves nothing behind.
	Launch func(ctx context.Context) (Server, error)
	Idle   time.Duration // without a use, after which it is stopped; 0 is 10 minutes
	Pause  time.Duration // before the second start after a failure, then doubled; 0 is a second
	Starts int           // that may fail in a row; 0 is 3
	// Steady is how long a program must live for its death to count as the
	// first failure of a row; 0 is a minute.
	Steady time.Duration
	Logger *slog.Logger // nil discards
}

// The names of a [State].
const (
	Idle     = "idle"     // not running: nobody needs it
	Starting = "starting" // not answering yet
	Ready    = "ready"
	Waiting  = "waiting" // it failed, and is started again after a pause
	Off      = "off"     // it failed too often, or the supervisor does not run
)

// A State is how a program is.
type State struct {
	Name     string
	Since    time.Time
	Failures int   // in a row
	Err      error // of the last failure
}

// A NotReadyError says that a program does not answer now.
type NotReadyError struct{ State State }

// Error tells the state, and why.
func (e *NotReadyError) Error() string {
	if e.State.Err == nil {
		return "the sidecar is " + e.State.Name
	}
	return fmt.Sprintf("the sidecar is %s after %d failures: %v", e.State.Name, e.State.Failures, e.State.Err)
}

// Unwrap gives the last failure.
func (e *NotReadyError) Unwrap() error { return e.State.Err }

// A Lease is the use of a running program until it is given back.
type Lease struct {
	Address
	// Return gives it back; calling it again does nothing.
	Return func()
}

type demand struct {
	wait  bool
	reply chan answer // has room for one
}

type answer struct {
	lease Lease
	err   error
}

// A Supervisor owns one program. It is safe for concurrent use.
type Supervisor struct {
	o        Options
	demands  chan demand
	returned chan struct{}
	begun    chan struct{} // closed when Run begins
	ended    chan struct{} // closed when Run has returned

	mu    sync.Mutex
	state State
}

// New returns a supervisor that starts nothing before [Supervisor.Run].
func New(o Options) *Supervisor {
	for at, standard := range map[*time.Duration]time.Duration{&o.Idle: 10 * time.Minute, &o.Pause: time.Second, &o.Steady: time.Minute} {
		if *at <= 0 {
			*at = standard
		}
	}
	if o.Starts <= 0 {
		o.Starts = 3
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Supervisor{
		o: o, demands: make(chan demand), returned: make(chan struct{}),
		begun: make(chan struct{}), ended: make(chan struct{}),
		state: State{Name: Idle, Since: time.Now()},
	}
}

// State tells how the program is.
func (s *Supervisor) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Borrow lends the program if it answers now; else it sees to its start and
// returns a [NotReadyError] at once.
func (s *Supervisor) Borrow(ctx context.Context) (Lease, error) { return s.ask(ctx, false) }

// Wait lends the program as soon as it answers. It fails when ctx ends or when
// the program stays off.
func (s *Supervisor) Wait(ctx context.Context) (Lease, error) { return s.ask(ctx, true) }

func (s *Supervisor) ask(ctx context.Context, wait bool) (Lease, error) {
	select {
	case <-s.begun:
	default:
		if !wait {
			return Lease{}, &NotReadyError{s.State()}
		}
	}
	d := demand{wait: wait, reply: make(chan answer, 1)}
	select {
	case s.demands <- d:
	case <-s.ended:
		return Lease{}, &NotReadyError{State{Name: Off, Err: errEnded}}
	case <-ctx.Done():
		return Lease{}, ctx.Err()
	}
	select {
	case a := <-d.reply:
		return a.lease, a.err
	case <-ctx.Done():
		// The loan may be on its way: it goes back.
		go func() {
			if a := <-d.reply; a.err == nil {
				a.lease.Return()
			}
		}()
		return Lease{}, ctx.Err()
	}
}

var errEnded = errors.New("its supervisor does not run")

// Run owns the program until ctx ends, and returns when it is gone. It is to
// be called once.
func (s *Supervisor) Run(ctx context.Context) {
	close(s.begun)
	r := &run{s: s, ctx: ctx, launched: make(chan launch, 1)}
	r.idle = time.NewTimer(s.o.Idle)
	r.idle.Stop()
	defer r.end()
	for {
		var gone <-chan struct{}
		if r.server != nil {
			gone = r.server.Done()
		}
		select {
		case <-ctx.Done():
			return
		case d := <-s.demands:
			r.demand(d)
		case l := <-r.launched:
			r.arrived(l)
		case <-gone:
			r.died()
		case <-r.retry:
			r.retry = nil
			r.settle()
		case <-s.returned:
			r.users--
			if r.users == 0 {
				r.idle.Reset(s.o.Idle)
			}
		case <-r.idle.C:
			if r.users == 0 && r.server != nil {
				r.server.Stop()
				r.server = nil
				r.settle()
			}
		}
	}
}

type launch struct {
	server Server
	err    error
}

// run is the state of one Run; only its goroutine touches it.
type run struct {
	s        *Supervisor
	ctx      context.Context
	server   Server // nil while it does not answer
	since    time.Time
	starting bool
	launched chan launch
	waiting  []demand
	users    int
	failures int
	err      error
	retry    <-chan time.Time // nil when a start need not wait
	idle     *time.Timer
}

func (r *run) off() bool { return r.failures >= r.s.o.Starts }

func (r *run) demand(d demand) {
	switch {
	case r.server != nil:
		r.lend(d)
		return
	case r.off():
	case !r.starting && r.retry == nil:
		r.start()
	}
	if d.wait && !r.off() {
		r.waiting = append(r.waiting, d)
		return
	}
	d.reply <- answer{err: &NotReadyError{r.s.State()}}
}

func (r *run) lend(d demand) {
	r.users++
	r.idle.Stop()
	var once sync.Once
	give := func() {
		once.Do(func() {
			select {
			case r.s.returned <- struct{}{}:
			case <-r.s.ended:
			}
		})
	}
	d.reply <- answer{lease: Lease{Address: r.server.Address(), Return: give}}
}

func (r *run) start() {
	r.starting = true
	r.settle()
	go func() {
		server, err := r.s.o.Launch(r.ctx)
		r.launched <- launch{server, err}
	}()
}

func (r *run) arrived(l launch) {
	r.starting = false
	if l.err != nil {
		r.failed(l.err)
		return
	}
	r.server, r.since = l.server, time.Now()
	r.settle()
	for _, d := range r.waiting {
		r.lend(d)
	}
	r.waiting = nil
	if r.users == 0 {
		r.idle.Reset(r.s.o.Idle)
	}
}

func (r *run) died() {
	err := r.server.Err()
	r.server = nil
	if time.Since(r.since) >= r.s.o.Steady {
		r.failures = 0
	}
	r.failed(err)
}

func (r *run) failed(err error) {
	r.failures++
	r.err = err
	r.s.o.Logger.Warn("sidecar", "failures", r.failures, "cause", err)
	if !r.off() {
		r.retry = time.After(r.s.o.Pause << (r.failures - 1))
	}
	r.settle()
}

// settle brings the told state up to date, and does what it calls for.
func (r *run) settle() {
	if len(r.waiting) > 0 && r.server == nil && !r.starting && r.retry == nil && !r.off() {
		r.start()
		return
	}
	name := Idle
	switch {
	case r.server != nil:
		name = Ready
	case r.starting:
		name = Starting
	case r.off():
		name = Off
	case r.retry != nil:
		name = Waiting
	}
	r.tell(name)
	if name != Off {
		return
	}
	for _, d := range r.waiting {
		d.reply <- answer{err: &NotReadyError{r.s.State()}}
	}
	r.waiting = nil
}

func (r *run) tell(name string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.s.state.Name != name {
		r.s.state.Since = time.Now()
	}
	r.s.state.Name, r.s.state.Failures, r.s.state.Err = name, r.failures, r.err
}

// end leaves nothing running and nobody waiting.
func (r *run) end() {
	r.idle.Stop()
	if r.starting {
		if l := <-r.launched; l.err == nil {
			r.server = l.server
		}
	}
	if r.server != nil {
		r.server.Stop()
	}
	r.err = errEnded
	r.tell(Off)
	for _, d := range r.waiting {
		d.reply <- answer{err: &NotReadyError{r.s.State()}}
	}
	close(r.s.ended)
}
