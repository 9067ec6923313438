package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// MostSwept is how many memories one sweep stores at most.
const MostSwept = 5

// mostFindings is how many findings of a transcript are weighed.
const mostFindings = 60

// A Material is what a sweep looks through.
type Material struct {
	Host    string
	Session string
	Path    string // of the transcript
}

// Swept tells what a sweep came to.
type Swept struct {
	Messages int // that were read
	Found    int // sentences that seemed to be worth keeping
	Recorded int // texts that wait for a model
	lobes.Receipt
}

// Sweep looks through a transcript for what should have been kept and was
// not, and stores the best of it as candidates, with the words that it rests
// on. One transcript swept twice adds nothing.
func (h *Hook) Sweep(ctx context.Context, m Material) (swept Swept, err error) {
	f, err := openTranscript(m.Path)
	if err != nil {
		return Swept{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return Swept{}, err
	}
	_, err = h.Set.ReceiveWaiting(ctx, h.Target)
	if err != nil {
		return Swept{}, err
	}
	if swept, err = h.sweep(ctx, m, f); err != nil {
		return swept, err
	}
	if h.Generates {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return swept, err
		}
		if swept.Recorded, err = h.record(ctx, m.by(), m, f); err != nil {
			return swept, err
		}
	}
	return swept, h.swept(ctx, m, info.Size())
}

// swept notes how much of a transcript was looked through.
func (h *Hook) swept(ctx context.Context, m Material, size int64) error {
	l, err := h.ledger(Event{Session: lobes.Session{ID: m.Session}})
	if l == nil || !l.Begun() {
		return err
	}
	return l.Update(ctx, func(p *lobes.LedgerPage) {
		if p.Transcript().Path == m.Path {
			p.Sweep(size)
		}
	})
}

func (h *Hook) sweep(ctx context.Context, m Material, r io.Reader) (swept Swept, err error) {
	found, n, err := gather(ctx, r)
	if err != nil || len(found) == 0 {
		return Swept{Messages: n}, err
	}
	swept.Messages, swept.Found = n, len(found)
	var all []lobes.Received
	for _, c := range distinct(found) {
		all = append(all, c.received(m))
	}
	swept.Receipt, err = h.Set.Receive(ctx, m.by(), h.Target, all, MostSwept)
	return swept, err
}

func (m Material) by() lobes.By {
	return lobes.By{Actor: "sweep of " + m.Host, Session: m.Session, Role: "assistant", Source: lobes.SweepSource}
}

// openTranscript opens a regular file, and nothing that would not end.
func openTranscript(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read the transcript %s: it is no file", path)
	}
	return os.Open(path)
}

// A finding is a sentence of a transcript that seems to be worth keeping.
type finding struct {
	textanalysis.Lasting
	message string // its id
	role    string
	order   int // of the message
}

// gather reads a transcript and keeps its best findings, the best first. What
// was said before the agent wrote into the memory in the same turn is taken
// for kept.
func gather(ctx context.Context, r io.Reader) (best []finding, messages int, err error) {
	var turn []finding
	kept := false
	end := func() {
		if !kept {
			best = append(best, turn...)
		}
		turn, kept = turn[:0:0], false
		if len(best) > 4*mostFindings {
			best = ranked(best)
		}
	}
	for m := range Said(r) {
		if err := ctx.Err(); err != nil {
			return nil, messages, err
		}
		messages++
		if m.Role == user && m.Text != "" {
			end()
		}
		kept = kept || m.Kept
		turn = append(turn, findingsIn(m, messages)...)
	}
	end()
	return ranked(best), messages, nil
}

func findingsIn(m Message, order int) []finding {
	var all []finding
	text := within(m.Text, mostSaid)
	for _, s := range textanalysis.LastingSentences(text, m.Role == user) {
		if m.Role == user && len(text) > mostTyped && s.At > mostTyped/2 && s.At < len(text)-mostTyped/2 {
			continue // in the middle of something pasted
		}
		if fitToKeep(s.Text) {
			all = append(all, finding{s, m.ID, m.Role, order})
		}
	}
	return all
}

const (
	mostSaid  = 32 << 10 // bytes of one message that are looked at
	mostTyped = 3 << 10  // bytes above which a message holds something pasted
)

// fitToKeep leaves out what nobody should keep unasked: secrets, text that
// speaks to the model about its rules, paths of one machine.
func fitToKeep(text string) bool {
	if _, secrets := textanalysis.MaskSecrets(text); len(secrets) > 0 {
		return false
	}
	return len(textanalysis.InstructionSignals(text)) == 0
}

// ranked sorts findings by how likely they are wanted, each said once, and
// keeps the best.
func ranked(all []finding) []finding {
	slices.SortStableFunc(all, func(a, b finding) int {
		if x, y := a.weight(), b.weight(); x != y {
			return y - x
		}
		return b.order - a.order // what was said last holds
	})
	var once []finding
	said := map[string]bool{}
	for _, f := range all {
		key := textanalysis.Normalize(f.Claim)
		if !said[key] && len(once) < mostFindings {
			said[key] = true
			once = append(once, f)
		}
	}
	return once
}

func (f finding) weight() int {
	w := map[textanalysis.LastingKind]int{
		textanalysis.Instruction: 5, textanalysis.Correcting: 4, textanalysis.Preference: 4, textanalysis.Deciding: 3, textanalysis.Cause: 3,
	}[f.Kind]
	if f.role == user {
		w++
	}
	return w
}

// distinct leaves out what will not hold, and of those that are alike all but
// the first.
func distinct(found []finding) (chosen []finding) {
	words := textanalysis.New(textanalysis.Options{})
	for _, f := range found {
		own := words.FingerprintOf("", f.Claim)
		said := slices.ContainsFunc(chosen, func(c finding) bool {
			return textanalysis.Similarity(own, words.FingerprintOf("", c.Claim)) > alike
		})
		if !said && !textanalysis.ReviewDurability("", f.Claim, f.topic()).Refuses() {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

// alike is from where on two sentences of one transcript say the same.
const alike = 0.6

func (f finding) topic() string {
	switch f.Kind {
	case textanalysis.Preference:
		return "preferences"
	case textanalysis.Deciding:
		return "decisions"
	case textanalysis.Cause:
		return "gotchas"
	}
	return "conventions"
}

// received is the finding as a memory. Its key is what it says, so that the
// same words in another session are the same memory.
func (f finding) received(m Material) lobes.Received {
	kind := map[textanalysis.LastingKind]string{textanalysis.Preference: "preference", textanalysis.Deciding: "decision"}[f.Kind]
	n := lobes.Note{
		Topic: f.topic(), Text: f.Claim, Kind: kind, Quote: f.Text, Trust: "agent-inferred",
		Sources: []string{fmt.Sprintf("session:%s#%d", word(m.Session), f.order)}, Tags: []string{"sweep"},
	}
	if f.message != "" {
		n.References = []string{"message:" + strings.Join(strings.Fields(f.message), "-")}
	}
	return lobes.Received{Note: n, Key: textanalysis.Normalize(f.Text), Candidate: true}
}
