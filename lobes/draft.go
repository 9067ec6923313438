package lobes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// A draft is a note that has been checked and completed, before it is known
// which lobe it goes to.
type draft struct {
	entry   entry.Entry
	derived []string // what was chosen for the caller
	signals []string // the text speaks to a model
	dropped []string // tags that could not be kept
	doubts  []string // signs that the text is short-lived, too light to refuse it or overruled
	global  bool     // it belongs to the person, not to the project
	stated  bool     // its trust was stated, not derived
	named   bool     // its title was given

	// What is known of the lobe that it goes to.
	lobe  *Lobe
	twins []string // paths of entries with the same text
	near  []near   // entries of the same topic, the most similar first
	done  bool     // what became of it is on disk
	out   Stored
}

type near struct {
	path       string
	similarity float64
}

// titleFor is the title under which an entry says another text: the one that it
// has, unless that was taken from the old text.
func titleFor(e entry.Entry, text string) string {
	if e.Title != textanalysis.TitleOf(e.Body, derivedTitle) {
		return e.Title
	}
	return cmp.Or(textanalysis.TitleOf(text, derivedTitle), e.Title)
}

// maxTitle is the length in characters above which a given title is taken for
// the beginning of the text.
const maxTitle = 200

// derivedTitle is the length in characters of the longest derived title.
const derivedTitle = 80

// drafter makes drafts from notes. It is pure: it looks at no lobe.
type drafter struct {
	now    time.Time
	by     By
	shared bool // there is a global store
}

func (d drafter) draft(n Note, c *cleaner) (*draft, error) {
	out := &draft{}
	steps := []func(*Note, *cleaner, *draft) error{d.text, d.words, d.topic, d.trust, d.lists, d.times, d.review}
	for _, step := range steps {
		if err := step(&n, c, out); err != nil {
			return nil, err
		}
	}
	out.entry.Created = d.now.UTC().Truncate(time.Millisecond)
	return out, nil
}

// text checks the text and finds its title.
func (d drafter) text(n *Note, c *cleaner, out *draft) error {
	if strings.TrimSpace(n.Text) == "" {
		return &TextError{Field: "text", What: TextEmpty}
	}
	body, err := c.text("text", n.Text)
	if err != nil {
		return err
	}
	title, err := c.line("title", n.Title)
	if err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return &TextError{Field: "text", What: TextPrivate}
	}
	title = strings.TrimSpace(strings.TrimLeft(title, "#"))
	if len([]rune(title)) > maxTitle {
		body, title = title+"\n\n"+body, ""
	}
	out.named = title != ""
	if !out.named {
		title = textanalysis.TitleOf(body, derivedTitle)
		body = belowHeading(body, title)
		out.derived = append(out.derived, "title")
	}
	out.entry.Title, out.entry.Body = title, body
	return nil
}

// belowHeading is the text without the heading that gave it its title.
func belowHeading(body, title string) string {
	line, rest, _ := strings.Cut(strings.TrimLeft(body, "\n"), "\n")
	heading, ok := strings.CutPrefix(line, "# ")
	if !ok || strings.TrimSpace(heading) != title || strings.TrimSpace(rest) == "" {
		return body
	}
	return strings.Trim(rest, "\n")
}

// words checks the closed lists and the small texts.
func (d drafter) words(n *Note, c *cleaner, out *draft) (err error) {
	e := &out.entry
	if n.Kind != "" {
		if e.Kind, err = entry.ParseKind(n.Kind); err != nil {
			return err
		}
	}
	if n.Durability != "" {
		if e.Durability, err = entry.ParseDurability(n.Durability); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		name string
		text string
		at   *string
	}{
		{"subject", n.Subject, &e.Subject}, {"problem", n.Problem, &e.Problem}, {"solution", n.Solution, &e.Solution},
		{"quote", n.Quote, &e.Quote}, {"branch", n.Branch, &e.Branch},
	} {
		if *f.at, err = c.text(f.name, f.text); err != nil {
			return err
		}
	}
	e.Importance = n.Importance
	return share("importance", n.Importance)
}

// topic finds the topic and whether the note goes to the global store.
func (d drafter) topic(n *Note, _ *cleaner, out *draft) error {
	scope, topic := strings.ToLower(strings.TrimSpace(n.Scope)), strings.TrimSpace(n.Topic)
	if scope != "" && scope != "project" && scope != "global" {
		if topic != "" {
			return &ValueError{Field: "scope", Value: n.Scope, Allowed: []string{"project", "global"}}
		}
		topic, scope = n.Scope, ""
	}
	if topic == "" {
		topic = topicFor(out.entry.Kind, out.entry.Body)
		out.derived = append(out.derived, "topic")
	}
	topic, err := entry.ParseTopic(topic)
	if err != nil {
		return err
	}
	e := &out.entry
	e.Topic = topic
	if topic != "recent-work" {
		e.Branch = ""
	}
	byHand := d.by.Source == ""
	out.global = d.shared && (scope == "global" || scope == "" && byHand && entry.InfoOf(topic).Global)
	return nil
}

// topicFor finds the topic of a note that states none: from its kind, or from
// a label that the text opens with.
func topicFor(kind, text string) string {
	switch kind {
	case "preference":
		return "preferences"
	case "decision":
		return "decisions"
	case "task", "context":
		return "recent-work"
	case checkpoint:
		return "general"
	}
	label, _, found := strings.Cut(text, ":")
	if !found {
		label, _, found = strings.Cut(text, "：")
	}
	if !found || len(label) > 30 {
		return "general"
	}
	switch strings.ToLower(strings.Trim(label, " #*_-")) {
	case "gotcha", "pitfall", "caveat", "warning", "坑", "注意", "陷阱":
		return "gotchas"
	case "decision", "decided", "adr", "决定", "决策":
		return "decisions"
	case "convention", "style", "naming", "约定", "规范":
		return "conventions"
	case "architecture", "design", "架构":
		return "architecture"
	case "preference", "偏好":
		return "preferences"
	}
	return "general"
}

