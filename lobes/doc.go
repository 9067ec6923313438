// Package lobes remembers, recalls, corrects and forgets.
//
// A [Lobe] is one folder of memories with its index and what is known of the
// repository that it belongs to. A [Set] holds the lobes of one process: it
// finds the lobe that a call speaks to ([Set.Resolve]), searches several at
// once, and keeps a broken one from harming the others. The verbs of the
// product are methods of Set: [Set.Remember], [Set.Recall], [Set.Brief],
// [Set.Correct], [Set.Bootstrap], [Set.List], [Set.Stats], [Set.Diagnose].
//
// What it promises: each request answers from the files as they are when it
// starts; a read creates nothing on disk; a memory never reaches a lobe that
// the call does not speak to, except for the global store and for lobes that
// are always included; a write that returned without an error is on disk.
//
// The package knows no model, no configuration file and no protocol. What is
// optional comes in through [Options], and nil means without it.
package lobes
