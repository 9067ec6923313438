package entry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	revisionLine = "memory-mcp revision 1"
	recordedForm = nanoseconds
	keyTimeForm  = "20060102T150405.000000000Z"
	keyLength    = len(keyTimeForm) + 1 + 16
)

// revisionKeys are the keys of an envelope in the order of the file.
var revisionKeys = [...]string{"id", "parents", "recorded", "actor", "session", "role", "op", "reason", "change", "path", "moved_to", "hint", "instead", "was", "erased", "eraser", "sha256"}

// Sum is the SHA-256 of b in hex digits: what ties a head to its revision.
func Sum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Hash16 is the beginning of [Sum] that stands in a revision's key.
func Hash16(b []byte) string { return Sum(b)[:16] }

// Matches tells whether the bytes are the head that the revision recorded.
func (r Revision) Matches(head []byte) bool { return !r.Gone() && bytes.Equal(r.Head, head) }

// Format writes the revision's file. An erase tombstone keeps nothing but id,
// time and actor, whatever else r holds.
func (r Revision) Format() ([]byte, error) {
	values := r.values(r.sum())
	if err := r.check(&values); err != nil {
		return nil, fmt.Errorf("write revision of %q: %w", r.ID, err)
	}
	return append(r.envelope(make([]byte, 0, 512+len(r.Head)), &values), r.Head...), nil
}

// envelope appends all that stands above the head.
func (r Revision) envelope(b []byte, values *[len(revisionKeys)]string) []byte {
	b = append(b, revisionLine+"\n"...)
	later := r.later
	for i, value := range values {
		for len(later) > 0 && later[0].before <= i {
			b = append(append(b, later[0].line...), '\n')
			later = later[1:]
		}
		if value != "" {
			b = append(append(b, revisionKeys[i]...), ": "...)
			b = append(append(b, envelopeText(value)...), '\n')
		}
	}
	for _, l := range later {
		b = append(append(b, l.line...), '\n')
	}
	return append(b, "---\n"...)
}

// sum is the SHA-256 of the head; empty for a tombstone.
func (r Revision) sum() string {
	if r.Gone() {
		return ""
	}
	return Sum(r.Head)
}

// values gives the values of [revisionKeys].
func (r Revision) values(sum string) [len(revisionKeys)]string {
	recorded := r.Recorded.UTC().Format(recordedForm)
	if r.Op == OpErase {
		return [...]string{r.ID, "", recorded, r.Actor, "", "", string(r.Op), "", "", "", "", "", "", "", "", "", ""}
	}
	parents, instead := strings.Join(r.Parents, " "), strings.Join(r.Instead, " ")
	if r.Op == OpBlank {
		return [...]string{r.ID, parents, recorded, r.Actor, "", "", string(r.Op), "", r.Change, "", "", "",
			instead, string(r.Was), r.Erased.UTC().Format(recordedForm), r.Eraser, ""}
	}
	return [...]string{r.ID, parents, recorded, r.Actor, r.Session, r.Role, string(r.Op),
		r.Reason, r.Change, r.Path, r.MovedTo, r.Hint, instead, "", "", "", sum}
}

func (r Revision) check(values *[len(revisionKeys)]string) error {
	if !ValidID(r.ID) {
		return errors.New("not an id")
	}
	if !r.Op.known() && !r.newOp {
		return fmt.Errorf("unknown op %q", r.Op)
	}
	if y := r.Recorded.UTC().Year(); r.Recorded.IsZero() || y < 0 || y > 9999 {
		return fmt.Errorf("recorded time %v cannot be written", r.Recorded)
	}
	if r.Gone() && len(r.Head) > 0 {
		return fmt.Errorf("op %q leaves no head, but %d bytes are given", r.Op, len(r.Head))
	}
	if r.MovedTo != "" && (r.Op != OpMove || len(r.Head) > 0) {
		return fmt.Errorf("op %q with a lobe that it went to", r.Op)
	}
	if !r.Gone() && len(r.Head) == 0 {
		return fmt.Errorf("op %q without the bytes of a head", r.Op)
	}
	for _, p := range slices.Concat(r.Parents, r.Instead) {
		if !validKey(p) {
			return fmt.Errorf("%q is no key of a revision", p)
		}
	}
	if y := r.Erased.UTC().Year(); r.Op == OpBlank && (len(r.Instead) == 0 || !r.Was.known() && !isOp(string(r.Was)) || r.Erased.IsZero() || y < 0 || y > 9999) {
		return fmt.Errorf("op %q without what it stands for, what that did, and when it was erased", r.Op)
	}
	for i, v := range values {
		if !utf8.ValidString(v) {
			return fmt.Errorf("%s %q is not UTF-8", revisionKeys[i], v)
		}
	}
	return nil
}

