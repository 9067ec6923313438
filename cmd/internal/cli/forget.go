package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/lobes"
)

type forgetOptions struct {
	vanishedOptions
	reason, session, source, actor, since, until, token, revision string
	erase, secrets, yes                                           bool
}

func newForget(e *env) *cobra.Command {
	var o forgetOptions
	c := &cobra.Command{
		Use:     "forget ID... | --session S | --source FILE | --actor NAME | --since TIME [--until TIME] | --secrets | --vanished",
		Short:   "Take memories back, or erase them",
		GroupID: groupCare,
		Long: `Take memories back: they are not recalled any more, and their history stays, so
that "restore" can put them back. With --erase their content goes from files
and history for good; only the ids and the times stay.

--erase --revision STATE erases only what a memory was once: what it is now, and
the rest of its history, stay.

By id this is done at once; --dry-run shows it. By session, source, actor or
time it is shown first, with the line that does it; --yes does it at once.

--secrets masks what looks like a secret in files and history.
--vanished is for a lobe of which many files went at once: they were meant to go.

` + timesHelp,
		Example: `  memory-mcp forget gotcha-3f7a2b1c
  memory-mcp forget --session s-42 --erase
  memory-mcp forget gotcha-3f7a2b1c --erase --revision 9f8e7d6c5b4a3928
  memory-mcp forget --source docs/old.md`,
		Args: o.names,
		RunE: func(c *cobra.Command, args []string) error { return e.forget(c.Context(), o, args) },
	}
	o.flags(c, "they were meant to go")
	f := c.Flags()
	f.StringVar(&o.reason, "reason", "", "why; kept in the history")
	f.StringVar(&o.session, "session", "", "all that was written in this session")
	f.StringVar(&o.source, "source", "", "all that cites this file")
	f.StringVar(&o.actor, "actor", "", "all that this client wrote")
	f.StringVar(&o.since, "since", "", "all that was written from this time on")
	f.StringVar(&o.until, "until", "", "all that was written up to this time")
	f.BoolVar(&o.secrets, "secrets", false, "mask what looks like a secret, in files and history")
	f.BoolVar(&o.erase, "erase", false, "the content goes for good, from the history too")
	f.StringVar(&o.revision, "revision", "", "with --erase: only the content of this former `STATE` of the memory, as \"why\" names it")
	f.StringVar(&o.token, "apply", "", "do what a preview with this `TOKEN` showed")
	f.BoolVar(&o.yes, "yes", false, "do it without showing it first")
	return c
}

// grounds tells whether something else than ids says what to forget.
func (o *forgetOptions) grounds() bool {
	return o.session != "" || o.source != "" || o.actor != "" || o.since != "" || o.until != "" || o.secrets
}

func (o *forgetOptions) names(c *cobra.Command, args []string) error {
	switch {
	case o.grounds() && (len(args) > 0 || o.vanished):
		return &UsageError{Command: c.CommandPath(), Err: errors.New("ids, --vanished and --session, --source, --actor, --since, --until, --secrets are ways of their own"), Hint: "name one of them"}
	case o.revision != "" && (!o.erase || len(args) != 1 || o.vanished || o.grounds()):
		return &UsageError{Command: c.CommandPath(), Err: errors.New("--revision names one state of one memory whose content goes"), Hint: "memory-mcp forget ID --erase --revision R"}
	case o.dryRun && (o.yes || o.token != ""):
		return &UsageError{Command: c.CommandPath(), Err: errors.New("--dry-run does nothing, and --yes and --apply do it"), Hint: "leave one of them out"}
	case o.grounds():
		return nil
	}
	return o.vanishedOptions.names(c, args)
}

func (e *env) forget(ctx context.Context, o forgetOptions, ids []string) error {
	base := map[string]any{"action": "delete"}
	if o.erase || o.secrets {
		base["action"] = "erase"
	}
	set(base, "lobe", o.lobe)
	set(base, "reason", o.reason)
	switch {
	case o.vanished:
		return e.vanished(ctx, o.vanishedOptions, "Forgotten", (*app.App).ForgetVanished)
	case o.grounds():
		return e.forgetAll(ctx, o, base)
	}
	set(base, "preview", o.dryRun)
	set(base, "revision", o.revision)
	return e.each(ctx, base, ids, o.json)
}

