package ops

import (
	"strconv"
	"strings"
	"time"
)

// moment reads a time as callers write it: an instant, a date, or a span from
// now such as 30d. A date is the start of that local day, or its end. The
// result is an instant in writing; nothing stays nothing.
func moment(name, s string, end bool, now time.Time) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	if t, ok := readMoment(s, end, now); ok {
		return t.UTC().Format(time.RFC3339Nano), nil
	}
	return "", &ArgumentError{Name: name, Value: quote(cut(s, 60)), Want: "it should be a date such as 2026-12-31, an instant such as 2026-12-31T12:00:00Z, or a span from now such as 30d"}
}

func readMoment(s string, end bool, now time.Time) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, true
		}
	}
	for _, layout := range []string{time.DateOnly, "2006/01/02", "20060102"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			if end {
				t = t.AddDate(0, 0, 1).Add(-time.Millisecond)
			}
			return t, true
		}
	}
	return span(s, now)
}

// span reads 30d, 2w, 12h, 6m, 1y, also with words: "30 days".
func span(s string, now time.Time) (time.Time, bool) {
	s = strings.TrimPrefix(strings.ToLower(s), "in ")
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if i <= 0 || i > 5 {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(s[:i])
	if err != nil {
		return time.Time{}, false
	}
	switch strings.TrimSuffix(strings.TrimSpace(s[i:]), "s") {
	case "h", "hour":
		return now.Add(time.Duration(n) * time.Hour), true
	case "d", "day":
		return now.AddDate(0, 0, n), true
	case "w", "week":
		return now.AddDate(0, 0, 7*n), true
	case "m", "mo", "month":
		return now.AddDate(0, n, 0), true
	case "y", "year":
		return now.AddDate(n, 0, 0), true
	}
	return time.Time{}, false
}