// known tells whether an op is one of this version.
func (o Op) known() bool {
	switch o {
	case OpCreate, OpReplace, OpAppend, OpEdit, OpConfirm, OpRetract, OpRestore, OpAdopt, OpErase,
		OpLate, OpSupersede, OpUndo, OpMove, OpArchive, OpBlank:
		return true
	}
	return false
}

// isOp tells whether a text can be the op of a newer version: one word of
// lower-case letters.
func isOp(s string) bool {
	return s != "" && len(s) <= 32 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// envelopeText is the value as it stands, or a JSON string where it would not stay one line.
func envelopeText(v string) string {
	if v[0] != '"' && v[0] != ' ' && !strings.ContainsFunc(v, unicode.IsControl) {
		return v
	}
	return jsonText(v)
}

// jsonText writes a JSON string on one line. Only what must be is escaped.
func jsonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// ParseRevision reads a revision's file, and checks that the head is the one
// that was written. Every error wraps [ErrMalformed].
func ParseRevision(b []byte) (Revision, error) {
	head, tail, err := splitEnvelope(b)
	if err != nil {
		return Revision{}, err
	}
	var r Revision
	next, sum := 0, ""
	for i := 0; head != ""; i++ {
		var line string
		line, head, _ = strings.Cut(head, "\n")
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			return Revision{}, envelopeError(i, "not a key and its value", line)
		}
		at := slices.Index(revisionKeys[:], name)
		if at < 0 {
			r.later = append(r.later, laterLine{next, line})
			continue
		}
		if at < next {
			return Revision{}, envelopeError(i, "key twice or out of order", name)
		}
		next = at + 1
		if err := r.set(name, value, &sum); err != nil {
			return Revision{}, envelopeError(i, err.Error(), value)
		}
	}
	if len(tail) > 0 {
		r.Head = bytes.Clone(tail)
	}
	return r.verified(b, sum)
}

// verified gives back r if its bytes are the ones that it would be written
// with: then the key computed from r is the one in the file's name.
func (r Revision) verified(b []byte, sum string) (Revision, error) {
	real := r.sum()
	if !r.Gone() && sum != real {
		return Revision{}, fmt.Errorf("%w revision of %q: the head's SHA-256 is %s, not %q", ErrMalformed, r.ID, real, sum)
	}
	values := r.values(real)
	if err := r.check(&values); err != nil {
		return Revision{}, fmt.Errorf("%w: write revision of %q: %w", ErrMalformed, r.ID, err)
	}
	above := b[:len(b)-len(r.Head)]
	if !bytes.Equal(r.envelope(make([]byte, 0, len(above)), &values), above) {
		return Revision{}, fmt.Errorf("%w revision of %q: it is not spelled as the format says", ErrMalformed, r.ID)
	}
	return r, nil
}

func envelopeError(i int, what, value string) error {
	return &SyntaxError{Line: i + 2, What: what, Value: value, Remedy: "restore the file from a backup; revisions are never edited"}
}

// splitEnvelope gives the lines between the first line and the separator, each
// with its end, and the bytes below.
func splitEnvelope(b []byte) (string, []byte, error) { return splitBelow(revisionLine, b) }

// splitBelow is splitEnvelope for a file with another first line.
func splitBelow(opening string, b []byte) (string, []byte, error) {
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	if string(first) != opening {
		return "", nil, envelopeError(-1, "not "+opening, cutBytes(string(first), 60))
	}
	if bytes.HasPrefix(rest, []byte("---\n")) {
		return "", rest[len("---\n"):], nil
	}
	at := bytes.Index(rest, []byte("\n---\n"))
	if at < 0 {
		last := rest[bytes.LastIndexByte(rest, '\n')+1:]
		return "", nil, envelopeError(bytes.Count(rest, []byte("\n")), "no separator line", cutBytes(string(last), 60))
	}
	return string(rest[:at+1]), rest[at+len("\n---\n"):], nil
}

