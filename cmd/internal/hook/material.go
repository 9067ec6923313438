package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"memory-mcp/lobes"
)

// The bounds of what a model is given of a transcript, in bytes.
const (
	mostInOne    = 9 << 10 // of several turns in one text
	mostOfOne    = 6 << 10 // of one message: more is something pasted, or code
	mostOfAll    = 60      // texts of one transcript; the last ones count
	leastOfWords = 40      // below which there is nothing to find
)

// Materials are what was said in a transcript as texts for a model, a few turns
// each, and how many messages there were. A turn in which the agent wrote into
// the memory is left out: what mattered was stored.
func Materials(ctx context.Context, r io.Reader, session string) (all []lobes.Material, messages int, err error) {
	var b batch
	var turn []Message
	kept, first := false, 0
	end := func() {
		if !kept {
			all = b.add(all, turn, session, first)
		}
		turn, kept = turn[:0:0], false
	}
	for m := range Said(r) {
		if err := ctx.Err(); err != nil {
			return nil, messages, err
		}
		if messages++; m.Role == user && m.Text != "" {
			end()
		}
		if len(turn) == 0 {
			first = messages
		}
		kept = kept || m.Kept
		turn = append(turn, m)
	}
	end()
	all = b.flush(all)
	return all[max(0, len(all)-mostOfAll):], messages, nil
}

// A batch is the text that is being put together.
type batch struct {
	text   strings.Builder
	source string
	cut    bool
}

// add adds a turn, and a text to all that has room for no more.
func (b *batch) add(all []lobes.Material, turn []Message, session string, order int) []lobes.Material {
	for _, m := range turn {
		if m.Text == "" {
			continue
		}
		text := within(m.Text, mostOfOne)
		if b.text.Len()+len(text) > mostInOne {
			all = b.flush(all)
		}
		if b.text.Len() == 0 {
			b.source = fmt.Sprintf("session:%s#%d", word(session), order)
		}
		b.cut = b.cut || text != m.Text
		b.text.WriteString(map[string]string{user: "User: ", assistant: "Agent: "}[m.Role] + text + "\n\n")
	}
	return all
}

func (b *batch) flush(all []lobes.Material) []lobes.Material {
	if text := strings.TrimSpace(b.text.String()); len(text) >= leastOfWords {
		all = append(all, lobes.Material{Text: text, Role: assistant, Source: b.source, Swept: true, Truncated: b.cut})
	}
	*b = batch{}
	return all
}

// record puts what was said into the inbox, for a model. What waits there
// already, or was looked through, adds nothing.
func (h *Hook) record(ctx context.Context, by lobes.By, m Material, r io.Reader) (recorded int, err error) {
	all, _, err := Materials(ctx, r, m.Session)
	if err != nil {
		return 0, err
	}
	return RecordAll(ctx, h.Set, by, h.Target, all)
}

// RecordAll puts texts into the inbox, and tells how many were new. What says
// nothing but what was recalled is passed over.
func RecordAll(ctx context.Context, set *lobes.Set, by lobes.By, t lobes.Target, all []lobes.Material) (recorded int, err error) {
	for _, m := range all {
		r, err := set.Record(ctx, by, t, m)
		var recalled *lobes.RecalledError
		var text *lobes.TextError
		switch {
		case errors.As(err, &recalled), errors.As(err, &text):
		case err != nil:
			return recorded, err
		case r.State == lobes.MaterialQueued:
			recorded++
		}
	}
	return recorded, nil
}
