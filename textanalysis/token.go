package textanalysis

// Class says what kind of word a [Token] is.
type Class uint8

const (
	// Word is a natural word, a number, or one part of an identifier.
	Word Class = iota
	// Stop is a function word: it says little, and is weighed, never dropped.
	Stop
	// Joined is a compound written as one: getUserName, get_user_name and
	// "get-user-name" all give "getusername". It stands beside its parts.
	Joined
	// Sign is one sign of Chinese, Japanese or Korean.
	Sign
	// Pair is two neighbouring signs. It stands beside its signs.
	Pair
)

// A Token is one word of a text.
type Token struct {
	// Text is the word, lower-cased, as it was written.
	Text string
	// Stem is the form in which words are compared. Only [Analyzer.Tokens]
	// fills it in.
	Stem string
	// Class is the kind of word.
	Class Class
	// Marked words are capitalised in mid-sentence or part of an identifier:
	// they probably name something.
	Marked bool
	// Pos counts the words before this one. A compound has the place of its
	// first part, and a pair that of its first sign.
	Pos int
	// Span is how many places the token covers.
	Span int
	// Start and End are the token's bytes in the folded text.
	Start, End int
}

// Counted reports whether the token takes a place of its own in the text;
// compounds and pairs stand beside words that were counted already.
func (t Token) Counted() bool { return t.Class != Joined && t.Class != Pair }

// Informative reports whether the token tells what a text is about. Only such
// words make two texts alike.
func (t Token) Informative() bool { return t.Class == Word || t.Class == Pair }

// Tokens returns the words of a text in order, with their stems.
func (a *Analyzer) Tokens(text string) []Token {
	tokens := make([]Token, 0, len(text)/5+4)
	a.Scan(text, func(t Token) {
		t.Stem = a.Stem(t.Text)
		tokens = append(tokens, t)
	})
	return tokens
}
