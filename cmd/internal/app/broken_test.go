package app_test

import (
	"os"
	"strings"
	"testing"

	"memory-mcp/config"
	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// TestABrokenConfigurationSinksOnlyWhatItDescribes: the crash journal and the
// person's own store do not depend on the file, and were gone with it.
func TestABrokenConfigurationSinksOnlyWhatItDescribes(t *testing.T) {
	w := newWorld(t)
	one := w.repository("one")
	w.write(configFile, "{\n  \"lobes\": [\n")
	a := w.open(one, true)
	if got := a.Home(); got != w.path("memory") {
		t.Errorf("the home is %q, want %q", got, w.path("memory"))
	}
	r, err := current(t, a).Remember(t.Context(), lobes.By{}, lobes.Target{Dirs: []string{one}}, []lobes.Note{{Topic: "preferences", Text: "Use tabs for indentation in Go code."}})
	if err != nil || len(r.Stored) != 1 || r.Stored[0].Lobe != "global" {
		t.Errorf("a preference gives %+v, %v", r, err)
	}
	if mode := current(t, a).Mode(); mode != lobes.Degraded {
		t.Errorf("the mode is %s", mode)
	}
}

// TestTheConfigurationKnowsEveryLanguage: two packages that may not know each
// other list the same names.
func TestTheConfigurationKnowsEveryLanguage(t *testing.T) {
	w := newWorld(t)
	known := textanalysis.KnownLanguages()
	if len(known) < 7 {
		t.Fatalf("only %v", known)
	}
	w.write(configFile, `{"languages": ["`+strings.Join(known, `", "`)+`"]}`)
	c, err := config.Load(config.Options{Path: w.path(configFile), Getenv: os.Getenv, Home: w.path("home"), Cwd: w.path("home")})
	if err != nil || len(c.Warnings) > 0 || len(c.Languages) != len(known) {
		t.Errorf("of %v the configuration takes %v, with warnings %v, %v", known, c.Languages, c.Warnings, err)
	}
}
