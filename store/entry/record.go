package entry

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The kinds of records that this version writes.
const (
	RecordFeedback  = "feedback"  // what somebody says of an entry after using it
	RecordWithdrawn = "withdrawn" // another record, named by its key, does not count any more
	RecordReceived  = "received"  // raw material became entries, or none
	RecordFailed    = "failed"    // it did not, and will not be tried again by itself
	RecordPaused    = "paused"    // the work in the background stops
	RecordResumed   = "resumed"   // and goes on
	RecordDeclined  = "declined"  // a model found nothing to be told of these entries
	RecordErased    = "erased"    // other records, named by their times, are gone for good
)

// Record is something that happened to entries and is no state of one. It is
// written once.
type Record struct {
	Kind     string    // one word of lower-case letters
	Recorded time.Time // UTC, to the nanosecond
	Actor    string
	Session  string
	Role     string
	Entries  []string          // ids that it is about
	Fields   map[string]string // whatever else is known, by words of lower-case letters and "_"; nil when there is nothing
	Text     string
}

// MaxRecord is the size in bytes of a record's file.
const MaxRecord = 64 << 10

const recordLine = "memory-mcp record 1"

// recordKeys are the keys with a field of their own, in the order of the file.
var recordKeys = [...]string{"kind", "recorded", "actor", "session", "role", "entries"}

// Format writes the record's file.
func (r Record) Format() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("write record %q: %w", r.Kind, err)
	}
	b := append(make([]byte, 0, 256+len(r.Text)), recordLine+"\n"...)
	add := func(key, value string) {
		if value != "" {
			b = append(append(b, key...), ": "...)
			b = append(append(b, envelopeText(value)...), '\n')
		}
	}
	known := [...]string{r.Kind, r.Recorded.UTC().Format(recordedForm), r.Actor, r.Session, r.Role, strings.Join(r.Entries, " ")}
	for i, value := range known {
		add(recordKeys[i], value)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Fields)) {
		add(key, r.Fields[key])
	}
	b = append(b, "---\n"...)
	if r.Text != "" {
		b = append(append(b, r.Text...), '\n')
	}
	if len(b) > MaxRecord {
		return nil, fmt.Errorf("write record %q: %d bytes are more than the %d of a record", r.Kind, len(b), MaxRecord)
	}
	return b, nil
}

func (r Record) check() error {
	if !isOp(r.Kind) {
		return errors.New("the kind is not one word of lower-case letters")
	}
	if y := r.Recorded.UTC().Year(); r.Recorded.IsZero() || y < 0 || y > 9999 {
		return fmt.Errorf("recorded time %v cannot be written", r.Recorded)
	}
	for _, id := range r.Entries {
		if !ValidID(id) {
			return fmt.Errorf("%q is no id", id)
		}
	}
	texts := []string{r.Actor, r.Session, r.Role, r.Text}
	for key, value := range r.Fields {
		if !isFieldName(key) || slices.Contains(recordKeys[:], key) || value == "" {
			return fmt.Errorf("field %q with the value %q is not allowed", key, value)
		}
		texts = append(texts, value)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("%q is not UTF-8 without NUL", cutBytes(text, 60))
		}
	}
	return nil
}

func isFieldName(s string) bool {
	return s != "" && len(s) <= 32 && s[0] != '_' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// ParseRecord reads a record's file. Every error wraps [ErrMalformed].
func ParseRecord(b []byte) (Record, error) {
	head, tail, err := splitBelow(recordLine, b)
	if err != nil {
		return Record{}, err
	}
	var r Record
	for i := 0; head != ""; i++ {
		var line string
		line, head, _ = strings.Cut(head, "\n")
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return Record{}, recordError(i, "not a key and its value", line)
		}
		if value, err = envelopeValue(value); err == nil {
			err = r.set(key, value)
		}
		if err != nil {
			return Record{}, recordError(i, err.Error(), value)
		}
	}
	r.Text = strings.TrimSuffix(string(tail), "\n")
	again, err := r.Format()
	if err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if !bytes.Equal(again, b) {
		return Record{}, fmt.Errorf("%w record %q: it is not spelled as the format says", ErrMalformed, r.Kind)
	}
	return r, nil
}

func (r *Record) set(key, value string) (err error) {
	switch key {
	case "kind":
		r.Kind = value
	case "recorded":
		r.Recorded, err = time.Parse(recordedForm, value)
	case "actor":
		r.Actor = value
	case "session":
		r.Session = value
	case "role":
		r.Role = value
	case "entries":
		r.Entries = strings.Split(value, " ")
	default:
		if r.Fields == nil {
			r.Fields = map[string]string{}
		}
		r.Fields[key] = value
	}
	return err
}

func recordError(i int, what, value string) error {
	return &SyntaxError{Line: i + 2, What: what, Value: value, Remedy: "restore the file from a backup, or delete it; records are never edited"}
}

// Key is TIME-HASH, what names the record and orders it among all of a lobe. It
// is "" for a record that cannot be written.
func (r Record) Key() string {
	b, err := r.Format()
	if err != nil {
		return ""
	}
	return KeyTime(r.Recorded) + "-" + Hash16(b)
}

// Name is where the record's file lies below the folder of records: a folder
// for each month, and KEY.md.
func (r Record) Name() (string, error) {
	b, err := r.Format()
	if err != nil {
		return "", err
	}
	return RecordMonth(r.Recorded) + "/" + KeyTime(r.Recorded) + "-" + Hash16(b) + ".md", nil
}

// RecordMonth is the folder of the records of a time.
func RecordMonth(t time.Time) string { return t.UTC().Format("2006-01") }

// RecordKey is the key in the name of a record's file.
func RecordKey(name string) (key string, ok bool) {
	key, ok = strings.CutSuffix(name, ".md")
	return key, ok && validKey(key)
}

// Without is what is kept of a record when entries are erased that it names:
// that something happened then to the other ones. It is not ok when there are
// none, and then nothing is kept.
func (r Record) Without(erased func(id string) bool) (Record, bool) {
	left := slices.DeleteFunc(slices.Clone(r.Entries), erased)
	if len(left) == 0 {
		return Record{}, false
	}
	return Record{Kind: r.Kind, Recorded: r.Recorded, Actor: r.Actor, Session: r.Session, Role: r.Role, Entries: left}, true
}
