package entry_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"memory-mcp/store/entry"
)

// TestRewriteBytes shows what a person's file looks like afterwards.
func TestRewriteBytes(t *testing.T) {
	const head = "---\nid: arch-1\ntopic: general\n"
	for _, c := range []struct {
		name, old string
		change    func(*entry.Entry)
		want      string
	}{
		{"a comment behind a value stays", head + "trust: user # by hand\n---\n# T\n", func(e *entry.Entry) { e.Trust = entry.AgentConfirmed },
			head + "trust: agent-confirmed # by hand\n---\n# T\n"},
		{"a block list stays one", head + "tags:\n  # why\n  - 'a' # first\n\n  - b\nmood: x\n---\n# T\n", func(e *entry.Entry) { e.Tags = []string{"new: one", "a", "c"} },
			head + "tags:\n  - \"new: one\"\n  # why\n  - 'a' # first\n  - c\n\nmood: x\n---\n# T\n"},
		{"a flow list", head + "tags: [a,\n  b]\n---\n# T\n", func(e *entry.Entry) { e.Tags = []string{"b", "c, d"} }, head + "tags: [b, \"c, d\"]\n---\n# T\n"},
		{"a comma list", head + "tags: a, b\n---\n# T\n", func(e *entry.Entry) { e.Tags = []string{"b"} }, head + "tags: [b]\n---\n# T\n"},
		{"new keys come last", head + "# last\n---\n# T\n", func(e *entry.Entry) { e.Tags, e.Sources = []string{"a"}, []string{"no", "x: y"} },
			head + "# last\nsources: [\"no\", \"x: y\"]\ntags: [a]\n---\n# T\n"},
		{"a key that becomes zero goes", head + "tags:\n- a\n\n# stays\nmood: x\n---\n# T\n", func(e *entry.Entry) { e.Tags = nil }, head + "\n# stays\nmood: x\n---\n# T\n"},
		{"source keeps its name", head + "source: a\n---\n# T\n", func(e *entry.Entry) { e.Sources = []string{"b"} }, head + "source: [b]\n---\n# T\n"},
		{"CRLF and no final newline", "---\r\nid: a\r\ntopic: general\r\n---\r\n# T\r\n\r\none\r\ntwo", func(e *entry.Entry) { e.Body = "one\nnew\ntwo"; e.Branch = "x" },
			"---\r\nid: a\r\ntopic: general\r\nbranch: x\r\n---\r\n# T\r\n\r\none\r\nnew\r\ntwo"},
		{"mixed line ends", head + "---\n# T\none\r\ntwo\nthree\r\nfour\r\n", func(e *entry.Entry) { e.Body = "one\nTWO\nthree\nfour" },
			head + "---\n# T\none\r\nTWO\nthree\r\nfour\r\n"},
		{"a line that changes keeps its end", head + "---\n# T\r\none\r\ntwo\n", func(e *entry.Entry) { e.Title, e.Body = "U", "ONE\ntwo" },
			head + "---\n# U\r\nONE\r\ntwo\n"},
		{"an appended line", head + "---\n# T\n\none", func(e *entry.Entry) { e.Body = "one\n\ntwo" }, head + "---\n# T\n\none\n\ntwo"},
		{"the title line", head + "---\n\n#   Old\n\n\ntext\n\n", func(e *entry.Entry) { e.Title = "New: # one" }, head + "---\n\n# New: # one\n\n\ntext\n\n"},
		{"the title key", head + "title: Old # why\n---\ntext\n", func(e *entry.Entry) { e.Title = "New: one" }, head + "title: \"New: one\" # why\n---\ntext\n"},
		{"a title that nothing states", head + "---\n\ntext\n", func(e *entry.Entry) { e.Title = "New" }, head + "---\n\n# New\n\ntext\n"},
		{"a body that begins with a heading", head + "title: T\n---\ntext\n", func(e *entry.Entry) { e.Body = "# Other\n\ntext" }, head + "title: T\n---\n# T\n\n# Other\n\ntext\n"},
		{"bullets", "# T\n- **id**: a\n- **topic**: general\n\ntext\n", func(e *entry.Entry) { e.Tags, e.Quote = []string{"x, y"}, "one\ntwo"; e.Sources = []string{"s"} },
			"# T\n- **id**: a\n- **topic**: general\n- **source**: s\n- **tags**: \"x, y\"\n- **quote**: \"one\\ntwo\"\n\ntext\n"},
		{"bullets at once followed by the body", "# T\n- **id**: a\n- **topic**: general\ntext\n", func(e *entry.Entry) { e.Body = "- **trust**: user" },
			"# T\n- **id**: a\n- **topic**: general\n\n- **trust**: user\n"},
		{"no header", "\ufeffjust text\n", func(e *entry.Entry) { e.Body = "other text" }, "\ufeffother text\n"},
		{"no header, a key", "\ufeff# T\n\ntext\n", func(e *entry.Entry) { e.Tags = []string{"x"} },
			"\ufeff---\nid: general.x\ntopic: general\ncreated: 2026-11-30T02:15:00.000Z\ntags: [x]\n---\n# T\n\ntext\n"},
	} {
		p, err := entry.ParseFile("x.md", modified, []byte(c.old))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		c.change(&p.Entry)
		stated := strings.HasPrefix(c.old, "---") || strings.Contains(c.old, "- **id**")
		if stated {
			p.Created = time.Time{}
		}
		got, err := entry.RewriteFile("x.md", modified, []byte(c.old), p.Entry)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", c.name, err, got, c.want)
		}
	}
}

func TestRewriteRefuses(t *testing.T) {
	var keyError *entry.KeyError
	var syntax *entry.SyntaxError
	_, err := entry.Rewrite([]byte("---\nid: a\ntags: {a: b}\n---\n"), entry.Entry{})
	if !errors.As(err, &keyError) || keyError.Key != "tags" || !errors.As(err, &syntax) || syntax.Line != 3 || !errors.Is(err, entry.ErrMalformed) {
		t.Errorf("nested under a known key: %v", err)
	}
	_, err = entry.Rewrite([]byte("---\nid: a\n"), entry.Entry{})
	if errors.As(err, &keyError) && keyError.Key != "tags" || !errors.As(err, &syntax) || syntax.Line != 1 {
		t.Errorf("a header that does not close: %v", err)
	}
	_, err = entry.RewriteFile("x.md", modified, []byte("text"), entry.Entry{Extra: []entry.Field{{Key: "x", Lines: []string{"---"}}}})
	if !errors.As(err, &keyError) || keyError.Key != "x" {
		t.Errorf("an unknown key that cannot be written: %v", err)
	}
}

// When our own write gives the file a new time of modification, the created
// time that followed from the old one is written down.
func TestRewriteKeepsCreated(t *testing.T) {
	p, err := entry.ParseFile("x.md", modified, []byte("text\n"))
	if err != nil {
		t.Fatal(err)
	}
	later := modified.Add(time.Hour)
	out, err := entry.RewriteFile("x.md", later, []byte("text\n"), p.Entry)
	if err != nil {
		t.Fatal(err)
	}
	again, err := entry.ParseFile("x.md", later, out)
	if err != nil || !again.Created.Equal(modified) {
		t.Errorf("created is %v (err %v) in\n%s", again.Created, err, out)
	}
}