func (r *Revision) set(name, value string, sum *string) error {
	value, err := envelopeValue(value)
	if err != nil {
		return err
	}
	switch name {
	case "id":
		r.ID = value
	case "parents":
		r.Parents = strings.Split(value, " ")
	case "recorded":
		t, err := time.Parse(recordedForm, value)
		r.Recorded = t
		return err
	case "op":
		r.Op = Op(value)
		r.newOp = !r.Op.known() && isOp(value)
	case "instead":
		r.Instead = strings.Split(value, " ")
	case "was":
		r.Was = Op(value)
	case "erased":
		t, err := time.Parse(recordedForm, value)
		r.Erased = t
		return err
	case "sha256":
		*sum = value
	default:
		*r.text(name) = value
	}
	return nil
}

// envelopeValue is a value as [envelopeText] was given it.
func envelopeValue(value string) (string, error) {
	if !strings.HasPrefix(value, `"`) {
		return value, nil
	}
	var text string
	if err := json.Unmarshal([]byte(value), &text); err != nil {
		return value, fmt.Errorf("not a JSON string: %w", err)
	}
	return text, nil
}

// text is the field of a key that holds plain text.
func (r *Revision) text(name string) *string {
	switch name {
	case "actor":
		return &r.Actor
	case "session":
		return &r.Session
	case "role":
		return &r.Role
	case "reason":
		return &r.Reason
	case "change":
		return &r.Change
	case "path":
		return &r.Path
	case "moved_to":
		return &r.MovedTo
	case "eraser":
		return &r.Eraser
	default:
		return &r.Hint
	}
}

// Key is TIME-HASH: what names the revision among those of its entry, and
// orders it. It is "" for a revision that cannot be written.
func (r Revision) Key() string {
	b, err := r.Format()
	if err != nil {
		return ""
	}
	return r.Recorded.UTC().Format(keyTimeForm) + "-" + Hash16(b)
}

// Name is the name of the revision's file: ID.KEY.md.
func (r Revision) Name() (string, error) {
	b, err := r.Format()
	if err != nil {
		return "", err
	}
	return r.ID + "." + r.Recorded.UTC().Format(keyTimeForm) + "-" + Hash16(b) + ".md", nil
}

// SplitName takes the name of a revision's file apart.
func SplitName(name string) (id, key string, ok bool) {
	stem, ok := strings.CutSuffix(name, ".md")
	at := len(stem) - keyLength - 1
	if !ok || at < 1 || stem[at] != '.' {
		return "", "", false
	}
	id, key = stem[:at], stem[at+1:]
	if !ValidID(id) || !validKey(key) {
		return "", "", false
	}
	return id, key, true
}

// RevisionTime is the recorded time that a key states.
func RevisionTime(key string) (time.Time, error) {
	t, ok := keyTime(key)
	if !ok {
		return time.Time{}, fmt.Errorf("read the time of revision %q: not a key", key)
	}
	return t, nil
}

// KeyTime is how the keys of revisions that were recorded at a time begin. Keys
// are ordered as their times are.
func KeyTime(t time.Time) string { return t.UTC().Format(keyTimeForm) }

func validKey(key string) bool {
	_, ok := keyTime(key)
	return ok
}

// keyTime reads a key. A history has as many as it has files, so this is no
// general parser.
func keyTime(key string) (time.Time, bool) {
	if len(key) != keyLength {
		return time.Time{}, false
	}
	for _, c := range []byte(key[keyLength-16:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return time.Time{}, false
		}
	}
	var n [7]int // year, month, day, hour, minute, second, nanosecond
	field := 0
	for i, form := range []byte("yyyymmddThhmmss.nnnnnnnnnZ-") {
		c := key[i]
		switch form {
		case 'T', '.', 'Z', '-':
			if c != form {
				return time.Time{}, false
			}
			continue
		}
		if c < '0' || c > '9' {
			return time.Time{}, false
		}
		if i == 4 || i == 6 || i == 9 || i == 11 || i == 13 || i == 16 {
			field++
		}
		n[field] = 10*n[field] + int(c-'0')
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6], time.UTC)
	// Whatever is out of its range has moved what is above it.
	ok := t.Month() == time.Month(n[1]) && t.Day() == n[2] && t.Hour() == n[3] && t.Minute() == n[4] && t.Second() == n[5]
	return t, ok
}

// HistoryDir is the folder below ".history" that holds the revisions of an id.
func HistoryDir(id string) string { return hexSum(id)[:2] }
