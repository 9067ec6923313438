package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/llm"
	"memory-mcp/llm/llamacpp"
)

// triedWithin is how long a server, or a program, may take to say what it is.
const triedWithin = 2 * time.Second

// Tried says how each model is, as [App.Facts] does, once the servers were
// asked whether they answer and the programs what they are. No text leaves.
func (a *App) Tried(ctx context.Context) []ops.Part {
	a.mu.Lock()
	c, told := a.now.config, a.now.brains.tell()
	a.mu.Unlock()
	if c == nil {
		return told
	}
	ctx, stop := context.WithTimeout(ctx, triedWithin)
	defer stop()
	var all sync.WaitGroup
	for i := range told {
		all.Go(func() { try(ctx, c, &told[i]) })
	}
	all.Wait()
	return told
}

// try asks one model's server, or program.
func try(ctx context.Context, c *config.Config, p *ops.Part) {
	m, ok := map[string]config.Model{"embedding": c.Models.Embedding, "rerank": c.Models.Rerank, "generation": c.Models.Generation}[p.Role]
	switch {
	case !ok || p.State == "off":
	case m.URL == "":
		server, err := llamacpp.Find(c.Models.Server, RuntimeDir(c.Home))
		if err == nil {
			p.Version, err = llamacpp.Version(ctx, server)
		}
		if err != nil && ctx.Err() == nil && p.Cause == "" {
			p.State, p.Cause, p.Next = "off", err.Error(), `name a llama-server as "server" in the block "models"`
		}
	default:
		ask(ctx, c, m, p)
	}
}

// ask asks a server for its models.
func ask(ctx context.Context, c *config.Config, m config.Model, p *ops.Part) {
	client, err := llm.New(llm.Endpoint{URL: m.URL, Key: m.Key, Model: m.Name}, llm.Options{})
	if err != nil {
		return // it is told by the part itself
	}
	names, err := client.Models(ctx)
	var status *llm.StatusError
	switch {
	case errors.As(err, &status) && (status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden):
		p.State, p.Cause, p.Next = "unreachable", err.Error(), "correct the key of models."+p.Role
	case errors.As(err, &status):
		// It answers, and keeps no list.
	case err != nil:
		p.State, p.Cause, p.Next = "unreachable", err.Error(), fmt.Sprintf("start the server at %s, or correct models.%s in %s", p.Host, p.Role, either(c.Path, "the environment"))
	case len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return n == m.Name || strings.TrimSuffix(n, ":latest") == m.Name }):
		p.Cause, p.Next = fmt.Sprintf("the server does not list the model %s (it lists %s)", m.Name, shortList(names)), "correct the name of models."+p.Role
	}
}

func either(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

const mostListed = 5

func shortList(names []string) string {
	if len(names) > mostListed {
		return strings.Join(names[:mostListed], ", ") + fmt.Sprintf(" and %d more", len(names)-mostListed)
	}
	return strings.Join(names, ", ")
}

// ollama is where Ollama listens unless it is told otherwise.
const ollama = "http://127.0.0.1:11434/v1"

// An Offer is a model that could be used, and what to write for it.
type Offer struct{ What, How string }

// Offers are models that are here and that nobody has configured: they are
// told, and never used unasked.
func (a *App) Offers(ctx context.Context) []Offer {
	if a.Generates() {
		return nil
	}
	var offers []Offer
	ctx, stop := context.WithTimeout(ctx, triedWithin)
	defer stop()
	client, err := llm.New(llm.Endpoint{URL: ollama}, llm.Options{})
	if err == nil {
		if names, err := client.Models(ctx); err == nil {
			name := "MODEL"
			if len(names) > 0 {
				name = names[0]
			}
			offers = append(offers, Offer{
				fmt.Sprintf("Ollama answers on this machine with %d models, and is not used", len(names)),
				fmt.Sprintf(`"models": {"generation": {"url": %q, "model": %q}}`, ollama, name),
			})
		}
	}
	for _, name := range []string{"OPENAI_API_KEY", "OPENROUTER_API_KEY"} {
		if a.o.Getenv(name) != "" {
			offers = append(offers, Offer{
				name + " is set, and is not used",
				"to send material there, set MEMORY_MCP_GENERATION_URL to the service and MEMORY_MCP_GENERATION_KEY to the key",
			})
		}
	}
	return offers
}
