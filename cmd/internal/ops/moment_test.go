package ops_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memory-mcp/cmd/internal/ops"
)

// A Wednesday, in a zone two hours east.
var wednesday = time.Date(2026, 6, 17, 15, 30, 0, 0, time.FixedZone("", 2*3600))

func TestTimesAreReadAsCallersWriteThem(t *testing.T) {
	tests := []struct{ name, given, want string }{
		{"asOf", "2026-06-09T12:00:00Z", "2026-06-09T12:00:00Z"},
		{"asOf", "2026-06-09T12:00:00+02:00", "2026-06-09T10:00:00Z"},
		{"asOf", "2026-06-09 12:00", "2026-06-09T10:00:00Z"},
		{"asOf", "2026-06-09 12:00:00 +0000", "2026-06-09T12:00:00Z"},
		{"asOf", "1780999200", "2026-06-09T10:00:00Z"},
		{"asOf", "2026-06-09", "2026-06-09T21:59:59.999999999Z"},
		{"since", "2026-06-09", "2026-06-08T22:00:00Z"},
		{"until", "2026-06-09", "2026-06-09T21:59:59.999999999Z"},
		{"validFrom", "2026-06-01", "2026-05-31T22:00:00Z"},
		{"validAt", "2026-06-09", "2026-06-09T21:59:59.999999999Z"},
		{"validAt", "2030-01-01", "2030-01-01T21:59:59.999999999Z"},
		{"validUntil", "2026-06-09", "2026-06-09T22:00:00Z"}, // all of the day is before it
		{"expires", "2026-06-09", "2026-06-09T22:00:00Z"},
		{"expires", "2030", "2030-12-31T22:00:00Z"},
		{"asOf", "today", "2026-06-17T13:30:00Z"}, // its end lies in the future
		{"asOf", "now", "2026-06-17T13:30:00Z"},
		{"asOf", "yesterday", "2026-06-16T21:59:59.999999999Z"},
		{"since", "yesterday", "2026-06-15T22:00:00Z"},
		{"since", "yesterday at 17:00", "2026-06-16T15:00:00Z"},
		{"since", "yesterday 5pm", "2026-06-16T15:00:00Z"},
		{"since", "yesterday 5 pm", "2026-06-16T15:00:00Z"},
		{"since", "2026-06-09 9:30am", "2026-06-09T07:30:00Z"},
		{"since", "2 weeks ago", "2026-06-02T22:00:00Z"},
		{"since", "two weeks ago", "2026-06-02T22:00:00Z"},
		{"since", "a week ago", "2026-06-09T22:00:00Z"},
		{"since", "3 hours ago", "2026-06-17T10:30:00Z"},
		{"since", "an hour ago", "2026-06-17T12:30:00Z"},
		{"since", "2h", "2026-06-17T11:30:00Z"},
		{"since", "-2h", "2026-06-17T11:30:00Z"},
		{"since", "90min", "2026-06-17T12:00:00Z"},
		{"since", "7d", "2026-06-10T13:30:00Z"},
		{"since", "past 7 days", "2026-06-09T22:00:00Z"},
		{"since", "the last 2 months", "2026-04-16T22:00:00Z"},
		{"since", "monday", "2026-06-14T22:00:00Z"},
		{"since", "last monday", "2026-06-14T22:00:00Z"},
		{"since", "last Wednesday", "2026-06-09T22:00:00Z"},
		{"since", "wednesday", "2026-06-16T22:00:00Z"},
		{"since", "last friday", "2026-06-11T22:00:00Z"},
		{"since", "last week", "2026-06-07T22:00:00Z"},
		{"until", "last week", "2026-06-14T21:59:59.999999999Z"},
		{"since", "this week", "2026-06-14T22:00:00Z"},
		{"since", "last month", "2026-04-30T22:00:00Z"},
		{"asOf", "last month", "2026-05-31T21:59:59.999999999Z"},
		{"since", "last year", "2024-12-31T22:00:00Z"},
		{"since", "June 9", "2026-06-08T22:00:00Z"},
		{"since", "9 jun", "2026-06-08T22:00:00Z"},
		{"since", "July 1", "2025-06-30T22:00:00Z"}, // the last one that has been
		{"validAt", "July 1", "2026-07-01T21:59:59.999999999Z"},
		{"since", "29 February", "2024-02-28T22:00:00Z"},
		{"since", "June 9, 2024", "2024-06-08T22:00:00Z"},
		{"since", "june 2024", "2024-05-31T22:00:00Z"},
		{"asOf", "2026-05", "2026-05-31T21:59:59.999999999Z"},
		{"asOf", "2025", "2025-12-31T21:59:59.999999999Z"},
		{"since", "昨天", "2026-06-15T22:00:00Z"},
		{"since", "前天", "2026-06-14T22:00:00Z"},
		{"since", "上周一", "2026-06-07T22:00:00Z"},
		{"since", "上个星期一", "2026-06-07T22:00:00Z"},
		{"since", "周一", "2026-06-14T22:00:00Z"},
		{"since", "两周前", "2026-06-02T22:00:00Z"},
		{"since", "3天前", "2026-06-13T22:00:00Z"},
		{"since", "三个月前", "2026-03-16T22:00:00Z"},
		{"since", "2小时前", "2026-06-17T11:30:00Z"},
		{"since", "十二天前", "2026-06-04T22:00:00Z"},
		{"since", "二十三天前", "2026-05-24T22:00:00Z"},
		{"since", "三十分钟前", "2026-06-17T13:00:00Z"},
		{"since", "半小时前", "2026-06-17T13:00:00Z"},
		{"since", "半个小时以前", "2026-06-17T13:00:00Z"},
		{"since", "half an hour ago", "2026-06-17T13:00:00Z"},
		{"since", "半年前", "2025-12-16T22:00:00Z"},
		{"since", "上个月", "2026-04-30T22:00:00Z"},
		{"since", "去年", "2024-12-31T22:00:00Z"},
		{"since", "2026年6月9日", "2026-06-08T22:00:00Z"},
		{"since", "6月9日", "2026-06-08T22:00:00Z"},
		{"expires", "30d", "2026-07-17T13:30:00Z"},
		{"expires", "in 2 weeks", "2026-07-01T22:00:00Z"},
		{"expires", "6m", "2026-12-17T13:30:00Z"},
		{"expires", "tomorrow", "2026-06-18T22:00:00Z"},
		{"expires", "next friday", "2026-06-19T22:00:00Z"},
		{"validUntil", "9999-12-31", "9999-12-31T22:00:00Z"},
		{"validFrom", "3 weeks ago", "2026-05-26T22:00:00Z"},
		{"asOf", "", "0001-01-01T00:00:00Z"},
	}
	for _, tt := range tests {
		got, err := ops.ReadTime(tt.name, tt.given, wednesday)
		if err != nil || got.UTC().Format(time.RFC3339Nano) != tt.want {
			t.Errorf("%s %q is %s (%v), want %s", tt.name, tt.given, got.UTC().Format(time.RFC3339Nano), err, tt.want)
		}
	}
}

