package ops

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// spoken reads times in words, English and Chinese. It knows a closed set of
// forms and refuses all others: a time that was guessed would answer another
// question than the one that was asked.
type spoken struct {
	now  time.Time
	past bool
}

var errTime = errors.New(`it should be a date such as 2026-12-31, an instant such as 2026-12-31T12:00:00Z, or words such as "2 weeks ago", "yesterday" or "last monday"`)

func (s spoken) period(given string) (period, error) {
	if len(given) > longestTime {
		return period{}, errTime
	}
	if p, ok := s.written(given); ok {
		return p, nil
	}
	if err := twoWays(given); err != nil {
		return period{}, err
	}
	words := strings.Join(strings.Fields(strings.ToLower(given)), " ")
	if p, ok := s.day(words); ok {
		return p, nil
	}
	if p, ok := s.clock(words); ok {
		return p, nil
	}
	return s.span(words)
}

// longestTime is the length in bytes above which no text is a time.
const longestTime = 64

// written reads times in digits, as programs write them.
func (s spoken) written(given string) (period, bool) {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04Z07:00",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04 -0700", time.RFC1123Z, "2006-01-02T15:04:05-0700",
	} {
		if t, err := time.ParseInLocation(layout, given, s.now.Location()); err == nil {
			return at(t), true
		}
	}
	if n, err := strconv.ParseInt(given, 10, 64); err == nil && len(given) == 10 {
		return at(time.Unix(n, 0).In(s.now.Location())), true
	} else if err == nil && len(given) == 13 {
		return at(time.UnixMilli(n).In(s.now.Location())), true
	}
	for _, l := range []struct {
		layout              string
		years, months, days int
	}{
		{time.DateOnly, 0, 0, 1}, {"2006-1-2", 0, 0, 1}, {"2006/01/02", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"20060102", 0, 0, 1}, {"2006年1月2日", 0, 0, 1},
		{"2 January 2006", 0, 0, 1}, {"2 Jan 2006", 0, 0, 1}, {"January 2 2006", 0, 0, 1}, {"Jan 2 2006", 0, 0, 1}, {"January 2, 2006", 0, 0, 1}, {"Jan 2, 2006", 0, 0, 1},
		{"2006-01", 0, 1, 0}, {"2006/01", 0, 1, 0}, {"January 2006", 0, 1, 0}, {"Jan 2006", 0, 1, 0}, {"2006年1月", 0, 1, 0},
		{"2006", 1, 0, 0}, {"2006年", 1, 0, 0},
	} {
		if t, err := time.ParseInLocation(l.layout, given, s.now.Location()); err == nil {
			return period{t, t.AddDate(l.years, l.months, l.days)}, true
		}
	}
	return s.yearless(given)
}

// yearless reads a day or a month without its year: the last one for what has
// been, else the one of this year.
func (s spoken) yearless(given string) (period, bool) {
	for _, l := range []struct {
		layout       string
		months, days int
	}{
		{"2 January", 0, 1}, {"2 Jan", 0, 1}, {"January 2", 0, 1}, {"Jan 2", 0, 1}, {"1月2日", 0, 1},
		{"January", 1, 0}, {"Jan", 1, 0}, {"1月", 1, 0},
	} {
		// A leap year, so that the 29th of February can be read.
		t, err := time.ParseInLocation("2006 "+l.layout, "2000 "+given, s.now.Location())
		if err != nil {
			continue
		}
		year := s.now.Year()
		for range 8 {
			found := time.Date(year, t.Month(), t.Day(), 0, 0, 0, 0, s.now.Location())
			if found.Day() == t.Day() && !(s.past && found.After(s.now)) {
				return period{found, found.AddDate(0, l.months, l.days)}, true
			}
			year--
		}
	}
	return period{}, false
}

// twoWays refuses dates of which nobody can tell what is the day and what the
// month.
func twoWays(given string) error {
	var a, b, year int
	for _, form := range []string{"%d/%d/%d", "%d.%d.%d", "%d-%d-%d"} {
		n, err := fmt.Sscanf(given, form, &a, &b, &year)
		if err != nil || n != 3 || year < 1000 || year > 9999 {
			continue
		}
		if a < 1 || b < 1 || a > 31 || b > 31 || a > 12 && b > 12 {
			return errTime
		}
		if a > 12 || form == "%d.%d.%d" || a == b {
			a, b = b, a
		}
		first := fmt.Sprintf("%04d-%02d-%02d", year, a, b)
		if b > 12 || a == b || form == "%d.%d.%d" {
			return fmt.Errorf("write it as %s", first)
		}
		return fmt.Errorf("it can be read in two ways: write %s, or %04d-%02d-%02d", first, year, b, a)
	}
	return nil
}

