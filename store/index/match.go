package index

import (
	"strings"

	"memory-mcp/textanalysis"
)

// filtered finds by the filter; where nothing matches in full, by any of its
// words, and then also inside words.
func (s *search) filtered() Result {
	s.prepare()
	alternatives := s.Filter.Alternatives()
	if len(alternatives) == 0 {
		return s.listed(s.state.living())
	}
	m := matcher{search: s, living: s.state.living(), known: make(map[textanalysis.Condition]bitset), read: make(map[uint32][][]string)}
	words := s.Filter.Words()
	if docs := m.any(alternatives, everyCondition); s.keep(docs) > 0 || words == "" {
		return s.rankSet(docs, words, "")
	}
	if !eased(alternatives) {
		return s.rankSet(newBitset(s.state.size), words, "")
	}
	bounds := m.any(alternatives, notWords)
	s.keep(bounds)
	docs := m.anyWord(alternatives)
	docs.and(bounds)
	if docs.count() >= fewHits {
		return s.rankSet(docs, words, AnyWord)
	}
	inside := m.inside(alternatives)
	inside.and(bounds)
	before := docs.count()
	docs.or(inside)
	switch n := docs.count(); {
	case n > before:
		return s.rankSet(docs, words, InsideWords)
	case n == 0:
		m.lenient = true
		docs = m.any(alternatives, everyCondition)
		s.keep(docs)
	}
	return s.rankSet(docs, words, AnyWord)
}

// fewHits is below how many a search by any word looks inside words too.
const fewHits = 3

// keep removes what the caller does not want and counts the rest.
func (s *search) keep(docs bitset) int {
	n := 0
	for d := range docs.each {
		if !s.keeps(d) {
			docs[d>>6] &^= 1 << (d & 63)
			continue
		}
		n++
	}
	return n
}

// rankSet ranks documents that were found already by the words of the filter.
func (s *search) rankSet(docs bitset, words, fallback string) Result {
	p := s.plan(words)
	if len(p.terms) == 0 {
		s.Keep, s.scope = nil, nil // applied already
		r := s.listed(docs)
		r.Fallback = fallback
		return r
	}
	s.run(p)
	list := s.scratch.kept[:0]
	for d := range docs.each {
		list = append(list, d)
	}
	s.scratch.kept = list
	r := s.finish(p, list, len(list))
	r.Fallback = fallback
	return r
}

// matcher finds the documents for which conditions hold. It looks at a text,
// and answers a condition of a long filter, as seldom as it can.
type matcher struct {
	*search
	living bitset
	known  map[textanalysis.Condition]bitset // of all living documents
	read   map[uint32][][]string             // the words of each text of a document
	kept   int                               // words in read

	lenient bool // a word that no entry has is read as the known ones close to it
	lookups int  // words that were
}

// mostRead is how many words are kept of the texts that were looked at.
const mostRead = 1 << 20

// any finds documents for which one alternative holds, of which only the
// conditions in question count.
func (m *matcher) any(alternatives [][]textanalysis.Condition, counts func(textanalysis.Condition) bool) bitset {
	found := newBitset(m.state.size)
	for _, alternative := range alternatives {
		all := newBitset(m.state.size)
		copy(all, m.living)
		seen := make(map[textanalysis.Condition]bool)
		for _, c := range alternative {
			if !counts(c) || seen[c] {
				continue
			}
			if docs := m.condition(c, all, len(seen) == 0); c.Not {
				all.andNot(docs)
			} else {
				all.and(docs)
			}
			seen[c] = true
		}
		found.or(all)
	}
	return found
}

func everyCondition(textanalysis.Condition) bool { return true }

// notWords are the conditions that hold also when a search is eased.
func notWords(c textanalysis.Condition) bool { return c.Not || !easy(c) }

// easy conditions may be eased to any word.
func easy(c textanalysis.Condition) bool {
	return c.Kind == textanalysis.WordCondition || c.Kind == textanalysis.PhraseCondition
}

func eased(alternatives [][]textanalysis.Condition) bool {
	for _, alternative := range alternatives {
		for _, c := range alternative {
			if !c.Not && easy(c) {
				return true
			}
		}
	}
	return false
}

// condition finds those of some documents for which a condition holds, not
// turned round; others may be among them. All tells that these are all that live.
func (m *matcher) condition(c textanalysis.Condition, among bitset, all bool) bitset {
	switch c.Kind {
	case textanalysis.TagCondition:
		return m.named(c.Text, func(s *segment) map[string][]uint32 { return s.tags })
	case textanalysis.SubjectCondition:
		return m.named(c.Text, func(s *segment) map[string][]uint32 { return s.subjects })
	case textanalysis.ExactCondition, textanalysis.PhraseCondition:
		c.Not = false
		if docs, known := m.known[c]; known {
			return docs
		}
		docs := m.sequence(c.Text, c.Kind == textanalysis.ExactCondition, among)
		if all {
			m.known[c] = docs
		}
		return docs
	}
	return m.word(c.Text)
}

func (m *matcher) named(name string, lists func(*segment) map[string][]uint32) bitset {
	found := newBitset(m.state.size)
	for _, p := range m.state.parts {
		for _, d := range lists(p.seg)[name] {
			found.set(p.base + d)
		}
	}
	return found
}

