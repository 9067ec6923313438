package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// beside asks while another process writes entries, first a server and then
// the lobe in this process.
func (m *measurement) beside(ctx context.Context) error {
	if m.Writing <= 0 {
		return nil
	}
	s, err := m.start(ctx, m.repo)
	if err != nil {
		return err
	}
	m.Beside, err = m.whileWritten(ctx, 1, m.ask(s, "memory_context", "context"))
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	set := m.repo.open(lobes.Options{ReadOnly: true, Watch: true})
	m.BesideIn, err = m.whileWritten(ctx, 2, m.recall(ctx, set))
	return errors.Join(err, set.Close(ctx))
}

// whileWritten starts a writer and repeats an act until it ends. The first
// acts, which may read every file, come before.
func (m *measurement) whileWritten(ctx context.Context, seed uint64, act func() error) (Times, error) {
	if _, err := m.repeat(min(warm, m.Asks), act); err != nil {
		return Times{}, err
	}
	var said strings.Builder
	cmd := m.command(ctx, m.repo, "bench", "write", m.repo.memory, "--seed", strconv.FormatUint(seed, 10),
		"--per-second", strconv.Itoa(m.Options.PerSecond), "--for", m.Writing.String())
	cmd.Stdout = &said
	if err := cmd.Start(); err != nil {
		return Times{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var took []time.Duration
	for {
		select {
		case err := <-ended:
			if err == nil {
				err = m.written(said.String())
			}
			return timesOf(took), err
		default:
		}
		began := m.Now()
		if err := act(); err != nil {
			return Times{}, errors.Join(err, <-ended)
		}
		took = append(took, m.Now().Sub(began))
	}
}

// written takes down the rate that the writer reached; the lower of two.
func (m *measurement) written(said string) error {
	n, err := strconv.Atoi(strings.TrimSpace(said))
	if err != nil {
		return fmt.Errorf("the writer said %q", said)
	}
	rate := int(float64(n) / m.Writing.Seconds())
	if m.Result.PerSecond == 0 || rate < m.Result.PerSecond {
		m.Result.PerSecond = rate
	}
	return nil
}
