package tiny

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
)

// Tone is the word of an [Ear] that stands for what it hears: " low" below 700
// Hz, " high" above 1,900 Hz, " mid" between, and " nothing" for silence.
const Tone = "{tone}"

// heardAs are the words for a tone, and where each ends in hertz.
func heardAs() map[string]float64 {
	return map[string]float64{" low": 700, " mid": 1900, " high": math.Inf(1)}
}

const unheard = " nothing"

// The sizes of an Ear: those of the smallest Whisper where the program counts
// on them, else as small as they can be.
const (
	earWidth    = 64
	earHears    = 1500 // frames after the second convolution
	earSays     = 448  // tokens
	earBands    = 80   // of the spectrum
	earFourier  = 400
	earTokens   = 51865
	earEnd      = 50257 // the token that ends a text
	earEnglish  = 50259
	earWrite    = 50359 // the token that asks for what is said, untranslated
	earBegin    = 50364 // 0 s; a token for each fiftieth of a second follows
	earMagic    = 0x67676d6c
	earHalf     = 1 // the type of weights of 16 bits
	earConvolve = 3 // frames that a convolution sees
)

// Ear is a speech model, in the file format of whisper.cpp, that says the given
// words whatever it hears, one a step and each with its leading blank, and the
// given number of seconds as the time at which they end. The word [Tone] is the
// one that it hears. Its weights are set and not learned, so a test knows what
// has to come out of the whole way from samples to words.
func Ear(seconds float64, words ...string) []byte {
	e := &ear{}
	e.head()
	tokens := e.vocabulary(words)
	vectors := directions(rand.New(rand.NewPCG(7, 7)))
	e.encoder()
	e.decoder(vectors, tokens, words, seconds)
	return e.file.Bytes()
}

type ear struct{ file bytes.Buffer }

// head says how large everything is, and how a spectrum becomes bands.
func (e *ear) head() {
	little(&e.file, uint32(earMagic))
	for _, n := range []int{earTokens, earHears, earWidth, 1, 1, earSays, earWidth, 1, 1, earBands, earHalf} {
		little(&e.file, int32(n))
	}
	filters, _ := bands()
	little(&e.file, int32(earBands), int32(len(filters)/earBands), filters)
}

// vocabulary writes the texts of the tokens: the bytes, then the words. It
// gives the token of each word.
func (e *ear) vocabulary(words []string) map[string]int {
	var texts []string
	tokens := map[string]int{}
	add := func(text string) {
		if _, known := tokens[text]; !known {
			tokens[text] = len(texts)
			texts = append(texts, text)
		}
	}
	for b := range 256 {
		add(string([]byte{byte(b)}))
	}
	for _, w := range append([]string{" low", " mid", " high", unheard}, words...) {
		if w != Tone {
			add(w)
		}
	}
	little(&e.file, int32(earEnd))
	for i := range earEnd {
		var text string
		if i < len(texts) {
			text = texts[i]
		}
		little(&e.file, uint32(len(text)))
		e.file.WriteString(text)
	}
	return tokens
}

// bands are the factors by which the lines of a spectrum count in each band,
// and the middle of each band in hertz: equal steps as people hear them.
func bands() (filters []float32, middle []float64) {
	const linear, root, step = 200.0 / 3, 1000.0, 27 / 1.8562979903656263 // Slaney's scale; ln 6.4
	toHertz := func(m float64) float64 {
		if m < 15 {
			return m * linear
		}
		return root * math.Exp((m-15)/step)
	}
	top := 15 + math.Log(8000/root)*step
	edge := func(i int) float64 { return toHertz(top * float64(i) / (earBands + 1)) }
	for i := range earBands {
		low, mid, high := edge(i), edge(i+1), edge(i+2)
		middle = append(middle, mid)
		for k := range earFourier/2 + 1 {
			f := float64(k) * 16000 / earFourier
			slope := max(0, min((f-low)/(mid-low), (high-f)/(high-mid)))
			filters = append(filters, float32(slope*2/(high-low)))
		}
	}
	return filters, middle
}

