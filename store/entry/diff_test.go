package entry_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"memory-mcp/store/entry"

	"pgregory.net/rapid"
)

// headerName gives the header key for each field of an entry.
var headerName = map[string][]string{
	"ID": {"id"}, "Topic": {"topic"}, "Title": {"title"}, "Kind": {"kind"}, "Status": {"status"}, "Trust": {"trust"}, "TrustFrom": {"trust_from"},
	"Confidence": {"confidence"}, "Importance": {"importance"}, "Durability": {"durability"}, "Created": {"created"}, "LastAccessed": {"lastAccessed"},
	"Verified": {"verified"}, "Valid": {"valid_from", "valid_until"}, "Expires": {"expires"}, "Sources": {"sources", "source"}, "References": {"references"},
	"Tags": {"tags"}, "Branch": {"branch"}, "GitSHA": {"gitSha"}, "Supersedes": {"supersedes"}, "DerivedFrom": {"derived_from"}, "MovedTo": {"moved_to"},
	"Subject": {"subject"}, "Conditions": {"conditions"}, "Problem": {"problem"}, "Solution": {"solution"}, "Files": {"files"}, "Concepts": {"concepts"},
	"Quote": {"quote"}, "Origin": {"origin"}, "Pins": {"pins"},
}

// TestRewriteTouchesOneField changes one field at a time: every old line is
// still there, byte for byte and in order, but for those of this field.
func TestRewriteTouchesOneField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := genFile.Draw(t, "old")
		have, err := entry.Parse(old)
		if err != nil {
			t.Skip("malformed")
		}
		checkOneField(t, old, have, entry.Normal(genEntry.Draw(t, "other")))
	})
}

func TestRewriteTouchesOneFieldOfSeeds(t *testing.T) {
	other := entry.Normal(entry.Entry{ID: "new-id", Topic: "gotchas", Title: "Other", Body: "other\n\nbody", Kind: "task", Status: "review", Trust: entry.AgentConfirmed,
		TrustFrom: "topic", Confidence: new(0.5), Importance: new(0.25), Durability: "reusable", Created: recorded, LastAccessed: recorded, Verified: modified,
		Valid: entry.Interval{From: recorded, Until: modified}, Expires: modified, Sources: []string{"a, b"}, References: []string{"c"}, Tags: []string{"d"}, Branch: "e: f",
		GitSHA: "123", Supersedes: []string{"g"}, DerivedFrom: []string{"h"}, MovedTo: "i", Subject: "j", Conditions: []string{"os: linux"}, Problem: "k\nl", Solution: "m",
		Files: []string{"n"}, Concepts: []string{"o"}, Quote: "\"p\"", Origin: "q", Pins: []string{"r s"}})
	for name, old := range seeds(t) {
		have, err := entry.Parse(old)
		if err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) { checkOneField(t, old, have, other) })
	}
}

func checkOneField(t fataler, old []byte, have, other entry.Entry) {
	t.Helper()
	for i := range reflect.TypeFor[entry.Entry]().NumField() {
		name := reflect.TypeFor[entry.Entry]().Field(i).Name
		if name == "Extra" {
			continue
		}
		e := have
		reflect.ValueOf(&e).Elem().Field(i).Set(reflect.ValueOf(other).Field(i))
		if e.ID == "" && have.ID != "" || e.Topic == "" && have.Topic != "" || name == "Title" && e.Title == "" {
			continue
		}
		out, err := entry.Rewrite(old, e)
		if err != nil {
			if e.ID == "" || e.Topic == "" {
				continue // no header may be added
			}
			t.Fatalf("%s: %v\nold %q", name, err, old)
		}
		allowed := bodyLines(have)
		if name != "Body" && name != "Title" {
			allowed = keyLines(old, headerName[name])
		} else if name == "Title" {
			allowed = append(keyLines(old, headerName[name]), "#")
		}
		for _, gone := range removed(old, out) {
			if !slices.ContainsFunc(allowed, func(a string) bool { return a == gone || a == "#" && strings.HasPrefix(gone, "#") }) {
				t.Fatalf("%s: the line %q is gone\nold %q\nnew %q", name, gone, old, out)
			}
		}
	}
}

// removed gives the lines of old that a diff says are gone. The last line may
// gain an end.
func removed(old, out []byte) []string {
	a, b := rawLines(old), rawLines(out)
	same := func(i, j int) bool {
		return a[i] == b[j] || i == len(a)-1 && strings.TrimRight(b[j], "\r\n") == strings.TrimRight(a[i], "\r\n")
	}
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if same(i, j) {
				longest[i][j] = max(longest[i][j], 1+longest[i+1][j+1])
			}
		}
	}
	var gone []string
	for i, j := 0, 0; i < len(a); {
		switch {
		case j < len(b) && same(i, j) && longest[i][j] == 1+longest[i+1][j+1]:
			i, j = i+1, j+1
		case j < len(b) && longest[i][j] == longest[i][j+1]:
			j++
		default:
			gone = append(gone, strings.TrimRight(a[i], "\r\n"))
			i++
		}
	}
	return gone
}

func rawLines(b []byte) []string {
	lines := strings.SplitAfter(strings.TrimPrefix(string(b), "\ufeff"), "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	return lines
}

func bodyLines(e entry.Entry) []string { return strings.Split(e.Body, "\n") }

// keyLines gives the lines of a key, and of what stands below it up to the next.
func keyLines(file []byte, names []string) []string {
	var out []string
	inside := false
	for line := range strings.SplitSeq(string(file), "\n") {
		line = strings.TrimRight(line, "\r")
		begins := slices.ContainsFunc(names, func(n string) bool {
			return strings.HasPrefix(line, n+":") || strings.HasPrefix(line, `"`+n+`":`) || strings.HasPrefix(line, `'`+n+`'`) ||
				strings.HasPrefix(line, `"`+n+`" :`) || strings.HasPrefix(line, "- **"+n+"**:")
		})
		inside = begins || inside && line != "" && (line[0] == ' ' || line[0] == '-' && !strings.HasPrefix(line, "---") || line[0] == '#' || line[0] == ']') || inside && line == ""
		if inside {
			out = append(out, line)
		}
	}
	return out
}
