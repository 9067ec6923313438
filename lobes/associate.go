package lobes

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"memory-mcp/store/entry"
)

// DeepestDepth is the depth at which a search also tells what hangs together
// with its hits.
const DeepestDepth = 3

// mostAssociated is how many entries are told besides the hits.
const mostAssociated = 5

// How much of a hit's score each kind of tie passes on.
const (
	byLink    = 0.6
	byOrigin  = 0.6
	bySession = 0.4
	byFile    = 0.4
	byModule  = 0.2
)

// linkPattern finds [[id]] and the targets of Markdown links. Few searches go
// so deep, so it is made when one does.
var linkPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[\[([^\]|#\n]+)|\]\(([^)\s]+)`)
})

// ties are what connects an entry with others.
type ties struct {
	links, origins, files []string
	session, module       string
}

func tiesOf(e *entry.Entry) ties {
	t := ties{origins: slices.Concat(originsOf(e), e.Supersedes)}
	for _, list := range [][]string{e.Sources, e.Files, e.References} {
		for _, source := range list {
			if session, ok := strings.CutPrefix(strings.TrimSpace(source), sessionSource); ok {
				t.session, _ = turnOf(session)
				continue
			}
			name, _ := placeOf(source)
			t.files = append(t.files, name)
		}
	}
	t.links = append(t.links, e.References...)
	if strings.Contains(e.Body, "[") {
		for _, m := range linkPattern().FindAllStringSubmatch(e.Body, -1) {
			t.links = append(t.links, strings.TrimSuffix(path.Base(strings.TrimSpace(m[1]+m[2])), ".md"))
		}
	}
	if entry.IsModule(e.Topic) {
		t.module = e.Topic
	}
	return t
}

// tie is the strongest connection between two entries, and its name.
func tie(a, b *entry.Entry, x, y ties) (share float64, why string) {
	switch {
	case slices.Contains(x.links, b.ID):
		return byLink, a.ID + " links to it"
	case slices.Contains(y.links, a.ID):
		return byLink, "links to " + a.ID
	case slices.Contains(x.origins, b.ID):
		return byOrigin, a.ID + " comes from it"
	case slices.Contains(y.origins, a.ID):
		return byOrigin, "comes from " + a.ID
	case x.session != "" && x.session == y.session:
		return bySession, "of the session of " + a.ID
	}
	for _, file := range x.files {
		if slices.Contains(y.files, file) {
			return byFile, "rests on " + file + " as " + a.ID + " does"
		}
	}
	if x.module != "" && x.module == y.module {
		return byModule, "of the module of " + a.ID
	}
	return 0, ""
}

// associated spreads the scores of the hits along their ties, within the lobe
// of each, and gives the entries that most arrives at. They are only what the
// query itself may show.
func associated(hits []hit, found []finding) []neighbour {
	var all []neighbour
	for _, f := range found {
		var from []hit
		for _, h := range hits {
			if h.lobe == f.lobe {
				from = append(from, h)
			}
		}
		all = append(all, f.around(from)...)
	}
	slices.SortStableFunc(all, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.head.Path, b.head.Path))
	})
	return all[:min(len(all), mostAssociated)]
}

// neighbour is an entry that hangs together with a hit.
type neighbour struct {
	hit
	why string
}

func (s *sieve) around(from []hit) []neighbour {
	if len(from) == 0 {
		return nil
	}
	shown, known := make(map[string]bool), make([]ties, len(from))
	for i, h := range from {
		shown[h.head.Path] = true
		known[i] = tiesOf(&h.head.Entry)
	}
	var all []neighbour
	for head := range s.view.Heads() {
		if shown[head.Path] || head.Copy != "" || head.Broken != nil {
			continue
		}
		other, n, best := tiesOf(&head.Entry), neighbour{hit: hit{reading: s.reading, head: head}}, 0.0
		for i, h := range from {
			share, why := tie(&h.head.Entry, &head.Entry, known[i], other)
			n.score += share * h.score
			if share*h.score > best {
				best, n.why = share*h.score, why
			}
		}
		if n.score > 0 && s.keep(head) {
			all = append(all, n)
		}
	}
	return all
}

// tellAssociated adds what hangs together with the hits of a page.
func (s *Set) tellAssociated(a *Answer, page []hit, found []finding, q Query) {
	for _, n := range associated(page, found) {
		free, _ := withoutHeld([]hit{n.hit}, q)
		before := len(a.Results)
		s.tell(a, free, q, words{})
		for i := range a.Results[before:] {
			r := &a.Results[before+i]
			r.Associated, r.Why = true, "associated: "+n.why
			r.Reasons = []Reason{{What: "associated", Term: n.why, Weight: n.score}}
		}
	}
}
