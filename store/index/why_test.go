package index_test

import (
	"math"
	"testing"

	"memory-mcp/store/index"
)

func TestWhy(t *testing.T) {
	x := fresh(
		index.Doc{Key: "a", Title: "Cache invalidation", Body: "Bump the version when a struct changes.", Session: "s", Seq: 1},
		index.Doc{Key: "b", Body: "Redis holds stale profiles.", Session: "s", Seq: 2},
		index.Doc{Key: "c", Body: "Nothing of the kind."},
	)
	tests := []struct{ question, key, want string }{
		{"cache version", "a", "title: cache; body: version"},
		{"bump a struct", "a", "body: bump, struct, a; words close together"},
		{"invalidaton", "a", "title: invalidation (for invalidaton)"},
		{"stale version", "b", "body: stale; words of its neighbours"},
	}
	for _, tt := range tests {
		found := false
		for _, h := range x.Search(index.Query{Text: tt.question}).Hits {
			sum := 0.0
			for _, r := range h.Reasons {
				sum += r.Share
			}
			if math.Abs(sum-1) > 1e-6 {
				t.Errorf("%q: the shares of %s add up to %.3f", tt.question, h.Key, sum)
			}
			if h.Key == tt.key {
				found = true
				if h.Why() != tt.want {
					t.Errorf("%q: %s is there because of %q, want %q", tt.question, h.Key, h.Why(), tt.want)
				}
			}
		}
		if !found {
			t.Errorf("%q does not find %s", tt.question, tt.key)
		}
	}
}

func TestGate(t *testing.T) {
	docs := someDocs(5, 40)
	docs = append(docs, index.Doc{Key: "wal", Title: "Postgres WAL filled the disk", Body: "Drop the replication slot of a dead replica."})
	x := fresh(docs...)
	if r := x.Search(index.Query{Text: "why did the postgres WAL fill the disk"}); !r.Gate() || r.Hits[0].Key != "wal" {
		t.Errorf("a good answer stays behind the gate: %+v", r.Evidence)
	}
	for _, foreign := range []string{"how do I bake bread with go", "thanks, go on", "", "???"} {
		if r := x.Search(index.Query{Text: foreign}); r.Gate() {
			t.Errorf("%q passes the gate: %+v", foreign, r.Evidence)
		}
	}
}
