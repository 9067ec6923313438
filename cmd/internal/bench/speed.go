package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// Options say what is measured. All fields are required but Rest and Writing.
type Options struct {
	Executable  string   // the program
	Environment []string // NAME=value, that the program cannot do without
	Temp        string   // where scratch repositories are made; "" is the system's folder
	Now         func() time.Time
	Stores      int           // notes to store
	Asks        int           // questions of each kind
	Starts      int           // processes to start, with and without a snapshot
	Seed        uint64        // of the notes and questions
	Rest        time.Duration // before the files are read: one that was just written is read at each look
	Writing     time.Duration // how long questions are asked beside a writer; 0 leaves that out
	PerSecond   int           // entries that the writer writes
}

// Times are of one act, in milliseconds. Best is the shortest: what the
// machine does when nothing else runs.
type Times struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Best float64 `json:"best"`
}

func timesOf(all []time.Duration) Times {
	if len(all) == 0 {
		return Times{}
	}
	slices.Sort(all)
	at := func(share float64) float64 { return milliseconds(all[min(len(all)-1, int(share*float64(len(all))))]) }
	return Times{P50: at(0.5), P95: at(0.95), Best: milliseconds(all[0])}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// Result is what was measured at one size.
type Result struct {
	Entries int     `json:"entries"`
	CPUs    int     `json:"cpus"`
	Load    float64 `json:"load"` // of the machine before; 0 where the system does not tell

	Process   Times  `json:"process_ms"`                // the program says its version, and ends
	Handshake Times  `json:"handshake_ms"`              // from the start of the process
	First     *Times `json:"first_answer_snapshot_ms"`  // from the start of the process; null where so few notes make no snapshot
	FirstAnew Times  `json:"first_answer_all_files_ms"` // the same when every file is read
	Query     Times  `json:"query_mcp_ms"`
	Context   Times  `json:"context_mcp_ms"`
	InProcess Times  `json:"context_in_process_ms"`         // the lobe asked without the protocol
	Scanning  Times  `json:"context_in_process_scan_ms"`    // the same where the kernel does not tell what changed
	Bare      Times  `json:"bare_write_ms"`                 // create, sync, rename, sync of the folder, between the stores
	Store     Times  `json:"store_mcp_ms"`                  //
	StoreIn   Times  `json:"store_in_process_ms"`           //
	Ratio     Ratios `json:"store_ratio"`                   // of the medians of stores and bare writes
	Resident  MiB    `json:"resident_mib"`                  // held after the questions; 0 where the system does not tell
	Peak      MiB    `json:"peak_mib"`                      // the most that the server held
	Beside    Times  `json:"context_mcp_writing_ms"`        // while another process writes
	BesideIn  Times  `json:"context_in_process_writing_ms"` //
	PerSecond int    `json:"written_per_second"`            // by that process
}

// MiB is an amount of memory.
type MiB float64

// Ratios compare the median store with the median bare write of the same run.
type Ratios struct {
	MCP       float64 `json:"mcp"`
	InProcess float64 `json:"in_process"`
}

// A measurement is under way: the repository at one size.
type measurement struct {
	Options
	repo *repository
	Result
}

// Measure measures with n notes.
func Measure(ctx context.Context, o Options, n int) (r Result, err error) {
	dir, err := os.MkdirTemp(o.Temp, "memory-mcp-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := &measurement{Options: o, Result: Result{Entries: n, CPUs: runtime.NumCPU(), Load: load()}}
	if m.repo, err = newRepository(dir, n, o.Seed); err != nil {
		return r, err
	}
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"start", m.starts},
		{"ask in process", m.inProcess},
		{"ask and store", m.overMCP},
		{"store in process", m.storesInProcess},
		{"ask beside a writer", m.beside},
	} {
		if err := part.do(ctx); err != nil {
			return r, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return m.Result, nil
}

// rest waits until the files are no longer young.
func (m *measurement) rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(m.Rest):
		return nil
	}
}

// repeat times an act.
func (m *measurement) repeat(times int, act func() error) (Times, error) {
	var took []time.Duration
	for range times {
		began := m.Now()
		if err := act(); err != nil {
			return Times{}, err
		}
		took = append(took, m.Now().Sub(began))
	}
	return timesOf(took), nil
}

// settled stores one note and writes down what is known, as a process does that
// runs for a while. It leaves a lobe that was written by the program, and a
// snapshot where there are notes enough.
func (m *measurement) settled(ctx context.Context) error {
	set := m.repo.open(lobes.Options{})
	return errors.Join(m.remember(ctx, set)(), set.Settle(ctx), set.Close(ctx))
}

// remember stores the next note in the lobe in this process.
func (m *measurement) remember(ctx context.Context, set *lobes.Set) func() error {
	return func() error {
		n := m.repo.notes.Note()
		_, err := set.Remember(ctx, lobes.By{Actor: "bench"}, lobes.Target{},
			[]lobes.Note{{Topic: n.Topic, Title: n.Title, Text: n.Text, Tags: n.Tags, Sources: n.Sources, StoreAnyway: true}})
		return err
	}
}

