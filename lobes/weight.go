package lobes

import (
	"memory-mcp/store/entry"
)

// staleWeight is the factor of an entry that is stale by age.
const staleWeight = 0.7

// weigh is the factor by which a relevance is multiplied, and why. It is the
// only place where anything but relevance moves a hit:
//
//	topic       user 2.0, preferences 1.8, gotchas 1.5, conventions and
//	            decisions 1.2, modules 1.1, recent-work 0.9, others 1
//	trust       the entry's confidence, 0..1
//	freshness   0.7 when stale by age
//	status      0.6 for a candidate
//	importance  0.5 + importance, when one is stated
//
// Without boosts only the status counts: it is a matter of what is believed,
// not of order.
func weigh(e *entry.Entry, stale, boosts bool) (float64, []Reason) {
	w := weighing{factor: 1}
	if e.Status == "candidate" {
		w.by("status", "candidate", candidateWeight)
	}
	if !boosts {
		return w.factor, w.reasons
	}
	w.by("topic", e.Topic, entry.InfoOf(e.Topic).Boost)
	w.by("trust", string(trustOf(e)), e.Certainty())
	if stale {
		w.by("fresh", "stale", staleWeight)
	}
	if e.Importance != nil {
		w.by("importance", "", 0.5+min(1, max(0, *e.Importance)))
	}
	return w.factor, w.reasons
}

type weighing struct {
	factor  float64
	reasons []Reason
}

func (w *weighing) by(what, term string, factor float64) {
	if factor == 1 {
		return
	}
	w.factor *= factor
	w.reasons = append(w.reasons, Reason{What: what, Term: term, Weight: factor})
}

// trustOf is the entry's trust with the default filled in.
func trustOf(e *entry.Entry) entry.Trust {
	if e.Trust == "" {
		return entry.AgentInferred
	}
	return e.Trust
}

// nearlyEqual is the share by which two scores may differ and still count as
// the same relevance.
const nearlyEqual = 0.05

// homeFirst moves hits of the current lobe before those of other lobes that
// are not more than 5 % better. The slice is ordered by falling score.
func homeFirst(hits []hit, home string) {
	for i := range hits {
		if hits[i].lobe.name != home {
			continue
		}
		for j := i; j > 0 && hits[j-1].lobe.name != home && hits[j-1].score <= hits[j].score*(1+nearlyEqual); j-- {
			hits[j-1], hits[j] = hits[j], hits[j-1]
		}
	}
}
