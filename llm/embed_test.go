package llm_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"memory-mcp/llm"
)

func TestEmbed(t *testing.T) {
	for _, c := range []struct{ name, answer, err string }{
		{"in any order", `{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}`, ""},
		{"too few", `{"data":[{"index":0,"embedding":[3,4]}]}`, "1 vectors for 2 texts"},
		{"one twice", `{"data":[{"index":0,"embedding":[3,4]},{"index":0,"embedding":[3,4]}]}`, "comes twice"},
		{"of no text", `{"data":[{"index":0,"embedding":[3,4]},{"index":2,"embedding":[3,4]}]}`, "comes twice or belongs to no text"},
		{"of odd lengths", `{"data":[{"index":0,"embedding":[3,4]},{"index":1,"embedding":[1]}]}`, "2 and 1 dimensions"},
		{"a number that is none", `{"data":[{"index":0,"embedding":[3,null]},{"index":1,"embedding":[1,1]}]}`, "not a list of numbers"},
		{"text", `{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":[1,1]}]}`, "not a list of numbers"},
		{"all zero", `{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,1]}]}`, "no direction"},
		{"without dimensions", `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, "no direction"},
	} {
		f := serve(t, says(c.answer))
		got, err := f.client(t, llm.Options{}).Embed(t.Context(), []string{"a", "b"})
		want := [][]float32{{.6, .8}, {0, 1}}
		if c.err == "" && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, %v; want an error with %q", c.name, got, err, c.err)
		}
	}
}

func TestEmbedAsksForNothingInVain(t *testing.T) {
	f := serve(t, says(`{}`))
	c := f.client(t, llm.Options{})
	if v, err := c.Embed(t.Context(), nil); v != nil || err != nil {
		t.Errorf("no text gives %v, %v", v, err)
	}
	if _, err := c.Embed(t.Context(), []string{"a", ""}); err == nil || !strings.Contains(err.Error(), "number 2 is empty") {
		t.Errorf("an empty text gives %v", err)
	}
	if n := len(f.requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestShorten(t *testing.T) {
	v := []float32{.6, .8, 0, 0}
	short, err := llm.Shorten(v, 1)
	if err != nil || len(short) != 1 || short[0] != 1 || v[0] != .6 {
		t.Errorf("Shorten = %v, %v of %v", short, err, v)
	}
	if same, err := llm.Shorten(v, 256); err != nil || len(same) != 4 {
		t.Errorf("a short vector becomes %v, %v", same, err)
	}
	if _, err := llm.Shorten([]float32{0, 0, 1}, 2); err == nil {
		t.Error("a vector without direction is no error")
	}
	var length float64
	short, err = llm.Shorten([]float32{.5, .5, .5, .5}, 3)
	for _, x := range short {
		length += float64(x) * float64(x)
	}
	if err != nil || math.Abs(length-1) > 1e-6 {
		t.Errorf("a shortened vector has the square length %v, %v", length, err)
	}
}

func TestRank(t *testing.T) {
	for _, c := range []struct{ name, answer, err string }{
		{"in order", `{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}`, ""},
		{"in another", `{"results":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.9}]}`, ""},
		{"one missing", `{"results":[{"index":0,"relevance_score":0.1}]}`, "1 scores for 2"},
		{"no score", `{"results":[{"index":0},{"index":1,"relevance_score":0.9}]}`, "is none"},
		{"a score that is none", `{"results":[{"index":0,"relevance_score":null},{"index":1,"relevance_score":0.9}]}`, "is none"},
		{"twice", `{"results":[{"index":1,"relevance_score":1},{"index":1,"relevance_score":0.9}]}`, "comes twice"},
	} {
		f := serve(t, says(c.answer))
		got, err := f.client(t, llm.Options{}).Rank(t.Context(), "q", []string{"a", "b"})
		if c.err == "" && (err != nil || len(got) != 2 || got[0] != (llm.Ranked{Index: 1, Score: .9})) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, %v; want an error with %q", c.name, got, err, c.err)
		}
	}
}
