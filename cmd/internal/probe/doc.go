// Package probe starts what hosts start, in the bare environment that the
// poorest of them gives, and looks at what comes back: [Dial] shakes hands with
// a server, [Hook] puts one event to a hook.
//
// It speaks the protocol by hand and knows nothing of the server's inside, so
// that it sees what a host sees.
package probe
