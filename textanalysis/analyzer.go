package textanalysis

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// Options say which languages an [Analyzer] stems. The zero value means
// English for Latin script and Russian for Cyrillic.
type Options struct {
	// Languages are names or two-letter codes: english, russian, french,
	// spanish, swedish, norwegian, hungarian. Unknown ones are ignored.
	// Several languages of one script are applied one after the other, so
	// that a text and a question are always treated alike.
	Languages []string
}

// An Analyzer finds words and their stems. It is safe for concurrent use, and
// two Analyzers with equal Options give equal answers.
type Analyzer struct {
	latin    []stemmer
	cyrillic []stemmer
	stop     []func(string) bool
	name     string

	mu    sync.RWMutex
	stems map[string]string
}

type stemmer func(word string, stemStopWords bool) string

// language is one row of the table of stemmers.
type language struct {
	code, name string
	cyrillic   bool
	stem       stemmer
	stop       func(string) bool
}

func languages() []language {
	return []language{
		{"en", "english", false, english.Stem, nil},
		{"ru", "russian", true, russian.Stem, russian.IsStopWord},
		{"fr", "french", false, french.Stem, french.IsStopWord},
		{"es", "spanish", false, spanish.Stem, spanish.IsStopWord},
		{"sv", "swedish", false, swedish.Stem, swedish.IsStopWord},
		{"no", "norwegian", false, norwegian.Stem, norwegian.IsStopWord},
		{"hu", "hungarian", false, hungarian.Stem, hungarian.IsStopWord},
	}
}

// KnownLanguages lists the names that [Options] accepts.
func KnownLanguages() []string {
	var names []string
	for _, l := range languages() {
		names = append(names, l.name)
	}
	return names
}

// New returns an Analyzer for the given languages.
func New(o Options) *Analyzer {
	a := &Analyzer{stems: make(map[string]string)}
	var used []string
	for _, l := range languages() {
		if !chosen(l, o.Languages) {
			continue
		}
		used = append(used, l.code)
		if l.cyrillic {
			a.cyrillic = append(a.cyrillic, l.stem)
		} else {
			a.latin = append(a.latin, l.stem)
		}
		if l.stop != nil {
			a.stop = append(a.stop, l.stop)
		}
	}
	a.name = strings.Join(used, "+")
	return a
}

func chosen(l language, names []string) bool {
	asked := func(name string) bool {
		name = strings.ToLower(strings.TrimSpace(name))
		return name == l.code || name == l.name
	}
	if slices.ContainsFunc(names, asked) {
		return true
	}
	// Russian needs no asking, since nothing else here is written in Cyrillic.
	// English gives way only when another Latin language was asked for.
	return l.cyrillic || (l.code == "en" && !asksLatin(names))
}

func asksLatin(names []string) bool {
	for _, l := range languages() {
		if l.cyrillic {
			continue
		}
		for _, n := range names {
			n = strings.ToLower(strings.TrimSpace(n))
			if n == l.code || n == l.name {
				return true
			}
		}
	}
	return false
}

// Fingerprint names the rules by which words were found and stemmed. Words
// kept on disk under another fingerprint are not comparable.
func (a *Analyzer) Fingerprint() string { return rulesVersion + a.name }

// rulesVersion is raised when the tokens or stems of any text change.
const rulesVersion = "words1:"

// maxCachedStems bounds the memory that remembered stems may take.
const maxCachedStems = 1 << 17

// Stem returns the form under which a word (lower-cased, as a [Token] holds
// it) is compared with others.
func (a *Analyzer) Stem(word string) string {
	if len(word) <= 2 || !stemmable(word) {
		return word
	}
	a.mu.RLock()
	s, ok := a.stems[word]
	a.mu.RUnlock()
	if ok {
		return s
	}
	s = a.compute(word)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.stems) < maxCachedStems {
		a.stems[strings.Clone(word)] = s
	}
	return s
}

// longestStemmed is the length in bytes beyond which a word is no word of a
// language but data, and stays as it is.
const longestStemmed = 64

func stemmable(word string) bool {
	if len(word) > longestStemmed {
		return false
	}
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

func (a *Analyzer) compute(word string) string {
	chain := a.latin
	first := []rune(word)[0]
	switch {
	case unicode.Is(unicode.Cyrillic, first):
		chain = a.cyrillic
	case !unicode.Is(unicode.Latin, first):
		return word
	}
	for _, stem := range chain {
		if s := stem(word, true); s != "" {
			word = s
		}
	}
	return plainLatin(word)
}

// IsStop reports whether a word is a function word of its language, which
// says little about what a text is about.
func (a *Analyzer) IsStop(word string) bool {
	if englishStop[word] {
		return true
	}
	for _, stop := range a.stop {
		if stop(word) {
			return true
		}
	}
	return false
}
