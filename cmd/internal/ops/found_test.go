package ops_test

import (
	"context"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// counting is a memory whose counts are given.
type counting struct {
	*memory
	stats []lobes.LobeStats
}

func (c counting) Stats(context.Context, lobes.Target) ([]lobes.LobeStats, error) {
	return c.stats, nil
}

// TestKeysOfCountsAreMasked: a secret in a header key of a file by hand came
// out as the key of a count.
func TestKeysOfCountsAreMasked(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	e := env(full(), ops.Facts{})
	e.Current = func(context.Context) (ops.Memory, error) {
		return counting{full(), []lobes.LobeStats{{Lobe: "app", Entries: 2, BySubject: map[string]int{secret: 1, "shop": 1}, Tags: []lobes.TagCount{{Tag: secret, Count: 1}}}}}, nil
	}
	r := ask(t, e, "memory_stats", `{"format":"json"}`)
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for form, answer := range map[string]string{"JSON": string(b), "text": r.Text()} {
		if strings.Contains(answer, secret[:20]) || !strings.Contains(answer, "shop") {
			t.Errorf("as %s: %s", form, answer)
		}
	}
}

// TestDiagnoseTellsOfTheSettingsInForce: the facts were asked before a changed
// configuration was taken over, so diagnose was one step behind.
func TestDiagnoseTellsOfTheSettingsInForce(t *testing.T) {
	notices := []string{"the settings of yesterday"}
	e := env(full(), ops.Facts{})
	e.Facts = func() ops.Facts { return ops.Facts{Notices: notices} }
	e.Current = func(context.Context) (ops.Memory, error) {
		notices = []string{"the settings of today"}
		return full(), nil
	}
	if got := text(t, e, "memory_diagnose", `{}`); !strings.Contains(got, "today") || strings.Contains(got, "yesterday") {
		t.Errorf("diagnose says\n%s", got)
	}
}

// TestABriefingWithoutAProject does not send the agent to bootstrap, which has
// nothing to read there.
func TestABriefingWithoutAProject(t *testing.T) {
	m := full()
	m.briefing = lobes.Briefing{Lobes: []string{"global"}, Empty: true}
	if got := text(t, env(m, ops.Facts{}), "memory_context", `{}`); strings.Contains(got, "bootstrap") || !strings.Contains(got, "memory_store") {
		t.Errorf("the briefing says\n%s", got)
	}
}

// TestAnAnswerTellsOfWhatVanished: what was found is not all that there was.
func TestAnAnswerTellsOfWhatVanished(t *testing.T) {
	for _, tool := range []string{"memory_query", "memory_context"} {
		got := text(t, env(full(), ops.Facts{}), tool, `{"filter":"uploads","context":"uploads"}`)
		if !strings.Contains(got, "VANISHED: 7 entries of lobe app went at once, and are not searched. Ask memory-mcp diagnose.") {
			t.Errorf("%s says\n%s", tool, got)
		}
	}
}
