// Package index finds entries by their words.
//
// An [Index] lives in memory and can always be rebuilt from the entries;
// [Index.Save] and [Load] only save time. It never opens a file.
//
// It is made of segments that never change: a large one, and small fresh ones
// that [Index.Apply] adds and merges. A search takes the current list of
// segments and reads it without a lock, so any number of searches run beside
// one writer, and each sees the state before or after an Apply, never between.
//
// The order of hits depends on the entries alone, not on the order in which
// they came: an index after any number of changes answers as a rebuilt one.
package index
