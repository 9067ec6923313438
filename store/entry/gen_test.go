package entry_test

import (
	"strings"
	"time"

	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

// pieces are texts that upset headers, titles and bodies.
var pieces = []string{
	"word", "two words", "a: b", "a:b", "#tag", "a # b", "- item", "- **id**: x", "- **word**: x", "---", "...", "~", "null", "no", "1.10",
	"2026-02-18", `"`, `'`, `\`, `C:\Users\x`, "*x*", "&a", "!b", "[", "]", "[a, b]", "{", "}", ",", "a, b", "`", "@", "%", "|", ">", "?", "? a",
	"# Title", "## Sub", "# ", "#", "===", "```", "    code", "\t", "  ", " ", "é", "e\u0301", "中文标题", "🙂", "\u2028", "\u0085", "\v", "\f", "\r", "\x00",
	"\ufeff", "\ufffd", "\u00a0", "x:", ": x", "key: value", "id: other", "<!-- c -->", "| a | b |", "trailing  ", "\u200b", "\U000f0001",
}

var (
	genPiece = rapid.SampledFrom(pieces)
	genLine  = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(genPiece, 0, 4).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
	})
	genText = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(genLine, 0, 6).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "end"))
	})
	genList = rapid.SliceOfN(genLine, 0, 3)
	genTime = rapid.Custom(func(t *rapid.T) time.Time {
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			return time.Time{}
		case 1:
			return time.Date(2026, 2, 18, 0, 0, 0, 0, time.FixedZone("", rapid.IntRange(-86000, 86000).Draw(t, "offset")))
		}
		return time.Unix(rapid.Int64Range(-70000000000, 300000000000).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns"))
	})
	genNumber = rapid.Custom(func(t *rapid.T) *float64 {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		n := rapid.Float64Range(-0.5, 1.5).Draw(t, "n")
		return &n
	})
	genExtra = rapid.SampledFrom([][]entry.Field{
		nil,
		{},
		{{Key: "mood", Lines: []string{"mood: fine"}}},
		{{Key: "deep", Lines: []string{"deep:", "  a: 1", "", "  b: [2]"}}, {Key: "mood", Lines: []string{"mood:   'x'  # c"}}},
		{{Key: "mood", Lines: []string{"mood: fine"}}, {Key: "deep", Lines: []string{"deep: {a: 1}"}}},
		{{Key: "my key", Lines: []string{"my key: |", "  # not a comment", "# comment", "  text"}}, {Key: "mood", Lines: []string{"mood:"}}},
	})
)

// genEntry draws an entry that may be written.
var genEntry = rapid.Custom(func(t *rapid.T) entry.Entry {
	pick := func(name string, list []string) string {
		return rapid.SampledFrom(append([]string{""}, list...)).Draw(t, name)
	}
	line := func(name string) string {
		if rapid.IntRange(0, 2).Draw(t, "has "+name) > 0 {
			return ""
		}
		return genText.Draw(t, name)
	}
	list := func(name string) []string {
		if rapid.IntRange(0, 2).Draw(t, "has "+name) > 0 {
			return nil
		}
		return genList.Draw(t, name)
	}
	return entry.Entry{
		ID:         rapid.SampledFrom([]string{"arch-3f7a2b1c", "123", "no", "x.y_z-1", "中文"}).Draw(t, "id"),
		Topic:      rapid.SampledFrom([]string{"general", "Architecture", "recent-work", "modules/a b/c", "modules/中文"}).Draw(t, "topic"),
		Title:      genLine.Draw(t, "title"),
		Body:       genText.Draw(t, "body"),
		Kind:       pick("kind", entry.Kinds()),
		Status:     pick("status", entry.Statuses()),
		Trust:      rapid.SampledFrom(append([]entry.Trust{""}, entry.Trusts()...)).Draw(t, "trust"),
		TrustFrom:  pick("trust_from", []string{"topic"}),
		Confidence: genNumber.Draw(t, "confidence"),
		Importance: genNumber.Draw(t, "importance"),
		Durability: pick("durability", entry.Durabilities()),
		Created:    genTime.Draw(t, "created"),
		Verified:   genTime.Draw(t, "verified"),
		Valid:      entry.Interval{From: genTime.Draw(t, "from"), Until: genTime.Draw(t, "until")},
		Sources:    list("sources"),
		Tags:       list("tags"),
		Branch:     line("branch"),
		GitSHA:     line("gitSha"),
		Conditions: list("conditions"),
		Problem:    line("problem"),
		Quote:      line("quote"),
		Pins:       list("pins"),
		Extra:      genExtra.Draw(t, "extra"),
	}
})
