package textanalysis

import (
	"slices"
)

// Thresholds of [Similarity]; a score must be greater than the threshold.
const (
	// DuplicateThreshold is for the hint at a store in the same topic.
	DuplicateThreshold = 0.35
	// RelevantPreferenceThreshold is for preferences that bear on what is stored.
	RelevantPreferenceThreshold = 0.20
	// ConfirmThreshold is from where a text with the same facts confirms an
	// old one instead of standing beside it.
	ConfirmThreshold = 0.92
	// ConflictThreshold is for a conflict in the same topic.
	ConflictThreshold = 0.60
	// ConflictAcrossTopics is for a conflict between topics.
	ConflictAcrossTopics = 0.42
	// ConflictSimilarTitles is for a conflict whose titles alone are more than
	// SimilarTitles alike.
	ConflictSimilarTitles = 0.38
	// SimilarTitles is how much alike two titles must be for the above.
	SimilarTitles = 0.30
	// ConflictMinBody is how many characters both bodies must exceed.
	ConflictMinBody = 50
)

// minContained is how many words the smaller of two texts must have for
// containment to say anything: a text of two words lies inside a great many
// others without being the same memory.
const minContained = 8

// A Fingerprint is the set of informative words of a text.
type Fingerprint struct{ words []uint64 }

// Size is the number of different words.
func (f Fingerprint) Size() int { return len(f.words) }

// FingerprintOf returns the fingerprint of a memory. It is the same in every
// process that uses the same Analyzer options.
func (a *Analyzer) FingerprintOf(title, body string) Fingerprint {
	var words []uint64
	collect := func(t Token) {
		if t.Informative() {
			words = append(words, hashWord(a.Stem(t.Text)))
		}
	}
	a.Scan(title, collect)
	a.Scan(body, collect)
	slices.Sort(words)
	return Fingerprint{slices.Compact(words)}
}

// InformativeStems are what the fingerprint of a memory is of, in order.
func (a *Analyzer) InformativeStems(title, body string) []string {
	var stems []string
	collect := func(t Token) {
		if t.Informative() {
			stems = append(stems, a.Stem(t.Text))
		}
	}
	a.Scan(title, collect)
	a.Scan(body, collect)
	slices.Sort(stems)
	return slices.Compact(stems)
}

// hashWord is FNV-1a: equal in every process, unlike the hash of the library.
func hashWord(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Similarity is how much of two texts is the same, from 0 to 1: the larger of
// the shared part of both together and, for texts of some length, the shared
// part of the smaller one.
func Similarity(a, b Fingerprint) float64 {
	return SimilarityOf(a.shared(b), len(a.words), len(b.words))
}

// SimilarityOf is the [Similarity] of two texts of a and b different informative
// words, of which so many are the same.
func SimilarityOf(shared, a, b int) float64 {
	if shared == 0 {
		return 0
	}
	smaller := min(a, b)
	score := float64(shared) / float64(a+b-shared)
	if smaller >= minContained {
		score = max(score, float64(shared)/float64(smaller))
	}
	return score
}

func (f Fingerprint) shared(g Fingerprint) int {
	n, i, j := 0, 0, 0
	for i < len(f.words) && j < len(g.words) {
		switch {
		case f.words[i] == g.words[j]:
			n++
			i++
			j++
		case f.words[i] < g.words[j]:
			i++
		default:
			j++
		}
	}
	return n
}
