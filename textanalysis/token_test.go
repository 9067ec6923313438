package textanalysis_test

import (
	"strings"
	"testing"

	"memory-mcp/textanalysis"
)

// words writes tokens as text, with a sign for the class.
func words(tokens []textanalysis.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(map[textanalysis.Class]string{textanalysis.Stop: ".", textanalysis.Joined: "+", textanalysis.Pair: "&"}[t.Class])
		b.WriteString(t.Text)
	}
	return b.String()
}

func TestTokens(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"The cache is stale", ".the cache .is stale"},
		{"getUserName", "get user name +getusername"},
		{"get_user_name", "get user name +getusername"},
		{"get-user-name", "get user name +getusername"},
		{"HTTPServer", "http server +httpserver"},
		{"IDs of URLs", "ids .of urls"},
		{"store/index/apply.go", "store index apply go +storeindexapplygo"},
		{"v1.39.1 and 1.39.1", "v1 39 1 +1.39.1 .and 1 39 1 +1.39.1"},
		{"Go, UI, CI, C#, C++ and g++", "go ui ci c# c++ .and g++"},
		{"std::string", "std string +stdstring"},
		{"don't use Peter's", ".don use peter"},
		{"修复缓存", "修 &修复 复 &复缓 缓 &缓存 存"},
		{"调用getUserName函数", "调 &调用 用 get user name +getusername 函 &函数 数"},
		{"ＡＢＣ１", "abc1"},
		{"Привет, мир", "привет мир"},
		{"a\x00b \xff c", ".a b c"},
		{"__init__", "init"},
		{"--json -v", "json v"},
	}
	a := textanalysis.New(textanalysis.Options{})
	for _, tt := range tests {
		if got := words(a.Tokens(tt.text)); got != tt.want {
			t.Errorf("Tokens(%q)\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestStemsMeet(t *testing.T) {
	a := textanalysis.New(textanalysis.Options{})
	french := textanalysis.New(textanalysis.Options{Languages: []string{"fr"}})
	tests := []struct {
		a    *textanalysis.Analyzer
		x, y string
	}{
		{a, "exceptions", "exception"}, {a, "implementations", "implementation"}, {a, "caching", "cache"},
		{a, "deployments", "deployment"}, {a, "tests", "testing"}, {a, "café", "cafe"},
		{a, "ошибки", "ошибка"}, {french, "erreurs", "erreur"},
	}
	for _, tt := range tests {
		if x, y := tt.a.Stem(tt.x), tt.a.Stem(tt.y); x != y {
			t.Errorf("%q and %q have the stems %q and %q", tt.x, tt.y, x, y)
		}
	}
}