// forgetAll forgets by other grounds than ids: shown first, unless the person
// has seen it or said that they need not.
func (e *env) forgetAll(ctx context.Context, o forgetOptions, args map[string]any) error {
	for name, value := range map[string]string{
		"session": o.session, "source": o.source, "actor": o.actor, "since": o.since, "until": o.until, "token": o.token,
	} {
		set(args, name, value)
	}
	set(args, "secrets", o.secrets)
	set(args, "apply", o.token != "")
	if o.json || e.terminal.is {
		args["maxTokens"] = roomyTokens
	}
	a := e.open()
	defer end(ctx, a, true)
	if o.yes && o.token == "" {
		token, err := e.token(ctx, a, args)
		if err != nil {
			return err
		}
		if token != "" {
			args["apply"], args["token"] = true, token
		}
	}
	show := func(structure []byte) error { return e.showForgotten(o, structure) }
	return e.call(ctx, a, request{op: "memory_correct", args: args, json: o.json, pretty: show})
}

// token asks for the preview of a call, and gives its token; none when there
// is nothing to forget.
func (e *env) token(ctx context.Context, a *app.App, args map[string]any) (string, error) {
	args = maps.Clone(args)
	reply, err := e.ask(ctx, a, request{op: "memory_correct", args: args})
	if err != nil {
		return "", err
	}
	structure, err := reply.JSON()
	if err != nil {
		return "", err
	}
	var f forgottenAnswer
	if err := json.Unmarshal(structure, &f); err != nil || f.Count+f.Records+f.Material == 0 {
		return "", err
	}
	return f.Token, nil
}

// forgottenAnswer is the answer of a call that forgets by other grounds than
// ids.
type forgottenAnswer struct {
	Lobes     []string       `json:"lobes"`
	Matches   []lobes.Change `json:"matches"`
	Count     int            `json:"count"`
	Token     string         `json:"token"`
	Applied   bool           `json:"applied"`
	Action    string         `json:"action"`
	Retracted []string       `json:"retracted"`
	Erased    []string       `json:"erased"`
	Masked    []string       `json:"masked"`
	Left      []string       `json:"left"`
	Records   int            `json:"records"`
	Material  int            `json:"material"`
}

// again is the line that does what a preview showed.
func (o forgetOptions) again(token string) string {
	words := []string{Name, "forget"}
	for _, f := range []struct{ flag, value string }{
		{"--session", o.session}, {"--source", o.source}, {"--actor", o.actor}, {"--since", o.since}, {"--until", o.until}, {"--lobe", o.lobe}, {"--reason", o.reason},
	} {
		if f.value != "" {
			words = append(words, f.flag, "'"+strings.ReplaceAll(f.value, "'", `'\''`)+"'")
		}
	}
	if o.secrets {
		words = append(words, "--secrets")
	}
	if o.erase {
		words = append(words, "--erase")
	}
	return strings.Join(append(words, "--apply", token), " ")
}

// showForgotten prints for a person what would be forgotten, or was.
func (e *env) showForgotten(o forgetOptions, structure []byte) error {
	var f forgottenAnswer
	if err := json.Unmarshal(structure, &f); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	if f.Count+f.Records+f.Material == 0 {
		return e.say("Nothing in " + either(strings.Join(f.Lobes, ", "), "no lobe") + " is of these grounds.")
	}
	if !f.Applied {
		fmt.Fprintf(&b, "%s, nothing was done: this would %s %s\n", t.yellow("Preview"), f.Action, counted(f.Count, "entry", "entries"))
		list := &table{head: []string{"ID", "TITLE", "WRITTEN", "BY"}, elastic: 1}
		for _, m := range f.Matches {
			list.add(m.ID, m.Title, e.local(m.Recorded), either(m.Actor, "unknown"))
		}
		b.WriteString(list.render(t))
		b.WriteString("do it: " + t.bold(o.again(f.Token)) + "\n")
	}
	for _, done := range []struct {
		verb string
		ids  []string
	}{{"Deleted", f.Retracted}, {"Erased", f.Erased}, {"Masked the secrets of", f.Masked}} {
		if len(done.ids) > 0 {
			b.WriteString(t.green(done.verb) + " " + strings.Join(done.ids, ", ") + "\n")
		}
	}
	if f.Material > 0 {
		b.WriteString(counted(f.Material, "text", "texts") + " of the inbox " + map[bool]string{false: "would go along", true: "went along"}[f.Applied] + "\n")
	}
	if f.Records > 0 {
		b.WriteString(counted(f.Records, "record", "records") + " of feedback and the like " + map[bool]string{false: "would go along", true: "went along"}[f.Applied] + "\n")
	}
	for _, l := range f.Left {
		b.WriteString(t.yellow("not reached: "+printable(l)) + "\n")
	}
	return e.say(b.String())
}
