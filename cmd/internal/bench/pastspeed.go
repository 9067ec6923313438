package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"memory-mcp/lobes"
)

// PastOptions say what is measured of questions about the past. All fields are
// required but Temp and Rest.
type PastOptions struct {
	Temp   string // where the scratch lobes are made; "" is the system's folder
	Now    func() time.Time
	Asks   int           // questions of each form
	Starts int           // lobes that are opened anew
	Seed   uint64        // of the notes, of what became of them, and of the questions
	Rest   time.Duration // before the files are read
}

// PastResult is what was measured at one size. A start is from nothing to the
// first answer, in a process that runs already, without a snapshot.
type PastResult struct {
	Entries   int     `json:"entries"`
	Heads     int     `json:"heads"`
	Revisions int     `json:"revisions"`
	Chains    int     `json:"chains"` // entries with more than one state
	Retracted int     `json:"retracted"`
	CPUs      int     `json:"cpus"`
	Load      float64 `json:"load"` // of the machine before; 0 where the system does not tell

	Start      Times `json:"start_ms"`
	StartBare  Times `json:"start_without_history_ms"`
	FirstAsOf  Times `json:"first_as_of_ms"`  // the first question about the past, of a lobe that has answered one of the present
	SecondAsOf Times `json:"second_as_of_ms"` // the next one, about another time

	Forms []Form `json:"forms"`
	// Present and PresentBare are the same questions, asked in turn of the
	// lobe, which by then was asked about its past, and of one with the same
	// entries and no history. Ratio is of their medians.
	Present     Times   `json:"present_ms"`
	PresentBare Times   `json:"present_without_history_ms"`
	Ratio       float64 `json:"present_ratio"`
}

// Form is one form of question.
type Form struct {
	Name  string  `json:"name"`
	Times Times   `json:"ms"`
	Hits  float64 `json:"hits"` // of a question, on average
}

// pastSpeed is a measurement under way.
type pastSpeed struct {
	PastOptions
	dir, bare string
	g         *Generator
	begun     time.Time
	ended     time.Time
	PastResult
}

// MeasurePast measures with n entries, a tenth of which was revised and a
// fiftieth taken back.
func MeasurePast(ctx context.Context, o PastOptions, n int) (r PastResult, err error) {
	dir, err := os.MkdirTemp(o.Temp, "memory-mcp-bench-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := &pastSpeed{PastOptions: o, dir: filepath.Join(dir, "lobe"), bare: filepath.Join(dir, "bare"), g: New(o.Seed)}
	m.PastResult = PastResult{Entries: n, CPUs: runtime.NumCPU(), Load: load()}
	m.begun = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	grown, err := Past{Entries: n, Revised: 0.1, Retracted: 0.02, Begun: m.begun, Step: 5 * time.Minute}.Write(m.g, m.dir, m.bare)
	if err != nil {
		return r, err
	}
	m.ended = grown.Ended
	m.Heads, m.Revisions, m.Chains, m.Retracted = grown.Heads, grown.Revisions, grown.Chains, grown.Retracted
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-time.After(m.Rest):
	}
	if err := m.starts(ctx); err != nil {
		return r, fmt.Errorf("start: %w", err)
	}
	if err := m.warm(ctx); err != nil {
		return r, fmt.Errorf("ask: %w", err)
	}
	return m.PastResult, nil
}

// open gives a folder's lobe, which writes nothing into it.
func (m *pastSpeed) open(dir string) *lobes.Set {
	return lobes.NewSet([]lobes.Spec{{Name: "past", Dir: dir, Budget: -1}}, lobes.Options{Now: m.Now, ReadOnly: true, Watch: true})
}

// ask times one question.
func (m *pastSpeed) ask(ctx context.Context, set *lobes.Set, q lobes.Query) (took time.Duration, hits int, err error) {
	began := m.Now()
	a, err := set.Recall(ctx, lobes.Target{Lobe: "past"}, q)
	return m.Now().Sub(began), a.Total, err
}

