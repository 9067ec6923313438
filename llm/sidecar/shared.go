package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A Share makes all processes of a machine use one server of a kind.
type Share struct {
	Dir  string // absolute; made when needed, for this user alone
	Name string // of the kind, as a file's name
	// Launch starts the server when no process has one.
	Launch func(ctx context.Context) (Server, error)
	// Alive asks a server of another process whether it is the one that is
	// meant, and answers.
	Alive func(ctx context.Context, at Address) error
	// Every is how often the server of another process is asked; 0 is 2 s.
	Every time.Duration
}

// record is what the owner of a server tells the others.
type record struct {
	PID int `json:"pid"`
	Address
}

const (
	aliveWithin = 2 * time.Second
	joinEvery   = 100 * time.Millisecond
)

// Shared is the Launch of a [Supervisor] that takes the server of another
// process, while that one has the lock and its server answers, and else starts
// one and keeps the lock as long as it lives. Whoever loses the server of
// another process may become the owner at the next start.
func Shared(s Share) func(ctx context.Context) (Server, error) {
	if s.Every <= 0 {
		s.Every = 2 * time.Second
	}
	return s.launch
}

func (s Share) path(suffix string) string { return filepath.Join(s.Dir, s.Name+suffix) }

func (s Share) launch(ctx context.Context) (Server, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("share a sidecar: %w", err)
	}
	lock := flock.New(s.path(".lock"), flock.SetPermissions(0o600))
	for {
		mine, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("share a sidecar: %w", err)
		}
		if mine {
			return s.own(ctx, lock)
		}
		if at, err := s.known(ctx); err == nil {
			return join(s, at), nil
		}
		// The owner is starting or stopping its server.
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), lock.Close())
		case <-time.After(joinEvery):
		}
	}
}

// Running is the server that another process of this machine owns, if it
// answers. Nothing is started, and nothing made.
func (s Share) Running(ctx context.Context) (Address, error) {
	at, err := s.running(ctx)
	if err != nil {
		return Address{}, fmt.Errorf("no process runs the sidecar: %w", err)
	}
	return at, nil
}

func (s Share) running(ctx context.Context) (Address, error) {
	if _, err := os.Stat(s.path(".json")); err != nil {
		return Address{}, err
	}
	// A record that an owner left behind when it was killed leads to whoever
	// has the port now, who would get the key.
	lock := flock.New(s.path(".lock"), flock.SetPermissions(0o600))
	free, err := lock.TryRLock()
	if err != nil {
		return Address{}, err
	}
	if free {
		return Address{}, errors.Join(errNoOwner, lock.Close())
	}
	return s.known(ctx)
}

var errNoOwner = errors.New("its owner is gone")

// known is the server that the lock's owner has told.
func (s Share) known(ctx context.Context) (Address, error) {
	b, err := os.ReadFile(s.path(".json"))
	if err != nil {
		return Address{}, err
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return Address{}, err
	}
	ctx, stop := context.WithTimeout(ctx, aliveWithin)
	defer stop()
	return r.Address, s.Alive(ctx, r.Address)
}

// own starts the server and tells the others. While it starts nobody is to be
// led to where an owner that was killed had its own: who has that port by now
// would get the key, and the texts.
func (s Share) own(ctx context.Context, lock *flock.Flock) (Server, error) {
	if err := os.Remove(s.path(".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("share a sidecar: %w", err), lock.Close())
	}
	server, err := s.Launch(ctx)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if err := s.tell(record{os.Getpid(), server.Address()}); err != nil {
		server.Stop()
		return nil, errors.Join(fmt.Errorf("share a sidecar: %w", err), lock.Close())
	}
	o := &owned{Server: server, done: make(chan struct{})}
	go func() {
		<-server.Done()
		o.err = errors.Join(server.Err(), os.Remove(s.path(".json")), lock.Close())
		close(o.done)
	}()
	return o, nil
}

// tell writes the record whole or not at all.
func (s Share) tell(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	temporary := s.path(".json.tmp")
	if err := os.WriteFile(temporary, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, s.path(".json"))
}

// owned is a server of this process, gone when the lock is free again.
type owned struct {
	Server
	done chan struct{}
	err  error
}

// Done is closed when the server is gone and another process may start one.
func (o *owned) Done() <-chan struct{} { return o.done }

// Err tells how it ended; nil before.
func (o *owned) Err() error {
	select {
	case <-o.done:
		return o.err
	default:
		return nil
	}
}

// Stop ends the server, and returns when the lock is free.
func (o *owned) Stop() {
	o.Server.Stop()
	<-o.done
}

// joined is the server of another process.
type joined struct {
	at   Address
	stop context.CancelFunc
	done chan struct{}
	err  error
}

func join(s Share, at Address) Server {
	ctx, stop := context.WithCancel(context.Background())
	j := &joined{at: at, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(j.done)
		tick := time.NewTicker(s.Every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			asking, enough := context.WithTimeout(ctx, aliveWithin)
			err := s.Alive(asking, at)
			enough()
			if err != nil && ctx.Err() == nil {
				j.err = fmt.Errorf("the sidecar of another process is gone: %w", err)
				return
			}
		}
	}()
	return j
}

// Address is that of the other process's server.
func (j *joined) Address() Address { return j.at }

// Done is closed when the server does not answer any more, or was given up.
func (j *joined) Done() <-chan struct{} { return j.done }

// Err tells how it ended; nil before.
func (j *joined) Err() error {
	select {
	case <-j.done:
		return j.err
	default:
		return nil
	}
}

// Stop gives the server up. It goes on for its owner.
func (j *joined) Stop() {
	j.stop()
	<-j.done
}
