package tiny

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Chat is a model that talks.
func Chat() []byte { return noise(0).bytes() }

// Embedder is a model whose vectors are taken from the last token.
func Embedder() []byte { return noise(3).bytes() }

// Ranker is a model that scores a text against a question.
func Ranker() []byte { return noise(4).bytes() }

// body is the size of a model with the layers of Qwen3.
type body struct {
	width, layers, heads, shared, head, inner int
	context                                   uint32
	epsilon                                   float32
}

// qwen3 sets what the program has to know of the layers.
func (g *gguf) qwen3(name string, b body) {
	g.set("general.architecture", "qwen3")
	g.set("general.name", name)
	g.set("qwen3.context_length", b.context)
	g.set("qwen3.rope.freq_base", float32(1e6))
	g.set("qwen3.attention.layer_norm_rms_epsilon", b.epsilon)
	for _, size := range []struct {
		key string
		n   int
	}{
		{"block_count", b.layers}, {"embedding_length", b.width}, {"feed_forward_length", b.inner},
		{"attention.head_count", b.heads}, {"attention.head_count_kv", b.shared},
		{"attention.key_length", b.head}, {"attention.value_length", b.head},
	} {
		g.set("qwen3."+size.key, uint32(size.n))
	}
}

// layer adds one layer; weights makes the numbers of a matrix.
func (g *gguf) layer(i int, b body, weights func(rows, columns int) []float32) {
	at := "blk." + string(rune('0'+i)) + "."
	for _, m := range []struct {
		name     string
		from, to int
	}{
		{"attn_q", b.width, b.heads * b.head}, {"attn_k", b.width, b.shared * b.head}, {"attn_v", b.width, b.shared * b.head},
		{"attn_output", b.heads * b.head, b.width}, {"ffn_gate", b.width, b.inner}, {"ffn_up", b.width, b.inner},
		{"ffn_down", b.inner, b.width},
	} {
		g.tensor(at+m.name+".weight", weights(m.from, m.to), m.from, m.to)
	}
	for _, norm := range []struct {
		name string
		n    int
	}{{"attn_norm", b.width}, {"ffn_norm", b.width}, {"attn_q_norm", b.head}, {"attn_k_norm", b.head}} {
		g.tensor(at+norm.name+".weight", slices.Repeat([]float32{1}, norm.n), norm.n)
	}
}

// template is ChatML with Qwen3's switch for thinking.
const template = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and enable_thinking is false %}<think>

</think>

{% endif %}{% endif %}`

// byteNames are the printable characters that stand for the 256 bytes in a
// vocabulary of bytes: printable ones for themselves, the others from U+0100.
func byteNames() []string {
	names, next := make([]string, 256), rune(256)
	for b := range 256 {
		r := rune(b)
		if b < 33 || b == 127 || b > 127 && b < 161 || b == 173 {
			r = next
			next++
		}
		names[b] = string(r)
	}
	return names
}

// noise is a model with the layers of Qwen3 and random numbers: what it says
// means nothing, but it says it in every way that the program has. Pooling is
// 0 for a model that talks, 3 for one that embeds, 4 for one that ranks.
func noise(pooling uint32) *gguf {
	g, b := &gguf{}, body{width: 64, layers: 2, heads: 2, shared: 1, head: 32, inner: 128, context: 32768, epsilon: 1e-6}
	g.qwen3("noise", b)
	if pooling > 0 {
		g.set("qwen3.pooling_type", pooling)
	}
	vocabulary := append(byteNames(), "Ġt", "he", "in", "Ġthe")
	plain := len(vocabulary)
	vocabulary = append(vocabulary, "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")
	kinds := append(slices.Repeat([]int32{1}, plain), 3, 3, 3, 4, 4)
	end := uint32(plain)
	g.set("tokenizer.ggml.model", "gpt2")
	g.set("tokenizer.ggml.pre", "qwen2")
	g.set("tokenizer.ggml.tokens", vocabulary)
	g.set("tokenizer.ggml.token_type", kinds)
	g.set("tokenizer.ggml.merges", []string{"Ġ t", "h e", "i n", "Ġt he"})
	g.set("tokenizer.ggml.bos_token_id", end)
	g.set("tokenizer.ggml.padding_token_id", end)
	g.set("tokenizer.ggml.add_bos_token", false)
	if pooling == 3 {
		g.set("tokenizer.ggml.eos_token_id", end)
		g.set("tokenizer.ggml.add_eos_token", true)
	} else {
		g.set("tokenizer.ggml.eos_token_id", end+2)
	}
	g.set("tokenizer.chat_template", template)
	random := rand.New(rand.NewPCG(7, uint64(pooling)))
	weights := func(rows, columns int) []float32 {
		w := make([]float32, rows*columns)
		for i := range w {
			w[i] = float32(random.NormFloat64() / math.Sqrt(float64(rows)))
		}
		return w
	}
	words, out := weights(b.width, len(vocabulary)), weights(b.width, len(vocabulary))
	for i, name := range vocabulary {
		// The first number of each word is the same, so that the last matrix
		// can favour what JSON is made of, whatever was said.
		words[i*b.width] = 4
		for j := range b.width {
			out[i*b.width+j] *= 3
		}
		out[i*b.width] = likely(name, i, plain)
	}
	g.tensor("token_embd.weight", words, b.width, len(vocabulary))
	g.tensor("output.weight", out, b.width, len(vocabulary))
	g.tensor("output_norm.weight", slices.Repeat([]float32{1}, b.width), b.width)
	for i := range b.layers {
		g.layer(i, b, weights)
	}
	if pooling == 4 {
		g.set("tokenizer.chat_template.rerank", "{query}\n{document}<|im_end|>")
		g.set("qwen3.classifier.output_labels", []string{"yes", "no"})
		g.tensor("cls.output.weight", weights(b.width, 2), b.width, 2)
	}
	return g
}

func likely(name string, at, plain int) float32 {
	switch {
	case name == "<|im_end|>":
		return 2.5
	case at >= plain, name == `\`:
		return -6
	case strings.Contains(`"}]`, name):
		return 1.5
	case at >= 32 && at < 127 || at >= 256:
		return 0
	}
	return -4
}
