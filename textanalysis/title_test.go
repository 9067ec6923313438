package textanalysis_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

func TestTitleOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Use tabs. Never spaces.", "Use tabs"},
		{"Use tabs! Never spaces.", "Use tabs!"},
		{"Why does it fail? Because of DNS.", "Why does it fail?"},
		{"# Build system\n\nGo 1.26.", "Build system"},
		{"## Closed heading ##\ntext", "Closed heading"},
		{"- **Retry policy**\n- other", "Retry policy"},
		{"1. First do this. Then that.", "First do this"},
		{"- [x] Ship it now. Later more.", "Ship it now"},
		{"> quoted words here", "quoted words here"},
		{"Use tools, e.g. gofmt, for style. More.", "Use tools, e.g. gofmt, for style"},
		{"Needs Go 1.26. Older fails.", "Needs Go 1.26"},
		{"The file main.go starts it. Next.", "The file main.go starts it"},
		{"Runs on v1.2.3 and later", "Runs on v1.2.3 and later"},
		{"Ports, hosts etc. are in config.yaml. Next.", "Ports, hosts etc. are in config.yaml"},
		{"He said \"stop it.\" Then left.", "He said \"stop it.\""},
		{"提交前必须运行测试。然后推送。", "提交前必须运行测试"},
		{"真的吗？是的。", "真的吗？"},
		{"好。再说一遍这个规则。其他", "好。再说一遍这个规则"},
		{"\n\n---\n```go\nfunc main() {}\n```", "func main() {}"},
		{"line one\r\nline two", "line one"},
		{"wait... it works", "wait... it works"},
		{"a\tb\x00c", "a b c"},
		{"...", "..."},
		{"", ""},
		{"C# is used. Java is not.", "C# is used"},
		{"#hashtag stays", "#hashtag stays"},
	} {
		if got := textanalysis.TitleOf(c.text, 80); got != c.want {
			t.Errorf("TitleOf(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestTitleOfIsShort(t *testing.T) {
	long := strings.Repeat("wonderful words ", 20)
	got := textanalysis.TitleOf(long, 0)
	if n := utf8.RuneCountInString(got); n > 80 || n < 60 || !strings.HasSuffix(got, "words…") && !strings.HasSuffix(got, "wonderful…") {
		t.Errorf("got %q of %d characters", got, n)
	}
	family := strings.Repeat("👩\u200d👩\u200d👧\u200d👦", 30)
	if got := textanalysis.TitleOf(family, 20); got != "👩\u200d👩\u200d👧\u200d👦👩\u200d👩\u200d👧\u200d👦…" {
		t.Errorf("a family was split: %q", got)
	}
	if got := textanalysis.TitleOf(strings.Repeat("汉", 100), 10); got != strings.Repeat("汉", 9)+"…" {
		t.Errorf("got %q", got)
	}
}

func FuzzTitleOf(f *testing.F) {
	for _, s := range []string{"# A. B", "- [ ] x", "**bold**", "汉字。汉字", "1. 2. 3. done", "a.. b", "👩\u200d👩\u200d👧\u200d👦 ok.", "\xff\xfe", "> > x", "Use e.g. this. That", "x…."} {
		f.Add(s, 80)
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, max int) {
		got := textanalysis.TitleOf(text, max)
		if max <= 0 {
			max = 80
		}
		if n := utf8.RuneCountInString(got); n > max || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\x00") {
			t.Fatalf("TitleOf(%q, %d) = %q of %d characters", text, max, got, n)
		}
		if again := textanalysis.TitleOf(got, max); again != got {
			t.Fatalf("title of %q is %q, of that %q", text, got, again)
		}
	})
}
