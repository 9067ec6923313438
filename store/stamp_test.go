package store

import (
	"testing"
	"time"
)

func TestUnchanged(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	ns := func(d time.Duration) int64 { return at.Add(d).UnixNano() }
	old := stamp{size: 5, mtime: ns(-time.Minute), ctime: ns(-time.Minute), ino: 7, kind: kindFile}
	with := func(change func(*stamp)) stamp { s := old; change(&s); return s }
	for _, c := range []struct {
		name     string
		old, now stamp
		want     bool
	}{
		{"nothing moved", old, old, true},
		{"another size", old, with(func(s *stamp) { s.size++ }), false},
		{"another mtime", old, with(func(s *stamp) { s.mtime++ }), false},
		{"another ctime, the mtime put back", old, with(func(s *stamp) { s.ctime++ }), false},
		{"another file under the name", old, with(func(s *stamp) { s.ino++ }), false},
		{"another mode", old, with(func(s *stamp) { s.mode = 0o600 }), false},
		{"young mtime at the read", with(func(s *stamp) { s.mtime = ns(-2 * time.Second) }), with(func(s *stamp) { s.mtime = ns(-2 * time.Second) }), false},
		{"young ctime at the read", with(func(s *stamp) { s.ctime = ns(-2 * time.Second) }), with(func(s *stamp) { s.ctime = ns(-2 * time.Second) }), false},
		{"just old enough", with(func(s *stamp) { s.ctime = ns(-2501 * time.Millisecond) }), with(func(s *stamp) { s.ctime = ns(-2501 * time.Millisecond) }), true},
		{"a time in the future", with(func(s *stamp) { s.mtime = ns(time.Hour) }), with(func(s *stamp) { s.mtime = ns(time.Hour) }), false},
	} {
		if got := unchanged(c.old, c.now, at); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
