package imports

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

// A line is one entry of an export: the file as it is, and for programs what it
// says. Bytes that are no UTF-8 are in base 64.
type line struct {
	Format    string   `json:"format"`
	ID        string   `json:"id"`
	Lobe      string   `json:"lobe"`
	Path      string   `json:"path"`
	Topic     string   `json:"topic,omitempty"`
	Title     string   `json:"title,omitempty"`
	Body      string   `json:"body,omitempty"`
	Trust     string   `json:"trust,omitempty"`
	File      *blob    `json:"file"` // null: it was taken back
	Revisions []blob   `json:"revisions,omitempty"`
	Record    *blob    `json:"record,omitempty"` // of what is no state of an entry; then there is no id
	Tags      []string `json:"tags,omitempty"`
}

// Format names the form of an export's lines, and its version.
const Format = "memory-mcp/1"

// A blob is bytes: a text where they are one, else an object with base 64.
type blob []byte

// MarshalJSON writes a text, or an object for what is none.
func (b blob) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		return json.Marshal(string(b))
	}
	return json.Marshal(map[string][]byte{"base64": b})
}

// UnmarshalJSON reads both forms.
func (b *blob) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err == nil {
		*b = blob(s)
		return nil
	}
	var o struct {
		Base64 []byte `json:"base64"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	*b = o.Base64
	return nil
}

// Write writes copies as lines of JSON.
func Write(w io.Writer, all []lobes.Copy) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, c := range all {
		l := line{Format: Format, ID: c.ID, Lobe: c.Lobe, Path: c.Path}
		if c.Head != nil {
			file := blob(c.Head)
			l.File = &file
			if e, err := entry.Parse(c.Head); err == nil {
				l.Topic, l.Title, l.Body, l.Trust, l.Tags = e.Topic, e.Title, e.Body, string(e.Trust), e.Tags
			}
		}
		for _, r := range c.Revisions {
			l.Revisions = append(l.Revisions, r)
		}
		if c.Record != nil {
			record := blob(c.Record)
			l.Record = &record
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return out.Flush()
}

// exported reads what [Write] wrote. The file counts, not what is told of it.
func (b *Batch) exported(path, text string) {
	n := 0
	for one := range strings.SplitSeq(text, "\n") {
		n++
		if strings.TrimSpace(one) == "" {
			continue
		}
		where := fmt.Sprintf("%s:%d", filepath.Base(path), n)
		var l line
		switch err := json.Unmarshal([]byte(one), &l); {
		case err != nil:
			b.skip(where, "it is no line of JSON: %v", err)
		case l.Format != Format:
			b.skip(where, "it is of the form %q, and this program reads %q", l.Format, Format)
		case l.Record != nil:
			b.Copies = append(b.Copies, lobes.Copy{Lobe: l.Lobe, Record: *l.Record})
		case l.ID == "" || l.File == nil && len(l.Revisions) == 0:
			b.skip(where, "it holds no entry")
		default:
			c := lobes.Copy{ID: l.ID, Lobe: l.Lobe, Path: l.Path}
			if l.File != nil {
				c.Head = *l.File
			}
			for _, r := range l.Revisions {
				c.Revisions = append(c.Revisions, r)
			}
			b.Copies = append(b.Copies, c)
		}
	}
}

// lobe reads the folder of a lobe, of this program or of its ancestor.
func (b *Batch) lobe(dir string) error {
	byID := map[string]int{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && at != dir && !strings.HasPrefix(rel, ".history") && !strings.HasPrefix(rel, ".records"):
			if strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		case strings.HasPrefix(rel, ".history/"):
			return b.revision(at, byID)
		case strings.HasPrefix(rel, ".records/"):
			return b.record(at)
		}
		return b.head(at, rel, byID)
	})
	if err == nil && len(b.Copies) == 0 {
		err = fmt.Errorf("%q holds no memory", dir)
	}
	slices.SortFunc(b.Copies, func(a, c lobes.Copy) int { return strings.Compare(a.ID, c.ID) })
	return err
}

func (b *Batch) copyOf(id string, byID map[string]int) *lobes.Copy {
	i, known := byID[id]
	if !known {
		i = len(b.Copies)
		byID[id] = i
		b.Copies = append(b.Copies, lobes.Copy{ID: id})
	}
	return &b.Copies[i]
}

func (b *Batch) record(at string) error {
	if _, ok := entry.RecordKey(filepath.Base(at)); !ok {
		return nil // one that was never acknowledged
	}
	text, err := os.ReadFile(at)
	if err == nil {
		b.Copies = append(b.Copies, lobes.Copy{Record: text})
	}
	return err
}

func (b *Batch) head(at, rel string, byID map[string]int) error {
	if !entry.IsEntryPath(rel) {
		return nil
	}
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	text, err := slurp(at)
	if err != nil {
		b.skip(rel, "%v", err)
		return nil
	}
	parsed, err := entry.ParseFile(rel, info.ModTime(), text)
	if err != nil || parsed.Entry.ID == "" {
		b.skip(rel, "it cannot be read as a memory: %v", errors.Join(err))
		return nil
	}
	c := b.copyOf(parsed.Entry.ID, byID)
	if c.Head != nil {
		b.skip(rel, "another file has the id %q", c.ID)
		return nil
	}
	c.Path, c.Head = rel, text
	return nil
}

func (b *Batch) revision(at string, byID map[string]int) error {
	text, err := slurp(at)
	if err != nil || !strings.HasSuffix(at, ".md") {
		return nil // a half-written one is none
	}
	rev, err := entry.ParseRevision(text)
	if err != nil {
		b.skip(filepath.Base(at), "it is no revision: %v", err)
		return nil
	}
	c := b.copyOf(rev.ID, byID)
	c.Revisions = append(c.Revisions, text)
	return nil
}
