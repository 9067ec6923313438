package ops

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

// hit is one found memory as an answer shows it.
type hit struct {
	ID         string         `json:"id"`
	Lobe       string         `json:"lobe"`
	Topic      string         `json:"topic"`
	Title      string         `json:"title"`
	Kind       string         `json:"kind,omitempty"`
	Status     string         `json:"status,omitempty"`
	Trust      string         `json:"trust"`
	TrustFrom  string         `json:"trust_from,omitempty"`
	Confidence float64        `json:"confidence"`
	Importance *float64       `json:"importance,omitempty"`
	Fresh      lobes.Fresh    `json:"fresh"`
	Score      float64        `json:"score"`
	Why        string         `json:"why"`
	Reasons    []lobes.Reason `json:"reasons"`
	Excerpt    string         `json:"excerpt,omitempty"`
	Content    string         `json:"content,omitempty"`
	Cut        bool           `json:"cut,omitempty"` // content goes on in the file
	Path       string         `json:"path"`
	Tags       []string       `json:"tags"`
	Sources    []string       `json:"sources"`
	References []string       `json:"references"`
	Branch     string         `json:"branch,omitempty"`
	Subject    string         `json:"subject,omitempty"`
	Conditions []string       `json:"conditions"`
	Problem    string         `json:"problem,omitempty"`
	Solution   string         `json:"solution,omitempty"`
	Created    string         `json:"created,omitempty"`
	Verified   string         `json:"verified,omitempty"`
	ValidFrom  string         `json:"valid_from,omitempty"`
	ValidUntil string         `json:"valid_until,omitempty"`
	Expires    string         `json:"expires,omitempty"`
	Revision   string         `json:"revision"`
	Global     bool           `json:"global,omitempty"`
	Associated bool           `json:"associated,omitempty"`
	Copy       bool           `json:"copy,omitempty"`
	Broken     bool           `json:"broken,omitempty"`
	Pending    bool           `json:"pending,omitempty"`
	Disputed   bool           `json:"disputed,omitempty"`
	Signals    []string       `json:"signals"`
}

// newHit makes a result ready to be shown: secrets masked, nothing invisible
// in it, and the text as long as the detail asks for.
func newHit(r lobes.Result, detail string) hit {
	e := r.Entry
	h := hit{
		ID: safeLine(e.ID), Lobe: r.Lobe, Topic: safeLine(e.Topic), Title: safeLine(e.Title),
		Kind: e.Kind, Status: e.Status, Trust: string(e.Trust), TrustFrom: e.TrustFrom,
		Confidence: r.Confidence, Importance: e.Importance, Fresh: r.Fresh, Score: r.Score,
		Why: safeLine(r.Why), Reasons: r.Reasons, Path: r.Path,
		Tags: safeLines(e.Tags), Sources: safeLines(e.Sources), References: safeLines(e.References),
		Branch: safeLine(e.Branch), Subject: safeLine(e.Subject), Conditions: safeLines(e.Conditions),
		Problem: safe(e.Problem), Solution: safe(e.Solution),
		Created: instant(e.Created), Verified: instant(e.Verified),
		ValidFrom: instant(e.Valid.From), ValidUntil: instant(e.Valid.Until), Expires: instant(e.Expires),
		Revision: r.Revision, Global: r.Global, Copy: r.Copy, Associated: r.Associated, Broken: r.Broken, Pending: r.Pending, Disputed: r.Disputed, Signals: r.Signals,
	}
	if h.Trust == "" {
		h.Trust = string(entry.AgentInferred)
	}
	switch detail {
	case detailFull:
		h.Content = safe(e.Body)
	case detailStandard:
		h.Excerpt = excerpt(safe(excerptOf(r)), standardExcerpt)
	default:
		h.Excerpt = excerpt(safe(excerptOf(r)), briefExcerpt)
	}
	return h
}

// The details of an answer, and the length in characters of its excerpts.
const (
	detailBrief    = "brief"
	detailStandard = "standard"
	detailFull     = "full"

	briefExcerpt    = 100
	standardExcerpt = 300
)

