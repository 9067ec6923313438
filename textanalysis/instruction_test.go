package textanalysis_test

import (
	"testing"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

func TestConventionsAreNotHeld(t *testing.T) {
	texts := append(lines(t, "testdata/instruction_none.txt"), lines(t, "testdata/durability_durable.txt")...)
	if len(texts) < 150 {
		t.Fatalf("only %d ordinary texts", len(texts))
	}
	for _, text := range texts {
		if s := textanalysis.InstructionSignals(text); len(s) > 0 {
			t.Errorf("held: %q (%s: %q)", text, s[0].Family, s[0].Text)
		}
	}
}

func TestInjectionsAreHeld(t *testing.T) {
	texts := lines(t, "testdata/instruction_held.txt")
	if len(texts) < 50 {
		t.Fatalf("only %d injections", len(texts))
	}
	held := 0
	for _, text := range texts {
		s := textanalysis.InstructionSignals(text)
		if len(s) == 0 {
			t.Logf("not held: %q", text)
			continue
		}
		held++
		for _, signal := range s {
			if signal.Family == "" || signal.Text == "" || signal.Phrase == "" || signal.Weight != textanalysis.High {
				t.Errorf("%q: incomplete signal %+v", text, signal)
			}
		}
	}
	t.Logf("held %d of %d injections", held, len(texts))
	if held*100 < len(texts)*95 {
		t.Errorf("held only %d of %d", held, len(texts))
	}
}

func FuzzInstructionSignals(f *testing.F) {
	for _, s := range lines(f, "testdata/instruction_held.txt") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range textanalysis.InstructionSignals(text) {
			if !utf8.ValidString(s.Text) || s.Text == "" || s.Phrase == "" {
				t.Fatalf("%q: signal %+v", text, s)
			}
		}
	})
}

func BenchmarkInstructionSignals(b *testing.B) {
	note := "The deploy job reads its token from the vault; never put a password into config.yaml."
	textanalysis.InstructionSignals(note)
	for b.Loop() {
		textanalysis.InstructionSignals(note)
	}
}
