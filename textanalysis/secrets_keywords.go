package textanalysis

// A secretKeywords table finds every keyword of a list of rules in one pass. It is
// looked up by a keyword's first two bytes.
type secretKeywords struct {
	words  []string
	ofRule [][]int // for each rule, the numbers of its words
	starts map[uint16][]int
	first  [1 << 16]bool
}

func newSecretKeywords(rules [][]string) *secretKeywords {
	k := &secretKeywords{starts: map[uint16][]int{}, ofRule: make([][]int, len(rules))}
	numbers := map[string]int{}
	for i, words := range rules {
		for _, word := range words {
			n, known := numbers[word]
			if !known {
				n = len(k.words)
				numbers[word] = n
				k.words = append(k.words, word)
				pair := uint16(word[0])<<8 | uint16(word[1])
				k.first[pair] = true
				k.starts[pair] = append(k.starts[pair], n)
			}
			k.ofRule[i] = append(k.ofRule[i], n)
		}
	}
	return k
}

// find gives, for each keyword that occurs, where.
func (k *secretKeywords) find(lowered string) map[int][]int {
	hits := map[int][]int{}
	for i := 0; i+1 < len(lowered); i++ {
		pair := uint16(lowered[i])<<8 | uint16(lowered[i+1])
		if !k.first[pair] {
			continue
		}
		for _, n := range k.starts[pair] {
			word := k.words[n]
			if len(lowered)-i >= len(word) && lowered[i:i+len(word)] == word {
				hits[n] = append(hits[n], i)
			}
		}
	}
	return hits
}

// positions merges, in order, where the keywords of a rule stand.
func (k *secretKeywords) positions(hits map[int][]int, rule int) []int {
	var all []int
	for _, n := range k.ofRule[rule] {
		all = mergeSorted(all, hits[n])
	}
	return all
}

func mergeSorted(a, b []int) []int {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
