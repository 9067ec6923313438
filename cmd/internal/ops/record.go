package ops

import (
	"context"
	"strings"

	"memory-mcp/lobes"
)

type recordIn struct {
	Content string `json:"content" free:"1"`
	Audio   string `json:"audio"`
	Role    string `json:"role" enum:"assistant|user" doc:"user: the user's own words"`
	Session string `json:"session" hide:"1"`
	Source  string `json:"source" hide:"1" doc:"what it rests on"`
	Lobe    string `json:"lobe" hide:"1"`
	quiet
}

func recordOp() Op {
	return New(Op{
		Name: "memory_record", Title: "Record raw material", Effect: Adds, Idempotent: true, bare: "content",
		Doc:    "Call when a text or recording may hold lasting facts.",
		listed: []Profile{Default, Full}, generates: true, aliases: aliases(ofRecord()),
		example: `memory_record(content: "From now on we deploy on Fridays only.", role: "user")`,
	}, record)
}

// ofRecord are other words for the parameters of a record.
func ofRecord() map[string]string {
	return map[string]string{
		"text": "content", "material": "content", "value": "content", "body": "content", "message": "content", "note": "content",
		"transcript": "content", "rule": "content", "observation": "content", "correction": "content", "conversation": "content", "input": "content", "data": "content",
		"sessionid": "session", "sources": "source", "file": "source", "path": "source", "origin": "source",
		"recording": "audio", "sound": "audio", "wav": "audio", "voice": "audio", "audiofile": "audio",
		"speaker": "role", "author": "role", "who": "role",
	}
}

func record(ctx context.Context, env *Env, in recordIn) (answer, error) {
	switch audio := strings.TrimSpace(in.Audio) != ""; {
	case audio && strings.TrimSpace(in.Content) != "":
		return nil, &ArgumentError{Name: "audio", Value: quote(cut(in.Audio, 200)), Want: "give the path of a recording, or its words as content, not both"}
	case audio:
	case strings.TrimSpace(in.Content) == "":
		return nil, &ArgumentError{Name: "content", Value: `""`, Want: "give the raw material, in whole sentences"}
	}
	by := env.By
	by.Session = either(in.Session, by.Session)
	m := lobes.Material{Text: in.Content, Audio: strings.TrimSpace(in.Audio), Role: in.Role, Source: in.Source}
	r, err := on(ctx, env, env.target(in.Lobe), func(all Memory, t lobes.Target) (lobes.Recorded, error) {
		return all.Record(ctx, by, t, m)
	})
	if err != nil {
		return nil, err
	}
	return &recorded{Recorded: r, audio: m.Audio}, nil
}

// recorded is the answer of a record.
type recorded struct {
	lobes.Recorded
	audio string
}

func (r *recorded) shrink() bool { return false }

func (r *recorded) text(p *page) {
	switch r.State {
	default:
		if r.audio != "" {
			p.line("Recorded in lobe %s: what is said in %s is stored when the models have listened to it and looked through it. %s there.", r.Lobe, cut(r.audio, 200), count(r.Waiting, "text waits", "texts wait"))
			break
		}
		p.line("Recorded in lobe %s: what it says is stored when a model has looked through it. %s there.", r.Lobe, count(r.Waiting, "text waits", "texts wait"))
	case lobes.MaterialWaiting:
		p.line("The same material waits in lobe %s already: nothing was added.", r.Lobe)
	case lobes.MaterialFailed:
		p.line("The same material was given up in lobe %s: %s takes it up again.", r.Lobe, line("work", "--once", "--retry"))
	case lobes.MaterialSettled:
		p.line("The same material was looked through in lobe %s before: nothing was added.", r.Lobe)
	}
	if r.Waits != "" {
		p.line("It will wait: %s. Ask %s.", r.Waits, p.diagnose())
	}
	if r.Cut {
		p.line("Recalled memories were left out of it.")
	}
	if len(r.Masked) > 0 {
		p.line("MASKED before it was written: %s. Keep secrets out of memories.", strings.Join(r.Masked, ", "))
	}
}
