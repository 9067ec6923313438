package ops

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// clock reads a day with a time: "yesterday at 17:30", "last monday 5pm".
func (s spoken) clock(words string) (period, bool) {
	i := strings.LastIndexByte(words, ' ')
	if i < 0 {
		return period{}, false
	}
	day, hour := words[:i], words[i+1:]
	if hour == "am" || hour == "pm" {
		if i = strings.LastIndexByte(day, ' '); i < 0 {
			return period{}, false
		}
		day, hour = day[:i], day[i+1:]+hour
	}
	d, ok := s.day(strings.TrimSuffix(day, " at"))
	if !ok {
		d, ok = s.written(strings.TrimSuffix(day, " at"))
	}
	if !ok || d.until.After(d.from.AddDate(0, 0, 1)) || d.instant() {
		return period{}, false
	}
	for _, layout := range []string{"15:04", "15:04:05", "3pm", "3:04pm"} {
		if t, err := time.Parse(layout, hour); err == nil {
			y, m, day := d.from.Date()
			return at(time.Date(y, m, day, t.Hour(), t.Minute(), t.Second(), 0, d.from.Location())), true
		}
	}
	return period{}, false
}

// span reads a number of units from now: "2 weeks ago", "in 3 days", "30d",
// "三天前". Of days and longer with ago or from now it is that day; of hours
// and shorter, or in the short form, it is an instant.
func (s spoken) span(words string) (period, error) {
	sign, rest := s.direction(words)
	n, unit, ok := counted(rest)
	if !ok {
		return period{}, errTime
	}
	long := strings.Contains(words, " ") || unit.chinese
	if sign == 0 {
		if sign, long = 1, false; s.past {
			sign = -1
		}
	}
	if unit.name == "m" && s.past {
		return period{}, errors.New("m can be minutes or months: write min or mo")
	}
	t := unit.from(s.now, sign*n)
	if long && unit.days {
		return days(t, 1), nil
	}
	return at(t), nil
}

// direction takes the words that tell past from future.
func (s spoken) direction(words string) (sign int, rest string) {
	for _, w := range []struct {
		before, after string
		sign          int
	}{
		{"", " ago", -1}, {"", "以前", -1}, {"", "之前", -1}, {"", "前", -1}, {"", " before", -1}, {"", " back", -1},
		{"in ", "", 1}, {"", " from now", 1}, {"", "以后", 1}, {"", "之后", 1}, {"", "后", 1},
		{"last ", "", -1}, {"past ", "", -1}, {"the last ", "", -1}, {"the past ", "", -1}, {"next ", "", 1}, {"-", "", -1}, {"+", "", 1},
	} {
		if rest, ok := strings.CutPrefix(words, w.before); ok {
			if rest, ok := strings.CutSuffix(rest, w.after); ok {
				return w.sign, rest
			}
		}
	}
	return 0, words
}

// A timeUnit is one that spans are counted in.
type timeUnit struct {
	name    string
	days    bool // a day or longer
	chinese bool
	from    func(t time.Time, n int) time.Time
}

// counted reads a number and a unit: "2 weeks", "a month", "30d", "两周".
func counted(words string) (int, timeUnit, bool) {
	if half, ok := halves[words]; ok {
		unit, known := unitOf(half.unit)
		return half.n, unit, known
	}
	i := strings.IndexFunc(words, func(r rune) bool { return r < '0' || r > '9' })
	number, name := "", words
	if i > 0 {
		number, name = words[:i], strings.TrimSpace(words[i:])
	} else if first, rest, two := strings.Cut(words, " "); two {
		number, name = first, rest
	} else if n, rest, ok := chineseNumber(words); ok {
		unit, known := unitOf(rest)
		return n, unit, known
	}
	n, err := strconv.Atoi(number)
	if spelt, ok := spelt[number]; ok {
		n, err = spelt, nil
	}
	unit, known := unitOf(name)
	return n, unit, err == nil && known && len(number) <= longestNumber
}

// longestNumber keeps spans in what a calendar has.
const longestNumber = 5

var spelt = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}

// halves are spans of half a unit, in the smaller one that they come to.
var halves = map[string]struct {
	n    int
	unit string
}{
	"half an hour": {30, "min"}, "半小时": {30, "分钟"}, "半个小时": {30, "分钟"}, "半个钟头": {30, "分钟"},
	"half a year": {6, "month"}, "半年": {6, "个月"},
}

// chineseNumber takes a number below a hundred from the front: 三, 十二, 二十三.
func chineseNumber(words string) (n int, rest string, ok bool) {
	r := []rune(words)
	digit := func(i int) int {
		if i < len(r) && r[i] != '十' && unicode.Is(unicode.Han, r[i]) {
			return spelt[string(r[i])]
		}
		return 0
	}
	i := 0
	if n = digit(i); n > 0 {
		i++
	}
	if i < len(r) && r[i] == '十' {
		n, i = max(n, 1)*10, i+1
		if unit := digit(i); unit > 0 {
			n, i = n+unit, i+1
		}
	}
	return n, string(r[i:]), n > 0
}

func unitOf(name string) (timeUnit, bool) {
	u := timeUnit{name: name, days: true}
	fixed := func(d time.Duration) func(time.Time, int) time.Time {
		return func(t time.Time, n int) time.Time { return t.Add(time.Duration(n) * d) }
	}
	switch strings.TrimSuffix(name, "s") {
	case "second", "sec", "秒", "秒钟":
		u.from, u.days = fixed(time.Second), false
	case "minute", "min", "分钟":
		u.from, u.days = fixed(time.Minute), false
	case "h", "hr", "hour", "小时", "个小时", "钟头", "个钟头":
		u.from, u.days = fixed(time.Hour), false
	case "d", "day", "天", "日":
		u.from = func(t time.Time, n int) time.Time { return t.AddDate(0, 0, n) }
	case "w", "wk", "week", "周", "星期", "个星期", "礼拜", "个礼拜":
		u.from = func(t time.Time, n int) time.Time { return t.AddDate(0, 0, 7*n) }
	case "m", "mo", "month", "月", "个月":
		u.from = addMonths
	case "y", "yr", "year", "年":
		u.from = func(t time.Time, n int) time.Time { return addMonths(t, 12*n) }
	default:
		return u, false
	}
	u.chinese = strings.IndexFunc(name, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
	return u, true
}

// addMonths keeps the day where the month has it, else takes its last: a month
// before the 31st of March is the end of February.
func addMonths(t time.Time, n int) time.Time {
	found := t.AddDate(0, n, 0)
	if found.Day() != t.Day() {
		found = found.AddDate(0, 0, -found.Day())
	}
	return found
}
