package ops

import (
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

// corrected is the answer of a correction.
type corrected struct {
	lobes.Corrected
	words string
}

func newCorrected(done lobes.Corrected, in correctIn) *corrected {
	done.Title = safeLine(done.Title)
	for i := range done.Undone {
		done.Undone[i].Title = safeLine(done.Undone[i].Title)
	}
	for i := range done.Skipped {
		done.Skipped[i].Title, done.Skipped[i].Why = safeLine(done.Skipped[i].Title), safeLine(done.Skipped[i].Why)
	}
	return &corrected{Corrected: done, words: in.Correction}
}

func (c *corrected) shrink() bool {
	switch {
	case len(c.Skipped) > 3:
		c.Skipped = c.Skipped[:len(c.Skipped)-1]
	case len(c.Undone) > 3:
		c.Undone = c.Undone[:len(c.Undone)-1]
	default:
		return false
	}
	return true
}

func (c *corrected) text(p *page) {
	if c.Preview {
		again := "call without preview"
		if p.shell {
			again = "line without --dry-run"
		}
		p.line("PREVIEW, nothing was done. Repeat the %s to do it.", again)
	}
	if c.ID != "" {
		p.line("%s", c.head())
	}
	for i, u := range c.Undone {
		if c.ID == "" || u.ID != c.ID {
			if !p.block(undoneLine(u)) {
				p.line("and %s more", count(len(c.Undone)-i, "entry", "entries"))
				break
			}
		}
	}
	for i, s := range c.Skipped {
		if !p.block(fmt.Sprintf("SKIPPED %s %q (lobe %s): %s. Its last change is of %s, by %s.", s.ID, s.Title, s.Lobe, s.Why, stamp(s.Recorded), either(s.Actor, "somebody"))) {
			p.line("and %s more were skipped", count(len(c.Skipped)-i, "entry", "entries"))
			break
		}
	}
	c.after(p)
	c.notes(p)
}

func (c *corrected) head() string {
	if len(c.Blanked) > 0 {
		verb := "Erased the content of"
		if c.Preview {
			verb = "Would erase the content of"
		}
		return fmt.Sprintf("%s revision %s of %s %q | lobe %s | %s", verb, strings.Join(c.Blanked, ", "), c.ID, c.Title, c.Lobe, c.Topic)
	}
	verb := c.Action
	if verb != "" {
		verb = strings.ToUpper(verb[:1]) + verb[1:]
	}
	if c.Action == "erased" && c.Title == "" {
		return fmt.Sprintf("%s %s | lobe %s", verb, c.ID, c.Lobe) // nobody knows more of it
	}
	s := fmt.Sprintf("%s %s %q | lobe %s | %s | %s", verb, c.ID, c.Title, c.Lobe, c.Topic, c.Path)
	if c.Supersedes != "" {
		s = fmt.Sprintf("Superseded %s by %s %q | lobe %s | %s | %s", c.Supersedes, c.ID, c.Title, c.Lobe, c.Topic, c.Path)
	}
	if c.ValidFrom != nil {
		s += " | valid from " + instant(*c.ValidFrom)
	}
	if c.From != nil {
		s += fmt.Sprintf(" | was in lobe %s, %s", c.From.Lobe, c.From.Topic)
	}
	if c.Trust != "" {
		s += " | " + c.Trust
	}
	if c.Revision != "" {
		s += " | revision " + c.Revision
	}
	return s
}

func undoneLine(u lobes.Undone) string {
	s := fmt.Sprintf("- %s %q (lobe %s): what %s %s at %s is undone", u.ID, u.Title, u.Lobe, either(u.Actor, "somebody"), u.Kind, stamp(u.Recorded))
	if u.Gone {
		s += "; it was not there before, and is gone"
	}
	return s
}

// after says how to take it back, or what stays.
func (c *corrected) after(p *page) {
	c.outcome(p)
	for _, l := range c.Left {
		p.line("NOT REACHED: %s", safeLine(l))
	}
}

// outcome is what a change came to, or would come to.
func (c *corrected) outcome(p *page) {
	switch {
	case len(c.Blanked) > 0:
		c.afterBlank(p)
	case c.ID == "" && c.Action == "unchanged":
		p.line("Nothing was undone: somebody else has changed since what the session had changed.")
	case c.Preview && c.Action == "erased":
		p.line("These would go from files and history for good: %s.", strings.Join(c.Erased, ", "))
	case c.Preview:
	case c.Action == "deleted":
		p.line("Its history stays. Put it back: %s", p.correct(c.ID, "restore", "", arg{"lobe", c.Lobe}))
	case c.Action == "superseded":
		p.line("The old text stays for the time before, and for questions as of then. Why: %s", p.history(askWhy, arg{"id", c.ID}))
	case c.Action == "undone":
		c.afterUndo(p)
	case c.Action == "erased":
		p.line("Erased: %s. Nothing of it is left in files and history; only the id and the time are.", strings.Join(c.Erased, ", "))
	}
}

// afterBlank tells what an erase of single states leaves.
func (c *corrected) afterBlank(p *page) {
	if len(c.Erased) > 0 {
		p.line("With it goes what was made of it: %s.", strings.Join(c.Erased, ", "))
	}
	if !c.Preview {
		p.line("What is believed now is as it was; the history shows that there was a state, when and by whom: %s", p.history(askWhy, arg{"id", c.ID}))
	}
}

func (c *corrected) afterUndo(p *page) {
	what := "What happened: " + p.history(askTimeline, c.narrowed()...)
	switch {
	case c.ID == "" || len(c.Undone) == 0:
		p.line("%s", what)
	case c.Undone[0].Gone:
		p.line("It was not there before, and is gone. Put it back: %s", p.correct(c.ID, "restore", "", arg{"lobe", c.Lobe}))
	default:
		p.line("One more undo takes back the change before. %s", what)
	}
}

func (c *corrected) narrowed() []arg {
	if c.ID == "" {
		return nil
	}
	return []arg{{"id", c.ID}}
}

func (c *corrected) notes(p *page) {
	if c.Adopted {
		p.line("The file had been edited by hand: that edit was kept in the history first, and your change was made on it.")
	}
	if len(c.Masked) > 0 {
		p.line("MASKED before it was written: %s.", strings.Join(c.Masked, ", "))
	}
	for _, w := range c.Warnings {
		p.line("WARNING: %s", strings.TrimSpace(w))
	}
	if c.SuggestPreference {
		p.line("If this is how the user always wants it, store it for every project: %s", p.store(cut(safeLine(c.words), 120), "preferences"))
	}
}
