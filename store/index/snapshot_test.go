package index_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"testing"
	"time"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// failer is what tests and laws have in common.
type failer interface{ Fatalf(string, ...any) }

// saved is a snapshot of an index and the documents that it needs again.
func saved(t failer, x *index.Index, without ...string) ([]byte, []index.Kept) {
	var b bytes.Buffer
	keys, err := x.Save(&b, without...)
	if err != nil {
		t.Fatalf("save: %v", err)
	}
	docs := make([]index.Kept, len(keys))
	for i, key := range keys {
		d, ok := x.Doc(key)
		if !ok {
			t.Fatalf("save tells of %q, which the index does not know", key)
		}
		docs[i] = index.Kept{Key: key, Ref: &d}
	}
	return b.Bytes(), docs
}

func reload(t failer, x *index.Index) *index.Index {
	data, docs := saved(t, x)
	y, err := index.Load(data, rules(), docs, nil)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return y
}

func TestSnapshotKeepsDocuments(t *testing.T) {
	d := index.Doc{
		Key: "k", ID: "i", Topic: "t", Title: "Title", Body: "Body text", Tags: []string{"A b"}, Files: []string{"x/y.go"},
		Fields: []string{"more"}, Subject: "s", Speaker: "Ann", Session: "se", Seq: -3, Group: "g",
		Date: time.Date(2026, 5, 6, 23, 0, 0, 5, time.FixedZone("", 3600)), Ref: "ref", Plain: true, Marks: []uint64{7, 1 << 63}, Order: index.Order{Rank: 0.5, Moment: -7},
	}
	x := reload(t, fresh(d, index.Doc{Key: "other"}))
	got, ok := x.Doc("k")
	if !ok || !got.Date.Equal(d.Date) || got.Date.Format(time.RFC3339Nano) != d.Date.Format(time.RFC3339Nano) {
		t.Fatalf("document is %+v (%v)", got, ok)
	}
	got.Date = d.Date
	if !reflect.DeepEqual(got, d) || x.Len() != 2 || !slices.Contains(x.Tags(), index.Tag{Name: "a b", Docs: 1}) {
		t.Errorf("got  %+v\nwant %+v", got, d)
	}
	x.Apply([]index.Doc{{Key: "k", Body: "changed"}}, []string{"other"})
	if r := x.Search(index.Query{Text: "changed"}); len(r.Hits) != 1 || x.Len() != 1 {
		t.Errorf("a loaded index does not change: %+v", r)
	}
}

func TestSnapshotOfNothing(t *testing.T) {
	if x := reload(t, fresh()); x.Len() != 0 {
		t.Errorf("an empty index comes back with %d documents", x.Len())
	}
}

func TestSnapshotOfOtherRules(t *testing.T) {
	french := textanalysis.New(textanalysis.Options{Languages: []string{"fr"}})
	data, docs := saved(t, fresh(someDocs(1, 5)...))
	if _, err := index.Load(data, french, docs, nil); !errors.Is(err, index.ErrSnapshot) {
		t.Errorf("other word rules give %v", err)
	}
}

func TestBrokenSnapshot(t *testing.T) {
	x := fresh(someDocs(1, 10)...)
	good, docs := saved(t, x)
	a := textanalysis.New(textanalysis.Options{})
	for i := 0; i < len(good); i += 3 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x41
		if _, err := index.Load(bad, a, docs, nil); !errors.Is(err, index.ErrSnapshot) {
			t.Fatalf("a change of byte %d gives %v", i, err)
		}
		if _, err := index.Load(good[:i], a, docs, nil); !errors.Is(err, index.ErrSnapshot) {
			t.Fatalf("the first %d bytes give %v", i, err)
		}
	}
	if _, err := index.Load(good, a, docs[1:], nil); !errors.Is(err, index.ErrSnapshot) {
		t.Errorf("a document too few gives %v", err)
	}
}

func TestSnapshotWithoutSome(t *testing.T) {
	docs := someDocs(4, 20)
	x := fresh(docs...)
	all, without := x.Len(), []string{docs[3].Key, docs[17].Key}
	data, left := saved(t, x, without...)
	y, err := index.Load(data, rules(), left, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := fresh(slices.DeleteFunc(docs, func(d index.Doc) bool { return slices.Contains(without, d.Key) })...)
	for _, text := range []string{"stale cache of user", "缓存失效", "errors May 2023"} {
		q := index.Query{Text: text, Limit: 50}
		if a, b := y.Search(q), want.Search(q); !reflect.DeepEqual(a, b) {
			t.Errorf("%q:\nfound   %+v\nrebuilt %+v", text, a, b)
		}
	}
	if x.Len() != all {
		t.Errorf("saving left %d of %d documents", x.Len(), all)
	}
}

// FuzzLoad gives Load bytes whose sum is right: what it accepts must not make a
// search panic.
func FuzzLoad(f *testing.F) {
	for n := range 4 {
		good, docs := saved(f, fresh(someDocs(uint64(n), 6*n)...))
		f.Add(good[:len(good)-4], uint8(len(docs)))
	}
	a := textanalysis.New(textanalysis.Options{})
	all := someDocs(0, 40)
	f.Fuzz(func(t *testing.T, data []byte, documents uint8) {
		var docs []index.Kept
		for i := range documents {
			d := all[int(i)%len(all)]
			d.Key = fmt.Sprintf("k%02d", i)
			docs = append(docs, index.Kept{Key: d.Key, Ref: &d})
		}
		sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		x, err := index.Load(binary.LittleEndian.AppendUint32(bytes.Clone(data), sum), a, docs, nil)
		if err != nil {
			if !errors.Is(err, index.ErrSnapshot) {
				t.Fatalf("error is %v", err)
			}
			return
		}
		x.Search(index.Query{Text: "stale cache of getUserName 缓存失效 cachr"})
		find(x, `"stale cache" | #cache =the`)
		x.Marked(1)
		x.Similar("stale", "cache of user", nil, 0, 5)
		x.Apply([]index.Doc{{Key: "k01", Body: "stale"}}, []string{"k02"})
		x.Merge()
		x.Search(index.Query{Text: "stale"})
	})
}

// FuzzSearch gives the index any text as entry and as question.
func FuzzSearch(f *testing.F) {
	f.Add("Title", "the cache is stale", "stale caches?")
	f.Add("缓存", "缓存失效 refresh_cache", "缓存 | \"失效\" -x")
	f.Add("a\x00b", "\xff\xfe", "=\xff #\x00 subject:")
	f.Add("v1.2.3", "std::string C++ C#", "when C++")
	f.Fuzz(func(t *testing.T, title, body, question string) {
		x := fresh(index.Doc{Key: "a", Title: title, Body: body, Session: "s"}, index.Doc{Key: "b", Body: title, Session: "s", Tags: []string{body}})
		q := index.Query{Text: question}
		if one, two := x.Search(q), x.Search(q); !reflect.DeepEqual(one, two) {
			t.Fatalf("two answers to %q:\n%+v\n%+v", question, one, two)
		}
		find(x, question)
		x.Similar(title, body, nil, 0, 5)
		y := reload(t, x)
		if one, two := x.Search(q), y.Search(q); !reflect.DeepEqual(one, two) {
			t.Fatalf("loaded answers otherwise to %q:\n%+v\n%+v", question, one, two)
		}
		x.Apply(nil, []string{"a"})
		x.Search(q)
	})
}
