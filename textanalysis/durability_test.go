package textanalysis_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

func TestDurableTextsAreNotRefused(t *testing.T) {
	texts := lines(t, "testdata/durability_durable.txt")
	texts = append(texts, lines(t, "testdata/instruction_none.txt")...)
	if len(texts) < 150 {
		t.Fatalf("only %d durable texts", len(texts))
	}
	for _, text := range texts {
		d := textanalysis.ReviewDurability(textanalysis.TitleOf(text, 0), text, "conventions")
		if d.Refuses() {
			t.Errorf("refused (%s): %q: %+v", d.Severity, text, d.Signals)
		}
	}
}

func TestEphemeralTextsAreRefused(t *testing.T) {
	texts := lines(t, "testdata/durability_ephemeral.txt")
	if len(texts) < 80 {
		t.Fatalf("only %d ephemeral texts", len(texts))
	}
	refused, noticed := 0, 0
	for _, text := range texts {
		d := textanalysis.ReviewDurability(textanalysis.TitleOf(text, 0), text, "architecture")
		if d.Refuses() {
			refused++
		} else {
			t.Logf("not refused (%s): %q %+v", d.Severity, text, d.Signals)
		}
		if d.Severity > textanalysis.None {
			noticed++
		}
		for _, s := range d.Signals {
			if s.Family == "" || s.Phrase == "" || s.Weight == textanalysis.None {
				t.Errorf("%q: incomplete signal %+v", text, s)
			}
		}
	}
	t.Logf("refused %d, noticed %d of %d", refused, noticed, len(texts))
	if refused*100 < len(texts)*75 || noticed*100 < len(texts)*92 {
		t.Errorf("refused only %d, noticed only %d of %d", refused, noticed, len(texts))
	}
}

func TestDurabilityFamilies(t *testing.T) {
	for _, c := range []struct {
		text, family string
		severity     textanalysis.Severity
	}{
		{"Right now the cluster is down for everyone.", "temporal", textanalysis.Medium},
		{"Right now it fails. We fixed the parser.", "fixed-bug", textanalysis.High},
		{"Implemented JWT authentication for the admin API.", "completed-task", textanalysis.Medium},
		{"Changed 14 files in the importer.", "diff-stats", textanalysis.Medium},
		{"at com.acme.Foo.bar(Foo.java:42) is where it ends", "stack-trace", textanalysis.Medium},
		{"We still need to update the documents.", "task-language", textanalysis.Low},
		{"Listens on localhost:8080 with pid 4711 in tests.", "environment-specific", textanalysis.Low},
		{"Looking into why the cache misses.", "investigation", textanalysis.Low},
		{"Maybe the timeout is too short.", "uncertainty", textanalysis.Low},
		{"Never mind, the earlier note is incorrect.", "self-correction", textanalysis.Low},
		{"The gateway was deployed to production.", "shipped", textanalysis.Low},
		{"The proposal is under review.", "pending-decision", textanalysis.Low},
		{"As discussed, the importer stays.", "meeting-reference", textanalysis.Low},
		{"Version 3.2 introduced the strict mode.", "version-pinned", textanalysis.Low},
		{"Latency dropped from 120 ms to 80 ms.", "metrics-change", textanalysis.Low},
		{"Use tabs in Go. Also, use spaces in YAML.", "bundling", textanalysis.Low},
		{"```go\nfmt.Println(1)\n``` prints the number", "verbatim-code", textanalysis.Low},
		{"Use tabs.", "too-short", textanalysis.Low},
		{"We went to the office and then we got lunch and I saw it.", "narrative", textanalysis.Low},
		{"Use tabs for indentation everywhere.", "", textanalysis.None},
	} {
		d := textanalysis.ReviewDurability("", c.text, "architecture")
		found := c.family == "" && len(d.Signals) == 0
		for _, s := range d.Signals {
			found = found || s.Family == c.family
		}
		if !found || d.Severity != c.severity {
			t.Errorf("%q: %s %+v, want %s %s", c.text, d.Severity, d.Signals, c.severity, c.family)
		}
		if exempt := textanalysis.ReviewDurability("", c.text, "recent-work"); exempt.Severity != textanalysis.None {
			t.Errorf("recent-work is not exempt: %+v", exempt)
		}
	}
}

func FuzzReviewDurability(f *testing.F) {
	for _, s := range lines(f, "testdata/durability_ephemeral.txt") {
		f.Add("", s)
	}
	f.Fuzz(func(t *testing.T, title, body string) {
		d := textanalysis.ReviewDurability(title, body, "general")
		if d.Refuses() != (d.Severity >= textanalysis.Medium) || (d.Severity == textanalysis.None) != (len(d.Signals) == 0) {
			t.Fatalf("%q %q: %+v", title, body, d)
		}
		for _, s := range d.Signals {
			if !utf8.ValidString(s.Text) && utf8.ValidString(title+body) {
				t.Fatalf("%q %q: invalid text in %+v", title, body, s)
			}
		}
	})
}

func BenchmarkReviewDurability(b *testing.B) {
	note := "The deploy job reads its token from the vault; never put a password into config.yaml."
	for name, text := range map[string]string{"note": note, "64KiB": strings.Repeat(note+" Errors are wrapped; tests use a clock.\n", 65536/125)} {
		b.Run(name, func(b *testing.B) {
			textanalysis.ReviewDurability("", text, "general")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				textanalysis.ReviewDurability("", text, "general")
			}
		})
	}
}
