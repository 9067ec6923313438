package index

import "memory-mcp/textanalysis"

// A Query is what to look for. With a filter, entries must match it; without,
// they are ranked by any of the words.
type Query struct {
	// Text is in natural words; the more and the rarer of them an entry has,
	// the higher it ranks.
	Text string
	// Filter is used when HasFilter is set.
	Filter    textanalysis.Filter
	HasFilter bool
	// Topic restricts the search to a topic and those below it; "" is all.
	Topic string
	// Keep says which entries may be found; nil keeps all. It must not keep
	// what it is told beyond the call.
	Keep func(d *Doc) bool
	// KeepsPlain says that Keep need not be asked about plain entries: a
	// search then costs no call for each entry that has one of the words.
	KeepsPlain bool
	// Weight multiplies the score of an entry: trust, topic, freshness, as
	// the caller sees them; nil is 1 for all.
	Weight func(d *Doc) float64
	// Limit bounds the hits; zero means 10. Offset skips the first ones.
	Limit, Offset int
}

const defaultLimit = 10

// A Hit is one entry that was found.
type Hit struct {
	Key   string
	Ref   any // of the entry's [Doc]
	Score float64
	// Relevance is the score by words alone, without the caller's weight.
	Relevance float64
	// Reasons say where the score comes from, the largest share first.
	Reasons []Reason
	// Coverage is the share of the query's informative words, by weight, that
	// the entry has, from 0 to 1.
	Coverage float64
}

// A Reason is one part of a hit's score.
type Reason struct {
	// Kind is term, expansion, title and opening (how much of them the query
	// names), near (words close together), context (words of neighbouring
	// entries).
	Kind string
	// Term is the word that was found, and For the query's word when that is
	// another one.
	Term, For string
	// Field is title, body, files or date.
	Field string
	// Share is the part of the score, from 0 to 1.
	Share float64
	// Filler tells that the query's word says nothing by itself, as "the".
	Filler bool
}

// A Result is what a search found.
type Result struct {
	Hits []Hit
	// Total counts the entries that were found, also beyond the limit.
	Total int
	// Fallback says how a filter without a full match was eased.
	Fallback string
	// Best is the score that an entry with every word of the query, often and
	// in the title, would come near.
	Best float64
	// Evidence says how sure the search may be of its first hit.
	Evidence Evidence
}

// The ways in which a filter without a full match is eased.
const (
	AnyWord     = "any-word"
	InsideWords = "inside-words"
)

// Search finds entries. It never fails; an empty query finds everything that
// is kept, in the order of weight and key.
func (x *Index) Search(q Query) Result {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Offset = max(q.Offset, 0)
	s := &search{Query: q, analyzer: x.analyzer, state: x.current.Load(), pool: &x.scratch}
	defer s.free()
	if q.HasFilter {
		return s.filtered()
	}
	return s.ranked(q.Text)
}
