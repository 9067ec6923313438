package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// mostTail is how many bytes at the end of a transcript are looked at for the
// last turn.
const mostTail = 1 << 20

// nudge asks the agent once to keep what the person's last message said about
// how to work from now on, when nobody has kept it.
func (h *Hook) nudge(ctx context.Context, e Event) (Answer, error) {
	if e.Again || e.Agent != "" {
		return Answer{}, nil
	}
	said, kept, err := h.lastTurn(e)
	if err != nil || kept {
		return Answer{}, err
	}
	rule, ok := ruleIn(within(said, mostSaid))
	if !ok {
		return Answer{}, nil
	}
	known, err := h.Set.Knows(ctx, h.Target, rule)
	if err != nil || known {
		return Answer{}, err
	}
	first, err := h.first(ctx, e, said)
	if err != nil || !first {
		return Answer{}, err
	}
	return Answer{Nudge: fmt.Sprintf(sign+" Before you stop: the user's last message says how to work from now on, and it is not in the memory yet:\n> %s\n"+
		"If it will hold beyond this session, store it with memory_store in one sentence of your own (topic preferences, conventions or gotchas), or correct the memory that it changes. Otherwise just stop.", line(rule, 300))}, nil
}

// ruleIn is the first sentence of a message that instructs, prefers or
// corrects.
func ruleIn(text string) (string, bool) {
	rules := []textanalysis.LastingKind{textanalysis.Instruction, textanalysis.Preference, textanalysis.Correcting}
	for _, s := range textanalysis.LastingSentences(text, true) {
		if slices.Contains(rules, s.Kind) && fitToKeep(s.Text) {
			return s.Text, true
		}
	}
	return "", false
}

// lastTurn is what the person said last, and whether the agent wrote into the
// memory since.
func (h *Hook) lastTurn(e Event) (said string, kept bool, err error) {
	if len(e.Messages) > 0 {
		said, kept = turnIn(slices.Values(e.Messages))
		return said, kept, nil
	}
	if h.Allowed(Material{Host: e.Host, Path: e.Transcript}) {
		said, kept, err = lastTurnOf(e.Transcript)
	}
	return either(e.Text, said), kept, err
}

func turnIn(all func(func(Message) bool)) (said string, kept bool) {
	for m := range all {
		switch {
		case m.Role == user && strings.TrimSpace(m.Text) != "":
			said, kept = m.Text, false
		case m.Kept:
			kept = true
		}
	}
	return said, kept
}

func lastTurnOf(path string) (said string, kept bool, err error) {
	f, err := openTranscript(path)
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	from := max(0, info.Size()-mostTail)
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return "", false, err
	}
	said, kept = turnIn(Said(io.LimitReader(f, mostTail)))
	return said, kept, nil
}

// first tells whether nobody was reminded of this message yet. Without a
// ledger only the host can know, and some do.
func (h *Hook) first(ctx context.Context, e Event, said string) (bool, error) {
	l, err := h.ledger(e)
	if l == nil {
		return err == nil && e.Counted, err
	}
	sum := sha256.Sum256([]byte(said))
	mark := "nudged-" + hex.EncodeToString(sum[:6])
	first := false
	err = l.Update(ctx, func(p *lobes.LedgerPage) {
		if first = p.Marked(mark).IsZero(); first {
			p.Mark(mark)
		}
	})
	return first && err == nil, err
}