// TestTheEndOfAllTime: what people write for ever is a date that can be written,
// west of Greenwich too.
func TestTheEndOfAllTime(t *testing.T) {
	for name, want := range map[string]string{"validUntil": "9999-12-31T23:59:59.999999999Z", "validAt": "9999-12-31T23:59:59.999999999Z", "validFrom": "9999-12-31T08:00:00Z"} {
		got, err := ops.ReadTime(name, "9999-12-31", wednesday.In(time.FixedZone("", -8*3600)))
		if err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s is %s, %v", name, got.UTC().Format(time.RFC3339Nano), err)
		}
	}
}

func TestTimesThatCannotBeReadAreRefused(t *testing.T) {
	tests := []struct{ name, given, want string }{
		{"asOf", "banana", "such as"}, {"asOf", "the day we met", "such as"}, {"asOf", "2026-13-01", "such as"}, {"asOf", "2026-02-30", "such as"},
		{"asOf", "yesterday yesterday", "such as"}, {"asOf", "last", "such as"}, {"asOf", "ago", "such as"},
		{"asOf", "06/09/2026", "write 2026-06-09, or 2026-09-06"}, {"asOf", "13/09/2026", "write it as 2026-09-13"}, {"asOf", "9.6.2026", "write it as 2026-06-09"},
		{"since", "30m", "min or mo"}, {"validAt", "friday", "such as"}, {"since", strings.Repeat("9", 100), "such as"}, {"since", "99999999 years ago", "such as"},
		{"asOf", "tomorrow", "validAt"}, {"asOf", "2027-01-01", "lies in the future"}, {"since", "in 2 weeks", "has been"}, {"until", "next monday", "has been"},
		{"asOf", "31 june", "such as"}, {"asOf", "99999 years ago", "such as"}, {"validAt", "in 9000 years", "such as"}, {"since", "十二十天前", "such as"}, {"since", "半天前", "such as"}, {"asOf", "\x00", "such as"},
	}
	for _, tt := range tests {
		got, err := ops.ReadTime(tt.name, tt.given, wednesday)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "argument "+tt.name) {
			t.Errorf("%s %q is %s with error %v, want %q", tt.name, tt.given, got, err, tt.want)
		}
	}
}

func TestWhatHasBeenIsNeverInTheFuture(t *testing.T) {
	words := []string{"a", "2", "last", "next", "monday", "week", "weeks", "ago", "june", "in", "days", "at", "5pm", "上", "周", "一", "天", "前", "2026", "-", " ", "31"}
	rapid.Check(t, func(t *rapid.T) {
		given := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		now := wednesday.Add(time.Duration(rapid.IntRange(0, 800*24).Draw(t, "hours")) * time.Hour)
		since, err := ops.ReadTime("since", given, now)
		until, err2 := ops.ReadTime("until", given, now)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, %v", given, err, err2)
		}
		if err == nil && (since.After(now) || until.After(now) || until.Before(since)) {
			t.Fatalf("%q is from %s until %s at %s", given, since, until, now)
		}
	})
}
