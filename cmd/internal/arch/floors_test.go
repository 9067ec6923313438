package arch_test

import (
	"slices"
	"strings"
)

const module = "memory-mcp"

// A row is a package: its floor, and what it may import of ours when that is
// less than all lower floors, or never may.
type row struct {
	floor int
	only  []string // exactly these packages, nil for all lower floors
	never []string // these and everything below them
}

// floors is the table. A package that is not in it is a failure.
func floors() map[string]row {
	storage := []string{"llm", "config", "crash"}
	return map[string]row{
		"store/entry":  {floor: 0},
		"textanalysis": {floor: 0},
		"llm":          {floor: 0},
		"llm/sidecar":  {floor: 0},
		"llm/models":   {floor: 0},
		"llm/sound":    {floor: 0},
		"llm/tiny":     {floor: 0},
		"lobes/repo":   {floor: 0},
		"config":       {floor: 0},
		"crash":        {floor: 0},

		"store":           {floor: 1, never: storage},
		"store/index":     {floor: 1, never: storage},
		"store/gitsync":   {floor: 1, never: storage},
		"lobes/lifecycle": {floor: 1, never: storage},
		"lobes/bootstrap": {floor: 1, never: storage},
		"lobes/timeproof": {floor: 1, only: []string{}}, // a test, and no code
		"llm/llamacpp":    {floor: 1},
		"llm/extract":     {floor: 1},
		"llm/summarize":   {floor: 1},
		"llm/judge":       {floor: 1},
		"llm/whisper":     {floor: 1},

		"lobes": {floor: 2, never: storage},

		"cmd/internal/ops":   {floor: 3},
		"cmd/internal/hosts": {floor: 3},

		"cmd/internal/app":         {floor: 4},
		"cmd/internal/mcpserver":   {floor: 4},
		"cmd/internal/install":     {floor: 4},
		"cmd/internal/hook":        {floor: 4},
		"cmd/internal/imports":     {floor: 3},
		"cmd/internal/probe":       {floor: 4},
		"cmd/internal/bench":       {floor: 4},
		"cmd/internal/benchrecall": {floor: 4},

		"cmd/internal/web": {floor: 5, only: []string{"cmd/internal/ops"}},

		"cmd/internal/cli": {floor: 6},

		"cmd/memory-mcp": {floor: 7, only: []string{"cmd/internal/cli"}},

		"cmd/internal/arch": {floor: 0},
	}
}

// mayImport says why one package may not import another, or nothing. One
// without a floor is told elsewhere.
func mayImport(from, to string) string {
	table := floors()
	a, known := table[from]
	b, target := table[to]
	below := func(p string) bool { return p == to || strings.HasPrefix(to, p+"/") }
	switch {
	case !known:
		return ""
	case !target:
		return "package " + to + " has no floor; give it one in floors_test.go"
	case a.only != nil && !slices.Contains(a.only, to):
		return from + " may import only " + strings.Join(a.only, ", ") + ", and imports " + to
	case slices.ContainsFunc(a.never, below):
		return from + " never imports " + to
	case b.floor >= a.floor:
		return from + " may import lower floors only, and imports " + to
	}
	return ""
}

// pure are packages that do no input or output.
func pure() []string {
	return []string{"store/entry", "textanalysis", "lobes/lifecycle"}
}

// ownsStdout are the packages that may name the standard output: elsewhere it
// belongs to the protocol.
func ownsStdout() []string {
	return []string{"cmd/memory-mcp", "cmd/internal/cli", "cmd/internal/mcpserver"}
}
