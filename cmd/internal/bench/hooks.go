package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// HookResult is what hooks cost with so many entries: the time of a whole
// process, as a host waits for it.
type HookResult struct {
	Entries int     `json:"entries"`
	CPUs    int     `json:"cpus"`
	Load    float64 `json:"load"` // of the machine before; 0 where the system does not tell

	Prompt   Cost  `json:"prompt"`      // a prompt in a new session
	Start    Cost  `json:"start"`       // the start of a session
	Trivial  Cost  `json:"trivial"`     // a prompt that says nothing: no lobe is looked at
	Process  Cost  `json:"process"`     // the same program, asked for its version
	Git      Cost  `json:"git"`         // git rev-parse --git-common-dir, beside each of them
	OverGit  Ratio `json:"times_git"`   // the prompt's median by git's
	Answered int   `json:"answered"`    // prompts that got a memory
	Asked    int   `json:"prompts"`     // how many there were
	Snapshot bool  `json:"by_snapshot"` // whether a server had left what it knew
}

// A Cost is what a process takes: the time that its host waits, and that of
// the processors, which says more while the machine is shared.
type Cost struct {
	Wall Times `json:"ms"`
	CPU  Times `json:"cpu_ms"`
}

// Ratio is one time by another of the same run.
type Ratio float64

// MeasureHooks measures hooks with n entries, after a server has used them and
// left in order.
func MeasureHooks(ctx context.Context, o Options, n int) (r HookResult, err error) {
	dir, err := os.MkdirTemp(o.Temp, "memory-mcp-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := &measurement{Options: o}
	if m.repo, err = newRepository(dir, n, o.Seed); err != nil {
		return r, err
	}
	for range 2 { // as in starts
		if err := m.rest(ctx); err != nil {
			return r, err
		}
		if err := m.settled(ctx); err != nil {
			return r, err
		}
	}
	if err := m.rest(ctx); err != nil {
		return r, err
	}
	r = HookResult{Entries: n, CPUs: runtime.NumCPU(), Load: load(), Asked: o.Starts}
	if r.Snapshot, err = m.handedOn(ctx); err != nil {
		return r, err
	}
	return r, m.hooks(ctx, &r)
}

// patience is how long a server is given to leave what it knows: a busy one
// cannot at its end, and does so while it runs.
const patience = 90 * time.Second

// handedOn sees to it that a server has left what it knows, as far as there is
// enough to leave.
func (m *measurement) handedOn(ctx context.Context) (bool, error) {
	files, err := m.repo.snapshots()
	if err != nil || len(files) > 0 {
		return len(files) > 0, err
	}
	s, err := m.start(ctx, m.repo)
	if err != nil {
		return false, err
	}
	err = s.call("memory_query", map[string]any{"filter": "upload"})
	for began := time.Now(); err == nil && len(files) == 0 && time.Since(began) < patience; {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(time.Second):
			files, err = m.repo.snapshots()
		}
	}
	return len(files) > 0, errors.Join(err, s.stop())
}

// hooks runs each kind in turn, so that what else the machine does falls on
// all alike.
func (m *measurement) hooks(ctx context.Context, r *HookResult) error {
	const warm = 3
	kinds := []struct {
		into *Cost
		cmd  func(i int) (*exec.Cmd, error)
	}{
		{&r.Git, func(int) (*exec.Cmd, error) { return m.git(ctx), nil }},
		{&r.Process, func(int) (*exec.Cmd, error) { return m.command(ctx, m.repo, "version"), nil }},
		{&r.Trivial, func(i int) (*exec.Cmd, error) { return m.hook(ctx, "UserPromptSubmit", "yes, go on", i) }},
		{&r.Prompt, func(i int) (*exec.Cmd, error) { return m.hook(ctx, "UserPromptSubmit", m.repo.notes.Question(), i) }},
		{&r.Start, func(i int) (*exec.Cmd, error) { return m.hook(ctx, "SessionStart", "", i) }},
	}
	wall, cpu := make([][]time.Duration, len(kinds)), make([][]time.Duration, len(kinds))
	for i := range m.Starts + warm {
		for k, kind := range kinds {
			cmd, err := kind.cmd(i*len(kinds) + k)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			cmd.Stdout = &out
			began := m.Now()
			if err := cmd.Run(); err != nil {
				return err
			}
			if i < warm {
				continue
			}
			wall[k] = append(wall[k], m.Now().Sub(began))
			cpu[k] = append(cpu[k], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			if kind.into == &r.Prompt && out.Len() > 0 {
				r.Answered++
			}
		}
	}
	for k, kind := range kinds {
		*kind.into = Cost{timesOf(wall[k]), timesOf(cpu[k])}
	}
	if r.Git.Wall.P50 > 0 {
		r.OverGit = Ratio(r.Prompt.Wall.P50 / r.Git.Wall.P50)
	}
	return nil
}

func (m *measurement) git(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--git-common-dir")
	cmd.Dir = m.repo.root
	cmd.Env = append([]string{"HOME=" + m.repo.home}, m.Environment...)
	return cmd
}

// hook is one event in a session of its own.
func (m *measurement) hook(ctx context.Context, event, prompt string, session int) (*exec.Cmd, error) {
	in, err := json.Marshal(map[string]any{
		"session_id": fmt.Sprintf("bench-%d", session), "hook_event_name": event, "cwd": m.repo.root, "prompt": prompt, "source": "startup",
	})
	cmd := m.command(ctx, m.repo, "hook", "claude-code")
	cmd.Stdin = bytes.NewReader(in)
	return cmd, err
}
