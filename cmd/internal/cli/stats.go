package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

func newStats(e *env) *cobra.Command {
	var asJSON bool
	var lobe string
	c := &cobra.Command{
		Use:     "stats",
		Short:   "Count what is remembered",
		GroupID: groupCare,
		Long:    "Count memories by topic, trust and freshness, with their size on disk.",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			a := map[string]any{"maxTokens": roomyTokens}
			set(a, "lobe", lobe)
			return e.run(c.Context(), request{op: "memory_stats", args: a, json: asJSON, pretty: e.showStats, always: true})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	c.Flags().StringVar(&lobe, "lobe", "", `a lobe's name, several with commas, or "*" for all`)
	return c
}

func (e *env) showStats(structure []byte) error {
	var s struct {
		Lobes []lobes.LobeStats `json:"lobes"`
	}
	if err := json.Unmarshal(structure, &s); err != nil {
		return err
	}
	var b strings.Builder
	for i, l := range s.Lobes {
		if i > 0 {
			b.WriteString("\n")
		}
		e.statsOf(&b, l)
	}
	return e.say(b.String())
}

func (e *env) statsOf(b *strings.Builder, l lobes.LobeStats) {
	t := e.terminal
	b.WriteString(t.bold("lobe "+l.Lobe) + "  " + t.faint(e.shortPath(l.Dir)) + "\n")
	if l.Degraded != nil {
		e.trouble(b, *l.Degraded)
		return
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %-10s %s\n", name, value)
		}
	}
	line("entries", fmt.Sprintf("%d, %s", l.Entries, sizes(l.Used, l.Budget)))
	line("freshness", fmt.Sprintf("%d fresh, %d stale, %d without a source", l.Fresh, l.Stale, l.Unknown))
	line("topics", tally(l.ByTopic))
	line("trust", tally(l.ByTrust))
	line("kinds", tally(l.ByKind))
	line("status", tally(l.ByStatus))
	line("subjects", tally(l.BySubject))
	var tags []string
	for _, tag := range l.Tags {
		tags = append(tags, fmt.Sprintf("#%s %d", printable(tag.Tag), tag.Count))
	}
	line("tags", strings.Join(tags, ", "))
	if l.Broken > 0 || l.Copies > 0 {
		line("files", t.yellow(fmt.Sprintf("%d do not parse, %d are copies", l.Broken, l.Copies)))
	}
	if !l.Oldest.IsZero() {
		line("written", l.Oldest.Format(time.DateOnly)+" to "+l.Newest.Format(time.DateOnly))
	}
	line("history", fmt.Sprintf("%s, %s", counted(l.HistoryFiles, "file", "files"), size(l.HistoryBytes)))
	if l.RecordFiles > 0 {
		line("records", fmt.Sprintf("%s, %s", counted(l.RecordFiles, "file", "files"), size(l.RecordBytes)))
	}
	if l.InboxFiles > 0 {
		line("inbox", fmt.Sprintf("%s, %s", counted(l.InboxFiles, "file", "files"), size(l.InboxBytes)))
	}
	if !l.Queue.Idle() {
		line("waiting", t.yellow(printable(ops.QueueLine(l.Queue))))
	}
	e.usageOf(l, line)
}

// usageOf tells what sessions did with the memory, in all and of late.
func (e *env) usageOf(l lobes.LobeStats, line func(name, value string)) {
	u := l.Usage
	if len(u.Sessions) == 0 {
		return
	}
	calls := 0
	for _, n := range u.Calls {
		calls += n
	}
	line("used", fmt.Sprintf("%s: %s", counted(calls, "call", "calls"), either(tally(u.Calls), "none")))
	line("injected", fmt.Sprintf("%s in %d answers, about %d tokens; %d then opened, %d confirmed",
		counted(u.Injected, "memory", "memories"), u.Injections, u.Tokens, u.Opened, u.Confirmed))
	for _, s := range u.Sessions {
		name := "session " + printable(s.Session[:min(len(s.Session), 12)])
		if s.Session == "" {
			name = "sessions that were not told"
		}
		line("", fmt.Sprintf("%s, %s: %s, %d injected, about %d tokens, %d opened, %d confirmed", name,
			age(s.Last, e.Now()), counted(s.Calls, "call", "calls"), s.Injected, s.Tokens, s.Opened, s.Confirmed))
	}
	line("ledgers", fmt.Sprintf("%s, %s", counted(l.LedgerFiles, "file", "files"), size(l.LedgerBytes)))
}

func tally(by map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s %d", either(printable(k), "none"), by[k]))
	}
	return strings.Join(parts, ", ")
}
