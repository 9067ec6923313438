package lobes

import (
	"cmp"
	"math"
	"time"

	"memory-mcp/store/entry"
)

// staleWeight is the factor of an entry that is stale by age.
const staleWeight = 0.7

// elsewhereWeight is the factor of another branch's recent work.
const elsewhereWeight = 0.8

// taskDetail is the durability of what was worth knowing for one task, and
// behind the factor that puts it after an equal of lasting use.
const (
	taskDetail = "task_detail"
	behind     = 1 - 1e-6
)

// standing is what is known of an entry besides its file.
type standing struct {
	stale     bool          // by age, without evidence
	age       time.Duration // since it was written or last verified
	halfLife  float64       // in days, of an entry without any confidence; 0 never fades
	passing   bool          // it tells what happened once, or matters to one task
	uses      int           // how often it was asked for by name or confirmed
	elsewhere bool          // recent work of another branch than the current one
}

// weigh works out the factor by which a relevance is multiplied, and why. It is the
// only place where anything but relevance moves a hit:
//
//	topic       user 2.0, preferences 1.8, gotchas 1.5, conventions and
//	            decisions 1.2, modules 1.1, recent-work 0.9, others 1
//	trust       the entry's confidence, 0..1
//	fresh       0.7 when stale by age
//	decay       (0.5^(days/half-life))^(1-confidence), at least 0.5; at least
//	            0.25 for an episode and for the detail of a task
//	use         1 + log2(1+uses)/10
//	branch      0.8 for recent work of another branch
//	status      0.6 for a candidate
//	importance  0.5 + importance, when one is stated
//	durability  a millionth less for the detail of a task: a tie is broken
//
// Without boosts only the status counts: it is a matter of what is believed,
// not of order.
func (w *weighing) weigh(e *entry.Entry, s standing, boosts bool) {
	if e.Status == "candidate" {
		w.by("status", "candidate", candidateWeight)
	}
	if !boosts {
		return
	}
	w.by("topic", e.Topic, entry.InfoOf(e.Topic).Boost)
	w.by("trust", string(trustOf(e)), e.Certainty())
	if s.stale {
		w.by("fresh", "stale", staleWeight)
	}
	w.by("decay", "", s.decay(e.Certainty()))
	w.by("use", "", 1+math.Log2(1+float64(max(0, s.uses)))/10)
	if s.elsewhere {
		w.by("branch", e.Branch, elsewhereWeight)
	}
	if e.Importance != nil {
		w.by("importance", "", 0.5+min(1, max(0, *e.Importance)))
	}
	if e.Durability == taskDetail {
		w.factor *= behind
	}
}

// leastDecay is what age alone leaves of an entry's weight, and leastPassing of
// what happened once. Without an end to the fading, any note of today that has
// one word of the question would stand before the one that answers it and is two
// years old.
const (
	leastDecay   = 0.5
	leastPassing = 0.25
)

func (s standing) decay(confidence float64) float64 {
	if s.passing {
		return max(leastPassing, decay(s.age, s.halfLife, confidence))
	}
	return max(leastDecay, decay(s.age, s.halfLife, confidence))
}

// decay is what is left of an entry's weight: half after each half-life, the
// slower the more certain it is.
func decay(age time.Duration, halfLife, confidence float64) float64 {
	days := math.Floor(age.Hours() / 24)
	if days <= 0 || halfLife <= 0 {
		return 1
	}
	return math.Pow(math.Pow(0.5, days/halfLife), 1-min(1, max(0, confidence)))
}

// halfLife is that of an entry's kind. The detail of a task fades as what
// happened once.
func (b Behavior) halfLife(e *entry.Entry) float64 {
	kind := cmp.Or(e.Kind, "fact")
	if passing(e) {
		kind = episodeKind
	}
	if days, ok := b.HalfLives[kind]; ok {
		return days
	}
	return b.HalfLifeDays
}

const episodeKind = "episode"

// passing tells whether an entry is about what happened once.
func passing(e *entry.Entry) bool { return e.Kind == episodeKind || e.Durability == taskDetail }

// standing is what is known of an entry at a time.
func (b Behavior) standing(e *entry.Entry, now time.Time) standing {
	s := standing{stale: b.agedOut(e, now), halfLife: b.halfLife(e), passing: passing(e)}
	if !since(e).IsZero() {
		s.age = now.Sub(since(e))
	}
	return s
}

type weighing struct {
	factor  float64
	tell    bool // the reasons are wanted too
	reasons []Reason
}

func (w *weighing) by(what, term string, factor float64) {
	if factor == 1 {
		return
	}
	w.factor *= factor
	if !w.tell {
		return
	}
	w.reasons = append(w.reasons, Reason{What: what, Term: term, Weight: factor})
}

// trustOf is the entry's trust with the default filled in.
func trustOf(e *entry.Entry) entry.Trust {
	if e.Trust == "" {
		return entry.AgentInferred
	}
	return e.Trust
}
