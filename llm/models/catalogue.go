package models

import (
	"slices"
	"strings"
)

// A Role is what a model is for.
type Role string

// The roles of models.
const (
	Chat   Role = "chat"
	Embed  Role = "embed"
	Rank   Role = "rank"
	Speech Role = "speech"
)

// A Model is a file of the catalogue.
type Model struct {
	Name     string // short, as a person types it
	Role     Role
	Repo     string // on the hub
	Revision string // of the repository; a branch where none is pinned
	File     string // in the repository, and in the folder
	Size     int64  // in bytes; 0 when only the server knows
	SHA256   string // hex; empty when only the server knows
	// Memory is how many bytes of memory a machine should have for it.
	Memory  int64
	Pooling string // of an embedding model
	Licence string
}

const gib = 1 << 30

// All are the models of the catalogue, for each role the best one first.
func All() []Model {
	return []Model{
		{
			Name: "qwen3-8b", Role: Chat, Repo: "Qwen/Qwen3-8B-GGUF", Revision: "7c41481f57cb95916b40956ab2f0b139b296d974",
			File: "Qwen3-8B-Q4_K_M.gguf", Size: 5027783488, Memory: 24 * gib, Licence: "Apache-2.0",
			SHA256: "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
		},
		{
			Name: "qwen3-4b", Role: Chat, Repo: "Qwen/Qwen3-4B-GGUF", Revision: "bc640142c66e1fdd12af0bd68f40445458f3869b",
			File: "Qwen3-4B-Q4_K_M.gguf", Size: 2497280256, Memory: 12 * gib, Licence: "Apache-2.0",
			SHA256: "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
		},
		{
			Name: "qwen3-1.7b", Role: Chat, Repo: "ggml-org/Qwen3-1.7B-GGUF", Revision: "daeb8e2d528a760970442092f6bf1e55c3b659eb",
			File: "Qwen3-1.7B-Q4_K_M.gguf", Size: 1282439264, Memory: 6 * gib, Licence: "Apache-2.0",
			SHA256: "d2387ca2dbfee2ffabce7120d3770dadca0b293052bc2f0e138fdc940d9bc7b5",
		},
		{
			Name: "qwen3-0.6b", Role: Chat, Repo: "Qwen/Qwen3-0.6B-GGUF", Revision: "23749fefcc72300e3a2ad315e1317431b06b590a",
			File: "Qwen3-0.6B-Q8_0.gguf", Size: 639446688, Memory: 3 * gib, Licence: "Apache-2.0",
			SHA256: "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
		},
		{
			Name: "qwen3-embedding", Role: Embed, Repo: "Qwen/Qwen3-Embedding-0.6B-GGUF", Revision: "370f27d7550e0def9b39c1f16d3fbaa13aa67728",
			File: "Qwen3-Embedding-0.6B-Q8_0.gguf", Size: 639150592, Memory: 3 * gib, Pooling: "last", Licence: "Apache-2.0",
			SHA256: "06507c7b42688469c4e7298b0a1e16deff06caf291cf0a5b278c308249c3e439",
		},
		{
			Name: "qwen3-reranker", Role: Rank, Repo: "ggml-org/Qwen3-Reranker-0.6B-Q8_0-GGUF", Revision: "main",
			File: "qwen3-reranker-0.6b-q8_0.gguf", Memory: 3 * gib, Licence: "Apache-2.0",
		},
		{
			Name: "whisper-small", Role: Speech, Repo: "ggerganov/whisper.cpp", Revision: "main",
			File: "ggml-small.bin", Size: 487601967, Memory: 4 * gib, Licence: "MIT",
			SHA256: "1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b",
		},
		{
			Name: "whisper-base", Role: Speech, Repo: "ggerganov/whisper.cpp", Revision: "main",
			File: "ggml-base.bin", Size: 147951465, Memory: 2 * gib, Licence: "MIT",
			SHA256: "60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe",
		},
	}
}

// An UnknownModelError says that no model has a name.
type UnknownModelError struct {
	Name  string
	Known []string
}

// Error tells the names that there are.
func (e *UnknownModelError) Error() string {
	return "no model is named " + quote(e.Name) + " (there are " + strings.Join(e.Known, ", ") + ")"
}

// Lookup finds a model by its name, or by its file's name.
func Lookup(name string) (Model, error) {
	e := &UnknownModelError{Name: name}
	for _, m := range All() {
		if strings.EqualFold(name, m.Name) || strings.EqualFold(name, m.File) {
			return m, nil
		}
		e.Known = append(e.Known, m.Name)
	}
	return Model{}, e
}

// Choose picks the best model of a role that suits a machine with so many bytes
// of memory; the smallest one when none does. Memory that is not known, 0,
// counts as little.
func Choose(role Role, memory int64) (Model, bool) {
	fit := slices.DeleteFunc(All(), func(m Model) bool { return m.Role != role })
	if len(fit) == 0 {
		return Model{}, false
	}
	for _, m := range fit {
		if m.Memory <= memory {
			return m, true
		}
	}
	return fit[len(fit)-1], true
}
