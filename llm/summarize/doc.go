// Package summarize lets a language model tell several memories as one.
//
// [Write] asks for a summary of what several facts say together, or for the
// experience that several episodes come to. The model may decline. What it
// writes counts only when every member is cited by words that stand in it, and
// when nothing is named that no member names.
//
// The package stores nothing. A summary is never evidence: whoever keeps one
// keeps it as a candidate, with its members.
package summarize
