package lobes

import (
	"cmp"
	"slices"

	"memory-mcp/store"
	"memory-mcp/store/index"
)

// byMeaning is the part of a hit's score that its vector decides, the rest is
// the words'. Ranks are not fused: beside a good ranking by words a weak one by
// vectors would cost more than it gives.
const byMeaning = 0.35

// fuse joins what was found by words with what is near in meaning: a weighted
// sum of the two, each as a share of the best there is. The words' best is
// never taken for less than half of what an entry with every word would come
// near, so that poor matches leave the lead to the vectors. Without a vector of
// the question the hits stay what they are.
func (s *sieve) fuse(hits []hit, r index.Result, most int) ([]hit, index.Result) {
	if s.q.vector == nil || s.vectors == nil {
		return hits, r
	}
	near, err := s.vectors.near(s.q.vector, most, s.keep)
	if err != nil {
		s.lobe.o.Logger.Debug("a search goes by words alone", "lobe", s.lobe.name, "cause", err)
		return hits, r
	}
	if len(near) == 0 {
		return hits, r
	}
	top := r.Best / 2
	for _, h := range hits {
		top = max(top, h.relevance)
	}
	if top == 0 {
		top = 1 // no word was found: the scores are the vectors' alone
	}
	lowest, highest := near[len(near)-1].cosine, near[0].cosine
	of := make(map[*store.Head]float64, len(near))
	for _, n := range near {
		of[n.head] = rescaled(n.cosine, lowest, highest)
	}
	known := make(map[*store.Head]bool, len(hits))
	for i := range hits {
		h := &hits[i]
		known[h.head] = true
		h.meant(of[h.head], top)
	}
	for _, n := range near {
		if !known[n.head] {
			h := hit{reading: s.reading, head: n.head}
			w := weighing{factor: 1}
			s.weigh(&w, n.head, s.q)
			h.factor = w.factor
			h.meant(of[n.head], top)
			hits = append(hits, h)
			r.Total++
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), byAge(a.head, b.head)) })
	s.fused = true
	return hits[:min(len(hits), most)], r
}

// rescaled is a cosine between the least and the largest of those that are
// looked at, as a share. Few of them, or all alike, say little: their cosine
// counts as it is.
func rescaled(cosine, lowest, highest float64) float64 {
	const spread = 0.05
	if highest-lowest < spread {
		return max(0, cosine)
	}
	return max(0, highest) * (cosine - lowest) / (highest - lowest)
}

// meant gives the hit the score of words and vector together.
func (h *hit) meant(near, top float64) {
	words := h.relevance / top
	h.near = near
	h.score = h.factor * top * ((1-byMeaning)*words + byMeaning*near)
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
