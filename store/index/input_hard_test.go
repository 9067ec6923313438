package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// generous is a time that no search takes whose work is bounded, on any
// machine, and that one takes whose work grows with a product of its inputs.
const generous = 20 * time.Second

// within fails when an act does not end.
func within(t *testing.T, what string, act func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); act() }()
	select {
	case <-done:
	case <-time.After(generous):
		t.Fatalf("%s has not ended after %s", what, generous)
	}
}

// both asks as a search by words and as a filter, in bounded time.
func both(t *testing.T, what string, x *index.Index, q string) (ranked, filtered index.Result) {
	t.Helper()
	within(t, what, func() {
		ranked = x.Search(index.Query{Text: q})
		filtered = find(x, q)
	})
	return ranked, filtered
}

// words makes n words that differ, of one made-up vocabulary each.
func words(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return all
}

// TestAQueryOf100KB asks in the worst place: every word of it stands in every
// entry, many times over. The one that also has the word in the middle is first.
func TestAQueryOf100KB(t *testing.T) {
	common := words("plum", 300)
	r := rand.New(rand.NewPCG(1, 1))
	text := func(bytes int) string {
		var b strings.Builder
		for b.Len() < bytes {
			b.WriteString(common[r.IntN(len(common))] + " ")
		}
		return b.String()
	}
	var docs []index.Doc
	for i := range 40 {
		docs = append(docs, index.Doc{Key: fmt.Sprintf("k%02d", i), Title: common[i], Body: text(64 << 10)})
	}
	docs[17].Body += " wombat"
	x := fresh(docs...)
	q := text(50<<10) + " wombat " + text(50<<10)
	ranked, filtered := both(t, "a query of 100 KB", x, q)
	if got := keys(ranked); len(got) != 10 || got[0] != "k17" {
		t.Errorf("100 KB find %v, want k17 first", got)
	}
	if got := keys(filtered); !slices.Contains(got, "k17") {
		t.Errorf("the filter of 100 KB finds %v (%s), without k17", got, filtered.Fallback)
	}
}

// TestATenThousandWordQuery: one of the words is known, and is the last.
func TestATenThousandWordQuery(t *testing.T) {
	x := fresh(index.Doc{Key: "a", Body: "wombat in the shed"}, index.Doc{Key: "b", Body: "paint"}, index.Doc{Key: "c", Title: "plum7", Body: "x"})
	ranked, filtered := both(t, "10,000 unknown words", x, strings.Join(words("gadget", 9999), " ")+" wombat")
	if got := keys(ranked); !slices.Equal(got, []string{"a"}) {
		t.Errorf("of 10,000 words the last is known; found %v", got)
	}
	if got := keys(filtered); !slices.Equal(got, []string{"a"}) || filtered.Fallback == "" {
		t.Errorf("the filter finds %v (%q)", got, filtered.Fallback)
	}
}

// TestTenThousandKnownWords: every one of them is somewhere.
func TestTenThousandKnownWords(t *testing.T) {
	all := words("plum", 10_000)
	var docs []index.Doc
	for i := range 500 {
		docs = append(docs, index.Doc{Key: fmt.Sprintf("k%03d", i), Body: strings.Join(all[20*i:20*i+20], " ")})
	}
	docs[499].Body += " " + strings.Join(all[:400], " ")
	x := fresh(docs...)
	ranked, filtered := both(t, "10,000 known words", x, strings.Join(all, " "))
	if got := keys(ranked); len(got) != 10 || got[0] != "k499" || ranked.Total != 500 {
		t.Errorf("found %v of %d, want of 500 first k499, which has most of them", got, ranked.Total)
	}
	if got := keys(filtered); len(got) != 50 || filtered.Fallback != index.AnyWord {
		t.Errorf("the filter finds %d (%q)", len(got), filtered.Fallback)
	}
}

