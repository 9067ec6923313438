package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"memory-mcp/cmd/internal/install"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// An outcome is what became of the files of agents, or would.
type outcome struct {
	Applied bool          `json:"applied"` // files were written
	Hosts   []hostOutcome `json:"hosts"`
	Changes []fileOutcome `json:"changes"`
	Notes   []string      `json:"notes"`
	tail    string        // the last thing to say of what was done
}

// setUp is the answer of setup.
type setUp struct {
	Bootstrap *lobes.Bootstrapped `json:"bootstrap,omitempty"`
	Folders   map[string]string   `json:"folders"`
	Config    string              `json:"config"`
	Command   string              `json:"command"`
	Installed bool                `json:"installed"` // the program was copied to Command
	Server    string              `json:"server"`    // how it answered, once it was registered
	outcome
}

// A hostOutcome is one agent.
type hostOutcome struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Sign   string   `json:"sign"`   // by which it was found
	Status string   `json:"status"` // planned, installed, updated, removed, unchanged, skipped, failed
	What   []string `json:"what"`   // server, hooks, skill, …
	Notes  []string `json:"notes"`
	Next   []string `json:"next"` // what is left to do by hand
	Errors []string `json:"errors"`
	Paste  string   `json:"paste,omitempty"`
	had    bool     // something of ours was there before
}

// A fileOutcome is one file.
type fileOutcome struct {
	Path   string   `json:"path"`
	Hosts  []string `json:"hosts"`
	What   []string `json:"what"`
	Kind   string   `json:"kind"` // created, changed, removed, unchanged
	Diff   string   `json:"diff"`
	Backup string   `json:"backup"`
	Error  string   `json:"error"`
}

// plan fills in what would be done.
func (o *outcome) plan(p install.Plan) {
	o.Hosts, o.Changes, o.Notes = []hostOutcome{}, []fileOutcome{}, append([]string{}, o.Notes...)
	for _, c := range p.Changes {
		o.Changes = append(o.Changes, fileOutcome{Path: c.Path, Hosts: c.Hosts, What: c.What, Kind: c.Kind(), Diff: c.Diff()})
	}
	for _, h := range p.Hosts {
		one := hostOutcome{
			ID: h.ID, Name: h.Name, Sign: h.Sign, Status: "planned", What: []string{}, Errors: []string{}, had: h.Had,
			Notes: append([]string{}, h.Notes...), Next: append([]string{}, h.Next...),
		}
		for _, c := range o.Changes {
			if !slices.Contains(c.Hosts, h.ID) {
				continue
			}
			for _, w := range c.What {
				if !slices.Contains(one.What, w) {
					one.What = append(one.What, w)
				}
			}
		}
		for _, e := range h.Errors {
			one.Errors = append(one.Errors, e.Error())
		}
		if h.Show != nil {
			one.Paste = h.Show.Text
		}
		switch {
		case len(h.Errors) > 0:
			one.Status = "failed"
		case !h.Here || len(one.What) == 0:
			one.Status = "skipped"
		case h.Idle(p):
			one.Status = "unchanged"
		}
		o.Hosts = append(o.Hosts, one)
	}
}

// done fills in what was done.
func (o *outcome) done(done []install.Done, removal bool) {
	o.Applied = true
	for i := range o.Changes {
		c := &o.Changes[i]
		for _, d := range done {
			if d.Path != c.Path {
				continue
			}
			if c.Backup = d.Backup; d.Err != nil {
				c.Error = d.Err.Error()
			} else {
				c.Kind = d.Kind
			}
		}
	}
	for i := range o.Hosts {
		h := &o.Hosts[i]
		for _, c := range o.Changes {
			if c.Error != "" && slices.Contains(c.Hosts, h.ID) {
				h.Errors = append(h.Errors, c.Error)
			}
		}
		switch {
		case len(h.Errors) > 0:
			h.Status = "failed"
		case h.Status != "planned":
		case removal:
			h.Status = "removed"
		case h.had:
			h.Status = "updated"
		default:
			h.Status = "installed"
		}
	}
}

// verdict is the exit code of what went wrong with single files.
func (o outcome) verdict() error {
	for _, h := range o.Hosts {
		if len(h.Errors) > 0 {
			return &ExitError{Code: ops.ExitFailure}
		}
	}
	return nil
}

// A job is a plan and what goes with it.
type job struct {
	plan    install.Plan
	program string       // that is registered
	also    []string     // files of our own that go when the plan is done
	finish  func() error // called when the plan was applied
	answer  func() any   // for --json
}

func (j job) idle() bool { return j.plan.Idle() && len(j.also) == 0 }

// carryOut does a job if the person wants it, and tells.
func (e *env) carryOut(ctx context.Context, j job, out *outcome, o setupOptions) error {
	want := o.yes || j.idle()
	if !want && !o.dryRun && !o.json && e.person() {
		var err error
		if want, err = e.yes(j.question()); err != nil {
			return err
		}
	}
	if !want || o.dryRun {
		if o.json {
			return errors.Join(e.say(compact(j.answer())), out.verdict())
		}
		return errors.Join(e.say(e.notDoneText(j, o)), out.verdict())
	}
	done, err := j.plan.Apply(ctx)
	if done == nil && err != nil {
		return &HintedError{Err: err, Hint: "no file was changed", Code: ops.ExitFailure}
	}
	out.done(done, j.plan.Removal())
	err = j.finish()
	if o.json {
		return errors.Join(e.say(compact(j.answer())), err, out.verdict())
	}
	return errors.Join(e.say(e.doneText(*out, j)), err, out.verdict())
}

// files is how many a job would write or remove.
func (j job) files() string {
	n := len(j.also)
	for _, c := range j.plan.Changes {
		if c.Kind() != "unchanged" {
			n++
		}
	}
	return counted(n, "file", "files")
}

// question is what a person is asked before a job is done.
func (j job) question() string {
	if j.plan.Removal() {
		return "Take it back from " + j.files() + "?"
	}
	return "Write " + j.files() + "?"
}

// yes asks a person at the terminal.
func (e *env) yes(question string) (bool, error) {
	if err := e.say("\n"); err != nil {
		return false, err
	}
	if _, err := io.WriteString(e.Stdout, e.terminal.bold(question)+" [y/N] "); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(e.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return false, nil // the input ended: nobody said yes
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// compact writes a value as one line of JSON.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
