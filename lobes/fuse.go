package lobes

import (
	"math"
	"slices"

	"memory-mcp/store"
	"memory-mcp/store/index"
)

// byMeaning is the most that vectors decide of a hit's score: where no word of
// the question is found. The better the words answer, the less the vectors say,
// since beside a good ranking by words a weak one by vectors costs more than it
// gives. Ranks are not fused, for the same reason.
const byMeaning = 0.5

// doubt is how fast the part of the vectors falls with how well words answer.
const doubt = 3

// fuse joins what was found by words with what is near in meaning: a weighted
// sum of the two, each as a share of the best there is. The words' best is
// never taken for less than half of what an entry with every word would come
// near, so that poor matches leave the lead to the vectors. Without a vector of
// the question the hits stay what they are.
func (s *sieve) fuse(hits []hit, r index.Result, most int) ([]hit, index.Result) {
	if s.q.vector == nil || s.vectors == nil {
		return hits, r
	}
	found, err := s.vectors.near(s.q.vector, most, s.keep)
	if err != nil {
		s.lobe.o.Logger.Debug("a search goes by words alone", "lobe", s.lobe.name, "cause", err)
		return hits, r
	}
	if len(found.near) == 0 {
		return hits, r
	}
	top, words := r.Best/2, 0.0
	for _, h := range hits {
		words = max(words, h.relevance)
	}
	if top = max(top, words); top == 0 {
		top = 1 // no word was found: the scores are the vectors' alone
	}
	m := meaning{top: top, weight: byMeaning * math.Pow(1-words/top, doubt)}
	of := make(map[*store.Head]float64, len(found.near))
	for _, n := range found.near {
		of[n.head] = found.share(n.cosine)
	}
	known := make(map[*store.Head]bool, len(hits))
	for i := range hits {
		h := &hits[i]
		known[h.head] = true
		h.meant(of[h.head], m)
	}
	for _, n := range found.near {
		if !known[n.head] {
			h := hit{reading: s.reading, head: n.head}
			w := weighing{factor: 1}
			s.weigh(&w, n.head, s.q)
			h.factor = w.factor
			h.meant(of[n.head], m)
			hits = append(hits, h)
			r.Total++
		}
	}
	slices.SortStableFunc(hits, byScore)
	s.vary(hits[:min(len(hits), rankPool)])
	s.fused = true
	return hits[:min(len(hits), most)], r
}

// Among so many texts a cosine is compared with the others'.
const manyTexts = 30

// deviations is how many of them above the mean count as the nearest there is.
const deviations = 4

// share is how near a cosine is, from 0 to 1: how far it stands out from the
// cosines of all entries, since what is far and near is another number for each
// model. Of few it is the place between the least and the largest of those that
// are looked at; all alike say little, and their cosine counts as it is.
func (n nearness) share(cosine float64) float64 {
	if n.Texts >= manyTexts && n.Deviation > 0 {
		return min(1, max(0, (cosine-n.Mean)/n.Deviation/deviations))
	}
	const spread = 0.05
	lowest, highest := n.near[len(n.near)-1].cosine, n.near[0].cosine
	if highest-lowest < spread {
		return max(0, cosine)
	}
	return max(0, highest) * (cosine - lowest) / (highest - lowest)
}

// meaning is what vectors have to say in a search: the score that counts as
// the best, and their part of each.
type meaning struct{ top, weight float64 }

// meant gives the hit the score of words and vector together.
func (h *hit) meant(near float64, m meaning) {
	words := h.relevance / m.top
	h.near = near
	h.score = h.factor * m.top * ((1-m.weight)*words + m.weight*near)
}

// variety is how much an entry that says the same as a better one loses, as a
// share of the best score.
const variety = 0.2

// vary orders hits anew so that one which says what a better one says already
// comes later: each time the one with the best score after what it has in
// common with those before it (maximal marginal relevance). The scores stay, in
// the new order: what follows compares them.
func (s *sieve) vary(hits []hit) {
	if len(hits) < 3 || hits[0].score <= 0 {
		return
	}
	alike := s.vectors.alike(hits)
	loss, left := make([]float64, len(hits)), make([]int, len(hits))
	for i := range left {
		left[i] = i
	}
	varied := make([]hit, 0, len(hits))
	for len(left) > 0 {
		best := 0
		worth := func(at int) float64 { return hits[left[at]].score/hits[0].score - variety*loss[left[at]] }
		for at := range left {
			if worth(at) > worth(best) {
				best = at
			}
		}
		chosen := left[best]
		left = slices.Delete(left, best, best+1)
		for _, i := range left {
			loss[i] = max(loss[i], alike(chosen, i))
		}
		next := hits[chosen]
		next.score = hits[len(varied)].score
		varied = append(varied, next)
	}
	copy(hits, varied)
}

// vectorShare is the part of the lobes' entries that has a vector.
func vectorShare(readings []reading) float64 {
	var all, have float64
	for _, r := range readings {
		n := float64(r.view.Len())
		share, err := r.vectors.share()
		if err != nil {
			r.lobe.o.Logger.Debug("vectors are not counted", "lobe", r.lobe.name, "cause", err)
		}
		all, have = all+n, have+n*share
	}
	if all == 0 {
		return 0
	}
	return have / all
}
