// Package tiny makes model files that the real llama.cpp and whisper.cpp load,
// small enough for tests and the same in every run.
//
// [Chat], [Embedder] and [Ranker] have the layers of Qwen3 and random numbers:
// what they say means nothing, but they say it in every way that the program
// has. [Meanings] knows a few concepts, and [Words] some thousand English words
// with vectors that were learned from text, so that a question finds a sentence
// with which it shares no word. [Ear] is a speech model that hears tones. Only
// tests import it.
package tiny
