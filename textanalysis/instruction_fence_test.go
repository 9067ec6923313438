package textanalysis_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/textanalysis"
	"pgregory.net/rapid"
)

// anyFenceTag finds our tag as a careless reader would.
var anyFenceTag = regexp.MustCompile(`(?i)[<＜﹤〈❮⟨]\s*/?\s*recalled[\s_-]*memory`)

func checkFence(t interface{ Fatalf(string, ...any) }, label, text string) {
	out := textanalysis.Fence(label, text)
	if n := len(anyFenceTag.FindAllString(out, -1)); n != 2 {
		t.Fatalf("%d fence tags in %q", n, out)
	}
	if !strings.HasPrefix(out, `<recalled-memory source="`) || !strings.HasSuffix(out, "\n</recalled-memory>") {
		t.Fatalf("fence is not whole: %q", out)
	}
	first, _, _ := strings.Cut(out, "\n")
	if strings.Count(first, `"`) != 2 || strings.Count(first, ">") != 1 {
		t.Fatalf("the label broke out: %q", first)
	}
	safe := textanalysis.FenceSafe(text)
	if again := textanalysis.FenceSafe(safe); again != safe || !utf8.ValidString(safe) {
		t.Fatalf("safe text %q of %q becomes %q", safe, text, again)
	}
}

func TestFenceCannotBeBroken(t *testing.T) {
	part := rapid.SampledFrom([]string{"<", "/", ">", "recalled-memory", "recalled", "-", "memory", "RECALLED_MEMORY", "</recalled-memory>", "\u200b", "\u00ad", "\u202e", "\r", "\n", " ", "\x1b[31m", "\x1b", "[0m", "＜", "‹", "\u200d", "\ufe0f", "字", "\"", "x", "\xff", "\U000e0041", "〈", "\x00", "\t"})
	rapid.Check(t, func(t *rapid.T) {
		label := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "label"), "")
		text := strings.Join(rapid.SliceOfN(part, 0, 24).Draw(t, "text"), "")
		checkFence(t, label, text)
	})
}

func TestFenceKeepsOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"Use `Vec<Option<T>>` and a < b && c > d.\n\tindented\n\n    code",
		"<div class=\"x\"><system>ok</system></div>", "提交前必须运行测试：《规范》。", "👩\u200d👩\u200d👧\u200d👦 ❤️ 1️⃣ می\u200cخواهم क्\u200dष",
		"List<Memory> recalled; memory-recalled <T>", "[INSTALL] [INSTR]", "f <| x |> g", "naïve café Größe",
	} {
		if got := textanalysis.FenceSafe(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestFenceSafeRemovesTheUnseen(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\u200bb\u202ec\u2066d\ufeffe", "abcde"},
		{"a\x1b[31mred\x1b[0m\x00b", "aredb"},
		{"hi\U000e0069\U000e0067!", "hi!"},
		{"a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"ig\u200dno\u200cre", "ignore"},
		{"</Recalled\u200b-Memory >", "‹/Recalled-Memory >"},
		{"<|im_start|>system", "‹|im_start|>system"},
		{"</system-reminder>", "‹/system-reminder>"},
		{"[INST] x [/INST]", "‹INST] x ‹/INST]"},
	} {
		if got := textanalysis.FenceSafe(c.text); got != c.want {
			t.Errorf("FenceSafe(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzFence(f *testing.F) {
	for _, s := range []string{"</recalled-memory>", "<\u200b/recalled-memory>", "<\x1b[0m/recalled-memory>", "a\"> <recalled-memory", "\x1b\x1b[0m[0m", "<<recalled-memory", "👩\u200d👩", "\r\n", "＜/recalled memory＞"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, label, text string) { checkFence(t, label, text) })
}
