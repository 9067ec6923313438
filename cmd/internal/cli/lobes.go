package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/lobes"
)

func newLobes(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "lobes",
		Short:   "List the lobes, their folders and health",
		GroupID: groupCare,
		Long: `List the lobes that this folder knows: a lobe is what is remembered of one
repository. The last line names the configuration file.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return e.run(c.Context(), request{op: "memory_list_lobes", args: map[string]any{}, json: asJSON, pretty: e.showLobes, always: true})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return c
}

func (e *env) showLobes(structure []byte) error {
	var l struct {
		Mode    string           `json:"mode"`
		Lobes   []lobes.LobeInfo `json:"lobes"`
		Config  string           `json:"config"`
		Source  string           `json:"source"`
		Notices []string         `json:"notices"`
	}
	if err := json.Unmarshal(structure, &l); err != nil {
		return err
	}
	t := &table{head: []string{"LOBE", "ENTRIES", "USED", "HEALTH", "FOLDER"}, elastic: 4, right: map[int]bool{1: true, 2: true}}
	for _, x := range l.Lobes {
		name := x.Name
		if x.Current {
			name = "* " + name
		}
		t.add(name, fmt.Sprint(x.Entries), sizes(x.Used, x.Budget), x.Health.State, e.shortPath(x.Dir))
	}
	t.style = func(column int, s string) string {
		if column == 3 && strings.TrimSpace(s) != lobes.Running {
			return e.terminal.red(s)
		}
		return s
	}
	var b strings.Builder
	b.WriteString(t.render(e.terminal))
	for _, x := range l.Lobes {
		e.trouble(&b, x.Health)
	}
	for _, n := range l.Notices {
		b.WriteString(e.terminal.yellow("configuration: "+printable(n)) + "\n")
	}
	b.WriteString(e.terminal.faint("settings from " + either(l.Source, "nowhere") + ", file " + either(l.Config, "none")))
	return e.say(b.String())
}

// trouble says why a lobe is degraded, and how to repair it.
func (e *env) trouble(b *strings.Builder, h lobes.Health) {
	if h.State != lobes.Degraded {
		return
	}
	b.WriteString(e.terminal.red("lobe "+h.Name+" is degraded: "+printable(h.Cause)) + "\n")
	for _, r := range h.Remedy {
		b.WriteString("  " + printable(r) + "\n")
	}
}

// sizes is a share of a budget.
func sizes(used, budget int64) string {
	if budget <= 0 {
		return size(used)
	}
	return size(used) + " of " + size(budget)
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
