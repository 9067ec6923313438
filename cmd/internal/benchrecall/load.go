package benchrecall

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Note is one document of a set.
type Note struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Text  string   `json:"text"`
	Group string   `json:"group"`
	Ctx   string   `json:"ctx"`
	Seq   int      `json:"seq"`
	Date  string   `json:"date"`
	Path  string   `json:"path"`
	Tags  []string `json:"tags"`
}

// A Question is one query with its answers.
type Question struct {
	ID       string   `json:"qid"`
	Query    string   `json:"query"`
	Relevant []string `json:"relevant"`
	Group    string   `json:"group"`
	Category string   `json:"cat"`
}

// A Set is a folder of notes and the questions about them.
type Set struct {
	Name      string
	Notes     []Note
	Questions map[string][]Question // by column: "", "long", "typo"
}

// Columns are the files of questions that a set may have.
func Columns() []string { return []string{"", "long", "typo"} }

// Load reads a set. The plain questions must exist, the others may.
func Load(folder string) (Set, error) {
	s := Set{Name: filepath.Base(folder), Questions: make(map[string][]Question)}
	var err error
	if s.Notes, err = lines[Note](filepath.Join(folder, "docs.jsonl")); err != nil {
		return Set{}, err
	}
	for _, column := range Columns() {
		name := "queries.jsonl"
		if column != "" {
			name = "queries_" + column + ".jsonl"
		}
		questions, err := lines[Question](filepath.Join(folder, name))
		if column != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Set{}, err
		}
		s.Questions[column] = questions
	}
	return s, nil
}

// LoadAll reads every set below a folder, in the order of their names.
func LoadAll(folder string) ([]Set, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*", "docs.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("list sets in %q: %w", folder, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("list sets in %q: no folder there has a docs.jsonl", folder)
	}
	var sets []Set
	for _, p := range paths {
		s, err := Load(filepath.Dir(p))
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func lines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	defer f.Close()
	var all []T
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var v T
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("read %q, record %d: %w", path, len(all)+1, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// ParseDate reads the forms of date that the sets use; zero when there is none.
func ParseDate(text string) time.Time {
	for _, layout := range []string{time.DateOnly, "3:04 pm on 2 January, 2006", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
