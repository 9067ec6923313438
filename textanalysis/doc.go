// Package textanalysis turns text into words that can be compared.
//
// An [Analyzer] finds the words of a text: stems of natural words,
// identifiers whole and in parts, single signs and overlapping pairs of
// Chinese, Japanese and Korean. [ParseFilter] reads the filter language of an
// explicit search. [Similarity] says how much two texts share, [SameFacts]
// whether they state the same numbers, versions, identifiers and negations,
// and [Nearest] which known word was probably meant.
//
// Everything here is pure: no file, no clock, no state that a caller can see.
// Every input is accepted, of any length and in any encoding.
package textanalysis
