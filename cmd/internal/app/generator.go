package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/llm"
	"memory-mcp/llm/extract"
	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/models"
	"memory-mcp/llm/sidecar"
	"memory-mcp/lobes"
)

// meter counts what is asked of a server for a role; nil for a model that this
// program runs.
func (a *App) meter(c *config.Config, role string, m config.Model) *llm.Daily {
	if m.URL == "" || c.Home == "" {
		return nil
	}
	calls, tokens := c.Models.Ceiling(m)
	return &llm.Daily{Path: filepath.Join(c.Home, "calls", role+".json"), MaxCalls: calls, MaxTokens: tokens, Now: a.o.Now}
}

// signature names the model that writes, and what tells it from another one of
// that name: where it is, or which file.
func signature(c *config.Config, m config.Model, p part) string {
	if m.URL != "" {
		if (llm.Endpoint{URL: m.URL}).Local() {
			return "local:" + m.Name
		}
		return "remote:" + m.Name
	}
	file, _, err := modelFile(c, m.Name)
	if err != nil {
		return p.name
	}
	print := ""
	if known, err := models.Lookup(m.Name); err == nil {
		print = known.SHA256
	}
	if info, err := os.Stat(file); print == "" && err == nil {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", filepath.Base(file), info.Size(), info.ModTime().UnixNano()))
		print = hex.EncodeToString(sum[:])
	}
	return p.name + "@" + print[:min(len(print), 12)]
}

// generator is a model that answers in words.
type generator struct {
	ask  asker
	name string
}

// Ask asks the model a question, as soon as it is ready.
func (g *generator) Ask(ctx context.Context, q llm.Question) (llm.Reply, error) {
	loan, err := g.ask(ctx, true)
	if err != nil {
		return llm.Reply{}, err
	}
	defer loan.Return()
	return loan.Ask(ctx, q)
}

// extractor finds memories with a generator.
type extractor struct{ *generator }

// Name signs what the model finds.
func (e extractor) Name() string { return e.name }

// Pieces cuts material into parts that one question can hold.
func (e extractor) Pieces(text string) []string { return extract.Pieces(text) }

// Extract finds what is worth keeping in one piece.
func (e extractor) Extract(ctx context.Context, piece, role string) (lobes.Extracted, error) {
	out := lobes.Extracted{Dropped: map[string]int{}}
	err := e.extract(ctx, piece, role, &out)
	if err != nil {
		return lobes.Extracted{}, unasked(err)
	}
	return out, nil
}

// shortestHalf is the length in characters below which a piece is not cut
// further: what a model cannot do with it is not for want of room.
const shortestHalf = 1500

// extract asks about a piece, or about its halves when the question or its
// answer had no room.
func (e extractor) extract(ctx context.Context, piece, role string, out *lobes.Extracted) error {
	r, err := extract.Extract(ctx, e, extract.Material{Text: piece, Role: role})
	length := utf8.RuneCountInString(piece)
	if err != nil && length > shortestHalf && noRoom(err) {
		for _, half := range extract.Split(piece, (length+1)/2) {
			if err := e.extract(ctx, half, role, out); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	for why, n := range r.Dropped {
		out.Dropped[why] += n
	}
	for _, c := range r.Found {
		out.Found = append(out.Found, lobes.Candidate{
			Title: c.Title, Text: c.Text, Kind: c.Kind, Scope: c.Scope, Durability: c.Durability, Confidence: c.Confidence,
			Tags: c.Tags, Conditions: c.Conditions, Quote: c.Quote,
		})
	}
	return nil
}

func noRoom(err error) bool {
	var status *llm.StatusError
	return errors.Is(err, llm.ErrCut) || errors.As(err, &status) && status.TooLong()
}

// unasked marks an error that says nothing about what was asked: the model does
// not run, the ceiling of the day is reached, the key is refused.
func unasked(err error) error {
	var spent *llm.SpentError
	var off *sidecar.NotReadyError
	var status *llm.StatusError
	var until time.Time
	switch {
	case errors.As(err, &spent):
		until = spent.Until
	case errors.As(err, &off):
	case errors.As(err, &status) && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden || status.Status == http.StatusNotFound):
	default:
		return err
	}
	return &lobes.UnaskedError{Cause: err, Until: until}
}

// generation joins the model for generation.
func (b *brains) generation(a *App, c *config.Config) {
	m := c.Models.Generation
	if !m.Used() {
		return
	}
	p := a.part("generation", c, m, llamacpp.Chat)
	if ask := p.reader(m, a.o.Serving || a.o.Working); ask != nil {
		b.generator = &generator{ask: ask, name: signature(c, m, p)}
	} else {
		b.unasked = errors.New(p.cause)
	}
	b.parts = append(b.parts, p)
}

// count tells what a server was asked today.
func (p part) count(t *ops.Part) {
	if p.meter == nil && p.counts != nil {
		t.Calls, t.Failed = p.counts()
	}
	if p.meter == nil {
		return
	}
	c := p.meter.Today()
	t.Host = p.host
	t.Calls, t.Failed, t.Tokens, t.MostCalls, t.MostTokens = c.Calls, c.Failed, c.Tokens, p.meter.MaxCalls, p.meter.MaxTokens
	if c.Error != "" {
		t.Cause = "the last call failed: " + c.Error
	}
	if err := p.meter.Spent(); err != nil {
		t.State, t.Cause = "paused", err.Error()
		t.Next = "it goes on tomorrow, or raise callsPerDay and tokensPerDay in the block \"models\""
	}
}
