package entry

import (
	"fmt"
	"strings"
	"time"
)

const (
	milliseconds = "2006-01-02T15:04:05.000Z"
	nanoseconds  = "2006-01-02T15:04:05.000000000Z"
)

// ParseTime reads a time as files state it: RFC 3339, with a space for the "T"
// if need be, or a bare date. What has no zone is UTC; the answer is in UTC.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02 15:04"} {
		if err == nil {
			break
		}
		t, err = time.Parse(layout, s)
	}
	if err != nil {
		t, err = time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read time %q: neither RFC 3339 nor a date", s)
	}
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, fmt.Errorf("read time %q: its year in UTC is outside 0000 to 9999", s)
	}
	return t, nil
}

// formatTime writes milliseconds, or nanoseconds when they matter.
func formatTime(t time.Time) string {
	if t.Nanosecond()%1e6 != 0 {
		return t.Format(nanoseconds)
	}
	return t.Format(milliseconds)
}

// formatDay writes a date, or the time of day too when it matters.
func formatDay(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return formatTime(t)
}

// normalTime is t in UTC, moved into the years that a file can state.
func normalTime(t time.Time) time.Time {
	t = t.UTC().Round(0)
	switch {
	case t.Year() < 0:
		return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case t.Year() > 9999:
		return time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	}
	return t
}
