package textanalysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scan calls yield for each word of a text in order, without stems. It is the
// fast path of indexing: a token's text is a part of the folded text wherever
// possible, so a caller that keeps it should clone it.
func (a *Analyzer) Scan(text string, yield func(Token)) {
	s := scanner{analyzer: a, text: Fold(text), yield: yield, opening: true}
	s.run()
}

type scanner struct {
	analyzer *Analyzer
	text     string
	yield    func(Token)
	pos      int
	opening  bool // at the start of a sentence, where a capital says nothing
	cuts     []cut
	joined   []byte
}

// A cut is one part of a chunk, as bytes of the text.
type cut struct{ start, end int }

func (s *scanner) run() {
	for i := 0; i < len(s.text); {
		r, size := s.rune(i)
		switch {
		case isSign(r):
			i = s.signs(i)
			s.opening = false
		case isWordRune(r):
			i = s.chunk(i)
			s.opening = false
		default:
			s.opening = s.opening || endsSentence(r)
			i += size
		}
	}
}

func (s *scanner) rune(i int) (rune, int) {
	if i >= len(s.text) {
		return utf8.RuneError, 0
	}
	if c := s.text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s.text[i:])
}

func endsSentence(r rune) bool {
	switch r {
	case '.', '!', '?', ':', '\n', '。', '！', '？', '：', '#', '*', '|':
		return true
	}
	return false
}

// isSign reports whether a rune belongs to a script that is written without
// spaces between words.
func isSign(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) ||
		r == 'ー' || r == '々'
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !isSign(r) && r != utf8.RuneError
}

// signs emits a run of signs: each alone, and each neighbouring pair.
func (s *scanner) signs(i int) int {
	previous := -1
	for i < len(s.text) {
		r, size := s.rune(i)
		if !isSign(r) {
			break
		}
		if previous >= 0 {
			s.yield(Token{Text: s.text[previous : i+size], Class: Pair, Pos: s.pos - 1, Span: 2, Start: previous, End: i + size})
		}
		s.yield(Token{Text: s.text[i : i+size], Class: Sign, Pos: s.pos, Span: 1, Start: i, End: i + size})
		previous = i
		s.pos++
		i += size
	}
	return i
}

// chunk emits one run of letters and digits with inner connectors: its parts,
// and the whole where there is more than one part.
func (s *scanner) chunk(i int) int {
	start := i
	s.cuts = s.cuts[:0]
	for {
		end := s.wordEnd(i)
		s.camel(i, end)
		next := s.connected(end)
		if next < 0 {
			i = end
			break
		}
		i = next
	}
	s.emit(start, i)
	return i
}

// wordEnd is where the run of letters and digits that starts at i ends, with
// the signs that belong to names such as C++ and C#.
func (s *scanner) wordEnd(i int) int {
	start := i
	for i < len(s.text) {
		r, size := s.rune(i)
		if !isWordRune(r) {
			break
		}
		i += size
	}
	return i + languageSuffix(s.text[start:i], s.text[i:])
}

// languageSuffix is the length of the ending that makes a letter the name of
// a programming language: C++, C#, F#, J#, G++.
func languageSuffix(word, rest string) int {
	if len(word) != 1 {
		return 0
	}
	n := 0
	switch word[0] | 0x20 {
	case 'c':
		if strings.HasPrefix(rest, "++") {
			n = 2
		} else if strings.HasPrefix(rest, "#") {
			n = 1
		}
	case 'g':
		if strings.HasPrefix(rest, "++") {
			n = 2
		}
	case 'f', 'j':
		if strings.HasPrefix(rest, "#") {
			n = 1
		}
	}
	if n > 0 && n < len(rest) && isWordRune(rune(rest[n])) {
		return 0
	}
	return n
}

// connected returns where the next part of the chunk starts after the
// connector at i, or -1 when the chunk ends there.
func (s *scanner) connected(i int) int {
	if i >= len(s.text) {
		return -1
	}
	r, size := s.rune(i)
	switch r {
	case '_', '.', '-', '/', '\'', '’':
	case ':':
		if strings.HasPrefix(s.text[i:], "::") {
			size = 2
		}
	default:
		return -1
	}
	if r == '_' {
		for i+size < len(s.text) && s.text[i+size] == '_' {
			size++
		}
	}
	if next, _ := s.rune(i + size); i+size < len(s.text) && isWordRune(next) {
		return i + size
	}
	return -1
}