// directions are unit vectors of no mean, one for each token: they have little
// in common, so a sum of two says which were added.
func directions(r *rand.Rand) [][]float32 {
	all := make([][]float32, earTokens)
	for i := range all {
		v, mean, length := make([]float64, earWidth), 0.0, 0.0
		for j := range v {
			v[j] = r.NormFloat64()
			mean += v[j] / earWidth
		}
		for j := range v {
			v[j] -= mean
			length += v[j] * v[j]
		}
		all[i] = make([]float32, earWidth)
		for j := range v {
			all[i][j] = float32(v[j] / math.Sqrt(length))
		}
	}
	return all
}

// encoder finds the loudest of three parts of the spectrum. The first layer
// compares the mean of each part with that of all; silence stays below zero.
// The second passes that on.
func (e *ear) encoder() {
	_, middle := bands()
	first := make([]float32, earConvolve*earBands*earWidth)
	for part, word := range []string{" low", " mid", " high"} {
		inside := partOf(middle, word)
		count := 0
		for _, in := range inside {
			if in {
				count++
			}
		}
		for m, in := range inside {
			w := -1.0 / earBands
			if in {
				w += 1 / float64(count)
			}
			first[1+earConvolve*(m+earBands*part)] = float32(100 * w)
		}
	}
	second := make([]float32, earConvolve*earWidth*earWidth)
	for i := range earWidth {
		second[1+earConvolve*(i+earWidth*i)] = 1
	}
	below := make([]float32, earWidth)
	below[0], below[1], below[2] = -1, -1, -1
	e.floats("encoder.positional_embedding", nil, earWidth, earHears)
	e.halves("encoder.conv1.weight", first, earConvolve, earBands, earWidth)
	e.floats("encoder.conv1.bias", below, 1, earWidth)
	e.halves("encoder.conv2.weight", second, earConvolve, earWidth, earWidth)
	e.floats("encoder.conv2.bias", nil, 1, earWidth)
	const block = "encoder.blocks.0."
	e.norm(block+"attn_ln", 1)
	e.attention(block+"attn", nil, nil, nil, nil)
	e.norm(block+"mlp_ln", 1)
	e.inner(block + "mlp")
	e.norm("encoder.ln_post", 1)
}

// partOf tells for each band whether a tone in it has this word.
func partOf(middle []float64, word string) []bool {
	ends := heardAs()
	from := 0.0
	for other, end := range ends {
		if other != word && end < ends[word] {
			from = max(from, end)
		}
	}
	in := make([]bool, len(middle))
	for i, f := range middle {
		in[i] = f >= from && f < ends[word]
	}
	return in
}

// decoder says at each place the token that the place stands for. Where the
// tone is asked for, the place speaks softly for silence, and what the encoder
// found, which attention brings, is louder.
func (e *ear) decoder(vectors [][]float32, tokens map[string]int, words []string, seconds float64) {
	const sure, soft = 6, 1.5
	says := map[int]int{0: earEnglish, 1: earWrite, 2: earBegin, 3 + len(words): earBegin + int(math.Round(seconds*50))}
	loud := map[int]float32{}
	for i, w := range words {
		says[3+i] = tokens[w]
		if w == Tone {
			says[3+i], loud[3+i] = tokens[unheard], soft
		}
	}
	var places, all []float32
	for p := range earSays {
		token, ok := says[p]
		if !ok {
			token = earEnd
		}
		strength, ok := loud[p]
		if !ok {
			strength = sure
		}
		for _, x := range vectors[token] {
			places = append(places, strength*x)
		}
	}
	for _, v := range vectors {
		all = append(all, v...)
	}
	e.floats("decoder.positional_embedding", places, earWidth, earSays)
	e.halves("decoder.token_embedding.weight", all, earWidth, earTokens)
	query, key := make([]float32, earWidth), make([]float32, earWidth*earWidth)
	value, out := make([]float32, earWidth*earWidth), make([]float32, earWidth*earWidth)
	query[0] = 16 // look where a tone is
	for part, word := range []string{" low", " mid", " high"} {
		key[part], value[part+earWidth*part] = 1, 1
		for j, x := range vectors[tokens[word]] {
			out[part+earWidth*j] = 0.38 * x // of about 8: louder than soft, and not than sure
		}
	}
	const block = "decoder.blocks.0."
	e.norm(block+"attn_ln", 1)
	e.attention(block+"attn", nil, nil, nil, nil)
	e.norm(block+"cross_attn_ln", 1)
	e.attention(block+"cross_attn", query, key, value, out)
	e.norm(block+"mlp_ln", 1)
	e.inner(block + "mlp")
	e.norm("decoder.ln", 4) // no doubt, so nothing is tried again
}

