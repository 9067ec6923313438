package lobes_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// TestSecretsAreLookedForOnce: what was looked through and was not touched since
// is left alone; what a person writes, and newer rules, are not missed.
func TestSecretsAreLookedForOnce(t *testing.T) {
	const secret = "AKIAZ5QWX7PLMN3RTKVB"
	w := newWorld(t, nil, "app")
	w.clock.set(time.Now().Add(time.Hour)) // the files are older than the look
	for _, title := range []string{"Quartz", "Vellum"} {
		w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Title: title, Text: title + " needs a text of its own."})
	}
	cache := filepath.Join(w.specs[0].Dir, ".state", "secrets")
	named := func(what string, want ...string) {
		t.Helper()
		got := []string{}
		for _, p := range w.set.Diagnose(context.Background()).Problems {
			if strings.Contains(p.What, "secret") {
				got = append(got, filepath.Base(p.File))
			}
		}
		same(t, what, got, append([]string{}, want...))
	}
	forged := func(change func(string) string) {
		t.Helper()
		b, err := os.ReadFile(cache)
		if err != nil {
			t.Fatal(err)
		}
		write(t, cache, change(string(b)))
	}
	typed := filepath.Join(w.specs[0].Dir, "gotchas", "typed.md")
	named("nothing")
	write(t, typed, "# Deploy\n\nUse aws_access_key_id = "+secret+" here.\n")
	w.clock.set(time.Now().Add(-time.Hour)) // the clock was set back: nothing is known of files from after now
	named("by a clock that was set back", "typed.md")
	w.clock.set(time.Now().Add(2 * time.Hour))
	named("typed by hand", "typed.md")
	named("it stays named", "typed.md")
	forged(func(s string) string { return strings.Replace(s, "\"gotchas/typed.md\"\n", "", 1) })
	named("what was looked through is not looked through again")
	forged(func(s string) string { return strings.Replace(s, textanalysis.SecretRulesVersion, "gitleaks-1", 1) })
	named("newer rules look once more", "typed.md")
	if b, err := os.ReadFile(cache); err != nil || !strings.HasPrefix(string(b), "rules "+textanalysis.SecretRulesVersion+"\n") || strings.Contains(string(b), secret) {
		t.Errorf("the version is not written down: %s %v", b, err)
	}
	forged(func(s string) string { return s[:len(s)/2] })
	named("after the cache was cut", "typed.md")
	if err := os.Remove(cache); err != nil {
		t.Fatal(err)
	}
	named("without the cache", "typed.md")
	f := w.forget(lobes.Target{}, lobes.Forgetting{Secrets: true})
	w.clock.pass(time.Minute)
	w.forget(lobes.Target{}, lobes.Forgetting{Secrets: true, Apply: true, Token: f.Token})
	named("masked")
}
