// Package timeproof proves what the lobes say of the past.
//
// It holds no code of the product. Its test plays made-up sequences of what
// agents, people at their editors and copies on other machines do, writes each
// event into a book of its own, and then asks the lobes what was believed at
// every moment. The book answers by reading its events from the first to the
// last: it shares no code with the product, and is slow and plain on purpose.
//
// Two hundred sequences run with every test; -timeproof.sequences asks for
// more, and -timeproof.seed for others. A sequence that finds a difference is
// made as short as it can be and written to testdata/cases, where it is played
// before all others from then on.
package timeproof