// moment is some time at which there were entries.
func (m *pastSpeed) moment() time.Time {
	return m.begun.Add(time.Duration(m.g.Share() * float64(m.ended.Sub(m.begun)))).Truncate(time.Millisecond)
}

// starts measures what the first answers cost.
func (m *pastSpeed) starts(ctx context.Context) error {
	var with, without, first, second []time.Duration
	for range m.Starts {
		for _, part := range []struct {
			dir   string
			start *[]time.Duration
			then  []*[]time.Duration
		}{{m.bare, &without, nil}, {m.dir, &with, []*[]time.Duration{&first, &second}}} {
			set := m.open(part.dir)
			took, _, err := m.ask(ctx, set, lobes.Query{Filter: m.g.Keywords()})
			*part.start = append(*part.start, took)
			for _, into := range part.then {
				if err == nil {
					took, _, err = m.ask(ctx, set, lobes.Query{Filter: m.g.Keywords(), AsOf: m.moment()})
					*into = append(*into, took)
				}
			}
			if err := errors.Join(err, set.Close(ctx)); err != nil {
				return err
			}
		}
	}
	m.Start, m.StartBare, m.FirstAsOf, m.SecondAsOf = timesOf(with), timesOf(without), timesOf(first), timesOf(second)
	return nil
}

// fewAsks is how many questions about ever another time are asked at most: each
// works out anew what was believed.
const fewAsks = 10

// forms are the questions that are asked, and how many of each. Of the past
// there are two, since what has been asked about one time is quicker to ask
// about again.
func (m *pastSpeed) forms() []struct {
	name  string
	times int
	next  func() lobes.Query
} {
	once := m.moment()
	return []struct {
		name  string
		times int
		next  func() lobes.Query
	}{
		{"two keywords", m.Asks, func() lobes.Query { return lobes.Query{Filter: m.g.Keywords()} }},
		{"keywords and topic", m.Asks, func() lobes.Query { return lobes.Query{Filter: m.g.Keywords(), Scope: m.g.Topic()} }},
		{"topic only", m.Asks, func() lobes.Query { return lobes.Query{Scope: m.g.Topic()} }},
		{"as of one time, keywords", m.Asks, func() lobes.Query { return lobes.Query{Filter: m.g.Keywords(), AsOf: once} }},
		{"as of any time, keywords", min(m.Asks, fewAsks), func() lobes.Query { return lobes.Query{Filter: m.g.Keywords(), AsOf: m.moment()} }},
	}
}

// warm measures lobes that have answered before.
func (m *pastSpeed) warm(ctx context.Context) (err error) {
	set, bare := m.open(m.dir), m.open(m.bare)
	defer func() { err = errors.Join(err, set.Close(ctx), bare.Close(ctx)) }()
	const before = 1 // that does not count
	for _, f := range m.forms() {
		var all []time.Duration
		found := 0
		for i := range f.times + before {
			took, hits, err := m.ask(ctx, set, f.next())
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			if i >= before {
				all, found = append(all, took), found+hits
			}
		}
		m.Forms = append(m.Forms, Form{Name: f.name, Times: timesOf(all), Hits: float64(found) / float64(max(1, f.times))})
	}
	return m.present(ctx, set, bare)
}

// present asks the same of both lobes, in turn and in changing order.
func (m *pastSpeed) present(ctx context.Context, set, bare *lobes.Set) error {
	both := []*lobes.Set{set, bare}
	var took [2][]time.Duration
	for i := range m.Asks + 1 {
		q := lobes.Query{Filter: m.g.Keywords()}
		for j := range both {
			which := (i + j) % 2
			t, _, err := m.ask(ctx, both[which], q)
			if err != nil {
				return err
			}
			if i > 0 { // the first one loads
				took[which] = append(took[which], t)
			}
		}
	}
	m.Present, m.PresentBare = timesOf(took[0]), timesOf(took[1])
	if m.PresentBare.P50 > 0 {
		m.Ratio = m.Present.P50 / m.PresentBare.P50
	}
	return nil
}