// starts measures what a client waits for that starts the program.
func (m *measurement) starts(ctx context.Context) (err error) {
	m.Process, err = m.repeat(m.Starts, func() error { return m.command(ctx, m.repo, "version").Run() })
	if err != nil {
		return err
	}
	// The first process writes, and what it wrote is young; the second one
	// reads that again when it has rested.
	for range 2 {
		if err := m.rest(ctx); err != nil {
			return err
		}
		if err := m.settled(ctx); err != nil {
			return err
		}
	}
	if err := m.rest(ctx); err != nil {
		return err
	}
	files, err := m.repo.snapshots()
	if err != nil {
		return err
	}
	if len(files) > 0 {
		first, err := m.firstAnswers(ctx, func() error { return nil })
		if err != nil {
			return err
		}
		m.First = &first
	}
	m.FirstAnew, err = m.firstAnswers(ctx, m.repo.dropSnapshots)
	return err
}

// firstAnswers starts processes, each after some preparation.
func (m *measurement) firstAnswers(ctx context.Context, before func() error) (Times, error) {
	var hands, answers []time.Duration
	for range m.Starts {
		if err := before(); err != nil {
			return Times{}, err
		}
		began := m.Now()
		s, err := m.start(ctx, m.repo)
		if err != nil {
			return Times{}, err
		}
		hands = append(hands, m.Now().Sub(began))
		err = s.call("memory_context", map[string]any{"context": "why does the upload drop expired tokens"})
		answers = append(answers, m.Now().Sub(began))
		if err := errors.Join(err, s.stop()); err != nil {
			return Times{}, err
		}
	}
	m.Handshake = timesOf(hands)
	return timesOf(answers), nil
}

// warm is how often a kind of call is made before it counts.
const warm = 20

// inProcess asks the lobe without the protocol.
func (m *measurement) inProcess(ctx context.Context) error {
	for _, kind := range []struct {
		watch bool
		asks  int
		into  *Times
	}{{true, m.Asks, &m.InProcess}, {false, min(m.Asks, 50), &m.Scanning}} {
		set := m.repo.open(lobes.Options{ReadOnly: true, Watch: kind.watch})
		_, err := m.repeat(min(warm, kind.asks), m.recall(ctx, set))
		if err == nil {
			*kind.into, err = m.repeat(kind.asks, m.recall(ctx, set))
		}
		if err := errors.Join(err, set.Close(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// recall asks the next question of a lobe in this process.
func (m *measurement) recall(ctx context.Context, set *lobes.Set) func() error {
	return func() error {
		_, err := set.Recall(ctx, lobes.Target{}, lobes.Query{Text: m.repo.notes.Question()})
		return err
	}
}

// ask asks the next question of a server.
func (m *measurement) ask(s *server, tool, argument string) func() error {
	return func() error { return s.call(tool, map[string]any{argument: m.repo.notes.Question()}) }
}

// overMCP asks a server and stores, as a client does.
func (m *measurement) overMCP(ctx context.Context) error {
	s, err := m.start(ctx, m.repo)
	if err != nil {
		return err
	}
	err = m.serving(s)
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	m.Peak = MiB(peakMemory(s.cmd.ProcessState)) / (1 << 20)
	return nil
}

func (m *measurement) serving(s *server) (err error) {
	for _, kind := range []struct {
		tool, argument string
		into           *Times
	}{{"memory_query", "filter", &m.Query}, {"memory_context", "context", &m.Context}} {
		ask := m.ask(s, kind.tool, kind.argument)
		if _, err := m.repeat(min(warm, m.Asks), ask); err != nil {
			return err
		}
		if *kind.into, err = m.repeat(m.Asks, ask); err != nil {
			return err
		}
	}
	m.Resident = MiB(resident(s.cmd.Process.Pid)) / (1 << 20)
	m.Store, m.Bare, err = m.besideBare(func() error { return s.call("memory_store", m.repo.arguments()) })
	m.Ratio.MCP = ratio(m.Store, m.Bare)
	return err
}

// besideBare times stores, and after each the least that a durable file costs.
func (m *measurement) besideBare(store func() error) (stores, bare Times, err error) {
	folder := filepath.Join(m.repo.root, "bare")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return stores, bare, err
	}
	text := []byte(strings.Repeat("A note of some words. ", 20))
	var took [2][]time.Duration
	for i := range m.Stores + 1 {
		for kind, act := range []func() error{store, func() error { return durably(folder, strconv.Itoa(i), text) }} {
			began := m.Now()
			if err := act(); err != nil {
				return stores, bare, err
			}
			if i > 0 { // the first of each makes folders
				took[kind] = append(took[kind], m.Now().Sub(began))
			}
		}
	}
	return timesOf(took[0]), timesOf(took[1]), nil
}

func ratio(a, b Times) float64 {
	if b.P50 == 0 {
		return 0
	}
	return a.P50 / b.P50
}

func (m *measurement) storesInProcess(ctx context.Context) error {
	set := m.repo.open(lobes.Options{Watch: true})
	stores, bare, err := m.besideBare(m.remember(ctx, set))
	m.StoreIn, m.Ratio.InProcess = stores, ratio(stores, bare)
	return errors.Join(err, set.Close(ctx))
}
