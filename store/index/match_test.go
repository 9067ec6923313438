package index_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// naive answers a filter by looking at every word of one document.
type naive struct{ a *textanalysis.Analyzer }

func (n naive) matches(f textanalysis.Filter, d index.Doc) bool {
	alternatives := f.Alternatives()
	return len(alternatives) == 0 || slices.ContainsFunc(alternatives, func(all []textanalysis.Condition) bool {
		return !slices.ContainsFunc(all, func(c textanalysis.Condition) bool { return n.holds(c, d) == c.Not })
	})
}

func (n naive) holds(c textanalysis.Condition, d index.Doc) bool {
	texts := append([]string{d.Title, d.Body, d.Subject, d.Speaker}, slices.Concat(d.Tags, d.Fields, d.Files)...)
	switch c.Kind {
	case textanalysis.TagCondition:
		return slices.ContainsFunc(d.Tags, func(t string) bool { return strings.EqualFold(t, c.Text) })
	case textanalysis.SubjectCondition:
		return strings.EqualFold(d.Subject, c.Text)
	case textanalysis.WordCondition:
		return n.hasWord(c.Text, strings.Join(texts, "\n"))
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return n.hasRun(c.Text, text, c.Kind == textanalysis.ExactCondition)
	})
}

func (n naive) hasWord(word, text string) bool {
	var have []string
	for _, t := range n.a.Tokens(text) {
		have = append(have, t.Stem)
	}
	parts, whole := true, false
	for _, t := range n.a.Tokens(word) {
		if t.Class == textanalysis.Joined {
			whole = whole || slices.Contains(have, t.Stem)
		} else if !slices.Contains(have, t.Stem) {
			parts = false
		}
	}
	return parts || whole
}

func (n naive) hasRun(run, text string, exact bool) bool {
	key := func(text string) string {
		var words []string
		for _, t := range n.a.Tokens(text) {
			switch {
			case !t.Counted():
			case exact:
				words = append(words, t.Text)
			default:
				words = append(words, t.Stem)
			}
		}
		return " " + strings.Join(words, " ") + " "
	}
	return strings.Contains(key(text), key(run))
}

func TestFilterAgreesWithNaiveMatcher(t *testing.T) {
	terms := []string{
		"cache", "caches", "=cache", "=caches", "stale", "the", "getUserName", "get_user_name", "username", "=getUserName", "user-name",
		`"stale cache"`, `"user name"`, `"缓存 失效"`, "缓存失效", "缓存", "效", "v1.2.3", "1.2.3", "=1.2.3", "#cache", "#the", "subject:go", "error", "|", "|",
	}
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		docs := make(map[string]index.Doc)
		for i, d := range someDocs(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 25).Draw(t, "docs")) {
			if i%5 == 0 {
				d.Subject = "Go"
			}
			docs[d.Key] = d
		}
		x := fresh()
		for _, d := range docs {
			x.Apply([]index.Doc{d}, nil)
		}
		var text []string
		for range rapid.IntRange(1, 5).Draw(t, "terms") {
			sign := rapid.SampledFrom([]string{"", "", "-"}).Draw(t, "sign")
			text = append(text, sign+rapid.SampledFrom(terms).Draw(t, "term"))
		}
		f := textanalysis.ParseFilter(strings.Join(text, " "))
		n := naive{x.Analyzer()}
		var want []string
		for _, d := range docs {
			if n.matches(f, d) {
				want = append(want, d.Key)
			}
		}
		r := find(x, f.String())
		if r.Fallback != "" {
			r.Hits = nil
		}
		got := keys(r)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q (%s) finds %v, want %v", strings.Join(text, " "), f, got, want)
		}
		checked++
	})
	if checked == 0 {
		t.Fatal("nothing was checked")
	}
}
