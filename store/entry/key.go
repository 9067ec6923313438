package entry

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A key is one key of the header that we know.
type key struct {
	name  string
	field func(*Entry) any             // *string, *Trust, *[]string, *time.Time or **float64
	word  func(string) (string, error) // reads a text that is not free; nil when it is
	list  bool
	day   bool // a time that is usually a date
}

// keys are in the order in which a new file has them.
var keys = [...]key{
	{name: "id", field: func(e *Entry) any { return &e.ID }, word: parseID},
	{name: "topic", field: func(e *Entry) any { return &e.Topic }, word: ParseTopic},
	{name: "kind", field: func(e *Entry) any { return &e.Kind }, word: ParseKind},
	{name: "status", field: func(e *Entry) any { return &e.Status }, word: ParseStatus},
	{name: "trust", field: func(e *Entry) any { return &e.Trust }},
	{name: "trust_from", field: func(e *Entry) any { return &e.TrustFrom }, word: parseTrustFrom},
	{name: "confidence", field: func(e *Entry) any { return &e.Confidence }},
	{name: "importance", field: func(e *Entry) any { return &e.Importance }},
	{name: "durability", field: func(e *Entry) any { return &e.Durability }, word: ParseDurability},
	{name: "created", field: func(e *Entry) any { return &e.Created }},
	{name: "lastAccessed", field: func(e *Entry) any { return &e.LastAccessed }},
	{name: "verified", field: func(e *Entry) any { return &e.Verified }, day: true},
	{name: "valid_from", field: func(e *Entry) any { return &e.Valid.From }},
	{name: "valid_until", field: func(e *Entry) any { return &e.Valid.Until }},
	{name: "expires", field: func(e *Entry) any { return &e.Expires }},
	{name: "sources", field: func(e *Entry) any { return &e.Sources }, list: true},
	{name: "references", field: func(e *Entry) any { return &e.References }, list: true},
	{name: "tags", field: func(e *Entry) any { return &e.Tags }, list: true},
	{name: "branch", field: func(e *Entry) any { return &e.Branch }},
	{name: "gitSha", field: func(e *Entry) any { return &e.GitSHA }},
	{name: "supersedes", field: func(e *Entry) any { return &e.Supersedes }, list: true},
	{name: "derived_from", field: func(e *Entry) any { return &e.DerivedFrom }, list: true},
	{name: "moved_to", field: func(e *Entry) any { return &e.MovedTo }},
	{name: "subject", field: func(e *Entry) any { return &e.Subject }},
	{name: "conditions", field: func(e *Entry) any { return &e.Conditions }, list: true},
	{name: "problem", field: func(e *Entry) any { return &e.Problem }},
	{name: "solution", field: func(e *Entry) any { return &e.Solution }},
	{name: "files", field: func(e *Entry) any { return &e.Files }, list: true},
	{name: "concepts", field: func(e *Entry) any { return &e.Concepts }, list: true},
	{name: "quote", field: func(e *Entry) any { return &e.Quote }},
	{name: "origin", field: func(e *Entry) any { return &e.Origin }},
	{name: "pins", field: func(e *Entry) any { return &e.Pins }, list: true},
}

// titleKey is not in the table: it is read only when the body has no title.
var titleKey = key{name: "title", field: func(e *Entry) any { return &e.Title }}

// keyNamed finds the key that a header line names, or nil.
func keyNamed(name string) *key {
	if i := keyIndex(name); i >= 0 {
		return keyAt(i)
	}
	return nil
}

// keyIndex is the place of a key in the table; the title's is behind the last.
// It is -1 for a key that we do not know.
func keyIndex(name string) int {
	if name == "source" {
		name = "sources"
	}
	for i := range keys {
		if keys[i].name == name {
			return i
		}
	}
	if name == titleKey.name {
		return len(keys)
	}
	return -1
}

func keyAt(i int) *key {
	if i == len(keys) {
		return &titleKey
	}
	return &keys[i]
}

// value is what a header says under a key: a text or a list.
type value struct {
	text   string
	list   []string
	isList bool
}

func (v value) empty() bool { return v.text == "" && len(v.list) == 0 }

// equal compares what is written, as far as it is kept.
func (v value) equal(w value) bool {
	if v.text != w.text || len(v.list) != len(w.list) {
		return false
	}
	for i := range v.list {
		if v.list[i] != w.list[i] {
			return false
		}
	}
	return true
}

// get is the value of the key in e, in the form in which it is written.
func (k *key) get(e *Entry) value {
	switch f := k.field(e).(type) {
	case *string:
		return value{text: *f}
	case *Trust:
		return value{text: string(*f)}
	case *[]string:
		return value{list: *f, isList: true}
	case **float64:
		return value{text: formatNumber(*f)}
	case *time.Time:
		switch {
		case f.IsZero():
			return value{}
		case k.day:
			return value{text: formatDay(*f)}
		}
		return value{text: formatTime(*f)}
	}
	panic("key " + k.name + " has a field of no known type")
}

// set gives e the value that a header states.
func (k *key) set(e *Entry, v value) error {
	field := k.field(e)
	if list, ok := field.(*[]string); ok {
		if !v.isList {
			v.list = splitCommas(v.text)
		}
		*list = normalList(v.list)
		return nil
	}
	if v.isList {
		return errors.New("a list where one value is expected")
	}
	text := normalText(v.text)
	if text == "" {
		return nil
	}
	switch f := field.(type) {
	case *string:
		var err error
		if k.word != nil {
			text, err = k.word(text)
		}
		*f = text
		return err
	case *Trust:
		var err error
		*f, err = ParseTrust(text)
		return err
	case **float64:
		n, err := parseNumber(text)
		*f = n
		return err
	case *time.Time:
		t, err := ParseTime(text)
		*f = t
		return err
	}
	panic("key " + k.name + " has a field of no known type")
}

// check tells whether a field's value would be read back.
func (k *key) check(field any) error {
	var texts []string
	switch f := field.(type) {
	case *string:
		texts = []string{*f}
		if k.word != nil && *f != "" {
			if _, err := k.word(*f); err != nil {
				return err
			}
		}
	case *Trust:
		if *f != "" {
			_, err := ParseTrust(string(*f))
			return err
		}
	case *[]string:
		texts = *f
	case **float64:
		if *f != nil && math.IsNaN(**f) {
			return errors.New("not a number")
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not UTF-8", s)
		}
	}
	return nil
}

func parseID(s string) (string, error) {
	if !ValidID(s) {
		return "", fmt.Errorf("%q is no id (letters, digits, \".\", \"_\", \"-\"; first a letter or digit; at most %d bytes)", s, maxID)
	}
	return s, nil
}

// parseNumber reads a number and clamps it to 0..1.
func parseNumber(s string) (*float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) || strings.ContainsAny(s, "xXpP_iI") {
		return nil, fmt.Errorf("%q is no number from 0 to 1", s)
	}
	n = min(1, max(0, n))
	return &n, nil
}

// formatNumber writes as many digits as are needed, and at least two decimals.
func formatNumber(n *float64) string {
	if n == nil {
		return ""
	}
	v := min(1, max(0, *n))
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) < 2 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return s
}
