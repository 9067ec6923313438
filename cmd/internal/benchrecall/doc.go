// Package benchrecall measures how well recall ranks, on folders of notes and
// questions with known answers.
//
// A set is a folder with docs.jsonl and queries.jsonl, and perhaps
// queries_long.jsonl and queries_typo.jsonl over the same notes. [Load] reads
// one, [Score] compares what a ranker answered with what was relevant. The
// ranker is given by the caller, so the product's own path can be measured.
package benchrecall
