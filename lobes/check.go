package lobes

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// checkText refuses what cannot be stored. The field names the text.
func checkText(field, text string) error {
	if len(text) > MaxText {
		return &TextError{Field: field, What: TextTooLong, Size: len(text)}
	}
	if !utf8.ValidString(text) {
		return &TextError{Field: field, What: TextNotUTF8, Offset: firstInvalid(text), Size: len(text)}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &TextError{Field: field, What: TextNUL, Offset: i, Size: len(text)}
	}
	return nil
}

func firstInvalid(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !bytes.HasPrefix([]byte(text[i:]), []byte("\uFFFD")) {
			return i
		}
	}
	return len(text)
}

// A cleaner takes private parts and secrets out of the texts of one note, and
// remembers what it masked.
type cleaner struct{ masked []string }

// text is the text as it may be stored.
func (c *cleaner) text(field, text string) (string, error) {
	if err := checkText(field, text); err != nil {
		return "", err
	}
	// Line ends are the file's business.
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	public, _ := textanalysis.DropPrivate(text)
	public, found := textanalysis.MaskSecrets(public)
	for _, secret := range found {
		c.note(secret.Kind)
	}
	return strings.TrimRight(strings.Trim(public, "\n"), " \t"), nil
}

// note remembers that a secret of this kind was masked.
func (c *cleaner) note(kind string) {
	if !slices.Contains(c.masked, kind) {
		c.masked = append(c.masked, kind)
	}
}

// line is a text of one line.
func (c *cleaner) line(field, text string) (string, error) {
	text, err := c.text(field, text)
	return strings.Join(strings.Fields(text), " "), err
}

// list is a list of lines, without empty ones and repetitions.
func (c *cleaner) list(field string, texts []string) ([]string, error) {
	var out []string
	for _, t := range texts {
		line, err := c.line(field, t)
		if err != nil {
			return nil, err
		}
		if line != "" && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out, nil
}

// callTime reads a time of a call. A bare date is a day of the caller: its
// start, or its end when the time ends something.
func callTime(field, text string, zone *time.Location, ends bool) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		if ends {
			day = day.AddDate(0, 0, 1)
		}
		return day.UTC(), nil
	}
	t, err := entry.ParseTime(text)
	if err != nil {
		return time.Time{}, &ValueError{Field: field, Value: text, Why: "it is neither a date (2026-11-30) nor RFC 3339"}
	}
	return t, nil
}

// share checks a number that must lie between 0 and 1.
func share(field string, v *float64) error {
	if v == nil || *v >= 0 && *v <= 1 {
		return nil
	}
	return &ValueError{Field: field, Value: number(*v), Why: "it is not between 0 and 1"}
}
