// Package llm asks language models over HTTP, in the protocol that llama.cpp,
// Ollama, LM Studio, vLLM and the cloud share.
//
// A [Client] speaks to one [Endpoint]: [Client.Ask] gets an answer in words or
// as JSON of a given schema, [Client.Embed] turns texts into vectors,
// [Client.Rank] scores texts against a query. Every answer is checked before
// it is given: a caller never meets half an answer, vectors of odd lengths, or
// a number that is none. The key is sent as a header and stands in no error.
//
// What it promises: a request ends within its time limit; a refusal that may
// pass is tried once more; nothing leaves but the texts that it was given. It
// knows no entry, no file and no path.
package llm
