package sidecar

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// A Command is a program to start.
type Command struct {
	Path string   // absolute
	Args []string // without the program's name
	Env  []string // the whole environment, as KEY=VALUE
	// Grace is how long the program has to end when asked, before it is made
	// to; 0 is 3 seconds.
	Grace time.Duration
	// MostMemory is how many bytes of memory it may come to hold before it is
	// ended; 0 is without limit. It is looked at now and then, where the
	// system tells it.
	MostMemory int64
}

// A Process is a program that was started. It dies with this process, also
// when this one is killed: by a signal from the kernel on Linux, by a job on
// Windows. Elsewhere a kill that cannot be caught leaves it running.
type Process struct {
	cmd   *exec.Cmd
	group group
	grace time.Duration
	said  tail
	done  chan struct{}
	err   error // how it ended; read after done
}

// how often the memory of a process is looked at.
const memoryEvery = 2 * time.Second

// Start starts a program. What it writes is kept in memory, the last lines
// only.
func Start(c Command) (*Process, error) {
	p := &Process{cmd: exec.Command(c.Path, c.Args...), grace: c.Grace, done: make(chan struct{})}
	if p.grace <= 0 {
		p.grace = 3 * time.Second
	}
	p.cmd.Env = c.Env
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	// A child of its own may keep the pipe open when it is gone.
	p.cmd.WaitDelay = time.Second
	started := make(chan error)
	go p.own(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	if c.MostMemory > 0 {
		go p.watch(c.MostMemory)
	}
	return p, nil
}

// own starts the process and waits for its end, on one thread: the kernel ends
// the process when the thread that started it ends.
func (p *Process) own(started chan<- error) {
	lockThread()
	err := p.group.start(p.cmd)
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	p.group.end()
	close(p.done)
}

// watch ends the process when it holds too much memory.
func (p *Process) watch(most int64) {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			if held, ok := memoryOf(p.PID()); ok && held > most {
				fmt.Fprintf(&p.said, "ended: it held %d MiB of memory, at most %d are allowed\n", held>>20, most>>20)
				p.Stop()
			}
		}
	}
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Said are the last lines that the process wrote.
func (p *Process) Said() string { return p.said.lines(5) }

// Err tells how the process ended, with its last lines; nil while it runs.
func (p *Process) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	how := "ended by itself"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("%s: %s: %s", p.cmd.Path, how, p.Said())
}

// Stop asks the process to end, makes it after its grace, and returns when it
// is gone with all that it started.
func (p *Process) Stop() {
	if p.group.ask() {
		select {
		case <-p.done:
		case <-time.After(p.grace):
		}
	}
	p.group.kill()
	<-p.done
}

// Wait returns when the process is gone, or with the error of ctx.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
