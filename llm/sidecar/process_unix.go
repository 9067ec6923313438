//go:build unix

package sidecar

import (
	"os/exec"
	"sync"
	"syscall"
)

// A group is the process group of a program and all that it starts.
type group struct {
	mu sync.Mutex
	id int // 0 when it is over: the number may be another group's by now
}

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = attributes()
	cmd.SysProcAttr.Setpgid = true
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	g.id = cmd.Process.Pid
	return nil
}

// ask asks all to end, and tells that they can be asked.
func (g *group) ask() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.signal(syscall.SIGTERM)
	return true
}

func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.signal(syscall.SIGKILL)
}

// end ends what a program that is gone has left behind.
func (g *group) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.signal(syscall.SIGKILL)
	g.id = 0
}

func (g *group) signal(s syscall.Signal) {
	if g.id == 0 {
		return
	}
	if err := syscall.Kill(-g.id, s); err != nil {
		return // nobody is left
	}
}