// day reads words for a day or a longer period.
func (s spoken) day(words string) (period, bool) {
	words = strings.TrimPrefix(words, "the ")
	if words == "now" || words == "现在" {
		return at(s.now), true
	}
	if n, ok := dayWords[words]; ok {
		return days(s.now.AddDate(0, 0, n), 1), true
	}
	if p, ok := s.weekday(words); ok {
		return p, true
	}
	return s.unitNear(words)
}

var dayWords = map[string]int{
	"today": 0, "yesterday": -1, "day before yesterday": -2, "tomorrow": 1, "day after tomorrow": 2, "last night": -1, "tonight": 0,
	"今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "前天": -2, "大前天": -3, "明天": 1, "明日": 1, "后天": 2,
}

// weekday reads "monday", "last monday", "上周一". Without a word before it,
// and with last, it is the nearest such day before today or, with next, after
// it; "this" and the Chinese forms count in weeks that begin on Monday.
func (s spoken) weekday(words string) (period, bool) {
	if week, rest, ok := cutWeek(words); ok {
		d, known := chineseDays[rest]
		return days(s.monday().AddDate(0, 0, 7*week+d), 1), known
	}
	which, name, two := strings.Cut(words, " ")
	if !two {
		which, name = "", words
	}
	d, ok := weekdays[name]
	if !ok {
		return period{}, false
	}
	back := (int(s.now.Weekday())+6)%7 - d
	switch which {
	case "this":
		return days(s.monday().AddDate(0, 0, d), 1), true
	case "last", "past", "previous":
		if back <= 0 {
			back += 7
		}
	case "on", "":
		if back < 0 {
			back += 7
		}
		if !s.past && back > 0 {
			return period{}, false // nobody can tell which way
		}
	case "next":
		if back >= 0 {
			back -= 7
		}
	default:
		return period{}, false
	}
	return days(s.now.AddDate(0, 0, -back), 1), true
}

var (
	weekdays = map[string]int{
		"monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
		"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
	}
	chineseDays = map[string]int{"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
)

// cutWeek takes the word for a week from the front of a Chinese weekday.
func cutWeek(words string) (week int, day string, ok bool) {
	for _, w := range []struct {
		before string
		week   int
	}{{"上上", -2}, {"上", -1}, {"这", 0}, {"本", 0}, {"下", 1}, {"", 0}} {
		for _, name := range []string{"周", "星期", "礼拜", "个周", "个星期", "个礼拜"} {
			if rest, found := strings.CutPrefix(words, w.before+name); found && rest != "" {
				return w.week, rest, true
			}
		}
	}
	return 0, "", false
}

func (s spoken) monday() time.Time {
	return midnight(s.now).AddDate(0, 0, -((int(s.now.Weekday()) + 6) % 7))
}

// unitNear reads "last month", "this week", "去年": a whole week, month or year.
func (s spoken) unitNear(words string) (period, bool) {
	n, unit := 0, ""
	if which, name, two := strings.Cut(words, " "); two {
		var known bool
		if n, known = map[string]int{"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1}[which]; !known {
			return period{}, false
		}
		unit = name
	} else if c, known := chineseNear[words]; known {
		n, unit = c.n, c.unit
	}
	switch unit {
	case "week":
		return days(s.monday().AddDate(0, 0, 7*n), 7), true
	case "month":
		first := time.Date(s.now.Year(), s.now.Month()+time.Month(n), 1, 0, 0, 0, 0, s.now.Location())
		return period{first, first.AddDate(0, 1, 0)}, true
	case "year":
		first := time.Date(s.now.Year()+n, 1, 1, 0, 0, 0, 0, s.now.Location())
		return period{first, first.AddDate(1, 0, 0)}, true
	}
	return period{}, false
}

var chineseNear = map[string]struct {
	n    int
	unit string
}{
	"上周": {-1, "week"}, "上星期": {-1, "week"}, "上个星期": {-1, "week"}, "本周": {0, "week"}, "这周": {0, "week"}, "下周": {1, "week"},
	"上月": {-1, "month"}, "上个月": {-1, "month"}, "本月": {0, "month"}, "这个月": {0, "month"}, "下个月": {1, "month"},
	"前年": {-2, "year"}, "去年": {-1, "year"}, "今年": {0, "year"}, "明年": {1, "year"},
}
