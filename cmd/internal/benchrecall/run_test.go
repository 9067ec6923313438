package benchrecall_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memory-mcp/cmd/internal/benchrecall"
)

// TestSets measures the folder of sets that RECALL_SETS names, on both halves.
func TestSets(t *testing.T) {
	folder := os.Getenv("RECALL_SETS")
	if folder == "" {
		t.Skip("RECALL_SETS names no folder of sets")
	}
	sets, err := benchrecall.LoadAll(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range []benchrecall.Half{benchrecall.Even, benchrecall.Odd, benchrecall.Both} {
		r, err := benchrecall.Run(sets, benchrecall.Bare, half)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.Print(&b); err != nil {
			t.Fatal(err)
		}
		t.Logf("half %d\n%s", half, b.String())
	}
}

func TestScore(t *testing.T) {
	questions := []benchrecall.Question{
		{ID: "a", Relevant: []string{"x", "y"}},
		{ID: "b", Relevant: []string{"z"}},
	}
	m := benchrecall.Score(questions, map[string][]string{"a": {"n", "x", "y"}}, benchrecall.Both)
	ideal := 1 + 1/math.Log2(3)
	want := (1/math.Log2(3) + 1/math.Log2(4)) / ideal / 2
	if math.Abs(m.NDCG10-want) > 1e-9 || m.Recall5 != 0.5 || m.MRR10 != 0.25 || m.Questions != 2 {
		t.Errorf("Score gives %+v, want nDCG %.4f, R@5 0.5, MRR 0.25", m, want)
	}
}

func TestHalvesShareNothing(t *testing.T) {
	for _, id := range []string{"a", "b", "c", "restic-1", "bd-2"} {
		if benchrecall.Even.Has(id) == benchrecall.Odd.Has(id) {
			t.Errorf("%q is in both halves or in none", id)
		}
		if benchrecall.Even.Has(id) != benchrecall.Even.Has(id+"~t") || benchrecall.Even.Has(id) != benchrecall.Even.Has(id+"L") {
			t.Errorf("forms of %q are in different halves", id)
		}
	}
}

func TestLoadAndRun(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one/docs.jsonl", `{"id":"1","title":"Cache","text":"The cache is stale."}`+"\n"+`{"id":"2","title":"Build","text":"Plain go commands."}`+"\n")
	write("one/queries.jsonl", `{"qid":"q","query":"stale caches","relevant":["1"]}`+"\n")
	write("one/queries_typo.jsonl", `{"qid":"q~t","query":"stale cahce","relevant":["1"]}`+"\n")
	write("two/docs.jsonl", `{"id":"3","title":"Ann","text":"I like tea","group":"g"}`+"\n")
	write("two/queries.jsonl", `{"qid":"r","query":"tea","relevant":["3"],"group":"g"}`+"\n")
	sets, err := benchrecall.LoadAll(folder)
	if err != nil {
		t.Fatal(err)
	}
	r, err := benchrecall.Run(sets, benchrecall.Bare, benchrecall.Both)
	if err != nil {
		t.Fatal(err)
	}
	if r.Headline != 1 || r.TypoLoss != 0 || len(r.Columns) != 3 {
		t.Errorf("report %+v, want headline 1, no loss, three columns", r)
	}
	out := filepath.Join(folder, "runs")
	if err := r.WriteRuns(out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "one_typo.jsonl"))
	if err != nil || string(got) != `{"qid":"q~t","ids":["1"]}`+"\n" {
		t.Errorf("run file is %q (%v)", got, err)
	}
}

func TestLoadAllOfNothing(t *testing.T) {
	if _, err := benchrecall.LoadAll(t.TempDir()); err == nil {
		t.Error("an empty folder gives no error")
	}
}
