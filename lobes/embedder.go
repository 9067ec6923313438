package lobes

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"
)

// An Embedder turns texts into vectors of one number of dimensions and of
// length 1.
type Embedder interface {
	// Fingerprint names all that the numbers depend on: the model, how its
	// vectors are cut, what is put before a question.
	Fingerprint() string
	// Dimensions is how many numbers a vector has, 0 for as many as the model
	// gives.
	Dimensions() int
	// Embed gives the vectors of memories, in order. It may wait until a model
	// is loaded, and is asked in the background only.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Query gives the vector of a question. It never waits for a model to be
	// loaded: with an error the answer goes by words alone.
	Query(ctx context.Context, text string) ([]float32, error)
}

// A Reranker scores texts by how well they answer a question, in order. It
// never waits for a model to be loaded.
type Reranker interface {
	Rank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// How long a search waits for a model that is loaded.
const (
	thinkWithin  = 300 * time.Millisecond
	rerankWithin = 2 * time.Second
)

// The words of [Answer.RankedBy].
const (
	RankedByWords   = "lexical"  // the entry's and the question's
	RankedByBoth    = "hybrid"   // words and vectors
	RankedByModel   = "reranked" // a model had the last word on the first hits
	RankedByRecency = "recency"  // a list
)

// think turns the text of a search into a vector, where there is an embedder
// that is ready. A prompt that nobody meant as a search goes by words alone:
// its gate knows nothing else.
func (s *Set) think(ctx context.Context, q *Query) {
	if s.o.Embedder == nil || q.Text == "" || q.unasked || !q.AsOf.IsZero() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, thinkWithin)
	defer stop()
	v, err := s.o.Embedder.Query(ctx, q.Text)
	if err != nil {
		s.o.Logger.Debug("a search goes by words alone", "cause", err)
		return
	}
	q.vector = v
}

// reranked is how many of the first hits a reranker looks at.
const reranked = 30

// rerank lets a model order the first hits anew, and tells whether it did. What
// is known of each entry counts as it did before.
func (s *Set) rerank(ctx context.Context, hits []hit, q Query) bool {
	if s.o.Reranker == nil || q.Text == "" || q.unasked || len(hits) < 2 {
		return false
	}
	hits = hits[:min(len(hits), reranked)]
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = textOf(h.head)
	}
	ctx, stop := context.WithTimeout(ctx, rerankWithin)
	defer stop()
	scores, err := s.o.Reranker.Rank(ctx, q.Text, texts)
	if err != nil || len(scores) != len(hits) {
		s.o.Logger.Debug("no model ranks what was found", "cause", err)
		return false
	}
	// The scores of the hits stay those that they had, in the new order: what
	// follows compares them.
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	// Some models score from minus to plus infinity: what counts is the place
	// between the worst and the best.
	worst, best := slices.Min(scores), slices.Max(scores)
	share := func(i int) float64 {
		return (scores[i] - worst) / max(best-worst, math.SmallestNonzeroFloat64) * hits[i].factor
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share(b), share(a)) })
	now := make([]hit, len(hits))
	for i, was := range order {
		now[i] = hits[was]
		now[i].score = hits[i].score
	}
	copy(hits, now)
	return true
}

// embedEvery is the time between two looks for memories without a vector, and
// embedRest the longest one after failures: each look costs calls of the day's
// ceiling.
const (
	embedEvery = 2 * time.Second
	embedRest  = 10 * time.Minute
)

// embed gives vectors to the memories of the lobes that were used, until ctx
// ends. What fails is tried again, after twice the time that it was before.
func (s *Set) embed(ctx context.Context) {
	tick := time.NewTicker(embedEvery)
	defer tick.Stop()
	rest, next := make(map[*Lobe]time.Duration), make(map[*Lobe]time.Time)
	for {
		for _, l := range s.lobes {
			if time.Now().Before(next[l]) {
				continue
			}
			err := l.embed(ctx)
			if err == nil || ctx.Err() != nil {
				delete(rest, l)
				continue
			}
			rest[l] = min(max(2*rest[l], embedEvery), embedRest)
			next[l] = time.Now().Add(rest[l])
			s.o.Logger.Debug("memories have no vectors yet", "lobe", l.name, "cause", err, "rest", rest[l])
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (l *Lobe) embed(ctx context.Context) error {
	if !l.used.Load() {
		return nil
	}
	r, err := l.look(ctx)
	if err != nil {
		return err
	}
	return r.vectors.fill(ctx)
}

// Embed gives vectors to all memories of the lobes that were used, at once.
func (s *Set) Embed(ctx context.Context) error {
	if err := s.writable("embed"); err != nil {
		return err
	}
	if s.o.Embedder == nil {
		return nil
	}
	var errs []error
	for _, l := range s.lobes {
		errs = append(errs, l.embed(ctx))
	}
	return errors.Join(errs...)
}
