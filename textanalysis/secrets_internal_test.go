package textanalysis

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReachLeavesNothingOut compares the rules that look closely at what
// follows a keyword with the same rules when they look around every one: these
// find less where a match that is no secret hides one.
func TestReachLeavesNothingOut(t *testing.T) {
	set := loadSecretRules()
	wide := *set
	wide.rules = slices.Clone(set.rules)
	narrowed := 0
	for i := range wide.rules {
		if wide.rules[i].reach != nil {
			narrowed++
			wide.rules[i].reach = nil
		}
	}
	if narrowed < 5 {
		t.Fatalf("only %d rules look closely", narrowed)
	}
	parts := []string{
		"key", "Token", "SECRET", "password", "passwd", "pwd", "api_key", "apikey", "access_key", "auth", "creds", "credential", "passphrase",
		"secret key", "API key", "access", "my", "_", "-", ".", " ", "  ", "\t", "\n", "=", ":", ":=", "=>", "||", "?=", ",", ";", "\"", "'", "`", "<", ")",
		" is ", " was ", " for db is ", "eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "ey", "sk-", "SK", "s.", "hvs.",
		"f9Qx7Lm2Vz8Kp4Rt6Wb1Ny3", "k9Lm2vQx", "Winter2024!", "abc", "1", "Zx9", "0123456789abcdef", "9f3a7c1e5b2d8046af1393bc7de25a0c", "密码", "é", "the cache is stale",
		"kQ7vXz2LmN8pRt4WyB6cDf0GhJ3sKu5V", "aB3", "==", "+/", "\\n", "x y z",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 30).Draw(t, "parts"), "")
		closely := set.scan(text)
		for _, w := range wide.scan(text) {
			if !slices.ContainsFunc(closely, func(c Secret) bool { return c.Start <= w.Start && w.End <= c.End }) {
				t.Fatalf("%q: closely %+v, widely also %+v", text, closely, w)
			}
		}
	})
}

// TestPlainTextHasNothingToStrip compares the quick look with the thorough one.
func TestPlainTextHasNothingToStrip(t *testing.T) {
	for r := rune(0); r <= 0x110000; r++ {
		text := "a" + string(r) + "b\n"
		if isPlainText(text) && stripInvisible(text+"\u200b") != text {
			t.Fatalf("%q counts as plain and is stripped to %q", text, stripInvisible(text+"\u200b"))
		}
	}
	if !isPlainText("let x = \"缓存失效\"\t// 1\n") || isPlainText("a\rb") || isPlainText("\xff") || isPlainText("\u202e") {
		t.Error("the quick look is wrong about plain text")
	}
}
