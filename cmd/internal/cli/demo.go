package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

func newDemo(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "Show what the history can answer, in a scratch folder",
		GroupID: groupTime,
		Long: `Play two sessions a week apart in a scratch folder that is removed afterwards: an
agent learns where a project deploys, and a week later that it had moved. Then
ask what was believed on which day, what changed, and why. Your own memories are
not touched.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return e.demo(c.Context()) },
	}
}

// A play is the demo as it runs: its own program, on its own clock.
type play struct {
	*env
	app *app.App
	now time.Time
	err error // of the first step that failed; the rest is not played
	ctx context.Context
}

func (e *env) demo(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "memory-mcp-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	acme := filepath.Join(dir, "acme")
	if err := os.Mkdir(acme, 0o700); err != nil {
		return err
	}
	own := *e
	p := &play{env: &own, ctx: ctx}
	own.Now = func() time.Time { return p.now }
	p.on(9)
	p.app = app.Open(app.Options{
		Version: version(), Home: dir, Cwd: acme, Now: own.Now,
		Getenv: func(name string) string {
			return map[string]string{"MEMORY_MCP_HOME": filepath.Join(dir, "memory")}[name]
		},
	})
	defer end(ctx, p.app, true)
	p.acts()
	return p.err
}

// on turns the clock to a day of June 2026.
func (p *play) on(day int) { p.now = time.Date(2026, 6, day, 10, 0, 0, 0, time.UTC) }

// acts are the two sessions, and the questions afterwards.
func (p *play) acts() {
	p.tell("9 June. An agent learns where the project deploys.")
	old := p.step(`store "The project acme deploys via Heroku." --topic decisions`, "memory_store", map[string]any{
		"content": "The project acme deploys via Heroku.", "title": "Where acme deploys", "topic": "decisions",
	}, p.showStored)
	p.on(16)
	p.tell("16 June. The team says that they moved to Fly.io on 1 June.")
	id := p.step("correct "+old+` supersede "The project acme deploys via Fly.io." --valid-from 2026-06-01`, "memory_correct", map[string]any{
		"id": old, "action": "supersede", "correction": "The project acme deploys via Fly.io.", "validFrom": "2026-06-01",
		"reason": "the team moved", "quote": "we moved to Fly on the first",
	}, p.showCorrected)
	p.on(20)
	p.tell("20 June. What holds now?")
	p.step("query deploys", "memory_query", map[string]any{"filter": "deploys"}, p.showFound)
	p.tell("Why did the agent write a configuration for Heroku on 9 June? It is what was believed that day:")
	p.step("asof 2026-06-09 deploys", "memory_query", map[string]any{"filter": "deploys", "asOf": "2026-06-09"}, p.showThen)
	p.tell("And as is known today, what held on that day already?")
	p.step("asof now deploys --valid-at 2026-06-09", "memory_query", map[string]any{"filter": "deploys", "asOf": "now", "validAt": "2026-06-09"}, p.showThen)
	p.tell("What changed since 15 June?")
	p.step("diff 2026-06-15", "memory_history", map[string]any{"action": "diff", "since": "2026-06-15"}, p.showDiff)
	p.tell("Why is it believed?")
	p.step("why "+id, "memory_history", map[string]any{"action": "why", "id": id}, p.showWhy)
	p.tell("That was a scratch folder, and it is removed. " + Name + " setup begins with your own.")
}

// tell prints what the play is about.
func (p *play) tell(text string) {
	if p.err == nil {
		p.err = p.say("\n" + p.terminal.bold(text))
	}
}

// step makes one call, prints it as it would be typed with its answer, and
// gives the id that the answer is about.
func (p *play) step(typed, op string, args map[string]any, show func([]byte) error) (id string) {
	if p.err != nil {
		return ""
	}
	p.err = func() error {
		args["maxTokens"] = roomyTokens
		raw, err := json.Marshal(args)
		if err != nil {
			return err
		}
		by := lobes.By{Actor: "demo", Session: "session-" + p.now.Format(time.DateOnly), Role: "assistant"}
		reply, fault := ops.Call(p.ctx, p.app.Env(by, true), op, raw)
		if fault != nil {
			return fault
		}
		structure, err := reply.JSON()
		if err != nil {
			return err
		}
		if id, err = firstID(structure); err != nil {
			return err
		}
		if err := p.say(p.terminal.faint("$ "+Name+" "+strings.TrimSpace(typed)) + "\n"); err != nil {
			return err
		}
		return show(structure)
	}()
	return id
}

// firstID is the id of what was stored or corrected; a search has none.
func firstID(structure []byte) (string, error) {
	var answer struct {
		ID     string         `json:"id"`
		Stored []lobes.Stored `json:"stored"`
	}
	if err := json.Unmarshal(structure, &answer); err != nil {
		return "", fmt.Errorf("read an answer: %w", err)
	}
	if len(answer.Stored) > 0 {
		return answer.Stored[0].ID, nil
	}
	return answer.ID, nil
}
