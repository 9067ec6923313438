package textanalysis

// A secretKeywords table finds every keyword of a list of rules in one pass. It
// is looked up by a keyword's first two bytes.
type secretKeywords struct {
	words  []secretKeyword
	starts [1 << 16]uint16 // by the first two bytes: where their words begin, plus one
}

// A secretKeyword is a word without which some rules cannot match.
type secretKeyword struct {
	text  string
	rules []int // in order
	last  bool  // of those with the same first two bytes
}

// A secretSpot is a keyword in a text.
type secretSpot struct{ at, end int }

func newSecretKeywords(rules [][]string) *secretKeywords {
	byPair := map[uint16][]secretKeyword{}
	var pairs []uint16
	for i, words := range rules {
		for _, word := range words {
			pair := uint16(word[0])<<8 | uint16(word[1])
			group, known := byPair[pair]
			if !known {
				pairs = append(pairs, pair)
			}
			byPair[pair] = withRule(group, word, i)
		}
	}
	k := &secretKeywords{}
	for _, pair := range pairs {
		k.starts[pair] = uint16(len(k.words) + 1)
		k.words = append(k.words, byPair[pair]...)
		k.words[len(k.words)-1].last = true
	}
	return k
}

func withRule(group []secretKeyword, word string, rule int) []secretKeyword {
	for i := range group {
		if g := &group[i]; g.text == word {
			if g.rules[len(g.rules)-1] != rule {
				g.rules = append(g.rules, rule)
			}
			return group
		}
	}
	return append(group, secretKeyword{text: word, rules: []int{rule}})
}

// find calls each for every keyword in the text, in any case of its ASCII
// letters, from left to right.
func (k *secretKeywords) find(text string, each func(*secretKeyword, secretSpot)) {
	if len(text) < 2 {
		return
	}
	second := lowerByte(text[0])
	for i := 1; i < len(text); i++ {
		first := second
		second = lowerByte(text[i])
		n := k.starts[uint16(first)<<8|uint16(second)]
		if n == 0 {
			continue
		}
		for w := &k.words[n-1]; ; w = &k.words[n-1] {
			if rest := text[i-1:]; len(rest) >= len(w.text) && foldsTo(rest[2:len(w.text)], w.text[2:]) {
				each(w, secretSpot{i - 1, i - 1 + len(w.text)})
			}
			if w.last {
				break
			}
			n++
		}
	}
}

// foldsTo reports whether a text of the same length is the lower-case word in
// any case of its ASCII letters.
func foldsTo(text, word string) bool {
	for i := range len(word) {
		if lowerByte(text[i]) != word[i] {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c-'A' < 26 {
		return c + 'a' - 'A'
	}
	return c
}
