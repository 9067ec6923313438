package hosts_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/hosts"
)

// TestSamplesCoverEachEvent: a host that is asked for an event has one to try.
func TestSamplesCoverEachEvent(t *testing.T) {
	pairs := map[string]string{"dir": `C:\a "dir"`, "session": "s", "prompt": "a \"prompt\"\n", "transcript": "/t"}
	for _, h := range hosts.All() {
		all, err := hosts.Samples(h.ID, pairs)
		if err != nil {
			t.Error(err)
		}
		if h.Hooks == nil {
			if len(all) > 0 {
				t.Errorf("%s has samples and no hooks", h.ID)
			}
			continue
		}
		if len(all) == 0 {
			t.Errorf("%s has hooks and no sample", h.ID)
		}
		for _, e := range h.Hooks.Events {
			if !slices.ContainsFunc(all, func(s hosts.Sample) bool { return s.Name == e.Name }) {
				t.Errorf("%s has no sample of %s", h.ID, e.Name)
			}
		}
		for _, s := range all {
			if !json.Valid(s.Input) || strings.Contains(string(s.Input), "{{") {
				t.Errorf("%s %s: %s", h.ID, s.Name, s.Input)
			}
		}
	}
}
