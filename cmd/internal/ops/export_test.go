package ops

import "time"

// ReadTime reads a time as the argument with the name is read.
func ReadTime(name, given string, now time.Time) (time.Time, error) {
	for _, w := range []when{asOfTime(), validAtTime(), sinceTime(), untilTime(), fromTime(), validUntil(), expiresTime()} {
		if w.name == name {
			return w.read(given, now)
		}
	}
	panic("no argument " + name)
}
