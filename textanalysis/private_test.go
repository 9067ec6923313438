package textanalysis_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

func TestDropPrivate(t *testing.T) {
	for _, c := range []struct {
		text, kept string
		dropped    int
	}{
		{"a <private>x</private> b", "a  b", 1},
		{"a <PRIVATE>x</Private>b<private>y</private>", "a b", 2},
		{"a <private>x <private>y</private> z</private> b", "a  b", 1},
		{"a <private>x", "a ", 1},
		{"a < private reason='x' >x</ private > b", "a  b", 1},
		{"<pri<private>x</private>vate>y</private>z", "z", 2},
		{"a </private> b", "a </private> b", 0},
		{"<privateer>x</privateer>", "<privateer>x</privateer>", 0},
		{"<private/> stays", "<private/> stays", 0},
		{"私 <private>密\n密</private> 人", "私  人", 1},
		{"a < b > c", "a < b > c", 0},
		{"", "", 0},
	} {
		kept, dropped := textanalysis.DropPrivate(c.text)
		if kept != c.kept || dropped != c.dropped {
			t.Errorf("DropPrivate(%q) = %q, %d; want %q, %d", c.text, kept, dropped, c.kept, c.dropped)
		}
	}
}

func FuzzDropPrivate(f *testing.F) {
	for _, s := range []string{"a <private>x</private> b", "<private><private></private>", "<pri<private>x</private>vate>y", "<", ">", "<private\n>汉"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kept, dropped := textanalysis.DropPrivate(text)
		again, more := textanalysis.DropPrivate(kept)
		if again != kept || more != 0 {
			t.Fatalf("dropping twice differs: %q, then %q", kept, again)
		}
		if (dropped == 0) != (kept == text) || utf8.ValidString(text) && !utf8.ValidString(kept) {
			t.Fatalf("DropPrivate(%q) = %q, %d", text, kept, dropped)
		}
		if strings.Contains(strings.ToLower(kept), "<private>") {
			t.Fatalf("an opening tag is left in %q", kept)
		}
	})
}