// trust finds who the note rests on: stated, from its provenance, or the
// topic's default, which the entry then says.
func (d drafter) trust(n *Note, _ *cleaner, out *draft) error {
	e := &out.entry
	e.Confidence = n.Confidence
	if err := share("confidence", n.Confidence); err != nil {
		return err
	}
	if n.Trust != "" {
		trust, err := entry.ParseTrust(n.Trust)
		e.Trust, out.stated = trust, true
		return err
	}
	if n.Provenance != "" {
		p, ok := provenances()[strings.ToLower(strings.TrimSpace(n.Provenance))]
		if !ok {
			return &ValueError{Field: "provenance", Value: n.Provenance, Allowed: []string{"save", "checkpoint", "debate", "human"}}
		}
		e.Trust, out.stated = p.trust, true
		if e.Confidence == nil {
			e.Confidence = &p.confidence
		}
		return nil
	}
	out.derived = append(out.derived, "trust")
	if d.by.Role == "user" && d.by.Source == "" {
		e.Trust = entry.User // a person says so
		return nil
	}
	e.Trust = entry.AgentInferred
	// A topic's default speaks for what a person or an agent says, not for
	// what a program has read somewhere.
	if byDefault := entry.InfoOf(e.Topic).Trust; d.by.Source == "" && byDefault != e.Trust {
		e.Trust, e.TrustFrom = byDefault, "topic"
	}
	return nil
}

type provenance struct {
	trust      entry.Trust
	confidence float64
}

func provenances() map[string]provenance {
	return map[string]provenance{
		"save":       {entry.AgentInferred, 0.5},
		"checkpoint": {entry.AgentInferred, 0.65},
		"debate":     {entry.AgentConfirmed, 0.85},
		"human":      {entry.User, 0.95},
	}
}

func (d drafter) lists(n *Note, c *cleaner, out *draft) (err error) {
	e := &out.entry
	tags, err := c.list("tags", n.Tags)
	if err != nil {
		return err
	}
	e.Tags, out.dropped = entry.CleanTags(tags)
	for _, f := range []struct {
		name  string
		texts []string
		at    *[]string
	}{
		{"sources", n.Sources, &e.Sources}, {"references", n.References, &e.References}, {"files", n.Files, &e.Files},
		{"concepts", n.Concepts, &e.Concepts}, {"conditions", n.Conditions, &e.Conditions},
	} {
		if *f.at, err = c.list(f.name, f.texts); err != nil {
			return err
		}
	}
	return nil
}

func (d drafter) times(n *Note, _ *cleaner, out *draft) (err error) {
	e, zone := &out.entry, d.now.Location()
	if e.Expires, err = callTime("expires", n.Expires, zone, true); err != nil {
		return err
	}
	if e.Valid.From, err = callTime("validFrom", n.ValidFrom, zone, false); err != nil {
		return err
	}
	if e.Valid.Until, err = callTime("validUntil", n.ValidUntil, zone, true); err != nil {
		return err
	}
	if !e.Valid.From.IsZero() && !e.Valid.Until.IsZero() && !e.Valid.From.Before(e.Valid.Until) {
		return &ValueError{Field: "validUntil", Value: n.ValidUntil, Why: "it is not after validFrom"}
	}
	return nil
}

// review refuses a text that looks short-lived, and holds one that speaks to
// the model when nobody typed it.
func (d drafter) review(n *Note, _ *cleaner, out *draft) error {
	e := &out.entry
	out.signals = speaksToModel(e.Title + "\n" + e.Body)
	if len(out.signals) > 0 && d.by.Source != "" {
		e.Status = "review"
	}
	extracted := d.by.Source == "extraction" && e.Durability == "task_detail"
	r := textanalysis.ReviewDurability(e.Title, e.Body, e.Topic)
	if r.Refuses() && !n.StoreAnyway && !extracted && e.Kind != checkpoint {
		return &EphemeralError{Title: e.Title, Severity: r.Severity.String(), Signals: phrases(r.Signals)}
	}
	out.doubts = phrases(r.Signals)
	return nil
}

// checkpoint is the kind of what a finished task taught: it tells of what was
// done, and is kept for good nevertheless.
const checkpoint = "checkpoint"

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// distinct gives derived titles that clash within one call a number, and
// refuses given ones that do: the second would replace the first.
func distinct(drafts []*draft) error {
	taken := map[string]bool{}
	for _, d := range drafts {
		title := d.entry.Title
		for n := 2; taken[titleKey(&d.entry)]; n++ {
			if d.named {
				return &ValueError{Field: "title", Value: title, Why: "two memories of one call have it"}
			}
			d.entry.Title = title + " (" + strconv.Itoa(n) + ")"
		}
		taken[titleKey(&d.entry)] = true
	}
	return nil
}

// titleKey is equal for two entries of which the later replaces the earlier.
func titleKey(e *entry.Entry) string {
	return strings.Join([]string{e.Topic, e.Branch, titleForm(e.Title)}, "\x00")
}

func titleForm(title string) string {
	return strings.ToLower(strings.Join(strings.Fields(textanalysis.Fold(title)), " "))
}

// withDerived notes once that something was chosen for the caller.
func (d *draft) withDerived(what string) {
	if !slices.Contains(d.derived, what) {
		d.derived = append(d.derived, what)
	}
}
