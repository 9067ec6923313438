package ops

import (
	"fmt"
	"strings"
	"time"
)

// A when says how the time in one argument is read.
type when struct {
	name string
	// end takes the end of a day, month or other period, else its start.
	end bool
	// outside is for a time at which something does not hold any more: the end
	// of a period is the first moment after it, so that all of it holds.
	outside bool
	// past is for what was recorded: a span without a direction goes back, a
	// day without a year is the last such day, and what begins after now makes
	// no sense.
	past bool
}

// The times of arguments.
func asOfTime() when    { return when{name: "asOf", end: true, past: true} }
func validAtTime() when { return when{name: "validAt", end: true} }
func sinceTime() when   { return when{name: "since", past: true} }
func untilTime() when   { return when{name: "until", end: true, past: true} }
func fromTime() when    { return when{name: "validFrom"} }
func validUntil() when  { return when{name: "validUntil", end: true, outside: true} }
func expiresTime() when { return when{name: "expires", end: true, outside: true} }

// read reads a time as callers write it: an instant, a date, a month, a span
// from now, or words such as "last monday". A day or another period is its
// start or its end in the caller's own time zone. Nothing is the zero time.
func (w when) read(s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	p, err := spoken{now: now, past: w.past}.period(s)
	if err != nil {
		return time.Time{}, &ArgumentError{Name: w.name, Value: quote(cut(s, 60)), Want: err.Error()}
	}
	if y := p.from.UTC().Year(); y < 1 || y > 9999 {
		return time.Time{}, &ArgumentError{Name: w.name, Value: quote(cut(s, 60)), Want: errTime.Error()} // no date can be written of it
	}
	if w.past && p.from.After(now) {
		return time.Time{}, &ArgumentError{Name: w.name, Value: quote(cut(s, 60)), Want: w.notYet(p.from, now)}
	}
	t := p.from
	if w.end && !p.instant() {
		if t = p.until; !w.outside {
			t = t.Add(-time.Nanosecond)
		}
		if last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC); t.After(last) {
			t = last // as people write for ever
		}
	}
	if w.past && t.After(now) {
		t = now
	}
	return t, nil
}

// notYet says why a time after now makes no sense, and what does.
func (w when) notYet(t, now time.Time) string {
	s := fmt.Sprintf("that is %s and lies in the future (now is %s)", t.Format(time.RFC3339), now.Format(time.RFC3339))
	if w.name == "asOf" || w.name == "at" {
		return s + "; what will hold then is asked for with validAt"
	}
	return s + "; it should be a time that has been"
}

// text is the time in writing, as a note has it; nothing stays nothing.
func (w when) text(s string, now time.Time) (string, error) {
	t, err := w.read(s, now)
	if err != nil || t.IsZero() {
		return "", err
	}
	return t.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano), nil
}

// A period is what a time in words stands for: an instant when its ends are
// one, else all from the first to before the second.
type period struct{ from, until time.Time }

func (p period) instant() bool { return p.from.Equal(p.until) }

func at(t time.Time) period { return period{t, t} }

func days(t time.Time, n int) period {
	start := midnight(t)
	return period{start, start.AddDate(0, 0, n)}
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}
