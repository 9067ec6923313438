package ops

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"memory-mcp/lobes"
)

type lobesIn struct {
	common
}

func listLobesOp() Op {
	return New(Op{
		Name: "memory_list_lobes", Title: "List the lobes", Effect: Reads, Idempotent: true,
		Doc:    "Call when an answer says that a lobe is unknown, ambiguous or degraded: it lists all lobes with their folders and health.",
		listed: []Profile{Full}, care: true, aliases: aliases(), example: `memory_list_lobes()`,
	}, func(ctx context.Context, env *Env, _ lobesIn) (answer, error) {
		m, err := env.Current(ctx)
		if err != nil {
			return nil, err
		}
		f := env.facts()
		return &lobeList{Mode: m.Mode(), Lobes: m.List(ctx, env.target("")), Config: f.Config, Source: f.Source, Notices: f.Notices}, nil
	})
}

type lobeList struct {
	Mode    string           `json:"mode"`
	Lobes   []lobes.LobeInfo `json:"lobes"`
	Config  string           `json:"config"`
	Source  string           `json:"source"`
	Notices []string         `json:"notices"`
}

func (l *lobeList) shrink() bool { return false }

func (l *lobeList) text(p *page) {
	p.line("%s, mode %s.", count(len(l.Lobes), "lobe", "lobes"), l.Mode)
	for i, x := range l.Lobes {
		if !p.block(infoLine(x)) {
			p.line("and %d more", len(l.Lobes)-i)
			break
		}
	}
	for _, n := range l.Notices {
		p.line("CONFIGURATION: %s.", strings.TrimSuffix(n, "."))
	}
	p.line("Settings from %s.", either(l.Config, either(l.Source, "defaults")))
}

func infoLine(x lobes.LobeInfo) string {
	s := fmt.Sprintf("- %s: %s in %s", x.Name, count(x.Entries, "memory", "memories"), x.Dir)
	if x.Root != "" {
		s += ", project " + x.Root
	}
	if x.Branch != "" {
		s += ", branch " + x.Branch
	}
	s += fmt.Sprintf(", %s of %s", size(x.Used), size(x.Budget))
	if x.Current {
		s += ", current"
	}
	if x.Global || x.AlwaysInclude {
		s += ", always included"
	}
	if x.Health.State == lobes.Degraded {
		s += fmt.Sprintf(", DEGRADED: %s. %s", x.Health.Cause, strings.Join(x.Health.Remedy, "; "))
	}
	return s
}