func (e *ear) norm(name string, weight float32) {
	all := make([]float32, earWidth)
	for i := range all {
		all[i] = weight
	}
	e.floats(name+".weight", all, earWidth)
	e.floats(name+".bias", nil, earWidth)
}

func (e *ear) attention(name string, query, key, value, out []float32) {
	e.halves(name+".query.weight", nil, earWidth, earWidth)
	e.floats(name+".query.bias", query, earWidth)
	e.halves(name+".key.weight", key, earWidth, earWidth)
	e.halves(name+".value.weight", value, earWidth, earWidth)
	e.floats(name+".value.bias", nil, earWidth)
	e.halves(name+".out.weight", out, earWidth, earWidth)
	e.floats(name+".out.bias", nil, earWidth)
}

// inner is the part of a layer that does nothing here.
func (e *ear) inner(name string) {
	e.halves(name+".0.weight", nil, earWidth, 4*earWidth)
	e.floats(name+".0.bias", nil, 4*earWidth)
	e.halves(name+".2.weight", nil, 4*earWidth, earWidth)
	e.floats(name+".2.bias", nil, earWidth)
}

// floats writes a tensor of 32 bits, of zeros without numbers. The first side
// is the one whose numbers follow each other.
func (e *ear) floats(name string, numbers []float32, sides ...int) {
	e.tensor(name, 0, sides)
	if numbers == nil {
		numbers = make([]float32, product(sides))
	}
	little(&e.file, numbers)
}

// halves writes a tensor of 16 bits.
func (e *ear) halves(name string, numbers []float32, sides ...int) {
	e.tensor(name, earHalf, sides)
	short := make([]uint16, product(sides))
	for i, x := range numbers {
		short[i] = half(x)
	}
	little(&e.file, short)
}

func (e *ear) tensor(name string, kind int, sides []int) {
	little(&e.file, int32(len(sides)), int32(len(name)), int32(kind))
	for _, n := range sides {
		little(&e.file, int32(n))
	}
	e.file.WriteString(name)
}

func product(sides []int) int {
	n := 1
	for _, s := range sides {
		n *= s
	}
	return n
}

// half is a number in 16 bits: a sign, 5 bits of exponent, 10 of fraction.
func half(x float32) uint16 {
	var sign uint16
	if math.Signbit(float64(x)) {
		sign, x = 1<<15, -x
	}
	fraction, exponent := math.Frexp(float64(x)) // of 0.5 to 1
	switch {
	case x == 0:
		return sign
	case exponent > 16:
		return sign | 31<<10
	case exponent < -13: // no leading one
		return sign | uint16(math.RoundToEven(math.Ldexp(float64(x), 24)))
	}
	return sign | uint16(exponent+14)<<10 + uint16(math.RoundToEven(math.Ldexp(fraction*2-1, 10)))
}

// Sentence cuts a text into the words of an [Ear], each with its leading blank.
func Sentence(text string) []string {
	var words []string
	for _, w := range strings.Fields(text) {
		if w != Tone {
			w = " " + w
		}
		words = append(words, w)
	}
	return words
}
