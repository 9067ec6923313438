package bootstrap_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/lobes/bootstrap"
	"memory-mcp/textanalysis"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads each testdata/*.project, a listing of files, as a folder
// outside git, and compares what is proposed with the .golden beside it.
func TestGolden(t *testing.T) {
	listings, err := filepath.Glob("testdata/*.project")
	if err != nil || len(listings) == 0 {
		t.Fatalf("no projects in testdata (err %v)", err)
	}
	for _, listing := range listings {
		t.Run(strings.TrimSuffix(filepath.Base(listing), ".project"), func(t *testing.T) {
			text, err := os.ReadFile(listing)
			if err != nil {
				t.Fatal(err)
			}
			dir := tempDir(t)
			fixture(t, dir, string(text))
			proposals := propose(t, dir, nil)
			checkForm(t, proposals)
			if again := propose(t, dir, nil); !reflect.DeepEqual(proposals, again) {
				t.Errorf("a second run differs:\n%s\n%s", render(proposals), render(again))
			}
			compare(t, strings.TrimSuffix(listing, ".project")+".golden", render(proposals))
		})
	}
}

func render(proposals []bootstrap.Proposal) []byte {
	var b bytes.Buffer
	for _, p := range proposals {
		fmt.Fprintf(&b, "# %s / %s\nkind %s, branch %q, sources %q, tags %q\n%s\n\n", p.Topic, p.Title, p.Kind, p.Branch, p.Sources, p.Tags, p.Body)
	}
	return b.Bytes()
}

func compare(t *testing.T, golden string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update rewrites it); got\n%s\nwant\n%s", golden, got, want)
	}
}

// checkForm holds what is true of every proposal.
func checkForm(t *testing.T, proposals []bootstrap.Proposal) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range proposals {
		key := p.Topic + "/" + p.Title
		if seen[key] {
			t.Errorf("%s is proposed twice", key)
		}
		seen[key] = true
		if n := utf8.RuneCountInString(p.Body); n == 0 || n > 1200 {
			t.Errorf("%s has %d characters", key, n)
		}
		if strings.ContainsFunc(p.Body, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) || !utf8.ValidString(p.Body) {
			t.Errorf("%s has control characters: %q", key, p.Body)
		}
		if d := textanalysis.ReviewDurability(p.Title, p.Body, p.Topic); d.Refuses() {
			t.Errorf("%s would be refused as not durable: %+v", key, d)
		}
		if found := textanalysis.InstructionSignals(p.Title + "\n" + p.Body); len(found) > 0 {
			t.Errorf("%s would be held as an instruction: %+v", key, found)
		}
		if p.Kind == "" || p.Sources == nil || p.Tags == nil || (p.Branch != "") != (p.Topic == "recent-work") {
			t.Errorf("%s is not complete: %+v", key, p)
		}
	}
}
