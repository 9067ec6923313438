package textanalysis

import (
	"strings"
	"time"
	"unicode"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Piece is a run of words that two texts share, or that only one of them has.
type Piece struct {
	What string `json:"what"` // same, added or removed
	Text string `json:"text"`
}

// The kinds of a [Piece].
const (
	Same    = "same"
	Added   = "added"
	Removed = "removed"
)

// elided stands for words that are the same in both texts and are left out.
const elided = " … "

// diffFor bounds the search for the shortest difference. What is found by then
// is right too, only longer.
const diffFor = 100 * time.Millisecond

// DiffWords works the new text into the old one, word by word: the pieces that
// are same or removed are the old text, those that are same or added the new
// one. Of a longer piece that is the same only around words at its ends are
// told, with … between them; fewer than 0 tells all. Texts that are equal have no pieces.
func DiffWords(before, after string, around int) []Piece {
	if before == after {
		return []Piece{}
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = diffFor
	words := newWordNumbers()
	a, b := words.number(before), words.number(after)
	found := d.DiffCleanupMerge(d.DiffMainRunes(a, b, false))
	pieces := make([]Piece, 0, len(found))
	for i, f := range found {
		text := words.text([]rune(f.Text))
		switch f.Type {
		case diffmatchpatch.DiffInsert:
			pieces = append(pieces, Piece{Added, text})
		case diffmatchpatch.DiffDelete:
			pieces = append(pieces, Piece{Removed, text})
		default:
			pieces = append(pieces, Piece{Same, ends([]rune(f.Text), words, around, i > 0, i < len(found)-1)})
		}
	}
	return pieces
}

// ends keeps the words of a piece that are next to a difference.
func ends(piece []rune, words *wordNumbers, around int, before, after bool) string {
	most := 2 * around // a word and the blank behind it
	if around < 0 || len(piece) <= 2*most+1 {
		return words.text(piece)
	}
	head, tail := "", ""
	if before {
		head = words.text(piece[:most])
	}
	if after {
		tail = words.text(piece[len(piece)-most:])
	}
	return head + elided + tail
}

// wordNumbers gives each word, run of blanks and sign a number that can stand
// for it in a comparison of runes.
type wordNumbers struct {
	texts   []string
	numbers map[string]rune
}

func newWordNumbers() *wordNumbers {
	return &wordNumbers{numbers: make(map[string]rune)}
}

// surrogates are no characters: a number must not be one of them.
const surrogates, afterSurrogates = 0xD800, 0xE000

func (w *wordNumbers) number(text string) []rune {
	var line []rune
	for text != "" {
		part := text[:partLength(text)]
		text = text[len(part):]
		n, known := w.numbers[part]
		if !known {
			if n = rune(len(w.texts)); n >= surrogates {
				n += afterSurrogates - surrogates
			}
			w.numbers[part] = n
			w.texts = append(w.texts, part)
		}
		line = append(line, n)
	}
	return line
}

func (w *wordNumbers) text(line []rune) string {
	var b strings.Builder
	for _, n := range line {
		if n >= afterSurrogates {
			n -= afterSurrogates - surrogates
		}
		b.WriteString(w.texts[n])
	}
	return b.String()
}

// partLength is the length in bytes of the word, the run of blanks or the one
// sign that a text begins with. Scripts that put no blanks between words are
// taken by the character.
func partLength(text string) int {
	kind := -1
	for i, r := range text {
		k := partKind(r)
		if kind >= 0 && (k != kind || k == signs) {
			return i
		}
		kind = k
	}
	return len(text)
}

const (
	blanks = iota
	letters
	signs
)

func partKind(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return blanks
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Khmer, unicode.Lao, unicode.Myanmar):
		return signs
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return letters
	}
	return signs
}
