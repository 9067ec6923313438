package ops

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

type correctIn struct {
	ID         string   `json:"id" must:"1"`
	Action     string   `json:"action" enum:"append|replace|edit|delete|confirm" words:"action" doc:"edit sets the fields below; confirm: still right"`
	Correction string   `json:"correction" free:"1" keep:"1" doc:"the text, for append and replace"`
	Lobe       string   `json:"lobe"`
	Revision   string   `json:"revision" doc:"refuse if it changed since"`
	Reason     string   `json:"reason" free:"1" hide:"1"`
	Title      *string  `json:"title"`
	Tags       []string `json:"tags"`
	Kind       *string  `json:"kind" hide:"1" enum:"fact|decision|preference|episode|experience|summary|checkpoint|task|context"`
	Trust      *string  `json:"trust" enum:"user|agent-confirmed|agent-inferred" words:"trust"`
	Status     *string  `json:"status" hide:"1"`
	Subject    *string  `json:"subject" hide:"1"`
	Confidence *float64 `json:"confidence" hide:"1"`
	Importance *float64 `json:"importance" hide:"1"`
	Expires    *string  `json:"expires" keep:"1" hide:"1"`
	common
}

func correctOp() Op {
	return New(Op{
		Name: "memory_correct", Title: "Correct a memory", Effect: Rewrites, bare: "id",
		Doc:    "Call when a memory is wrong, outdated or incomplete, or to confirm that a stale one still holds. The old text stays in the history.",
		listed: []Profile{Default, Full}, aliases: aliases(ofCorrect, map[string]string{"tag": "tags", "labels": "tags", "type": "kind"}),
		example: `memory_correct(id: "arch-3f7a2b1c", action: "replace", correction: "the new text")`,
	}, correct)
}

func correct(ctx context.Context, env *Env, in correctIn) (answer, error) {
	if in.ID == "" {
		return nil, &ArgumentError{Name: "id", Value: `""`, Want: "name the entry by its id, which every answer tells"}
	}
	c := lobes.Correction{
		ID: in.ID, Action: in.Action, Text: in.Correction, Revision: in.Revision, Reason: in.Reason,
		Title: in.Title, Kind: in.Kind, Trust: in.Trust, Status: in.Status, Subject: in.Subject,
		Confidence: in.Confidence, Importance: in.Importance,
	}
	if in.Tags != nil {
		c.Tags = &in.Tags
	}
	if in.Expires != nil {
		when, err := expiresTime().text(*in.Expires, env.now())
		if err != nil {
			return nil, err
		}
		c.Expires = &when
	}
	if err := settle(&c); err != nil {
		return nil, err
	}
	done, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.Corrected, error) {
		return m.Correct(ctx, env.By, t, c)
	})
	if err != nil {
		return nil, err
	}
	done.Title = safeLine(done.Title)
	return &corrected{Corrected: done, words: in.Correction}, nil
}

// settle chooses the action of a correction that names none, and makes the
// empty append, an old way to say that an entry still holds, a confirmation.
// Nothing but the word delete deletes.
func settle(c *lobes.Correction) error {
	fields := c.Title != nil || c.Tags != nil || c.Kind != nil || c.Trust != nil || c.Status != nil || c.Subject != nil ||
		c.Confidence != nil || c.Importance != nil || c.Expires != nil
	empty := strings.TrimSpace(c.Text) == ""
	switch {
	case c.Action == "" && !empty:
		c.Action = "replace"
	case c.Action == "" && fields:
		c.Action = "edit"
	case c.Action == "":
		return &ArgumentError{Name: "action", Value: `""`, Want: "say what to do with " + c.ID + ": replace or append with a text, edit with fields, confirm, or delete"}
	case c.Action == "append" && empty:
		c.Action = "confirm"
	case c.Action == "replace" && empty && fields:
		c.Action = "edit"
	case c.Action == "edit" && !empty && !fields:
		c.Action = "replace"
	case c.Action == "replace" && empty:
		return &ArgumentError{Name: "correction", Value: `""`, Want: "replace needs the text that holds instead; delete takes the entry away"}
	}
	return nil
}

type corrected struct {
	lobes.Corrected
	words string
}

func (c *corrected) shrink() bool { return false }

func (c *corrected) text(p *page) {
	verb := c.Action
	if verb != "" {
		verb = strings.ToUpper(verb[:1]) + verb[1:]
	}
	s := fmt.Sprintf("%s %s %q | lobe %s | %s | %s", verb, c.ID, c.Title, c.Lobe, c.Topic, c.Path)
	if c.Trust != "" {
		s += " | " + c.Trust
	}
	if c.Revision != "" {
		s += " | revision " + c.Revision
	}
	p.line("%s", s)
	if c.Action == "deleted" {
		p.line("Its history stays; a person can put it back: %s", line("restore", c.ID, "--lobe", c.Lobe))
	}
	if c.Adopted {
		p.line("The file had been edited by hand: that edit was kept in the history first, and your change was made on it.")
	}
	if len(c.Masked) > 0 {
		p.line("MASKED before it was written: %s.", strings.Join(c.Masked, ", "))
	}
	for _, w := range c.Warnings {
		p.line("WARNING: %s", strings.TrimSpace(w))
	}
	if c.SuggestPreference {
		p.line("If this is how the user always wants it, store it for every project: %s", p.store(cut(safeLine(c.words), 120), "preferences"))
	}
}

type bootstrapIn struct {
	Lobe     string  `json:"lobe"`
	Root     string  `json:"root" doc:"a folder that is no lobe yet: adds it"`
	BudgetMB float64 `json:"budgetMB" doc:"for a new lobe (2)"`
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
