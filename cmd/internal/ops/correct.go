package ops

import (
	"context"
	"strings"
	"time"

	"memory-mcp/lobes"
)

type correctIn struct {
	ID         string   `json:"id"`
	Action     string   `json:"action" enum:"append|replace|supersede|edit|confirm|archive|move|undo|restore|delete|erase" words:"action" doc:"replace: the text was never right; supersede: it held until validFrom; confirm: still right; erase: gone from history too"`
	Correction string   `json:"correction" free:"1" keep:"1" doc:"the new text"`
	ValidFrom  string   `json:"validFrom" doc:"of supersede"`
	ToLobe     string   `json:"toLobe" doc:"of move"`
	ToTopic    string   `json:"toTopic" hide:"1" words:"topic"`
	Lobe       string   `json:"lobe"`
	Revision   string   `json:"revision" hide:"1" doc:"refuse if it changed since; of erase: the one former state whose content goes"`
	Reason     string   `json:"reason" free:"1" hide:"1"`
	Title      *string  `json:"title" doc:"of edit"`
	Tags       []string `json:"tags"`
	Kind       *string  `json:"kind" hide:"1" enum:"fact|decision|preference|episode|experience|summary|checkpoint|task|context"`
	Trust      *string  `json:"trust" mute:"1" enum:"user|agent-confirmed|agent-inferred" words:"trust"`
	Status     *string  `json:"status" hide:"1"`
	Subject    *string  `json:"subject" hide:"1"`
	Confidence *float64 `json:"confidence" hide:"1"`
	Importance *float64 `json:"importance" hide:"1"`
	Expires    *string  `json:"expires" keep:"1" hide:"1"`
	Sources    []string `json:"sources" hide:"1" doc:"what the new text rests on"`
	Quote      string   `json:"quote" free:"1" hide:"1" doc:"words of the source"`
	Session    string   `json:"session" doc:"if no id; or source, actor, since"`
	Source     string   `json:"source" hide:"1" doc:"of delete and erase instead of id: all that cites it"`
	Actor      string   `json:"actor" hide:"1" doc:"of delete and erase instead of id: all that it wrote"`
	Since      string   `json:"since" hide:"1" doc:"of delete and erase instead of id: all that was written then"`
	Until      string   `json:"until" hide:"1"`
	Preview    bool     `json:"preview" hide:"1" doc:"show what would be done"`
	Apply      bool     `json:"apply" hide:"1" doc:"do what a preview showed, with its token"`
	Token      string   `json:"token" hide:"1"`
	Secrets    bool     `json:"secrets" hide:"1" doc:"of erase: mask what looks like a secret, in files and history"`
	quiet
}

func correctOp() Op {
	return New(Op{
		Name: "memory_correct", Title: "Correct a memory", Effect: Rewrites, bare: "id",
		Doc:    "Call when a memory is wrong, outdated or misfiled, or to confirm that a stale one holds. Old texts stay in history.",
		listed: []Profile{Default, Full}, aliases: aliases(ofCorrect, map[string]string{"tag": "tags", "labels": "tags", "type": "kind"}),
		example: `memory_correct(id: "arch-3f7a2b1c", action: "replace", correction: "the new text")`,
	}, correct)
}

// correct changes one entry, undoes what a session did, or forgets the entries
// that some grounds lead to.
func correct(ctx context.Context, env *Env, in correctIn) (answer, error) {
	if in.ID == "" && in.forgets() {
		return forget(ctx, env, in)
	}
	c, err := in.correction(env.now())
	if err != nil {
		return nil, err
	}
	done, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) (lobes.Corrected, error) {
		return m.Correct(ctx, env.By, t, c)
	})
	if err != nil {
		return nil, err
	}
	return newCorrected(done, in), nil
}

// correction is what the call asks of the lobes.
func (in correctIn) correction(now time.Time) (lobes.Correction, error) {
	c := lobes.Correction{
		ID: in.ID, Action: in.Action, Text: in.Correction, Revision: in.Revision, Reason: in.Reason, Preview: in.Preview,
		Sources: in.Sources, Quote: in.Quote, ToLobe: in.ToLobe, ToTopic: in.ToTopic,
		Title: in.Title, Kind: in.Kind, Trust: in.Trust, Status: in.Status, Subject: in.Subject,
		Confidence: in.Confidence, Importance: in.Importance,
	}
	if in.Tags != nil {
		c.Tags = &in.Tags
	}
	if in.Source != "" && in.Sources == nil {
		c.Sources = []string{in.Source}
	}
	if in.ID == "" && in.Session != "" && in.Action == "undo" {
		c.Session = in.Session
		return c, nil
	}
	if in.ID == "" {
		want := "name the entry by its id, which every answer tells"
		switch in.Action {
		case "delete", "erase":
			want += "; or say what is to go: session, source (a file), actor, since and until, of which a preview is shown first"
		case "undo":
			want += "; or give the session whose changes are to be undone"
		}
		return c, &ArgumentError{Name: "id", Value: `""`, Want: want}
	}
	var err error
	if in.Expires != nil {
		var until string
		if until, err = expiresTime().text(*in.Expires, now); err != nil {
			return c, err
		}
		c.Expires = &until
	}
	if c.ValidFrom, err = fromTime().text(in.ValidFrom, now); err != nil {
		return c, err
	}
	return c, settle(&c)
}

// settle chooses the action of a correction that names none, and makes the
// empty append, an old way to say that an entry still holds, a confirmation.
// Nothing but the words delete and erase takes an entry away.
func settle(c *lobes.Correction) error {
	fields := c.Title != nil || c.Tags != nil || c.Kind != nil || c.Trust != nil || c.Status != nil || c.Subject != nil ||
		c.Confidence != nil || c.Importance != nil || c.Expires != nil
	empty := strings.TrimSpace(c.Text) == ""
	moves := c.ToLobe != "" || c.ToTopic != ""
	switch {
	case c.Action == "" && !empty && c.ValidFrom != "":
		c.Action = "supersede"
	case c.Action == "" && !empty:
		c.Action = "replace"
	case c.Action == "" && fields:
		c.Action = "edit"
	case (c.Action == "" || c.Action == "edit" && !fields) && moves && empty:
		c.Action = "move"
	case c.Action == "":
		return &ArgumentError{Name: "action", Value: `""`, Want: "say what to do with " + c.ID + ": replace or append with a text, supersede with the text that holds now, edit with fields, confirm, move, undo, or delete"}
	case c.Action == "append" && empty:
		c.Action = "confirm"
	case c.Action == "replace" && empty && fields:
		c.Action = "edit"
	case c.Action == "edit" && !empty:
		c.Action = "replace"
	}
	return lacking(c, empty, moves)
}

// lacking tells what the action cannot do without.
func lacking(c *lobes.Correction, empty, moves bool) error {
	switch {
	case c.Action == "replace" && empty:
		return &ArgumentError{Name: "correction", Value: `""`, Want: "replace needs the text that holds instead; delete takes the entry away"}
	case c.Action == "supersede" && empty:
		return &ArgumentError{Name: "correction", Value: `""`, Want: "supersede needs the text that holds from validFrom on; archive puts the entry away without one"}
	case c.Action == "move" && !moves:
		return &ArgumentError{Name: "toLobe", Value: `""`, Want: "move needs toLobe or toTopic"}
	}
	return nil
}