// word finds documents that have all parts of a word, or its compound.
func (m *matcher) word(text string) bitset {
	var all bitset
	var joined []string
	for _, t := range m.analyzer.Tokens(text) {
		switch {
		case t.Class == textanalysis.Joined:
			joined = append(joined, t.Stem)
		case all == nil:
			all = m.meant(t)
		default:
			all.and(m.meant(t))
		}
	}
	if all == nil {
		// No word in it: puts no condition.
		all = newBitset(m.state.size)
		copy(all, m.living)
		return all
	}
	for _, j := range joined {
		all.or(m.stem(j))
	}
	return all
}

// meant finds documents with a word; a lenient matcher also those with a word
// that was probably meant by one that nobody knows.
func (m *matcher) meant(t textanalysis.Token) bitset {
	found := m.stem(t.Stem)
	if !m.lenient || t.Class != textanalysis.Word || m.lookups >= maxLookedUp || m.state.df(t.Stem) > 0 {
		return found
	}
	m.lookups++
	for _, near := range m.state.meant(m.analyzer, t.Text) {
		found.or(m.stem(near.stem))
	}
	return found
}

// stem finds documents with a stem in their text; the words of a date do not
// count.
func (m *matcher) stem(stem string) bitset {
	found := newBitset(m.state.size)
	for i := range m.state.parts {
		p := &m.state.parts[i]
		id, ok := p.seg.stems.find(stem)
		if !ok {
			continue
		}
		for posting := range p.seg.all(id) {
			if posting.counts&^dateBit != 0 {
				found.set(p.base + posting.doc)
			}
		}
	}
	return found
}

// sequence finds those of some documents in which words follow one another, as
// stems or as they are written.
func (m *matcher) sequence(text string, exact bool, among bitset) bitset {
	var want []textanalysis.Token
	var all bitset
	for _, t := range m.analyzer.Tokens(text) {
		if !t.Counted() {
			continue
		}
		want = append(want, t)
		if docs := m.stem(t.Stem); all == nil {
			all = docs
		} else {
			all.and(docs)
		}
	}
	if all == nil {
		all = newBitset(m.state.size)
		copy(all, m.living)
		return all
	}
	all.and(among)
	for d := range all.each {
		if !m.holds(d, want, exact) {
			all[d>>6] &^= 1 << (d & 63)
		}
	}
	return all
}

// holds looks for the words in each text of a document.
func (m *matcher) holds(doc uint32, want []textanalysis.Token, exact bool) bool {
	for _, words := range m.texts(doc) {
		for i := 0; i+len(want) <= len(words); i++ {
			if m.follows(words[i:], want, exact) {
				return true
			}
		}
	}
	return false
}

// texts are the words of each text of a document.
func (m *matcher) texts(doc uint32) [][]string {
	texts, known := m.read[doc]
	if known {
		return texts
	}
	n := 0
	m.state.doc(doc).texts(func(z zone, text string) {
		if z == zoneDate {
			return
		}
		var words []string
		m.analyzer.Scan(text, func(t textanalysis.Token) {
			if t.Counted() {
				words = append(words, t.Text)
			}
		})
		texts, n = append(texts, words), n+len(words)
	})
	if m.kept += n; m.kept <= mostRead {
		m.read[doc] = texts
	}
	return texts
}

func (m *matcher) follows(words []string, want []textanalysis.Token, exact bool) bool {
	for i, w := range want {
		if exact && words[i] != w.Text || !exact && m.analyzer.Stem(words[i]) != w.Stem {
			return false
		}
	}
	return true
}

// anyWord finds documents with one of the words asked for.
func (m *matcher) anyWord(alternatives [][]textanalysis.Condition) bitset {
	found := newBitset(m.state.size)
	for _, alternative := range alternatives {
		for _, c := range alternative {
			if c.Not || !easy(c) {
				continue
			}
			for _, t := range m.analyzer.Tokens(c.Text) {
				found.or(m.stem(t.Stem))
			}
		}
	}
	return found
}

// Bounds of a search inside words.
const (
	shortestInside = 3
	maxInside      = 32
)

// inside finds documents that have a word asked for inside one of theirs.
func (m *matcher) inside(alternatives [][]textanalysis.Condition) bitset {
	found := newBitset(m.state.size)
	n := 0
	for _, alternative := range alternatives {
		for _, c := range alternative {
			text := strings.ToLower(c.Text)
			if c.Not || !easy(c) || len([]rune(text)) < shortestInside || n >= maxInside {
				continue
			}
			n++
			found.or(m.containing(text))
		}
	}
	return found
}

func (m *matcher) containing(text string) bitset {
	found := newBitset(m.state.size)
	for i := range m.state.parts {
		p := &m.state.parts[i]
		for w, name := range p.seg.words.names {
			if p.wordDocs(uint32(w)) == 0 || !strings.Contains(name, text) {
				continue
			}
			// Other forms of the same stem need not have it inside.
			stem := p.seg.stemOf[w]
			sure := p.everyForm(uint32(w), stem)
			for posting := range p.seg.all(stem) {
				if posting.counts&^dateBit != 0 && (sure || m.contains(p.seg.doc(posting.doc), text)) {
					found.set(p.base + posting.doc)
				}
			}
		}
	}
	return found
}

// contains reports whether a document has a word with a text inside.
func (m *matcher) contains(d *Doc, text string) bool {
	found := false
	d.texts(func(z zone, part string) {
		if !found && z != zoneDate {
			m.analyzer.Scan(part, func(t textanalysis.Token) { found = found || strings.Contains(t.Text, text) })
		}
	})
	return found
}
