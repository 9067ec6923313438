package lobes

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Use is one thing that a session did with the memory, or got from it.
type Use struct {
	Session   string   // as its host names it; empty where the host does not tell
	Call      string   // the tool that was called; empty for an injection
	Tokens    int      // that an injection took
	Injected  []string // ids of what was shown unasked
	Opened    []string // ids of what was asked for by name
	Confirmed []string // ids of what was found right, or corrected
}

// Usage counts what sessions did with the memory of one lobe. Losing it loses
// only figures.
type Usage struct {
	Calls      map[string]int `json:"calls"` // by tool
	Injections int            `json:"injections"`
	Tokens     int            `json:"tokens"`   // of the injections
	Injected   int            `json:"injected"` // memories that were shown unasked
	Opened     int            `json:"opened"`   // of these, asked for by name later
	Confirmed  int            `json:"confirmed"`
	Sessions   []SessionUsage `json:"sessions"` // the latest, newest first
}

// SessionUsage counts what one session did.
type SessionUsage struct {
	Session   string    `json:"session"` // empty for all that were not told
	Last      time.Time `json:"last"`
	Calls     int       `json:"calls"`
	Tokens    int       `json:"tokens"`
	Injected  int       `json:"injected"`
	Opened    int       `json:"opened"`
	Confirmed int       `json:"confirmed"`
}

const (
	usageName    = "usage"
	mostUsage    = 256 << 10 // bytes of the log, from which on its older half goes
	mostSessions = 5         // that are told one by one
)

// Count notes what a session did, in the lobe that the target leads to. It
// makes no folder: where there are no caches yet, nothing is counted.
func (s *Set) Count(t Target, u Use) error {
	dirs := s.stateDirs(t)
	if s.o.ReadOnly || len(dirs) == 0 {
		return nil
	}
	if info, err := os.Stat(dirs[0]); err != nil || !info.IsDir() {
		return nil
	}
	return appendUsage(filepath.Join(dirs[0], usageName), u.lines(s.o.Now()))
}

// lines are the use as the log holds it: time, session, what, and what of.
func (u Use) lines(now time.Time) []byte {
	var b bytes.Buffer
	say := func(what string, rest ...string) {
		fmt.Fprintf(&b, "%d %s %s", now.Unix(), oneWord(u.Session), what)
		for _, r := range rest {
			b.WriteString(" " + oneWord(r))
		}
		b.WriteByte('\n')
	}
	if u.Call != "" {
		say("call", u.Call)
	}
	if u.Tokens > 0 || len(u.Injected) > 0 {
		say("injected", append([]string{strconv.Itoa(u.Tokens)}, u.Injected...)...)
	}
	if len(u.Opened) > 0 {
		say("opened", u.Opened...)
	}
	if len(u.Confirmed) > 0 {
		say("confirmed", u.Confirmed...)
	}
	return b.Bytes()
}

// oneWord is a text as a word of the log; "-" is none.
func oneWord(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if s == "" {
		return "-"
	}
	return strings.ToValidUTF8(s[:min(len(s), 80)], "")
}

func appendUsage(path string, lines []byte) (err error) {
	if len(lines) == 0 {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.Size() > mostUsage {
		if err := halve(path); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(lines)
	return err
}

// halve drops the older half of the log.
func halve(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b = b[len(b)/2:]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[i+1:]
	}
	short := path + ".new"
	if err := os.WriteFile(short, b, 0o600); err != nil {
		return err
	}
	return os.Rename(short, path)
}

// usage reads what was counted in the lobe.
func (l *Lobe) usage() (Usage, error) {
	u := Usage{Calls: map[string]int{}, Sessions: []SessionUsage{}}
	f, err := os.Open(filepath.Join(l.spec.Dir, stateName, usageName))
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	defer f.Close() // only read
	c := counting{all: &u, sessions: map[string]*SessionUsage{}, shown: map[string]map[string]bool{}}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) >= 3 {
			c.line(words[0], words[1], words[2], words[3:])
		}
	}
	for _, s := range c.sessions {
		u.Sessions = append(u.Sessions, *s)
	}
	slices.SortFunc(u.Sessions, func(a, b SessionUsage) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Session, b.Session))
	})
	u.Sessions = u.Sessions[:min(len(u.Sessions), mostSessions)]
	return u, lines.Err()
}

// A counting is the log as it is read.
type counting struct {
	all      *Usage
	sessions map[string]*SessionUsage
	// shown are, for each session and for all, the memories that were shown
	// unasked and not counted as used yet.
	shown map[string]map[string]bool
}

func (c *counting) line(at, session, what string, rest []string) {
	if session == "-" {
		session = ""
	}
	s := c.sessions[session]
	if s == nil {
		s = &SessionUsage{Session: session}
		c.sessions[session] = s
	}
	if unix, err := strconv.ParseInt(at, 10, 64); err == nil {
		s.Last = time.Unix(unix, 0).UTC()
	}
	switch what {
	case "call":
		s.Calls++
		for _, tool := range rest {
			c.all.Calls[tool]++
		}
	case "injected":
		c.injected(s, rest)
	case "opened":
		s.Opened += c.used(session, what, rest)
		c.all.Opened += c.used(everybody, what, rest)
	case "confirmed":
		s.Confirmed += c.used(session, what, rest)
		c.all.Confirmed += c.used(everybody, what, rest)
	}
}

// everybody stands for all sessions together: which of them opened a memory is
// not always told.
const everybody = "\x00"

func (c *counting) injected(s *SessionUsage, rest []string) {
	if len(rest) == 0 {
		return
	}
	n, err := strconv.Atoi(rest[0])
	if err != nil {
		return
	}
	s.Tokens, c.all.Tokens, c.all.Injections = s.Tokens+n, c.all.Tokens+n, c.all.Injections+1
	s.Injected, c.all.Injected = s.Injected+len(rest)-1, c.all.Injected+len(rest)-1
	for _, who := range []string{s.Session, everybody} {
		if c.shown[who] == nil {
			c.shown[who] = map[string]bool{}
		}
		for _, id := range rest[1:] {
			c.shown[who]["opened "+id], c.shown[who]["confirmed "+id] = true, true
		}
	}
}

// used counts the memories that had been shown unasked, each once.
func (c *counting) used(who, what string, ids []string) (n int) {
	for _, id := range ids {
		if c.shown[who][what+" "+id] {
			delete(c.shown[who], what+" "+id)
			n++
		}
	}
	return n
}
