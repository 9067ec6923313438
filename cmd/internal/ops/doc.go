// Package ops is the table of operations that every front door serves.
//
// [All] lists them. Each [Op] has a name, a sentence for the one who calls it,
// an [Effect], and a handler with typed arguments; [New] joins them, so that
// schema, decoding and handler cannot drift apart. [Call] runs one: it repairs
// the arguments ([Op.Repair]), opens the lobes that the [Env] knows, guards
// against panics, and gives a [Reply] or a [Fault]. A Reply is text for a model,
// within a budget of tokens, or the same answer as JSON.
//
// What it promises: every input gets an answer that the caller can act on;
// arguments that are not known are ignored; an answer proposes only calls that
// the caller can make; recalled text is fenced, and secrets in it are masked.
//
// The package knows no protocol and opens no file of a lobe.
package ops
