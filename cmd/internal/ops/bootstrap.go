package ops

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

type bootstrapIn struct {
	Lobe     string  `json:"lobe" hide:"1"`
	Root     string  `json:"root" doc:"a folder that is no lobe yet: adds it"`
	BudgetMB float64 `json:"budgetMB" hide:"1" doc:"for a new lobe (2)"`
	quiet
}

func bootstrapOp() Op {
	return New(Op{
		Name: "memory_bootstrap", Title: "Read the repository", Effect: Adds, Idempotent: true, bare: "root",
		Doc:    "Call once when a project has no memories: it reads structure, README, build files and commits. Safe to repeat.",
		listed: []Profile{Default, Verbs, Full}, aliases: aliases(ofBootstrap),
		example: `memory_bootstrap()`,
	}, bootstrap)
}

// defaultBudgetMB is the budget of a lobe that a bootstrap adds.
const defaultBudgetMB = 2

func bootstrap(ctx context.Context, env *Env, in bootstrapIn) (answer, error) {
	target := env.target(in.Lobe)
	if in.Root != "" && in.Lobe == "" {
		name, err := adopt(ctx, env, in)
		if err != nil {
			return nil, err
		}
		target.Lobe = name
	}
	b, err := on(ctx, env, target, func(m Memory, t lobes.Target) (lobes.Bootstrapped, error) {
		return m.Bootstrap(ctx, env.By, t, lobes.BootstrapOptions{Progress: env.Progress})
	})
	if err != nil {
		return nil, err
	}
	for i := range b.Stored {
		b.Stored[i].Title = safeLine(b.Stored[i].Title)
	}
	return &bootstrapped{b}, nil
}

func adopt(ctx context.Context, env *Env, in bootstrapIn) (string, error) {
	if env.Adopt == nil {
		return "", &ArgumentError{Name: "root", Value: quote(cut(in.Root, 200)), Want: "a lobe for another folder cannot be added from here; add it to the configuration file"}
	}
	mb := in.BudgetMB
	if mb <= 0 {
		mb = defaultBudgetMB
	}
	return env.Adopt(ctx, in.Root, int64(mb*(1<<20)))
}

type bootstrapped struct {
	lobes.Bootstrapped
}

func (b *bootstrapped) shrink() bool {
	if len(b.Stored) == 0 {
		return false
	}
	b.Stored = b.Stored[:len(b.Stored)-1]
	b.Warnings = append(b.Warnings[:len(b.Warnings):len(b.Warnings)], "more was stored than this answer holds")
	return true
}

func (b *bootstrapped) text(p *page) {
	p.line("Bootstrapped lobe %s: %s stored, %d unchanged, %d taken back or changed by somebody since and left so.",
		b.Lobe, count(len(b.Stored), "memory", "memories"), b.Unchanged, b.Skipped)
	for i, s := range b.Stored {
		if !p.block(fmt.Sprintf("- %s | lobe %s | %s | %q | %s", s.ID, s.Lobe, s.Topic, s.Title, s.Path)) {
			p.line("and %d more", len(b.Stored)-i)
			break
		}
	}
	for _, w := range b.Warnings {
		if !p.block("WARNING: " + strings.TrimSpace(w)) {
			break
		}
	}
	p.line("Next: %s", p.brief())
}