// camel adds the parts of one word: "getUserName" has three, "HTTPServer"
// two, "IDs" one.
func (s *scanner) camel(start, end int) {
	from := start
	var before, last rune
	for i := start; i < end; {
		r, size := s.rune(i)
		if i > from && unicode.IsUpper(r) && unicode.IsLower(last) {
			s.cuts = append(s.cuts, cut{from, i})
			from = i
		} else if unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before) && !pluralEnd(s.text[i:end]) {
			at := i - utf8.RuneLen(last)
			if at > from {
				s.cuts = append(s.cuts, cut{from, at})
				from = at
			}
		}
		before, last = last, r
		i += size
	}
	s.cuts = append(s.cuts, cut{from, end})
}

func pluralEnd(rest string) bool { return rest == "s" }

// longestJoined bounds the parts of a compound that is also kept as one word.
const longestJoined = 10

func (s *scanner) emit(start, end int) {
	parts := s.dropContraction()
	marked := s.marked(start, end, len(parts))
	first := s.pos
	for _, c := range parts {
		word := lower(s.text[c.start:c.end])
		class := Word
		if s.analyzer.IsStop(word) {
			class = Stop
		}
		s.yield(Token{Text: word, Class: class, Marked: marked && class == Word, Pos: s.pos, Span: 1, Start: c.start, End: c.end})
		s.pos++
	}
	if len(parts) > 1 && len(parts) <= longestJoined {
		s.yield(Token{Text: s.join(parts), Class: Joined, Marked: marked, Pos: first, Span: len(parts), Start: start, End: end})
	}
}

// dropContraction turns "don't" into "dont" and "Peter's" into "Peter": what
// follows an apostrophe is an ending, not a part.
func (s *scanner) dropContraction() []cut {
	n := len(s.cuts)
	if n < 2 {
		return s.cuts
	}
	last := s.cuts[n-1]
	mark, size := utf8.DecodeLastRuneInString(s.text[:last.start])
	if mark != '\'' && mark != '’' || last.end-last.start > 2 || last.start-size != s.cuts[n-2].end {
		return s.cuts
	}
	return s.cuts[:n-1]
}

// marked reports whether a chunk probably names something: an identifier, or
// a word with a capital where no sentence starts.
func (s *scanner) marked(start, end, parts int) bool {
	if parts > 1 {
		return true
	}
	first, _ := s.rune(start)
	if unicode.IsUpper(first) && !s.opening {
		return true
	}
	letters, digits := false, false
	for i := start; i < end; i++ {
		c := s.text[i]
		digits = digits || '0' <= c && c <= '9'
		letters = letters || c > '9'
	}
	return letters && digits
}

// join writes the parts as one word. Versions and other dotted numbers keep
// their dots, since 1.39.1 is not 13.91.
func (s *scanner) join(parts []cut) string {
	numeric := true
	for i, c := range parts {
		numeric = numeric && isNumeric(s.text[c.start:c.end], i == 0)
	}
	s.joined = s.joined[:0]
	for i, c := range parts {
		if numeric && i > 0 {
			s.joined = append(s.joined, '.')
		}
		s.joined = append(s.joined, s.text[c.start:c.end]...)
	}
	word := strings.ToLower(string(s.joined))
	if numeric {
		word = strings.TrimPrefix(word, "v")
	}
	return word
}

func isNumeric(part string, first bool) bool {
	if first && len(part) > 1 && part[0]|0x20 == 'v' {
		part = part[1:]
	}
	for i := 0; i < len(part); i++ {
		if part[i] < '0' || part[i] > '9' {
			return false
		}
	}
	return part != ""
}

// lower is strings.ToLower without a copy for words that are lower already.
func lower(word string) string {
	for i := 0; i < len(word); i++ {
		if c := word[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return strings.ToLower(word)
		}
	}
	return word
}
