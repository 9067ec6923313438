package tiny

import (
	_ "embed" // the words
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// concepts are words that mean about the same.
func concepts() []string {
	return []string{
		"database sql tables storage postgres", "crash failure failed broke outage", "deploy deployment release rollout ship",
		"cat kitten cats", "sofa couch armchair", "sleeping slept resting nap", "memory ram heap", "indentation tabs spaces",
		"style formatting layout", "meeting meetings call calls", "morning early dawn", "login authentication signin password",
		"slow latency sluggish", "cache caching memoize", "test tests testing verify", "port socket listen",
	}
}

// Meanings is a model of words: the vector of a text is the sum of its words',
// and words of one concept have nearly the same. So a question finds a text
// with which it shares no word.
func Meanings() []byte {
	v := newVocabulary(64)
	random := rand.New(rand.NewPCG(11, 0))
	for _, concept := range concepts() {
		middle := scaled(random, v.width, 1)
		for _, word := range strings.Fields(concept) {
			row := scaled(random, v.width, .2)
			for i := range row {
				row[i] += middle[i]
			}
			v.add(begins+word, row)
		}
	}
	for c := 'a'; c <= 'z'; c++ {
		v.add(begins+string(c), scaled(random, v.width, .05))
		v.add(string(c), scaled(random, v.width, .05))
	}
	return v.model("meanings")
}

//go:embed words.txt
var wordList string

// A Word is an English word, its place among all by how often it is used, and
// what it means.
type Word struct {
	Text   string
	Place  int
	Vector []int8
}

// WordList are the words that [Words] knows.
func WordList() []Word {
	var all []Word
	for line := range strings.Lines(wordList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		w, err := parseWord(line)
		if err != nil {
			panic(err) // the list is part of the program
		}
		all = append(all, w)
	}
	return all
}

// parseWord reads a line: the word's place, the word, and its vector as base64
// of a byte for each number.
func parseWord(line string) (Word, error) {
	parts := strings.Fields(line)
	if len(parts) != 3 {
		return Word{}, fmt.Errorf("the line %q has not three parts", line)
	}
	place, err := strconv.Atoi(parts[0])
	if err != nil {
		return Word{}, fmt.Errorf("the place of %q: %w", parts[1], err)
	}
	b, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return Word{}, fmt.Errorf("the vector of %q: %w", parts[1], err)
	}
	vector := make([]int8, len(b))
	for i, x := range b {
		vector[i] = int8(x)
	}
	return Word{parts[1], place, vector}, nil
}

// Words is a model of words whose vectors were learned from text. Frequent
// words weigh less in the vector of a text than rare ones. A word that it does
// not know is told by its letters, so that it is near to itself alone.
func Words() []byte {
	all := WordList()
	v := newVocabulary(len(all[0].Vector))
	for _, w := range all {
		v.add(begins+w.Text, w.row())
	}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, a := range letters {
		v.addNoise(begins + string(a))
		v.addNoise(string(a))
		for _, b := range letters {
			v.addNoise(string(a) + string(b))
		}
	}
	return v.model("words")
}

// How much a word weighs: words whose share of all text is well below rare
// weigh 1, those above it less and less. The share is guessed from the place,
// among as many words as the places were taken from.
const (
	rare   = 1e-3
	placed = 60000
)

// row is the word's vector, of the length that it weighs.
func (w Word) row() []float32 {
	var square, harmonic float64
	for _, x := range w.Vector {
		square += float64(x) * float64(x)
	}
	for i := range placed {
		harmonic += 1 / float64(i+1)
	}
	share := 1 / float64(w.Place+1) / harmonic
	scale := rare / (rare + share) / math.Sqrt(square)
	row := make([]float32, len(w.Vector))
	for i, x := range w.Vector {
		row[i] = float32(float64(x) * scale)
	}
	return row
}

// begins marks a piece that stands at the beginning of a word.
const begins = "▁"

// A vocabulary is what a model of words knows: the vector of each piece.
type vocabulary struct {
	width  int
	pieces []string
	known  map[string]bool
	rows   []float32
}

func newVocabulary(width int) *vocabulary {
	v := &vocabulary{width: width, known: make(map[string]bool)}
	for _, special := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		v.add(special, make([]float32, width))
	}
	return v
}

// add gives a piece its vector; the first one stays.
func (v *vocabulary) add(piece string, row []float32) {
	if !v.known[piece] {
		v.known[piece] = true
		v.pieces, v.rows = append(v.pieces, piece), append(v.rows, row...)
	}
}

// addNoise gives a piece a small vector that has nothing to do with others.
func (v *vocabulary) addNoise(piece string) {
	v.add(piece, scaled(rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE([]byte(piece))), 0)), v.width, .25))
}

// scaled are random numbers of about so long a vector.
func scaled(random *rand.Rand, width int, size float64) []float32 {
	v := make([]float32, width)
	for i := range v {
		v[i] = float32(size * random.NormFloat64() / math.Sqrt(float64(width)))
	}
	return v
}

// model is a file with layers that change nothing: the vector of a text is the
// mean of its pieces'. The last norm is made linear by an epsilon that is far
// larger than what it is added to, so that the lengths of the vectors count.
func (v *vocabulary) model(name string) []byte {
	g, b := &gguf{}, body{width: v.width, layers: 1, heads: 1, shared: 1, head: 32, inner: 32, context: 8192, epsilon: 1e6}
	g.qwen3(name, b)
	g.set("qwen3.pooling_type", uint32(1))
	kinds := slices.Repeat([]int32{1}, len(v.pieces))
	copy(kinds, []int32{3, 3, 3, 3, 3})
	g.set("tokenizer.ggml.model", "bert")
	g.set("tokenizer.ggml.pre", "default")
	g.set("tokenizer.ggml.tokens", v.pieces)
	g.set("tokenizer.ggml.token_type", kinds)
	for i, key := range []string{"padding", "unknown", "cls", "seperator", "mask"} {
		g.set("tokenizer.ggml."+key+"_token_id", uint32(i))
	}
	g.set("tokenizer.ggml.bos_token_id", uint32(2))
	g.set("tokenizer.ggml.add_bos_token", false)
	g.set("tokenizer.ggml.add_sep_token", false)
	g.tensor("token_embd.weight", v.rows, v.width, len(v.pieces))
	g.tensor("output_norm.weight", slices.Repeat([]float32{1000}, v.width), v.width)
	g.layer(0, b, func(rows, columns int) []float32 { return make([]float32, rows*columns) })
	return g.bytes()
}
