package config_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"memory-mcp/config"
)

// missingKeys are the keys that the loader knows and a text does not use. The
// loader itself is asked for them: it lists the keys of a block when it meets
// one that is like none.
func missingKeys(t *testing.T, text []byte) []string {
	t.Helper()
	var used struct {
		Lobes    map[string]map[string]any
		Behavior map[string]any
		Models   map[string]any
	}
	var top map[string]any
	for _, into := range []any{&used, &top} {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("the text is not strict JSON: %v", err)
		}
	}
	lobeKeys := map[string]any{}
	for _, lobe := range used.Lobes {
		maps.Copy(lobeKeys, lobe)
	}
	blocks := []struct {
		text string
		used map[string]any
	}{
		{`{"qqqqqqqqqqqqqq": 1}`, top},
		{`{"behavior": {"qqqqqqqqqqqqqq": 1}}`, used.Behavior},
		{`{"models": {"qqqqqqqqqqqqqq": 1}}`, used.Models},
		{`{"lobes": {"a": {"root": "a", "qqqqqqqqqqqqqq": 1}}}`, lobeKeys},
	}
	var missing []string
	for _, block := range blocks {
		for _, key := range knownKeys(t, block.text) {
			if _, ok := block.used[key]; !ok {
				missing = append(missing, key)
			}
		}
	}
	return missing
}

func knownKeys(t *testing.T, text string) []string {
	t.Helper()
	w := newWorld(t)
	w.file(text)
	c := w.load()
	i := slices.IndexFunc(c.Warnings, func(p config.Problem) bool { return strings.Contains(p.Key, "qqqq") })
	if i < 0 {
		t.Fatalf("no warning about the unknown key in %s: %s", text, warnings(c))
	}
	list, found := strings.CutPrefix(c.Warnings[i].Remedy, "the keys here are ")
	if !found {
		t.Fatalf("the remedy %q lists no keys", c.Warnings[i].Remedy)
	}
	return strings.Split(list, ", ")
}
