package index

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

// What a word that was not asked for, but probably meant, is worth.
const (
	synonymWeight  = 0.4
	misspeltWeight = 0.8 // divided by the number of edits
	compoundWeight = 0.6
)

// Bounds of a search for the word that was meant.
const (
	shortestMisspelt = 4 // letters from which on one edit is allowed
	longMisspelt     = 8 // letters from which on two are
	maxMeant         = 3 // words taken for one
	maxLookedUp      = 40
)

// expand adds words that were probably meant: never one that is in the query.
func (s *search) expand(p *plan) {
	asked := len(p.terms)
	lookups := 0
	for i := range asked {
		t := p.terms[i]
		if t.class != textanalysis.Word && t.class != textanalysis.Pair {
			continue
		}
		for _, other := range textanalysis.Synonyms(t.stem) {
			s.add(p, i, s.analyzer.Stem(other), other, synonymWeight)
		}
		if t.class != textanalysis.Word || t.df > 0 || lookups >= maxLookedUp {
			continue
		}
		lookups++
		for _, m := range s.state.meant(s.analyzer, t.text) {
			s.add(p, i, m.stem, m.word, misspeltWeight/float64(m.edits))
		}
		s.split(p, i)
	}
	for i := 0; i+1 < len(p.order); i++ {
		a, b := &p.terms[p.order[i]], &p.terms[p.order[i+1]]
		if a.class == textanalysis.Word && b.class == textanalysis.Word {
			joined := a.text + b.text
			s.add(p, p.order[i], s.analyzer.Stem(joined), joined, compoundWeight)
		}
	}
}

// add puts a word in that is known and was not asked for.
func (s *search) add(p *plan, source int, stem, text string, weight float64) {
	if _, ok := p.number[stem]; ok || len(p.terms) >= maxKnown+maxTerms {
		return
	}
	df := s.state.df(stem)
	if df == 0 {
		return
	}
	p.number[stem] = len(p.terms)
	p.terms = append(p.terms, term{
		stem: stem, text: text, class: textanalysis.Word, source: source,
		weight: weight * p.terms[source].weight, df: df, idf: idf(df, s.state.live),
	})
}

// The bounds of taking a word apart: how many bytes both halves of a compound
// must have, and beyond how many a word is no compound of two.
const (
	shortestPart = 3
	longestSplit = 100
)

// split takes an unknown word apart where both halves are known.
func (s *search) split(p *plan, i int) {
	text := p.terms[i].text
	if len(text) > longestSplit {
		return
	}
	for at := shortestPart; at <= len(text)-shortestPart; at++ {
		if !utf8.RuneStart(text[at]) {
			continue
		}
		left, right := s.analyzer.Stem(text[:at]), s.analyzer.Stem(text[at:])
		if s.state.df(left) > 0 && s.state.df(right) > 0 {
			s.add(p, i, left, text[:at], compoundWeight)
			s.add(p, i, right, text[at:], compoundWeight)
		}
	}
}

// meant is a known word close to an unknown one.
type meant struct {
	word, stem string
	edits, df  int
}

// meant finds the known words fewest edits away; of those equally far the more
// frequent ones.
func (s *state) meant(a *textanalysis.Analyzer, word string) []meant {
	letters := []rune(word)
	limit := 1
	switch {
	case len(letters) < shortestMisspelt:
		return nil
	case len(letters) >= longMisspelt:
		limit = 2
	}
	found := make(map[string]meant) // by stem
	want := signature(word)
	var buffer []rune
	for i := range s.parts {
		p := &s.parts[i]
		seg := p.seg
		for n, sign := range seg.signatures {
			if bits.OnesCount32(sign^want) > 2*limit {
				continue
			}
			name := seg.words.names[n]
			if len(name) > len(word)+4*limit || len(name) < len(letters)-limit {
				continue
			}
			if sign < otherSigns && len(name) > len(letters)+limit {
				continue // a byte is a letter here
			}
			if !p.alive(a, uint32(n)) {
				continue
			}
			buffer = buffer[:0]
			for _, letter := range name {
				buffer = append(buffer, letter)
			}
			if limit == 1 && farApart(letters, buffer) {
				continue
			}
			d := textanalysis.EditDistance(letters, buffer, limit)
			stem := seg.stems.names[seg.stemOf[n]]
			if old, ok := found[stem]; d > limit || ok && (old.edits < d || old.edits == d && old.word <= name) {
				continue
			}
			if df := s.df(stem); df > 0 {
				found[stem] = meant{name, stem, d, df}
			}
		}
	}
	list := make([]meant, 0, len(found))
	for _, m := range found {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b meant) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.df, a.df), strings.Compare(a.stem, b.stem))
	})
	return list[:min(len(list), maxMeant)]
}

// farApart reports whether one edit surely does not make one word the other:
// it would leave all letters before and behind alike, but for two that it turned
// round.
func farApart(a, b []rune) bool {
	n := min(len(a), len(b))
	from := 0
	for from < n && a[from] == b[from] {
		from++
	}
	end := 0
	for end < n-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return max(len(a), len(b))-from-end > 2
}

// otherSigns is the first of the bits for what is neither letter nor digit.
const otherSigns = 1 << 27

// signature tells apart, at the cost of one comparison, most words that are
// many edits from each other: a bit for each letter that occurs.
func signature(word string) uint32 {
	sign := uint32(0)
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case 'a' <= c && c <= 'z':
			sign |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			sign |= 1 << 26
		default:
			sign |= otherSigns << (c % 5)
		}
	}
	return sign
}
