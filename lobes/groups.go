package lobes

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// The bounds of a group that is told as one.
const (
	leastMembers = 3
	mostMembers  = 6
	mostMember   = 6000 // characters: a member is told whole, or is none
	leastSources = 2
	// relatedFrom is how much alike a memory and another one of its topic are
	// when they may belong together; the model may decline.
	relatedFrom = 0.2
	mostRelated = 20 // that are looked at for one group
)

// A member is a memory of a group.
type member struct {
	head     *store.Head
	revision string // 16 digits
	source   string
}

func byID(a, b member) int { return strings.Compare(a.head.Entry.ID, b.head.Entry.ID) }

// A group is memories that may be told as one.
type group struct {
	kind    string // summary or experience
	members []member
}

// kindOfGroup is what a memory can be a member of; "" is nothing. What was
// itself made of others is evidence for nothing, and neither is a detail of a
// task, what is not sure, or what belongs to a branch.
func (t *tidying) kindOfGroup(h *store.Head) string {
	e := &h.Entry
	switch {
	case !t.standing(h) || !hasStatus(e, "active") || len(e.DerivedFrom) > 0 || e.Durability == "task_detail" || e.Topic == "recent-work",
		tooLong(e), strings.TrimSpace(e.Body) == "":
		return ""
	}
	switch e.Kind {
	case "", "fact", "decision", "preference":
		return "summary"
	case "episode":
		return "experience"
	}
	return ""
}

// tooLong tells whether a memory cannot be told whole. It is asked of many, so
// it looks at the lengths alone.
func tooLong(e *entry.Entry) bool {
	bytes := len(e.Title) + len(e.Body) + len(e.Problem) + len(e.Solution) + len("\n\nProblem: \nSolution: ")
	return bytes > mostMember && utf8.RuneCountInString(e.Title+e.Body+e.Problem+e.Solution)+len("\n\nProblem: \nSolution: ") > mostMember
}

// memberText is a memory as it is told to a model: a secret that a person typed
// into the file leaves nothing.
func memberText(e *entry.Entry) string {
	text := e.Title + "\n" + e.Body
	for _, part := range []struct{ name, text string }{{"Problem", e.Problem}, {"Solution", e.Solution}} {
		if part.text != "" && !strings.Contains(e.Body, part.text) {
			text += "\n" + part.name + ": " + part.text
		}
	}
	text, _ = textanalysis.MaskSecrets(text)
	return text
}

// taken are the ids that something was made of which is still there: by the
// kind of what was made.
func (t *tidying) taken() map[string]bool {
	all := map[string]bool{}
	for h := range t.view.Heads() {
		if h.Broken != nil || !made(&h.Entry) {
			continue
		}
		for _, origin := range h.Entry.DerivedFrom {
			id, _ := derivedAt(origin)
			all[h.Entry.Kind+" "+id] = true
		}
	}
	return all
}

// groupOf finds the group of a memory: what is related to it, has its topic and
// holds under the same conditions, the nearest first. It is nil when there are
// too few, or all of them come from one source.
func (t *tidying) groupOf(seed *store.Head, kind string, taken map[string]bool, same func(a, b *store.Head) bool) (*group, error) {
	if taken[kind+" "+seed.Entry.ID] {
		return nil, nil
	}
	e := &seed.Entry
	keep := func(d *index.Doc) bool {
		h := headOf(d)
		return h.Entry.ID != e.ID && h.Entry.Topic == e.Topic && t.kindOfGroup(h) == kind && !taken[kind+" "+h.Entry.ID]
	}
	first, err := t.member(seed)
	if err != nil {
		return nil, err
	}
	g := &group{kind: kind, members: []member{first}}
	sources := map[string]bool{first.source: true}
	for _, x := range t.index.Similar(e.Title, e.Body, keep, relatedFrom, mostRelated) {
		h, ok := t.view.Path(x.Key)
		if !ok || kind == "experience" && !same(seed, h) {
			continue
		}
		m, err := t.member(h)
		if err != nil {
			return nil, err
		}
		// The last place is kept for another source.
		if len(g.members) == mostMembers-1 && len(sources) < leastSources && sources[m.source] {
			continue
		}
		g.members = append(g.members, m)
		if sources[m.source] = true; len(g.members) == mostMembers {
			break
		}
	}
	if len(g.members) < leastMembers || len(sources) < leastSources {
		return nil, nil
	}
	slices.SortFunc(g.members, byID)
	return g, nil
}

func (t *tidying) member(h *store.Head) (member, error) {
	m := member{head: h}
	session := ""
	all, err := t.store.Revisions(h.Entry.ID)
	if err != nil {
		return m, err
	}
	if len(all) > 0 {
		session = all[0].Session
	}
	m.source, m.revision = sourceOf(&h.Entry, session), t.reading.revision(h)
	return m, nil
}

// unknownSource is that of all memories of which nobody knows where they come
// from: two of them bear each other out in nothing.
const unknownSource = "unknown"

// sourceOf is what a memory comes from: the session in which it was said, else
// that in which it was written, else what it cites.
func sourceOf(e *entry.Entry, session string) string {
	for _, source := range e.Sources {
		if of, ok := strings.CutPrefix(strings.TrimSpace(source), sessionSource); ok {
			name, _ := turnOf(of)
			return sessionSource + name
		}
	}
	if session != "" {
		return sessionSource + session
	}
	if len(e.Sources) > 0 {
		name, _ := placeOf(e.Sources[0])
		return name
	}
	return unknownSource
}

// sameProcedure is whether two episodes are of one procedure by rule: they
// state the same conditions, versions, negations and numbers.
func sameProcedure(a, b *store.Head) bool {
	return sameConditions(&a.Entry, &b.Entry) && textanalysis.SameFacts(memberText(&a.Entry), memberText(&b.Entry))
}

func sameConditions(a, b *entry.Entry) bool {
	return slices.Equal(conditionForms(a), conditionForms(b))
}

func conditionForms(e *entry.Entry) []string {
	forms := make([]string, len(e.Conditions))
	for i, c := range e.Conditions {
		forms[i] = titleForm(c)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

func (g *group) ids() []string {
	ids := make([]string, len(g.members))
	for i, m := range g.members {
		ids[i] = m.head.Entry.ID
	}
	return ids
}

// states are the revisions of the members.
func (g *group) states() []string {
	all := make([]string, len(g.members))
	for i, m := range g.members {
		all[i] = cmp.Or(m.revision, m.head.Hash[:16])
	}
	return all
}

// origins name the members in their states.
func (g *group) origins() []string {
	all := g.ids()
	for i, state := range g.states() {
		all[i] += "@" + state
	}
	return all
}

// key names the group in the states of its members.
func (g *group) key() string { return questionKey(g.kind, g.origins()) }

func (g *group) told() []SummaryMember {
	all := make([]SummaryMember, len(g.members))
	for i, m := range g.members {
		all[i] = SummaryMember{Text: memberText(&m.head.Entry), Conditions: m.head.Entry.Conditions, Source: m.source}
	}
	return all
}
