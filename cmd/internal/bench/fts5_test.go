package bench_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	_ "modernc.org/sqlite"

	"memory-mcp/cmd/internal/bench"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// A searcher answers a question with the keys of at most ten notes.
type searcher func(question string) (int, error)

// BenchmarkBesideFTS5 asks the index and SQLite's FTS5 the same questions of
// the same notes, in turn, so that a busy machine slows both alike. FTS5 is
// used as a memory server would: stems by porter, any word counts, bm25 with
// the title weighted, and what is needed to show the hits.
func BenchmarkBesideFTS5(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			notes := bench.New(1)
			all := make([]bench.Note, n)
			for i := range all {
				all[i] = notes.Note()
			}
			questions := make([]string, 200)
			for i := range questions {
				questions[i] = notes.Question()
			}
			ours, oursBuilt := buildIndex(all)
			theirs, theirsBuilt := buildFTS5(b, all)
			var took [2][]time.Duration
			for i := 0; b.Loop(); i++ {
				for kind, search := range []searcher{ours, theirs} {
					began := time.Now()
					found, err := search(questions[i%len(questions)])
					if err != nil || found == 0 {
						b.Fatalf("%q found %d: %v", questions[i%len(questions)], found, err)
					}
					took[kind] = append(took[kind], time.Since(began))
				}
			}
			var p50, p95 [2]float64
			for kind, name := range []string{"ours", "fts5"} {
				slices.Sort(took[kind])
				p50[kind] = took[kind][len(took[kind])/2].Seconds() * 1000
				p95[kind] = took[kind][len(took[kind])*95/100].Seconds() * 1000
				b.ReportMetric(p50[kind], name+"-p50-ms")
				b.ReportMetric(p95[kind], name+"-p95-ms")
			}
			b.ReportMetric(p50[1]/p50[0], "p50-ratio")
			b.ReportMetric(p95[1]/p95[0], "p95-ratio")
			b.ReportMetric(oursBuilt.Seconds(), "ours-build-s")
			b.ReportMetric(theirsBuilt.Seconds(), "fts5-build-s")
			b.ReportMetric(theirsBuilt.Seconds()/oursBuilt.Seconds(), "build-ratio")
		})
	}
}

func buildIndex(notes []bench.Note) (searcher, time.Duration) {
	runtime.GC()
	began := time.Now()
	x := index.New(textanalysis.New(textanalysis.Options{}))
	docs := make([]index.Doc, len(notes))
	for i, n := range notes {
		docs[i] = index.Doc{Key: fmt.Sprint(i), Topic: n.Topic, Title: n.Title, Body: n.Text, Tags: n.Tags, Files: n.Sources}
	}
	x.Apply(docs, nil)
	built := time.Since(began)
	return func(question string) (int, error) {
		return len(x.Search(index.Query{Text: question, Limit: 10}).Hits), nil
	}, built
}

func buildFTS5(b *testing.B, notes []bench.Note) (searcher, time.Duration) {
	b.Helper()
	runtime.GC()
	began := time.Now()
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "notes.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -262144",
		"CREATE VIRTUAL TABLE notes USING fts5(title, body, tags, tokenize = 'porter unicode61')",
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	if err := fillFTS5(db, notes); err != nil {
		b.Fatal(err)
	}
	ask, err := db.Prepare("SELECT rowid, title, snippet(notes, 1, '', '', '…', 32) FROM notes WHERE notes MATCH ? ORDER BY bm25(notes, 2.5, 1.0, 1.0) LIMIT 10")
	if err != nil {
		b.Fatal(err)
	}
	return func(question string) (int, error) { return askFTS5(ask, question) }, time.Since(began)
}

func fillFTS5(db *sql.DB, notes []bench.Note) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	insert, err := tx.Prepare("INSERT INTO notes (title, body, tags) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	for _, n := range notes {
		if _, err := insert.Exec(n.Title, n.Text, strings.Join(n.Tags, " ")); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.Exec("INSERT INTO notes (notes) VALUES ('optimize')")
	return err
}

func askFTS5(ask *sql.Stmt, question string) (found int, err error) {
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	rows, err := ask.Query(`"` + strings.Join(words, `" OR "`) + `"`)
	if err != nil {
		return 0, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	for rows.Next() {
		var id int
		var title, text string
		if err := rows.Scan(&id, &title, &text); err != nil {
			return found, err
		}
		found++
	}
	return found, rows.Err()
}
