package entry_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unicode/utf8"

	"memory-mcp/store/entry"
)

// FuzzParse holds every file against the laws of reading and rewriting.
func FuzzParse(f *testing.F) {
	for _, b := range seeds(f) {
		if len(b) < 4000 {
			f.Add(b, "title: x", "# body\n")
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, title, body string) {
		e, err := entry.Parse(b)
		p, fileErr := entry.ParseFile(seedPath, modified, b)
		if (err == nil) != (fileErr == nil) {
			t.Fatalf("Parse %v, ParseFile %v", err, fileErr)
		}
		if !utf8.ValidString(p.Body) || p.ID == "" || p.Topic == "" || p.Title == "" || p.Created.IsZero() && err != nil {
			t.Fatalf("not usable: %#v", p)
		}
		if err != nil {
			if !errors.Is(err, entry.ErrMalformed) || !reflect.DeepEqual(e, entry.Entry{}) {
				t.Fatalf("error %v, entry %#v", err, e)
			}
			if out, err := entry.Rewrite(b, p.Entry); err == nil {
				t.Fatalf("a malformed file was rewritten to %q", out)
			}
			return
		}
		checkRewrite(t, b, e, e)
		if !utf8.ValidString(title) || !utf8.ValidString(body) {
			return
		}
		changed := p.Entry
		changed.Title, changed.Body = title, body
		changed.Tags = append([]string{title}, changed.Tags...)
		changed.Quote = body
		out, err := entry.RewriteFile(seedPath, modified, b, changed)
		if err != nil {
			t.Fatalf("rewrite: %v", err)
		}
		got, err := entry.ParseFile(seedPath, modified, out)
		if err != nil {
			t.Fatal(err)
		}
		want := entry.Normal(changed)
		if want.Title == "" {
			want.Title = got.Title
		}
		if !reflect.DeepEqual(got.Entry, want) {
			t.Fatalf("new file %q\ngot  %#v\nwant %#v", out, got.Entry, want)
		}
		again, err := entry.Parse(got.Format())
		if err != nil || !reflect.DeepEqual(again, got.Entry) {
			t.Fatalf("formatted: %v\ngot  %#v\nwant %#v", err, again, got.Entry)
		}
	})
}

// FuzzParseRevision: what is read is written with the same bytes.
func FuzzParseRevision(f *testing.F) {
	paths, err := filepath.Glob("testdata/revision/*.md")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds (err %v)", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := entry.ParseRevision(b)
		if err != nil {
			if !errors.Is(err, entry.ErrMalformed) || !reflect.DeepEqual(r, entry.Revision{}) {
				t.Fatalf("error %v, revision %#v", err, r)
			}
			return
		}
		again, err := r.Format()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%v\nread    %q\nwritten %q", err, b, again)
		}
		name, err := r.Name()
		if _, key, ok := entry.SplitName(name); err != nil || !ok || key != r.Key() {
			t.Fatalf("name %q, %v", name, err)
		}
	})
}

// FuzzExcerpt: no text makes the reader of bodies fail.
func FuzzExcerpt(f *testing.F) {
	f.Add(markdown, 40)
	for _, p := range pieces {
		f.Add(p, 3)
	}
	f.Fuzz(func(t *testing.T, body string, limit int) {
		if got := entry.Excerpt(body, limit); utf8.RuneCountInString(got) > max(0, limit) {
			t.Fatalf("%q in %d", got, limit)
		}
		entry.ReadBody(body)
	})
}
