package lobes

import (
	"context"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// Material is raw text in which memories are to be found.
type Material struct {
	Text string
	// Role is "user" for a person's own words; else it is what an agent saw.
	Role string
	// Source is what the memories will rest on: a file, a session.
	Source string
	// Swept tells that nobody asked for it: it was read in a transcript.
	Swept bool
	// Truncated tells that something was cut off.
	Truncated bool
	// Spoken is what was said when, of a recording whose text this is.
	Spoken []Spoken
	// Audio is the path of a recording inside the project, instead of a text:
	// the work at the inbox listens to it. A relative one is below the folder
	// from which the call comes.
	Audio string
}

// Recorded tells what became of material.
type Recorded struct {
	Lobe  string `json:"lobe"`
	Item  string `json:"item"`  // its name in the inbox
	State string `json:"state"` // one of the constants below
	Path  string `json:"path"`  // of the item, where it waits
	// Waits says why it will wait; "" when a model takes it up soon.
	Waits string `json:"waits"`
	// Cut tells that recalled memories were left out of it.
	Cut     bool     `json:"cut"`
	Masked  []string `json:"masked"`  // kinds of secrets that were masked
	Waiting int      `json:"waiting"` // items in the inbox, this one included
}

// The states of material.
const (
	MaterialQueued  = "queued"  // it waits for a model
	MaterialWaiting = "waiting" // it waited already
	MaterialFailed  = "failed"  // it was given up before
	MaterialSettled = "settled" // it was looked through before
)

// A RecalledError refuses material that says nothing but what was recalled.
type RecalledError struct{}

func (e *RecalledError) Error() string {
	return "the material is nothing but memories that were recalled: it is not stored once more"
}

// Record puts material into the inbox of the lobe that the target leads to. It
// waits for no model: [Set.Work] finds the memories in it. The same material
// again is told, and not put there twice.
func (s *Set) Record(ctx context.Context, by By, t Target, m Material) (Recorded, error) {
	if err := s.writable("record"); err != nil {
		return Recorded{}, err
	}
	lobes, err := s.Resolve(t, true)
	if err != nil {
		return Recorded{}, err
	}
	it, answer, err := s.itemOf(by, t, lobes[0], m)
	if err != nil {
		return Recorded{}, err
	}
	it.Recorded = s.o.Now().UTC()
	r, err := lobes[0].look(ctx)
	if err != nil {
		return Recorded{}, err
	}
	answer.Lobe = r.lobe.name
	if s.o.Extractor == nil {
		answer.Waits = s.noModel()
	} else if answer.Waits, err = r.pausedBy(ctx); err != nil {
		return Recorded{}, err
	}
	return answer, r.enqueue(ctx, s, it, &answer)
}

// noExtractor is why material waits where no model can be asked.
const noExtractor = "no model for generation is configured"

// noModel is why no model can be asked here.
func (s *Set) noModel() string {
	if s.o.NoExtractor != nil {
		return s.o.NoExtractor.Error()
	}
	return noExtractor
}

// itemOf is material as an item: a text, or a recording.
func (s *Set) itemOf(by By, t Target, l *Lobe, m Material) (*item, Recorded, error) {
	if m.Audio == "" {
		return newItem(by, m)
	}
	it, err := s.soundItem(by, t, l, m)
	return it, Recorded{Masked: []string{}}, err
}

// newItem checks material, and takes out what is not to be kept.
func newItem(by By, m Material) (*item, Recorded, error) {
	if err := checkMaterial(m.Text); err != nil {
		return nil, Recorded{}, err
	}
	role := "assistant"
	if m.Role == "user" {
		role = "user"
	}
	own := textanalysis.DropFenced(strings.ReplaceAll(m.Text, "\r\n", "\n"))
	answer := Recorded{Cut: own != strings.ReplaceAll(m.Text, "\r\n", "\n")}
	if strings.TrimSpace(own) == "" && answer.Cut {
		return nil, Recorded{}, &RecalledError{}
	}
	public, _ := textanalysis.DropPrivate(own)
	masked, secrets := textanalysis.MaskSecrets(public)
	var c cleaner
	for _, secret := range secrets {
		c.note(secret.Kind)
	}
	answer.Masked = orEmpty(c.masked)
	if strings.TrimSpace(masked) == "" {
		return nil, Recorded{}, &TextError{Field: "material", What: TextPrivate}
	}
	source, err := c.line("source", m.Source)
	if err != nil {
		return nil, Recorded{}, err
	}
	text := strings.TrimSpace(masked)
	return &item{
		Hash: hashOf(role, text), Text: text, Role: role, Actor: by.Actor, Session: by.store("").Session, Source: source,
		Swept: m.Swept, Truncated: m.Truncated, Spoken: spokenIn(m.Spoken, text), Masked: len(secrets) > 0,
	}, answer, nil
}

// checkMaterial refuses what no memory can be found in.
func checkMaterial(text string) error {
	const field = "material"
	switch {
	case strings.TrimSpace(text) == "":
		return &TextError{Field: field, What: TextEmpty}
	case len(text) > MaxMaterial:
		return &TextError{Field: field, What: TextTooLong, Size: len(text), Most: MaxMaterial}
	case !utf8.ValidString(text):
		return &TextError{Field: field, What: TextNotUTF8, Offset: firstInvalid(text), Size: len(text)}
	case strings.IndexByte(text, 0) >= 0:
		return &TextError{Field: field, What: TextNUL, Offset: strings.IndexByte(text, 0), Size: len(text)}
	}
	return nil
}

// enqueue writes an item into the inbox, unless it is there.
func (r reading) enqueue(ctx context.Context, s *Set, it *item, answer *Recorded) error {
	box := r.lobe.inbox()
	for _, place := range []struct {
		inbox
		state string
	}{{box, MaterialWaiting}, {box.failed(), MaterialFailed}} {
		name, err := place.find(it.Hash)
		if err != nil {
			return err
		}
		if name != "" {
			answer.Item, answer.State, answer.Path = name, place.state, place.path(name)
			return answer.count(box)
		}
	}
	if done, err := r.settledBefore(ctx, it.Hash); err != nil {
		return err
	} else if done {
		answer.State = MaterialSettled
		return answer.count(box)
	}
	if it.Sound == nil {
		if err := s.dropKnown(ctx, r, it, answer); err != nil {
			return err
		}
	}
	if _, used := folderSize(box.dir); used+int64(len(it.Text)) > mostWaiting {
		return ErrInboxFull
	}
	if err := os.MkdirAll(r.lobe.spec.Dir, 0o700); err != nil {
		return err
	}
	answer.Item, answer.State = it.name(), MaterialQueued
	answer.Path = box.path(answer.Item)
	if err := box.write(answer.Item, it); err != nil {
		return err
	}
	r.lobe.note(s)
	select {
	case s.came <- struct{}{}:
	default: // the work is called already
	}
	return answer.count(box)
}

// The bounds of what is looked up among memories when material is recorded.
const (
	mostParagraphs  = 200
	mostParagraph   = 2000 // bytes
	recalledFrom    = 0.7  // similarity with the same facts
	saysMore        = 0.8  // share of its words that a memory must be able to hold
	mostLikeRecalls = 3
)

// dropKnown takes the paragraphs out of an item that are memories word for word
// or nearly so, in whatever form they were recalled. What is left of nothing
// else is refused: what is remembered is not stored once more.
func (s *Set) dropKnown(ctx context.Context, r reading, it *item, answer *Recorded) error {
	paragraphs := strings.Split(it.Text, "\n\n")
	if len(paragraphs) > mostParagraphs {
		return nil
	}
	readings := []reading{r}
	if s.global != nil && s.global != r.lobe {
		shared, err := s.global.look(ctx)
		if err != nil {
			return err
		}
		readings = append(readings, shared)
	}
	known := false
	kept := slices.DeleteFunc(slices.Clone(paragraphs), func(p string) bool {
		recalled := len(p) <= mostParagraph && slices.ContainsFunc(readings, func(r reading) bool { return r.recalls(p) })
		known = known || recalled
		return recalled || strings.TrimSpace(p) == ""
	})
	// Titles alone say nothing.
	says := func(p string) bool { return !strings.HasPrefix(p, "#") || strings.Contains(p, "\n") }
	if known && !slices.ContainsFunc(kept, says) {
		return &RecalledError{}
	}
	if len(kept) < len(paragraphs) {
		answer.Cut = true
		it.Text = strings.TrimSpace(strings.Join(kept, "\n\n"))
	}
	return nil
}

// recalls tells whether a text is a memory that was recalled.
func (r reading) recalls(text string) bool {
	all := func(*index.Doc) bool { return true }
	a := r.lobe.o.Analyzer
	own := float64(a.FingerprintOf("", text).Size())
	return slices.ContainsFunc(r.index.Similar("", text, all, recalledFrom, mostLikeRecalls), func(x index.Similar) bool {
		h, ok := r.view.Path(x.Key)
		// A long text holds a short one whole, and says more.
		return ok && own*saysMore <= float64(a.FingerprintOf(h.Entry.Title, h.Entry.Body).Size()) && textanalysis.SameFacts(h.Entry.Title+"\n"+h.Entry.Body, text)
	})
}

func (r *Recorded) count(b inbox) error {
	names, err := b.names()
	r.Waiting = len(names)
	return err
}