func TestOddQueries(t *testing.T) {
	x := fresh(
		index.Doc{Key: "x", Title: "The x axis", Body: "Draw x before y."},
		index.Doc{Key: "stop", Body: "to be or not to be, that is the question"},
		index.Doc{Key: "rocket", Title: "Deploy 🚀", Body: "Ship it 🚀 on Fridays, never 🐛."},
		index.Doc{Key: "zh", Title: "缓存", Body: "缓存失效时刷新"},
		index.Doc{Key: "ru", Title: "Кэш", Body: "сбросить кэш после выкладки"},
		index.Doc{Key: "ja", Body: "キャッシュを消す"},
		index.Doc{Key: "ar", Body: "امسح ذاكرة التخزين"},
		index.Doc{Key: "el", Body: "καθάρισε τη μνήμη"},
		index.Doc{Key: "ko", Body: "캐시를 비운다"},
		index.Doc{Key: "other", Body: "paint fades"},
	)
	for q, want := range map[string]string{
		"x":             "x",
		"X?":            "x",
		"y":             "x",
		"to be or not":  "stop",
		"the":           "stop x", // what has a function word only is found, since nothing else was asked
		"deploy 🚀":      "rocket",
		"🚀 deploy 🐛 🚀🚀": "rocket",
		"缓存":            "zh",
		"кэша":          "ru",
		"キャッシュ":         "ja",
		"ذاكرة":         "ar",
		"μνήμη":         "el",
		"캐시를":           "ko",
		"缓存 кэш キャッシュ ذاكرة wombat": "ar ja ru zh",
		"清除缓存cache": "zh",
	} {
		ranked, filtered := both(t, q, x, q)
		for kind, r := range map[string]index.Result{"words": ranked, "filter": filtered} {
			got := keys(r)
			slices.Sort(got)
			if strings.Join(got, " ") != want {
				t.Errorf("%q as %s finds %v, want %s", q, kind, got, want)
			}
		}
	}
	for _, q := range []string{"q", "wombat", "龘"} {
		if ranked, filtered := both(t, q, x, q); len(ranked.Hits) > 0 || len(filtered.Hits) > 0 {
			t.Errorf("%q finds %v and %v", q, keys(ranked), keys(filtered))
		}
	}
	for _, q := range []string{"the", "to be or not", "x", "🚀"} {
		if r := x.Search(index.Query{Text: q}); r.Gate() && r.Evidence.Coverage == 0 {
			t.Errorf("%q would be shown unasked: %+v", q, r.Evidence)
		}
	}
}

// TestSignsWithoutWords: what holds no word at all names nothing, so that it
// is answered as an empty question is.
func TestSignsWithoutWords(t *testing.T) {
	x := fresh(index.Doc{Key: "a", Body: "paint"}, index.Doc{Key: "b", Body: "🚀"})
	for _, q := range []string{"", "🚀", "?!", "—", "\u200b", "\x00", "\xff\xfe"} {
		one, two := both(t, q, x, q)
		if one.Gate() || two.Gate() {
			t.Errorf("%q would be shown unasked", q)
		}
	}
}

// TestAnEntryWithoutASpace: 64 KiB of one word, of Chinese, of one path, and
// of an identifier of many parts.
func TestAnEntryWithoutASpace(t *testing.T) {
	const size = 64 << 10
	parts := strings.Join(words("part", 8000), "_")
	x := fresh(
		index.Doc{Key: "word", Body: strings.Repeat("a", size)},
		index.Doc{Key: "zh", Body: strings.Repeat("缓存失效刷新", size/18)},
		index.Doc{Key: "path", Body: strings.Repeat("/wombat", size/7)},
		index.Doc{Key: "name", Body: parts[:min(len(parts), size)]},
		index.Doc{Key: "camel", Body: strings.Repeat("getUserName", size/11)},
		index.Doc{Key: "small", Body: "cache of user names"},
	)
	for q, want := range map[string]string{
		strings.Repeat("a", size): "word", "wombat": "path", "缓存失效": "zh", "part77": "name", "cache names": "small",
	} {
		ranked, filtered := both(t, q[:min(len(q), 20)], x, q)
		if got := keys(ranked); len(got) == 0 || got[0] != want {
			t.Errorf("%.20q finds %v, want %s first", q, got, want)
		}
		if got := keys(filtered); !slices.Contains(got, want) {
			t.Errorf("the filter %.20q finds %v, want %s", q, got, want)
		}
	}
	// Unknown words as long as an entry: no known word is near, no half of
	// them is one.
	for _, q := range []string{strings.Repeat("b", size), strings.Repeat("ab", size/2), strings.Repeat("cache", size/5), strings.Repeat("失", size/3)} {
		both(t, "an unknown word of 64 KiB", x, q)
	}
	within(t, "similar entries", func() {
		if found := x.Similar("", strings.Repeat("a", size), nil, 0.35, 3); len(found) != 1 || found[0].Key != "word" {
			t.Errorf("similar to the long word are %+v", found)
		}
	})
	y := reload(t, x)
	if got := keys(y.Search(index.Query{Text: "part77"})); !slices.Equal(got, keys(x.Search(index.Query{Text: "part77"}))) {
		t.Errorf("loaded finds %v", got)
	}
}

