package entry

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Normal is e as it is read back after it was written: times in UTC, a body
// with LF line ends and no blank lines around it, a title of one line (the
// first heading of the body when there is none), no empty list values.
func Normal(e Entry) Entry {
	for i := range keys {
		normalField(keys[i].field(&e))
	}
	if t, err := ParseTopic(e.Topic); err == nil {
		e.Topic = t
	}
	e.Body = normalBody(e.Body)
	e.Title = normalTitle(e.Title)
	if e.Title == "" {
		e.Title, e.Body = ownTitle(e.Body)
	}
	e.Extra = slices.Clone(e.Extra)
	if len(e.Extra) == 0 {
		e.Extra = nil
	}
	return e
}

func normalField(field any) {
	switch f := field.(type) {
	case *string:
		*f = normalText(*f)
	case **float64:
		if *f != nil {
			v := min(1, max(0, **f))
			*f = &v
		}
	case *[]string:
		*f = normalList(*f)
	case *time.Time:
		*f = normalTime(*f)
	}
}

func normalList(list []string) []string {
	var out []string
	for _, v := range list {
		if v = normalText(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// normalText has LF line ends and no blanks around it.
func normalText(s string) string {
	return strings.Trim(unixLines(s), " \t\r\n")
}

func normalTitle(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return strings.Trim(s, " \t")
	}
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' })
	return strings.Trim(strings.Join(lines, " "), " \t")
}

// normalBody has LF line ends and neither blank lines nor carriage returns at
// its ends; blanks before the first word stay, as they make it a code block.
func normalBody(s string) string {
	s = unixLines(s)
	from, to := trimBlankLines(s)
	return s[from:to]
}

// unixLines takes the carriage returns away that stand at the end of a line.
func unixLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return strings.Join(lines, "\n")
}

// trimBlankLines gives the bounds of s without the blank lines around it and
// without the last line's end.
func trimBlankLines(s string) (from, to int) {
	for from < len(s) {
		end := strings.IndexByte(s[from:], '\n')
		if end < 0 || !isBlank(s[from:from+end]) {
			break
		}
		from += end + 1
	}
	if isBlank(s[from:]) {
		return from, from
	}
	to = len(s)
	for {
		start := strings.LastIndexByte(s[:to], '\n')
		if !isBlank(s[start+1 : to]) {
			return from, to
		}
		to = start
	}
}

func isBlank(line string) bool {
	for i := range len(line) {
		if c := line[i]; c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// Equal tells whether two entries say the same.
func Equal(a, b Entry) bool { return reflect.DeepEqual(Normal(a), Normal(b)) }

// Check tells whether e can be written and read back: id, topic and the words
// of closed lists are allowed ones, and all text is UTF-8.
func (e Entry) Check() error {
	if !ValidID(e.ID) {
		return fmt.Errorf("check entry: %q is no id", e.ID)
	}
	if e.Topic == "" {
		return fmt.Errorf("check entry %q: it has no topic", e.ID)
	}
	for i := range keys {
		k := &keys[i]
		if err := k.check(k.field(&e)); err != nil {
			return fmt.Errorf("check entry %q: %s: %w", e.ID, k.name, err)
		}
	}
	if !utf8.ValidString(e.Title) || !utf8.ValidString(e.Body) {
		return fmt.Errorf("check entry %q: title or body is not UTF-8", e.ID)
	}
	if err := checkExtra(e.Extra); err != nil {
		return fmt.Errorf("check entry %q: %w", e.ID, err)
	}
	return nil
}

func checkExtra(fields []Field) error {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Key] {
			return &KeyError{Key: f.Key, Cause: errors.New("it is there twice")}
		}
		seen[f.Key] = true
		if err := f.check(); err != nil {
			return err
		}
	}
	return nil
}
