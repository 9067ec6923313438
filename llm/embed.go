package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

type embedRequest struct {
	Model  string   `json:"model,omitempty"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format"`
}

type embedAnswer struct {
	Data []struct {
		Index     int             `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
	Usage usage `json:"usage"`
}

func (a *embedAnswer) spent() usage { return a.Usage }

// Embed turns texts into vectors of length 1, in order. All have the same
// number of dimensions. An empty text is refused: a server would embed its end
// mark alone.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if i := slices.Index(texts, ""); i >= 0 {
		return nil, fmt.Errorf("embed texts: number %d is empty", i+1)
	}
	var a embedAnswer
	err := c.post(ctx, "embeddings", embedRequest{Model: c.at.Model, Input: texts, Format: "float"}, &a)
	if err != nil {
		return nil, err
	}
	vectors, err := a.vectors(len(texts))
	return vectors, c.unusable(err)
}

// vectors are those of so many texts, in order.
func (a *embedAnswer) vectors(texts int) (vectors [][]float32, err error) {
	if len(a.Data) != texts {
		return nil, &AnswerError{What: fmt.Sprintf("it has %d vectors for %d texts", len(a.Data), texts)}
	}
	vectors = make([][]float32, texts)
	for _, d := range a.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, &AnswerError{What: fmt.Sprintf("vector %d comes twice or belongs to no text", d.Index)}
		}
		if vectors[d.Index], err = vector(d.Embedding); err != nil {
			return nil, err
		}
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, &AnswerError{What: fmt.Sprintf("its vectors have %d and %d dimensions", len(vectors[0]), len(v))}
		}
	}
	return vectors, nil
}

// vector decodes a vector and makes it one of length 1.
func vector(raw json.RawMessage) ([]float32, error) {
	var v []float32
	// A number that is none comes as null, which would be decoded as 0.
	if err := json.Unmarshal(raw, &v); err != nil || bytes.Contains(raw, []byte("null")) {
		return nil, &AnswerError{What: "a vector is not a list of numbers"}
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 || math.IsInf(square, 0) || math.IsNaN(square) {
		return nil, &AnswerError{What: "a vector has no direction"}
	}
	length := float32(math.Sqrt(square))
	for i := range v {
		v[i] /= length
	}
	return v, nil
}

// Shorten keeps the first dimensions of vectors that were made to allow it
// (Matryoshka), as vectors of length 1 again. Shorter vectors stay.
func Shorten(v []float32, dimensions int) ([]float32, error) {
	if dimensions <= 0 || len(v) <= dimensions {
		return v, nil
	}
	short := slices.Clone(v[:dimensions])
	var square float64
	for _, x := range short {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return nil, &AnswerError{What: "a shortened vector has no direction"}
	}
	length := float32(math.Sqrt(square))
	for i := range short {
		short[i] /= length
	}
	return short, nil
}

type rankRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
}

type rankAnswer struct {
	Results []struct {
		Index int      `json:"index"`
		Score *float64 `json:"relevance_score"`
	} `json:"results"`
	Usage usage `json:"usage"`
}

func (a *rankAnswer) spent() usage { return a.Usage }

// A Ranked is a text by its place in the list that was given, and how well it
// answers the query.
type Ranked struct {
	Index int
	Score float64
}

// Rank scores each of the texts against a query, the best first.
func (c *Client) Rank(ctx context.Context, query string, texts []string) ([]Ranked, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var a rankAnswer
	if err := c.post(ctx, "rerank", rankRequest{c.at.Model, query, texts}, &a); err != nil {
		return nil, err
	}
	ranked, err := a.ranked(len(texts))
	return ranked, c.unusable(err)
}

// ranked are the scores of so many texts, the best first.
func (a *rankAnswer) ranked(texts int) ([]Ranked, error) {
	seen := make([]bool, texts)
	var ranked []Ranked
	for _, r := range a.Results {
		if r.Index < 0 || r.Index >= texts || seen[r.Index] || r.Score == nil || math.IsNaN(*r.Score) || math.IsInf(*r.Score, 0) {
			return nil, &AnswerError{What: fmt.Sprintf("the score of text %d is none, or comes twice", r.Index)}
		}
		seen[r.Index] = true
		ranked = append(ranked, Ranked{r.Index, *r.Score})
	}
	if len(ranked) != texts {
		return nil, &AnswerError{What: fmt.Sprintf("it has %d scores for %d texts", len(ranked), texts)}
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	return ranked, nil
}
