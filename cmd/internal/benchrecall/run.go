package benchrecall

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// An Answer is what a ranker says to one question.
type Answer struct {
	IDs  []string // note ids, the best first
	Gate bool     // whether the answer would be given unasked
}

// A Ranker answers questions about the notes of one set.
type Ranker interface {
	// Rank answers from the notes of a group; sets without groups have "".
	Rank(group, query string) (Answer, error)
}

// An Opener makes a ranker over a set's notes.
type Opener func(Set) (Ranker, error)

// A Column is one file of questions with its results.
type Column struct {
	Set     string  `json:"set"`
	Kind    string  `json:"kind"` // "", "long" or "typo"
	Metrics Metrics `json:"metrics"`
	Silence Silence `json:"silence"`
	Micros  float64 `json:"micros_per_query"`
	// Answers are the note ids by question, for a file of the run.
	Answers map[string][]string `json:"-"`
	// Questions are the ones that were asked.
	Questions []Question `json:"-"`
}

// Name is the set's name, with the kind of question.
func (c Column) Name() string {
	if c.Kind == "" {
		return c.Set
	}
	return c.Set + " " + c.Kind
}

// Silence tells when an answer was given unasked.
type Silence struct {
	// Found counts the questions with a relevant note among the first three,
	// Served those of them past the gate.
	Found  int `json:"found"`
	Served int `json:"served"`
	// Foreign counts questions asked of notes that hold no answer, False those
	// of them past the gate.
	Foreign int `json:"foreign"`
	False   int `json:"false"`
}

// A Report holds the results of all columns.
type Report struct {
	Columns []Column `json:"columns"`
	// Headline is the mean nDCG@10 over the columns without misspellings.
	Headline float64 `json:"headline"`
	Recall5  float64 `json:"recall_5"`
	// TypoLoss is how much nDCG@10 one misspelling costs, on average over the
	// sets that have such questions.
	TypoLoss float64 `json:"typo_loss"`
	// Served and False are means over the columns of the shares in Silence.
	Served float64 `json:"served"`
	False  float64 `json:"false_injections"`
}

// Run asks every question of a half and compares.
func Run(sets []Set, open Opener, half Half) (Report, error) {
	rankers := make([]Ranker, len(sets))
	for i, s := range sets {
		r, err := open(s)
		if err != nil {
			return Report{}, fmt.Errorf("open set %q: %w", s.Name, err)
		}
		rankers[i] = r
	}
	var report Report
	for i := range sets {
		for _, kind := range Columns() {
			questions := chosen(sets[i].Questions[kind], half)
			if len(questions) == 0 {
				continue
			}
			c := Column{Set: sets[i].Name, Kind: kind, Questions: questions, Answers: make(map[string][]string)}
			if err := c.ask(rankers[i]); err != nil {
				return Report{}, err
			}
			if err := c.askForeign(sets, rankers, i); err != nil {
				return Report{}, err
			}
			report.Columns = append(report.Columns, c)
		}
	}
	report.sum()
	return report, nil
}

func chosen(questions []Question, half Half) []Question {
	var some []Question
	for _, q := range questions {
		if half.Has(q.ID) {
			some = append(some, q)
		}
	}
	return some
}

// servedDepth is among how many answers a relevant one must be to be served.
const servedDepth = 3

func (c *Column) ask(r Ranker) error {
	start := time.Now()
	for _, q := range c.Questions {
		a, err := r.Rank(q.Group, q.Query)
		if err != nil {
			return fmt.Errorf("ask %q of %s: %w", q.ID, c.Name(), err)
		}
		c.Answers[q.ID] = a.IDs
		relevant := func(id string) bool { return slices.Contains(q.Relevant, id) }
		if slices.ContainsFunc(a.IDs[:min(servedDepth, len(a.IDs))], relevant) {
			c.Silence.Found++
			if a.Gate {
				c.Silence.Served++
			}
		}
	}
	c.Micros = float64(time.Since(start).Microseconds()) / float64(len(c.Questions))
	c.Metrics = Score(c.Questions, c.Answers, Both)
	return nil
}

// askForeign asks each question of notes that hold no answer: those of another
// group of the set or, without groups, of the next set.
func (c *Column) askForeign(sets []Set, rankers []Ranker, i int) error {
	groups := groupsOf(sets[i])
	other := (i + 1) % len(sets)
	if len(groups) == 1 && other == i {
		return nil
	}
	for _, q := range c.Questions {
		r, group := rankers[i], ""
		if len(groups) > 1 {
			at, _ := slices.BinarySearch(groups, q.Group)
			group = groups[(at+1)%len(groups)]
		} else {
			r, group = rankers[other], groupsOf(sets[other])[0]
		}
		a, err := r.Rank(group, q.Query)
		if err != nil {
			return fmt.Errorf("ask %q of other notes: %w", q.ID, err)
		}
		c.Silence.Foreign++
		if a.Gate {
			c.Silence.False++
		}
	}
	return nil
}

// groupsOf lists the groups of a set in order.
func groupsOf(s Set) []string {
	var groups []string
	for _, n := range s.Notes {
		groups = append(groups, n.Group)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// sum works out the means over the columns.
func (r *Report) sum() {
	plain, typos, silent := 0.0, 0.0, 0.0
	for _, c := range r.Columns {
		if c.Silence.Found > 0 && c.Silence.Foreign > 0 {
			silent++
			r.Served += float64(c.Silence.Served) / float64(c.Silence.Found)
			r.False += float64(c.Silence.False) / float64(c.Silence.Foreign)
		}
		if c.Kind == "typo" {
			typos++
			r.TypoLoss += r.plain(c.Set) - c.Metrics.NDCG10
			continue
		}
		plain++
		r.Headline += c.Metrics.NDCG10
		r.Recall5 += c.Metrics.Recall5
	}
	r.Headline /= cmp.Or(plain, 1)
	r.Recall5 /= cmp.Or(plain, 1)
	r.TypoLoss /= cmp.Or(typos, 1)
	r.Served /= cmp.Or(silent, 1)
	r.False /= cmp.Or(silent, 1)
}

func (r *Report) plain(set string) float64 {
	for _, c := range r.Columns {
		if c.Set == set && c.Kind == "" {
			return c.Metrics.NDCG10
		}
	}
	return 0
}
