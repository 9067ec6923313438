package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

func newDiagnose(e *env) *cobra.Command {
	var asJSON, crashes bool
	c := &cobra.Command{
		Use:     "diagnose",
		Short:   "Find what is wrong, and how to repair it",
		GroupID: groupCare,
		Long: `Look at the configuration, all lobes and their files, and past crashes.
The exit code is 0 when all is well, 1 when files need a look, and 6 when a
lobe cannot be served.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := e.diagnosis(c, asJSON, crashes)
			if err != nil {
				return err
			}
			return d.verdict()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	c.Flags().BoolVar(&crashes, "crashes", false, "show older crashes, too")
	return c
}

// diagnosis is the answer of memory_diagnose.
type diagnosis struct {
	Mode     string          `json:"mode"`
	Lobes    []lobes.Health  `json:"lobes"`
	Problems []lobes.Problem `json:"problems"`
	Crashes  []struct {
		When   string   `json:"when"`
		Kind   string   `json:"kind"`
		Op     string   `json:"op"`
		Err    string   `json:"err"`
		Path   string   `json:"path"`
		Remedy []string `json:"remedy"`
	} `json:"crashes"`
	Version  string   `json:"version"`
	Config   string   `json:"config"`
	Source   string   `json:"source"`
	ReadOnly bool     `json:"read_only"`
	Notices  []string `json:"notices"`

	Models []ops.Part    `json:"models"`
	Queues []lobes.Queue `json:"queues"`
}

func (e *env) diagnosis(c *cobra.Command, asJSON, crashes bool) (diagnosis, error) {
	var d diagnosis
	a := map[string]any{"maxTokens": roomyTokens}
	if crashes {
		a["showCrashHistory"] = true
	}
	keep := func(structure []byte) error { return json.Unmarshal(structure, &d) }
	show := func(structure []byte) error {
		if err := keep(structure); err != nil {
			return err
		}
		if asJSON {
			return e.say(string(structure))
		}
		return e.showDiagnosis(d)
	}
	err := e.run(c.Context(), request{op: "memory_diagnose", args: a, pretty: show, always: true})
	return d, err
}

// verdict is the exit code as an error.
func (d diagnosis) verdict() error {
	switch {
	case d.Mode != lobes.Running:
		return &ExitError{Code: exitDegraded}
	case len(d.Problems) > 0 || len(d.Notices) > 0:
		return &ExitError{Code: 1}
	}
	return nil
}

func (e *env) showDiagnosis(d diagnosis) error {
	t := e.terminal
	var b strings.Builder
	mode := t.green(d.Mode)
	if d.Mode != lobes.Running {
		mode = t.red(d.Mode)
	}
	fmt.Fprintf(&b, "%s %s, mode %s\n", Name, d.Version, mode)
	fmt.Fprintf(&b, "settings from %s, file %s\n", either(d.Source, "nowhere"), either(d.Config, "none"))
	if d.ReadOnly {
		b.WriteString("read-only: nothing is written\n")
	}
	for _, n := range d.Notices {
		b.WriteString(t.yellow("configuration: "+printable(n)) + "\n")
	}
	for _, l := range d.Lobes {
		if l.State != lobes.Degraded {
			fmt.Fprintf(&b, "lobe %s: %s\n", l.Name, l.State)
		}
		e.trouble(&b, l)
	}
	for _, m := range d.Models {
		line := printable(m.Line())
		if m.Cause != "" {
			line = t.yellow(line)
		}
		b.WriteString(line + "\n")
	}
	for _, q := range d.Queues {
		line := printable(ops.QueueLine(q))
		if q.LastError != "" || q.Failed > 0 || q.Paused != nil {
			line = t.yellow(line)
		}
		b.WriteString(line + "\n")
	}
	for _, p := range d.Problems {
		at := p.File
		if p.Line > 0 {
			at += fmt.Sprintf(":%d", p.Line)
		}
		b.WriteString(t.yellow(at+": "+printable(p.What)) + "\n")
		if p.Remedy != "" {
			b.WriteString("  " + printable(p.Remedy) + "\n")
		}
	}
	for _, c := range d.Crashes {
		fmt.Fprintf(&b, "crash %s, %s during %s: %s\n  %s\n", c.When, c.Kind, either(c.Op, "no call"), printable(c.Err), c.Path)
		for _, r := range c.Remedy {
			b.WriteString("  " + printable(r) + "\n")
		}
	}
	if d.verdict() == nil {
		b.WriteString("no problems found\n")
	}
	return e.say(b.String())
}
