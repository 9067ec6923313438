package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"memory-mcp/lobes"
)

// hit is a found memory as the operations give it.
type hit struct {
	ID         string      `json:"id"`
	Lobe       string      `json:"lobe"`
	Topic      string      `json:"topic"`
	Title      string      `json:"title"`
	Kind       string      `json:"kind"`
	Status     string      `json:"status"`
	Trust      string      `json:"trust"`
	Confidence float64     `json:"confidence"`
	Fresh      lobes.Fresh `json:"fresh"`
	Excerpt    string      `json:"excerpt"`
	Content    string      `json:"content"`
	Path       string      `json:"path"`
	Tags       []string    `json:"tags"`
	Sources    []string    `json:"sources"`
	Branch     string      `json:"branch"`
	Created    time.Time   `json:"created,omitzero"`
	Copy       bool        `json:"copy"`
	Broken     bool        `json:"broken"`
}

// foundAnswer is the answer of a search.
type foundAnswer struct {
	Lobes    []string       `json:"lobes"`
	Results  []hit          `json:"results"`
	Total    int            `json:"total"`
	Omitted  int            `json:"omitted"`
	Fallback string         `json:"fallback"`
	Tried    string         `json:"tried"`
	Missing  []string       `json:"missing"`
	Degraded []lobes.Health `json:"degraded"`
}

// briefingAnswer is the answer of a briefing.
type briefingAnswer struct {
	Lobes      []string       `json:"lobes"`
	Results    []hit          `json:"results"`
	Omitted    int            `json:"omitted"`
	Entries    int            `json:"entries"`
	StaleFirst []hit          `json:"stale_first"`
	Degraded   []lobes.Health `json:"degraded"`
	Empty      bool           `json:"empty"`
	Notices    []string       `json:"notices"`
}

// showFound prints found memories for a person.
func (e *env) showFound(structure []byte) error {
	var f foundAnswer
	if err := json.Unmarshal(structure, &f); err != nil {
		return err
	}
	t := e.terminal
	var b strings.Builder
	for i, h := range f.Results {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(e.card(h, len(f.Lobes) > 1))
	}
	for _, d := range f.Degraded {
		b.WriteString(t.red("lobe "+d.Name+" was not searched: "+d.Cause) + "\n")
	}
	for _, id := range f.Missing {
		b.WriteString(t.yellow("no entry has the id "+quote(id)) + "\n")
	}
	switch {
	case len(f.Results) == 0:
		b.WriteString("Nothing found in " + either(strings.Join(f.Lobes, ", "), "no lobe") + ".\n")
		if f.Tried != "" {
			b.WriteString(t.faint("tried: "+printable(f.Tried)) + "\n")
		}
	case f.Omitted > 0:
		b.WriteString("\n" + t.faint(fmt.Sprintf("%d of %d shown", len(f.Results), f.Total)) + "\n")
	}
	if f.Fallback != "" && len(f.Results) > 0 {
		b.WriteString(t.faint("nothing held all the words; these matched "+strings.ReplaceAll(f.Fallback, "-", " ")) + "\n")
	}
	return e.say(b.String())
}

// card is one memory over a few lines.
func (e *env) card(h hit, several bool) string {
	t := e.terminal
	var b strings.Builder
	b.WriteString(t.bold(cutTo(printable(h.Title), e.terminal.width)) + "\n")
	facts := []string{h.ID, h.Topic, fmt.Sprintf("%s %.2f", h.Trust, h.Confidence)}
	if several {
		facts = append(facts, "lobe "+h.Lobe)
	}
	if !h.Created.IsZero() {
		facts = append(facts, age(h.Created, e.Now()))
	}
	b.WriteString("  " + t.cyan(strings.Join(facts, " · ")) + e.marks(h) + "\n")
	text := h.Content
	if text == "" {
		text = h.Excerpt
	}
	if text != "" {
		b.WriteString(wrap(printable(text), e.terminal.width, "  ") + "\n")
	}
	b.WriteString("  " + t.faint(h.Path) + "\n")
	return b.String()
}

// marks are what is unusual about a memory.
func (e *env) marks(h hit) string {
	var m []string
	switch h.Fresh.Verdict {
	case "stale", "changed", "gone":
		m = append(m, h.Fresh.Verdict+", verify first")
	}
	if h.Status != "" && h.Status != "active" {
		m = append(m, h.Status)
	}
	if h.Branch != "" {
		m = append(m, "branch "+h.Branch)
	}
	if h.Copy {
		m = append(m, "a copy")
	}
	if h.Broken {
		m = append(m, "does not parse")
	}
	if len(m) == 0 {
		return ""
	}
	return " · " + e.terminal.yellow(strings.Join(m, ", "))
}

// age is how long ago something was, in one unit.
func age(then, now time.Time) string {
	d := now.Sub(then)
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	case d < 730*24*time.Hour:
		return fmt.Sprintf("%dmo", int(d.Hours()/24/30))
	}
	return fmt.Sprintf("%dy", int(d.Hours()/24/365))
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

func either(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func joined(args []string) string { return strings.TrimSpace(strings.Join(args, " ")) }