// TestOneTitleTenThousandTimes: the words of the body still tell them apart,
// and a search for the title alone gives a page of them in a fixed order.
func TestOneTitleTenThousandTimes(t *testing.T) {
	var docs []index.Doc
	for i := range 10_000 {
		docs = append(docs, index.Doc{Key: fmt.Sprintf("k%05d", i), Title: "Deploy notes", Body: fmt.Sprintf("Step plum%d of the rollout.", i), Session: "one", Seq: i})
	}
	var x *index.Index
	within(t, "indexing", func() { x = fresh(docs...) })
	title, _ := both(t, "the title", x, "Deploy notes")
	again, _ := both(t, "the title", x, "deploy notes")
	if title.Total != 10_000 || len(title.Hits) != 10 || !slices.Equal(keys(title), keys(again)) {
		t.Errorf("the title finds %d, first %v, then %v", title.Total, keys(title), keys(again))
	}
	if one, _ := both(t, "one of them", x, "deploy notes plum7777"); one.Hits[0].Key != "k07777" {
		t.Errorf("one of them: %v", keys(one))
	}
	within(t, "changes", func() {
		for i := range 20 {
			x.Apply([]index.Doc{{Key: fmt.Sprintf("k%05d", i), Title: "Deploy notes", Body: "changed"}}, nil)
		}
	})
	if changed, _ := both(t, "changed", x, "deploy notes changed"); len(changed.Hits) != 10 || changed.Hits[0].Key > "k00019" {
		t.Errorf("changed ones: %v", keys(changed))
	}
}

// TestAWordInEveryEntry tells nothing by itself, hides nothing, and leaves the
// other words of the question their say.
func TestAWordInEveryEntry(t *testing.T) {
	var docs []index.Doc
	for i := range 3000 {
		docs = append(docs, index.Doc{Key: fmt.Sprintf("k%04d", i), Body: fmt.Sprintf("acme service plum%d acme acme", i)})
	}
	x := fresh(docs...)
	all, filtered := both(t, "the word alone", x, "acme")
	if all.Total != 3000 || filtered.Total != 3000 {
		t.Errorf("found %d and %d of 3000", all.Total, filtered.Total)
	}
	for _, h := range all.Hits {
		if !(h.Score > 0) {
			t.Errorf("%s scores %v", h.Key, h.Score)
		}
	}
	if one, _ := both(t, "with another", x, "acme acme acme plum2222"); one.Hits[0].Key != "k2222" {
		t.Errorf("with another word: %v", keys(one))
	}
	if all.Gate() {
		t.Errorf("a word that all have opens the gate: %+v", all.Evidence)
	}
}

// TestFiltersOfManyAlternatives: a filter may be as long as a query.
func TestFiltersOfManyAlternatives(t *testing.T) {
	all := words("plum", 7000)
	x := fresh(append(someDocs(1, 200), index.Doc{Key: "all", Body: strings.Join(all, " ")})...)
	for name, q := range map[string]string{
		"alternatives": strings.Repeat("cache | ", 12_000) + "stale",
		"negations":    strings.Repeat("-wombat ", 12_000) + "cache",
		"phrases":      strings.Repeat(`"stale cache" `, 7_000),
		"exact":        strings.Repeat("=cache ", 14_000),
		"quotes":       strings.Repeat(`"`, 100_000),
		"bars":         strings.Repeat("|", 100_000),
		"minus":        strings.Repeat("-", 100_000),
		"tags":         strings.Repeat("#go ", 25_000),
		"all exact":    "=" + strings.Join(all, " ="),
		"one of exact": "=" + strings.Join(all, " | ="),
	} {
		within(t, name, func() { x.Search(index.Query{Filter: textanalysis.ParseFilter(q), HasFilter: true}) })
	}
}
