package cli

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

// preview finds what is new, and tells how many memories that are. The notes of
// the batch are then those that are new.
func (w *importing) preview(ctx context.Context, done *imported) (fresh int, err error) {
	all, err := w.set.Resolve(w.target, true)
	if err != nil {
		return 0, err
	}
	done.Lobe = all[0].Name()
	var left []lobes.Received
	for _, n := range w.batch.Notes {
		known, err := w.set.Knows(ctx, w.target, n.Text)
		if err != nil {
			return 0, err
		}
		if known {
			done.Known++
			continue
		}
		left = append(left, n)
		done.Notes = append(done.Notes, importedNote{n.Topic, n.Title, n.Text, n.References})
	}
	w.batch.Notes = left
	if len(w.batch.Copies) > 0 {
		a, err := w.set.Accept(ctx, w.by, w.target, w.batch.Copies, true)
		if err != nil {
			return 0, err
		}
		done.Copies = &a
		fresh = len(a.Stored) + len(a.Renewed)
	}
	return fresh + len(left), nil
}

func (w *importing) store(ctx context.Context, done *imported) error {
	if len(w.batch.Notes) > 0 {
		r, err := w.set.Receive(ctx, w.by, w.target, w.batch.Notes, 0)
		if err != nil {
			return err
		}
		done.Receipt = &r
	}
	if len(w.batch.Copies) > 0 {
		a, err := w.set.Accept(ctx, w.by, w.target, w.batch.Copies, false)
		if err != nil {
			return err
		}
		done.Copies = &a
	}
	done.Applied = true
	return nil
}

func (w *importing) previewText(done imported) string {
	t := w.terminal
	var b strings.Builder
	topic := ""
	for _, n := range done.Notes {
		if n.Topic != topic {
			topic = n.Topic
			b.WriteString("\n" + t.cyan(topic) + "\n")
		}
		text := strings.Join(strings.Fields(n.Text), " ")
		if n.Title != "" {
			text = n.Title + ": " + text
		}
		width := 100
		if t.width > 0 {
			width = t.width - 4
		}
		b.WriteString("  + " + cutTo(printable(text), width) + "\n")
		b.WriteString(t.faint("    from "+printable(strings.Join(n.From, ", "))) + "\n")
	}
	if c := done.Copies; c != nil {
		list := func(what string, ids []string) {
			if len(ids) == 0 {
				return
			}
			const most = 10
			shown := strings.Join(ids[:min(most, len(ids))], " ")
			if len(ids) > most {
				shown += fmt.Sprintf(" and %d more", len(ids)-most)
			}
			fmt.Fprintf(&b, "  %-10s %d: %s\n", what, len(ids), printable(shown))
		}
		list("new", c.Stored)
		list("goes on", c.Renewed)
		list("the same", c.Unchanged)
		list("differs", c.Differ)
		list("refused", c.Refused)
		list("to be held", c.Held)
	}
	for _, s := range done.Skipped {
		b.WriteString(t.yellow("  left out ") + printable(s.Where+": "+s.Why) + "\n")
	}
	return b.String()
}

func (w *importing) importedText(done imported, fresh int, o importOptions) string {
	t := w.terminal
	var b strings.Builder
	if done.Known > 0 {
		fmt.Fprintf(&b, "%s already\n", counted(done.Known, "memory is known", "memories are known"))
	}
	switch {
	case fresh == 0:
		b.WriteString("Nothing new for lobe " + done.Lobe + ".\n")
		return b.String()
	case !done.Applied:
		fmt.Fprintf(&b, "\n%s %s would go to lobe %s. Store them with --yes.\n", t.yellow("Nothing stored."), counted(fresh, "memory", "memories"), done.Lobe)
		return b.String()
	}
	stored := 0
	if r := done.Receipt; r != nil {
		stored += len(r.Stored)
		held := 0
		for _, s := range r.Stored {
			if s.Status == "review" {
				held++
			}
		}
		if held > 0 {
			fmt.Fprintf(&b, "%s to a model, and held for you: memory-mcp query --status review\n", counted(held, "memory speaks", "memories speak"))
		}
		if len(r.Conflicts) > 0 {
			fmt.Fprintf(&b, "%s here and there; the other text is held beside it\n", counted(len(r.Conflicts), "memory was changed", "memories were changed"))
		}
		if r.Refused > 0 {
			fmt.Fprintf(&b, "%s: taken back here before\n", counted(r.Refused, "memory was refused", "memories were refused"))
		}
	}
	if c := done.Copies; c != nil {
		stored += len(c.Stored) + len(c.Renewed)
	}
	fmt.Fprintf(&b, "%s %s in lobe %s\n", t.green("Stored"), counted(stored, "memory", "memories"), done.Lobe)
	return b.String()
}