// size is a number of bytes for a person.
func size(n int64) string {
	switch {
	case n < 0:
		return "no limit"
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

type statsIn struct {
	Lobe string `json:"lobe" words:"lobes" doc:"a lobe's name, or *"`
	common
}

func statsOp() Op {
	return New(Op{
		Name: "memory_stats", Title: "Count memories", Effect: Reads, Idempotent: true, bare: "lobe",
		Doc:    "Call when asked how much is remembered: counts by topic, trust, tag and freshness, and the size on disk.",
		listed: []Profile{Full}, aliases: aliases(), example: `memory_stats(lobe: "*")`,
	}, func(ctx context.Context, env *Env, in statsIn) (answer, error) {
		s, err := on(ctx, env, env.target(in.Lobe), func(m Memory, t lobes.Target) ([]lobes.LobeStats, error) {
			return m.Stats(ctx, t)
		})
		if err != nil {
			return nil, err
		}
		return &counts{Lobes: s}, nil
	})
}

type counts struct {
	Lobes []lobes.LobeStats `json:"lobes"`
}

func (c *counts) shrink() bool {
	for i := range c.Lobes {
		if len(c.Lobes[i].Tags) > 0 {
			c.Lobes = slices.Clone(c.Lobes)
			c.Lobes[i].Tags = nil
			return true
		}
	}
	return false
}

func (c *counts) text(p *page) {
	for i, s := range c.Lobes {
		if !p.block(statsText(s)) {
			p.line("and %s more", count(len(c.Lobes)-i, "lobe", "lobes"))
			break
		}
	}
}

func statsText(s lobes.LobeStats) string {
	if s.Degraded != nil {
		return fmt.Sprintf("Lobe %s is DEGRADED: %s", s.Lobe, s.Degraded.Cause)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Lobe %s: %s, %s of %s, in %s\n", s.Lobe, count(s.Entries, "memory", "memories"), size(s.Used), size(s.Budget), s.Dir)
	fmt.Fprintf(&b, "fresh %d, stale %d, without a source %d; do not parse %d, copies %d\n", s.Fresh, s.Stale, s.Unknown, s.Broken, s.Copies)
	for _, part := range []struct {
		name string
		by   map[string]int
	}{{"topics", s.ByTopic}, {"trust", s.ByTrust}, {"status", s.ByStatus}, {"kinds", s.ByKind}, {"subjects", s.BySubject}} {
		if len(part.by) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", part.name, tally(part.by))
		}
	}
	if len(s.Tags) > 0 {
		b.WriteString("tags: " + tagList(s.Tags) + "\n")
	}
	fmt.Fprintf(&b, "oldest %s, newest %s; history %d files, %s; records %d files, %s; inbox %d files, %s",
		day(s.Oldest), day(s.Newest), s.HistoryFiles, size(s.HistoryBytes), s.RecordFiles, size(s.RecordBytes), s.InboxFiles, size(s.InboxBytes))
	if !s.Queue.Idle() {
		b.WriteString("\n" + QueueLine(s.Queue))
	}
	if u := s.Usage; len(u.Sessions) > 0 {
		fmt.Fprintf(&b, "\ncalls: %s\ninjected unasked: %s, about %d tokens; %d of them then opened, %d confirmed",
			either(tally(u.Calls), "none"), count(u.Injected, "memory", "memories"), u.Tokens, u.Opened, u.Confirmed)
	}
	return b.String()
}

func tally(by map[string]int) string {
	parts := make([]string, 0, len(by))
	for _, k := range sortedKeys(by) {
		parts = append(parts, fmt.Sprintf("%s %d", either(safeLine(k), "none"), by[k]))
	}
	return strings.Join(parts, ", ")
}

type diagnoseIn struct {
	History bool `json:"showCrashHistory"`
	common
}

func diagnoseOp() Op {
	return New(Op{
		Name: "memory_diagnose", Title: "Find what is wrong", Effect: Reads, Idempotent: true, bare: "showCrashHistory",
		Doc:    "Call when a memory tool fails or a lobe is degraded: it tells the mode, each problem with its file, line and remedy, and past crashes.",
		listed: []Profile{Full}, care: true, aliases: aliases(ofDiagnose), example: `memory_diagnose(showCrashHistory: true)`,
	}, diagnose)
}

const (
	crashesShown   = 1
	crashesHistory = 10
)

func diagnose(ctx context.Context, env *Env, in diagnoseIn) (answer, error) {
	m, err := env.Current(ctx) // takes over a changed configuration, of which the facts tell
	f := env.facts()
	if env.Tried != nil {
		f.Parts = env.Tried(ctx)
	}
	d := &diagnosis{
		Version: f.Version, Config: f.Config, Source: f.Source, Notices: f.Notices, ReadOnly: f.ReadOnly, Models: append([]Part{}, f.Parts...),
		Uptime: since(f.Started, env.now()),
	}
	if err != nil {
		d.Mode = lobes.Safe
		d.Notices = append(d.Notices[:len(d.Notices):len(d.Notices)], err.Error())
	} else {
		x := m.Diagnose(ctx)
		d.Mode, d.Lobes, d.Problems, d.Queues, d.Behavior = x.Mode, x.Lobes, x.Problems, x.Queues, newBehavior(x.Behavior)
	}
	n := crashesShown
	if in.History {
		n = crashesHistory
	}
	crashes, notices := env.deaths(n)
	d.Crashes = crashes
	d.Notices = append(d.Notices[:len(d.Notices):len(d.Notices)], notices...)
	return d, nil
}

type diagnosis struct {
	Mode     string          `json:"mode"`
	Lobes    []lobes.Health  `json:"lobes"`
	Problems []lobes.Problem `json:"problems"`
	Behavior behavior        `json:"behavior"`
	Crashes  []death         `json:"crashes"`
	Version  string          `json:"version"`
	Uptime   string          `json:"uptime"`
	Config   string          `json:"config"`
	Source   string          `json:"source"`
	ReadOnly bool            `json:"read_only"`
	Notices  []string        `json:"notices"`
	Models   []Part          `json:"models"`
	Queues   []lobes.Queue   `json:"queues"`  // raw material that waits for a model, by lobe
	Omitted  int             `json:"omitted"` // problems that the budget did not hold
}

// behavior is what tunes the answers, as it is in effect.
type behavior struct {
	StaleDaysStandard    int  `json:"stale_days_standard"`
	StaleDaysPreferences int  `json:"stale_days_preferences"` // 0 is never
	StaleDaysGotchas     int  `json:"stale_days_gotchas"`     // 0 is never
	MaxStaleInBriefing   int  `json:"max_stale_in_briefing"`
	MaxDedupSuggestions  int  `json:"max_dedup_suggestions"`
	MaxConflictPairs     int  `json:"max_conflict_pairs"`
	Boosts               bool `json:"boosts"`
}

func newBehavior(b lobes.Behavior) behavior {
	return behavior{
		StaleDaysStandard: b.StaleDaysStandard, StaleDaysPreferences: b.StaleDaysPreferences, StaleDaysGotchas: b.StaleDaysGotchas,
		MaxStaleInBriefing: b.MaxStaleInBriefing, MaxDedupSuggestions: b.MaxDedupSuggestions, MaxConflictPairs: b.MaxConflictPairs,
		Boosts: !b.NoBoosts,
	}
}

func (d *diagnosis) shrink() bool {
	if len(d.Problems) == 0 {
		return false
	}
	d.Problems = d.Problems[:len(d.Problems)-1]
	d.Omitted++
	return true
}

func (d *diagnosis) text(p *page) {
	p.line("Mode %s. Version %s, up %s. Settings from %s.", d.Mode, either(d.Version, "unknown"), d.Uptime, either(d.Config, either(d.Source, "defaults")))
	if d.ReadOnly {
		p.line("Read-only: nothing is written.")
	}
	for _, n := range d.Notices {
		p.line("CONFIGURATION: %s.", strings.TrimSuffix(n, "."))
	}
	for _, l := range d.Lobes {
		if l.State == lobes.Degraded {
			p.line("Lobe %s: DEGRADED: %s. %s", l.Name, l.Cause, strings.Join(l.Remedy, "; "))
			continue
		}
		p.block(fmt.Sprintf("Lobe %s: %s", l.Name, l.State))
	}
	for _, m := range d.Models {
		p.block(safeLine(m.Line()))
	}
	for _, q := range d.Queues {
		p.block(safeLine(QueueLine(q)))
	}
	d.problems(p)
	for _, c := range d.Crashes {
		p.block("Crash: " + c.line())
	}
	if len(d.Problems) == 0 && d.Mode == lobes.Running && len(d.Crashes) == 0 {
		p.line("No problems found.")
	}
}

// QueueLine tells a person what waits for a model.
func QueueLine(q lobes.Queue) string {
	s := fmt.Sprintf("Inbox of %s: %s", q.Lobe, count(q.Waiting, "text waits", "texts wait"))
	if q.Oldest != nil {
		s += " since " + q.Oldest.Format(time.RFC3339)
	}
	if q.Failed > 0 {
		s += fmt.Sprintf(", %d given up", q.Failed)
	}
	if q.Paused != nil {
		s += fmt.Sprintf(", paused since %s by %s", q.Paused.Format(time.RFC3339), either(q.PausedBy, "nobody known"))
	}
	if q.LastError != "" {
		s += ". Last error: " + q.LastError
	}
	if q.Next != "" {
		s += ". Next: " + q.Next
	}
	return s
}

// Line tells a person how a model is.
func (m Part) Line() string {
	s := fmt.Sprintf("Model for %s, %s: %s", m.Role, m.Name, m.State)
	if m.Version != "" {
		s += ", " + m.Version
	}
	if m.Host != "" {
		s += fmt.Sprintf(", at %s, %s today (%d failed), %d tokens", m.Host, count(m.Calls, "call", "calls"), m.Failed, m.Tokens)
	}
	if m.Host == "" && m.Calls > 0 {
		s += fmt.Sprintf(", %s (%d failed)", count(m.Calls, "call", "calls"), m.Failed)
	}
	if m.MostCalls > 0 || m.MostTokens > 0 {
		s += fmt.Sprintf("; at most %s calls and %s tokens a day", bound(m.MostCalls), bound(m.MostTokens))
	}
	if m.Cause != "" {
		s += ": " + strings.Join(strings.Fields(m.Cause), " ")
	}
	if m.Next != "" {
		s += ". Next: " + m.Next
	}
	return s
}

func bound(n int) string {
	if n <= 0 {
		return "any number of"
	}
	return strconv.Itoa(n)
}

func (d *diagnosis) problems(p *page) {
	for i, x := range d.Problems {
		at := x.File
		if x.Line > 0 {
			at += fmt.Sprintf(":%d", x.Line)
		}
		if !p.block(fmt.Sprintf("Problem: %s: %s (lobe %s). %s", at, safeLine(x.What), x.Lobe, safeLine(x.Remedy))) {
			p.line("and %s more: ask with a larger maxTokens.", count(len(d.Problems)-i, "problem", "problems"))
			return
		}
	}
}
