// Package mcpserver speaks the Model Context Protocol over a pair of streams.
//
// [Serve] answers one client, line by line: the operations as tools, lobes and
// entries as resources, and a few prompts. It serves both eras of the protocol,
// the one with the initialize handshake and the stateless one of 2026-07-28.
// mcp-go knows the messages; the streams are ours.
//
// What it promises: every line that it writes is one JSON-RPC message, and no
// input ends it but the end of the input; calls are answered as if they had run
// in the order in which they came, reads side by side; a call that has begun
// when the input ends is answered, within [Options.Grace]; the handshake and
// the list of tools never wait for a lobe.
package mcpserver
