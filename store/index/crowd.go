package index

// fewPairs is how many pairs of words are looked for one after the other.
const fewPairs = 64

// A crowd is the pairs of a very long question, found all at once: each look
// at a text then costs what the text is long, however long the question is.
type crowd struct {
	pairs  [][2]int       // that differ, in the order of the question
	times  []float64      // how often each stands in it
	number map[[2]int]int // of each
	best   []int          // scratch: the smallest distance found
}

func crowded(pairs [][2]int) *crowd {
	c := &crowd{number: make(map[[2]int]int)}
	for _, pair := range pairs {
		n, known := c.number[pair]
		if !known {
			n = len(c.pairs)
			c.number[pair] = n
			c.pairs, c.times = append(c.pairs, pair), append(c.times, 0)
		}
		c.times[n]++
	}
	c.best = make([]int, len(c.pairs))
	return c
}

// near is the proximity of the text that was located: by pairs, or for many of
// them by the crowd.
func (r *reader) near(pairs [][2]int, c *crowd) float64 {
	if c == nil {
		return r.proximity(pairs)
	}
	for i := range c.best {
		c.best[i] = proximityReach + 1
	}
	for i, b := range r.places {
		for j := i - 1; j >= 0 && b.at-r.places[j].at <= proximityReach; j-- {
			a := r.places[j]
			c.meet(a.term, b.term, b.at-a.at)
			c.meet(b.term, a.term, b.at-a.at+reversedPenalty)
		}
	}
	terms, sum := r.plan.terms, 0.0
	for i, pair := range c.pairs {
		if d := max(c.best[i], 1); d <= proximityReach {
			sum += c.times[i] * min(terms[pair[0]].idf, terms[pair[1]].idf) / float64(d)
		}
	}
	return sum
}

// meet takes down how far apart two words stand.
func (c *crowd) meet(a, b, distance int) {
	if n, known := c.number[[2]int{a, b}]; known {
		c.best[n] = min(c.best[n], distance)
	}
}
