package ops

import (
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// shown makes changes ready to be told: on one line each, secrets masked.
func shown(all []lobes.Change) []lobes.Change {
	kept := make([]lobes.Change, len(all))
	for i, c := range all {
		c.Title, c.Reason, c.Quote = safeLine(c.Title), safeLine(c.Reason), safeLine(c.Quote)
		c.Actor, c.Hint, c.Topic, c.Eraser = safeLine(c.Actor), safeLine(c.Hint), safeLine(c.Topic), safeLine(c.Eraser)
		if len(c.Sources) > 0 {
			c.Sources = safeLines(c.Sources)
		}
		c.Words = safeWords(c.Words)
		for j := range c.Fields {
			c.Fields[j].Old, c.Fields[j].New = safeLine(c.Fields[j].Old), safeLine(c.Fields[j].New)
		}
		kept[i] = c
	}
	return kept
}

// safeWords masks the secrets in a difference. A secret that the difference
// cuts in pieces shows only in the whole texts, so then these are told.
func safeWords(words []textanalysis.Piece) []textanalysis.Piece {
	if len(words) == 0 {
		return nil
	}
	var before, after strings.Builder
	for _, w := range words {
		if w.What != textanalysis.Added {
			before.WriteString(w.Text)
		}
		if w.What != textanalysis.Removed {
			after.WriteString(w.Text)
		}
	}
	old, now := safe(before.String()), safe(after.String())
	if old != before.String() || now != after.String() {
		return []textanalysis.Piece{{What: textanalysis.Removed, Text: old}, {What: textanalysis.Added, Text: now}}
	}
	return words
}

// wordLine is a difference on one line, in the marks that git uses:
// [-removed-]{+added+}.
func wordLine(words []textanalysis.Piece, most int) string {
	var b strings.Builder
	for _, w := range words {
		switch {
		case w.Text == "":
		case w.What == textanalysis.Removed:
			b.WriteString("[-" + w.Text + "-]")
		case w.What == textanalysis.Added:
			b.WriteString("{+" + w.Text + "+}")
		default:
			b.WriteString(w.Text)
		}
	}
	return excerpt(b.String(), most)
}

// mostWords is the length in characters of a difference in a list.
const mostWords = 600

// mostField is the same of a field's.
const mostField = 200

// changeLine is a change on one line.
func changeLine(c lobes.Change) string {
	parts := []string{"- " + stamp(c.Recorded) + " " + c.Kind + " " + c.ID + tail(" ", c.Title)}
	if c.Topic != "" {
		parts = append(parts, c.Topic)
	}
	return strings.Join(append(parts, grounds(c)...), " | ")
}

// grounds say who made a change, and why.
func grounds(c lobes.Change) []string {
	var parts []string
	add := func(label, s string) {
		if s != "" {
			parts = append(parts, label+s)
		}
	}
	by := either(c.Actor, "unknown")
	if c.Hint != "" {
		by += " (" + c.Hint + ")"
	}
	add("by ", by)
	add("session ", c.Session)
	if c.Role == "user" {
		add("", "said by the user")
	}
	add("reason: ", c.Reason)
	if c.Pending {
		add("", "not yet in the history")
	}
	if !strings.HasPrefix(c.Reason, "moved to "+c.MovedTo) && !strings.HasPrefix(c.Reason, "moved back to "+c.MovedTo) {
		add("moved to lobe ", c.MovedTo)
	}
	if c.Erased != nil {
		add("", "its content was erased at "+stamp(*c.Erased)+tail(" by ", c.Eraser))
	}
	add("took the place of ", strings.Join(c.Supersedes, ", "))
	return parts
}

// detailLines are what a change tells beside its line: its sources, its
// difference, its fields.
func detailLines(c lobes.Change) []string {
	var lines []string
	add := func(label, s string) {
		if s != "" {
			lines = append(lines, "  "+label+s)
		}
	}
	add("sources: ", strings.Join(c.Sources, ", "))
	add("quote: ", c.Quote)
	add("", wordLine(c.Words, mostWords))
	if c.Kind == "learned" {
		return lines // all of its fields are new
	}
	for _, f := range c.Fields {
		if f.Field == "created" || f.Field == "quote" || f.Field == "supersedes" {
			continue // the change tells it
		}
		add(f.Field+": ", wordLine([]textanalysis.Piece{{What: textanalysis.Removed, Text: f.Old}, {What: textanalysis.Added, Text: f.New}}, mostField))
	}
	return lines
}
