package textanalysis_test

import (
	"math"
	"reflect"
	"testing"

	"memory-mcp/textanalysis"
)

func TestSimilarity(t *testing.T) {
	long := "The build uses plain go commands without a makefile, since newcomers know them and the continuous integration runs them whole"
	tests := []struct {
		name, a, b string
		min, max   float64
	}{
		{"equal", long, long, 1, 1},
		{"contained", long, long + ". Staticcheck and the race detector run afterwards in another step of the pipeline", 0.95, 1},
		{"a tiny text inside a long one", "go makefile", long, 0, 0.3},
		{"nothing shared", long, "Paint fades quickly in strong sunlight", 0, 0},
		{"Chinese", "缓存失效时调用刷新函数，避免读取旧数据", "缓存失效时调用刷新函数，防止读取旧数据", 0.6, 1},
		{"empty", "", "", 0, 0},
	}
	for _, tt := range tests {
		x, y := textanalysis.New(textanalysis.Options{}).FingerprintOf("", tt.a), textanalysis.New(textanalysis.Options{}).FingerprintOf("", tt.b)
		got := textanalysis.Similarity(x, y)
		if got < tt.min || got > tt.max || got != textanalysis.Similarity(y, x) {
			t.Errorf("%s: %.3f, want %.2f to %.2f, both ways", tt.name, got, tt.min, tt.max)
		}
	}
}

func TestSameFacts(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"The timeout is 30 s", "Timeout: 30 s", true},
		{"The timeout is 30 s", "The timeout is 60 s", false},
		{"Needs Go 1.26.8", "Needs Go 1.26.9", false},
		{"Call getUserName first", "Call getUserId first", false},
		{"Use tabs", "Do not use tabs", false},
		{"Always use tabs", "Never use tabs", false},
		{"部署前必须备份", "部署前不必备份", false},
		{"部署前必须备份", "部署前，必须备份。", true},
		{"We don't mock", "We do not mock", true},
	}
	for _, tt := range tests {
		if got := textanalysis.SameFacts(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestConflictPieces(t *testing.T) {
	if !textanalysis.Opposed("Always rebase", "Never rebase") || !textanalysis.Opposed("接口同步调用", "接口异步调用") {
		t.Error("opposites are not seen")
	}
	if textanalysis.Opposed("字段可变", "字段可变，见说明") || textanalysis.Opposed("always x never", "never") {
		t.Error("opposites are seen where there are none")
	}
	if !textanalysis.Negated("It isn't safe") || !textanalysis.Negated("该接口已废弃") || textanalysis.Negated("It is safe") {
		t.Error("negation is not told from assertion")
	}
	if got := textanalysis.ConflictScore(0.4, true, textanalysis.StanceOf("never"), textanalysis.StanceOf("not")); math.Abs(got-0.4*1.3*1.25) > 1e-9 {
		t.Errorf("conflict score is %.3f", got)
	}
	if textanalysis.ConflictLimit(true, 0.5) != textanalysis.ConflictSimilarTitles || textanalysis.ConflictLimit(true, 0) != textanalysis.ConflictThreshold ||
		textanalysis.ConflictLimit(false, 0) != textanalysis.ConflictAcrossTopics {
		t.Error("conflict limits are mixed up")
	}
}

func TestNearest(t *testing.T) {
	known := []string{"architecture", "conventions", "gotchas", "decisions", "general", "user", "preferences", "recent-work"}
	tests := []struct {
		word string
		want []string
	}{
		{"gotcha", []string{"gotchas"}},
		{"archtiecture", []string{"architecture"}},
		{"conv", []string{"conventions"}},
		{"Users", []string{"user"}},
		{"zzz", []string{}},
		{"", []string{}},
	}
	for _, tt := range tests {
		if got := textanalysis.Nearest(tt.word, known, 3); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("near %q: %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestSigns(t *testing.T) {
	for signs, want := range map[string]float64{"什么": 1, "缓存": 0, "的缓": 0.5, "的": 1, "": 0} {
		if got := textanalysis.FunctionSigns(signs); got != want {
			t.Errorf("function signs in %q: %v, want %v", signs, got, want)
		}
	}
	for text, want := range map[string]int{"fix: x": 3, "feat(cli)!: x": 4, "Fix the build": 0, "docs(x": 0, "": 0, "fixes: x": 0} {
		if got := textanalysis.CommitKind(text); got != want {
			t.Errorf("%q opens with a commit kind of %d bytes, want %d", text, got, want)
		}
	}
}

func TestSynonymsMeet(t *testing.T) {
	a := textanalysis.New(textanalysis.Options{})
	for word, want := range map[string]string{"configs": "configuration", "repos": "repository", "缓存": "cache"} {
		found := false
		for _, s := range textanalysis.Synonyms(a.Stem(word)) {
			found = found || s == want
		}
		if !found {
			t.Errorf("%q has no synonym %q", word, want)
		}
	}
}
