package benchrecall

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// Metrics are means over questions.
type Metrics struct {
	Questions int     `json:"questions"`
	Recall3   float64 `json:"recall_3"`
	Recall5   float64 `json:"recall_5"`
	Recall10  float64 `json:"recall_10"`
	MRR10     float64 `json:"mrr_10"`
	NDCG10    float64 `json:"ndcg_10"`
}

// Half says which questions count.
type Half int

// The halves: settings are chosen on the even one, results told of the odd.
const (
	Both Half = iota
	Even
	Odd
)

// Has reports whether a question belongs to the half. The misspelt and the
// long form of a question belong to the half of the plain one.
func (h Half) Has(qid string) bool {
	if h == Both {
		return true
	}
	hash := fnv.New32a()
	hash.Write([]byte(strings.TrimSuffix(strings.TrimSuffix(qid, "~t"), "L")))
	return (hash.Sum32()>>8)%2 == uint32(h-Even)
}

// Score compares answers, note ids in order by question id, with what is
// relevant. A question without an answer scores zero.
func Score(questions []Question, answers map[string][]string, half Half) Metrics {
	var m Metrics
	for _, q := range questions {
		if !half.Has(q.ID) {
			continue
		}
		m.Questions++
		m.add(q.Relevant, answers[q.ID])
	}
	if m.Questions > 0 {
		n := float64(m.Questions)
		m.Recall3, m.Recall5, m.Recall10, m.MRR10, m.NDCG10 = m.Recall3/n, m.Recall5/n, m.Recall10/n, m.MRR10/n, m.NDCG10/n
	}
	return m
}

// depth is how many answers count.
const depth = 10

func (m *Metrics) add(relevant, answer []string) {
	answer = answer[:min(len(answer), depth)]
	dcg, ideal, first := 0.0, 0.0, 0.0
	found := [3]int{}
	for i, id := range answer {
		if !slices.Contains(relevant, id) {
			continue
		}
		dcg += gain(i)
		if first == 0 {
			first = 1 / float64(i+1)
		}
		for j, k := range []int{3, 5, depth} {
			if i < k {
				found[j]++
			}
		}
	}
	for i := range min(depth, len(relevant)) {
		ideal += gain(i)
	}
	n := float64(max(len(relevant), 1))
	m.Recall3 += float64(found[0]) / n
	m.Recall5 += float64(found[1]) / n
	m.Recall10 += float64(found[2]) / n
	m.MRR10 += first
	m.NDCG10 += dcg / max(ideal, 1e-9)
}

func gain(i int) float64 { return 1 / math.Log2(float64(i+2)) }
