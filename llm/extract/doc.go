// Package extract finds memories in raw material with a language model.
//
// [Extract] asks the model for what is worth keeping, and believes nothing of
// the answer that the material does not bear out: each [Candidate] has a quote
// that stands in the material word for word, and names no identifier, path or
// number that the material does not. What fails a check is dropped and counted.
//
// The package stores nothing and knows no entry: who may be shown what, and
// whether a text is durable or secret, is decided where every write is.
package extract
