package index_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"memory-mcp/store/index"
)

// TestDevelopersQuestions asks what developers ask: identifiers, paths, error
// messages, versions, misspellings, Chinese, long prompts. One of the notes
// named must be among the first three.
func TestDevelopersQuestions(t *testing.T) {
	file, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var docs []index.Doc
	wants := make(map[string][]string)
	var order []string
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "note "); ok {
			docs = append(docs, note(t, rest))
		}
		if rest, ok := strings.CutPrefix(line, "? "); ok {
			question, answer, ok := strings.Cut(rest, " => ")
			if !ok {
				t.Fatalf("no answer is named in %q", line)
			}
			order = append(order, question)
			wants[question] = strings.Split(answer, ", ")
		}
	}
	if len(order) < 60 {
		t.Fatalf("only %d questions were found", len(order))
	}
	x := fresh(docs...)
	for _, question := range order {
		for _, k := range wants[question] {
			if _, ok := x.Doc(k); !ok {
				t.Fatalf("%q names the unknown note %q", question, k)
			}
		}
		got := keys(x.Search(index.Query{Text: question, Limit: 3}))
		if !slices.ContainsFunc(got, func(k string) bool { return slices.Contains(wants[question], k) }) {
			t.Errorf("%q finds %v, want one of %v", question, got, wants[question])
		}
	}
}

func note(t *testing.T, line string) index.Doc {
	t.Helper()
	parts := strings.Split(line, "|")
	if len(parts) < 4 {
		t.Fatalf("a note has %d parts: %q", len(parts), line)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	d := index.Doc{Key: parts[0], Title: parts[1], Body: parts[2], Tags: split(parts[3])}
	if len(parts) > 4 {
		d.Files = split(parts[4])
	}
	return d
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}
