// Package hook answers the events of agents' hosts.
//
// A host starts `memory-mcp hook HOST` at a moment of a session, with the
// event on standard input. [Read] understands it, whatever host it is from;
// [Hook.Answer] gives the one JSON document that this host accepts at this
// moment, or nothing: a briefing at the start, what surely bears on a prompt,
// at most one reminder when a turn ends. The end of a session and what the
// host wrote into its own memory are handed to another process
// ([Hook.Sweep], [Hook.Mirror]), since a hook never writes a memory.
//
// What it promises: nothing that goes wrong here reaches the host; it ends
// within its own deadline; nothing is told twice in a session; every text that
// it shows is fenced and has its secrets masked.
package hook