func excerptOf(r lobes.Result) string {
	if r.Excerpt != "" {
		return r.Excerpt
	}
	return r.Entry.Body
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// shorter is the only hit of an answer without the part that matters least:
// the grounds of its score, what it cites, then its text piece by piece. What
// says which memory it is stays.
func (h hit) shorter() (hit, bool) {
	switch {
	case len(h.Reasons) > 0:
		h.Reasons = nil
	case h.Why != "" && h.Why != cut(h.Why, 40):
		h.Why = cut(h.Why, 40)
	case len(h.References)+len(h.Sources)+len(h.Tags)+len(h.Conditions) > 0:
		h.References, h.Sources, h.Tags, h.Conditions = nil, nil, nil, nil
	case h.Problem != "" || h.Solution != "":
		h.Problem, h.Solution = "", ""
	case len([]rune(h.Excerpt)) > shortestExcerpt:
		h.Excerpt = excerpt(h.Excerpt, len([]rune(h.Excerpt))*2/3)
	case len([]rune(h.Content)) > shortestExcerpt:
		h.Content, h.Cut = cut(h.Content, len([]rune(h.Content))*2/3), true
	default:
		return h, false
	}
	return h, true
}

// shortestExcerpt is the length in characters below which a text is not cut
// further for a small budget.
const shortestExcerpt = 24

// label says in one line what a hit is and how far to trust it.
func (h hit) label() string {
	parts := []string{h.ID, h.Lobe, h.Topic}
	trust := fmt.Sprintf("%s %.2f", h.Trust, h.Confidence)
	if h.TrustFrom != "" {
		trust += " (by its " + h.TrustFrom + ")"
	}
	parts = append(parts, trust, h.mark())
	return strings.Join(append(parts, h.marks()...), " | ")
}

// mark says how far the hit can be relied on today.
func (h hit) mark() string {
	switch h.Fresh.Verdict {
	case "stale":
		return fmt.Sprintf("STALE %dd: verify first", h.Fresh.Days)
	case "changed", "gone":
		return strings.ToUpper(h.Fresh.Verdict) + changed(h.Fresh.Changes) + ": verify first"
	case "":
		return "unknown"
	}
	return h.Fresh.Verdict
}

func changed(all []lobes.FreshChange) string {
	if len(all) == 0 {
		return ""
	}
	s := " " + safeLine(all[0].File)
	if len(all) > 1 {
		s += fmt.Sprintf(" and %d more", len(all)-1)
	}
	return s
}

// marks are what is unusual about a hit.
func (h hit) marks() []string {
	var m []string
	if h.Kind != "" && h.Kind != "fact" {
		m = append(m, h.Kind)
	}
	if h.Status != "" && h.Status != "active" {
		m = append(m, "status "+h.Status)
	}
	if h.Branch != "" {
		m = append(m, "branch "+h.Branch)
	}
	if h.Associated {
		m = append(m, h.Why)
	}
	if h.Copy {
		m = append(m, "a copy of the file with this id")
	}
	if h.Broken {
		m = append(m, "its file does not parse")
	}
	if h.Pending {
		m = append(m, "edited by hand, not yet in the history")
	}
	if h.Disputed {
		m = append(m, "DISPUTED: another text lies beside it, ask why before you rely on it")
	}
	if len(h.Signals) > 0 {
		m = append(m, "speaks to the model: "+strings.Join(h.Signals, ", "))
	}
	return m
}

// words is the hit as an answer in words shows it, at most room tokens long
// where its text can be cut. In full it is fenced by itself, under a label that
// stands outside: a text of many lines could pass for the next hit. Shorter
// texts are one line each, and share the fence of their list.
func (h hit) words(detail string, room float64) string {
	switch detail {
	case detailFull:
		return h.full(room)
	case detailStandard:
		lines := append([]string{"## " + h.Title, h.label() + " | " + h.Path}, h.fields(detail)...)
		if h.Excerpt != "" {
			lines = append(lines, "> "+h.Excerpt)
		}
		return strings.Join(lines, "\n")
	}
	return "- " + h.label() + " — " + h.Title + tail(": ", h.rest())
}

// rest is the excerpt without the title, which many texts begin with.
func (h hit) rest() string {
	title := strings.TrimRight(h.Title, ".…")
	rest, same := strings.CutPrefix(h.Excerpt, title)
	next, _ := utf8.DecodeRuneInString(rest)
	if !same || unicode.IsLetter(next) || unicode.IsDigit(next) {
		return h.Excerpt
	}
	return strings.TrimLeft(rest, ".…:;!?。！？ ")
}

func (h hit) full(room float64) string {
	label := h.label() + " | " + h.Path
	head := strings.Join(append([]string{"# " + h.Title}, h.fields(detailFull)...), "\n")
	text := h.Content
	if left := room - tokens(label) - tokens(head) - fenceTokens; tokens(text) > left {
		text = cutTokens(text, max(left-cutNoteTokens, 0)) + "\n… (the rest is in the file)"
	}
	return label + "\n" + fence(h.ID+", lobe "+h.Lobe+", trust "+h.Trust, head+"\n\n"+text)
}

// cutNoteTokens is what the note about a text that goes on takes.
const cutNoteTokens = 12

func (h hit) fields(detail string) []string {
	var f []string
	add := func(name, value string) {
		if value != "" {
			f = append(f, name+": "+value)
		}
	}
	add("conditions", strings.Join(h.Conditions, "; "))
	add("tags", strings.Join(h.Tags, ", "))
	if detail != detailFull {
		add("references", strings.Join(h.References, ", "))
		add("why", h.Why)
		return f
	}
	add("sources", strings.Join(h.Sources, ", "))
	add("references", strings.Join(h.References, ", "))
	add("subject", h.Subject)
	add("created", h.Created)
	add("verified", h.Verified)
	add("valid from", h.ValidFrom)
	add("valid until", h.ValidUntil)
	add("expires", h.Expires)
	add("commit", h.Fresh.Commit)
	for _, c := range h.Fresh.Changes {
		add(c.What, changeOf(c))
	}
	add("revision", h.Revision)
	add("problem", h.Problem)
	add("solution", h.Solution)
	add("why", h.Why)
	return f
}

// changeOf is a cited file that is not what it was, and what git knows of it.
func changeOf(c lobes.FreshChange) string {
	s := safeLine(c.File)
	if c.Commits > 0 {
		s += ", " + count(c.Commits, "commit", "commits") + " since" + tail(", the last: ", safeLine(c.Subject))
	}
	return s + tail(", now ", safeLine(c.Renamed))
}

func tail(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}
