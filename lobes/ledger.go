package lobes

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A Session is one context of an agent: a conversation of a host, or a
// subagent in it, which has a context of its own.
type Session struct {
	ID    string // as the host names it
	Agent string // of a subagent; empty for the conversation itself
}

// A Shown is a memory that was shown to somebody.
type Shown struct {
	Lobe string `json:"lobe"`
	ID   string `json:"id"`
}

// A Ledger knows what one session was told, so that nothing is told twice. It
// is a small file among the caches of the session's lobe, or of the person's
// own store where that lobe was never written: hooks and the server share it.
// Losing it only means that something is told again.
type Ledger struct {
	path  string   // where it is written
	more  []string // other places where it may have been written
	now   func() time.Time
	limit int64
}

const (
	stateName  = ".state"
	ledgerName = "ledger"
	ledgerLock = ".lock" // one for all sessions of a lobe, held for a moment
	// mostLedger is the size in bytes from which on a ledger is begun anew.
	mostLedger = 128 << 10
	// ledgerAge is for how long a ledger is kept, ledgerCount how many.
	ledgerAge   = 30 * 24 * time.Hour
	ledgerCount = 200
	ledgerWait  = 500 * time.Millisecond
	ledgerPoll  = 2 * time.Millisecond
)

// ErrNoLedger says that a session cannot be remembered: it has no name, no
// lobe of it was ever written, or nothing may be written.
var ErrNoLedger = errors.New("there is no place for a ledger")

// Ledger gives the ledger of a session in the lobe that the target leads to.
// It creates nothing.
func (s *Set) Ledger(t Target, who Session) (*Ledger, error) {
	if who.ID == "" || s.o.ReadOnly {
		return nil, ErrNoLedger
	}
	sum := sha256.Sum256([]byte(who.ID + "\x00" + who.Agent))
	l := &Ledger{now: s.o.Now, limit: mostLedger}
	for _, dir := range s.stateDirs(t) {
		path := filepath.Join(dir, ledgerName, hex.EncodeToString(sum[:8]))
		if l.path == "" {
			l.path = path
		} else {
			l.more = append(l.more, path)
		}
	}
	if l.path == "" {
		return nil, ErrNoLedger
	}
	return l, nil
}

// stateDirs are the folders of caches of the lobes of a session that were
// written before: its project's, then the person's own.
func (s *Set) stateDirs(t Target) []string {
	t.Lobe = ownLobe(t.Lobe)
	found, _, err := s.current(t, false)
	if err != nil {
		found = nil
	}
	if len(found) > 1 {
		found = found[:1]
	}
	if s.global != nil && !slices.Contains(found, s.global) {
		found = append(found, s.global)
	}
	var dirs []string
	for _, l := range found {
		if info, err := os.Stat(l.spec.Dir); err == nil && info.IsDir() {
			dirs = append(dirs, filepath.Join(l.spec.Dir, stateName))
		}
	}
	return dirs
}

// A LedgerPage is what a ledger holds while [Ledger.Update] has it open.
type LedgerPage struct {
	told    map[Shown]bool
	marks   map[string]time.Time
	now     time.Time
	cleared bool
	added   bytes.Buffer
	said    Transcript
}

// A Transcript is the file in which a host keeps a session.
type Transcript struct {
	Host, Session, Path string
	Swept               int64 // its size when it was looked through last; -1 for never
}

// Follow notes where the transcript of the session is.
func (p *LedgerPage) Follow(host, session, path string) {
	if p.said.Path == path || strings.ContainsAny(host+session, " \t") {
		return
	}
	p.said = Transcript{host, session, path, -1}
	fmt.Fprintf(&p.added, "said %s %s %s\n", host, session, path)
}

// Sweep notes that the transcript was looked through at a size.
func (p *LedgerPage) Sweep(size int64) {
	p.said.Swept = size
	fmt.Fprintf(&p.added, "swept %d\n", size)
}

// Transcript is where the session is kept, as far as is known.
func (p *LedgerPage) Transcript() Transcript { return p.said }

// Told tells whether the session was told of a memory.
func (p *LedgerPage) Told(m Shown) bool { return p.told[m] }

// Tell notes that the session is told of a memory.
func (p *LedgerPage) Tell(m Shown) {
	if p.told[m] || strings.ContainsAny(m.ID+m.Lobe, "\r\n") || strings.Contains(m.ID, " ") || m.ID == "" {
		return
	}
	p.told[m] = true
	fmt.Fprintf(&p.added, "told %s %s\n", m.ID, m.Lobe)
}

// Marked gives when a mark was last set, the zero time for never.
func (p *LedgerPage) Marked(mark string) time.Time { return p.marks[mark] }

// Mark sets a mark, a word of the caller's, at the present moment.
func (p *LedgerPage) Mark(mark string) {
	p.marks[mark] = p.now
	fmt.Fprintf(&p.added, "mark %s %d\n", strings.Join(strings.Fields(mark), "-"), p.now.UnixMilli())
}

// Clear forgets all that the session was told: its context is gone.
func (p *LedgerPage) Clear() {
	said := p.said
	p.told, p.marks, p.cleared, p.said = map[Shown]bool{}, map[string]time.Time{}, true, Transcript{}
	p.added.Reset()
	if said.Path != "" {
		p.Follow(said.Host, said.Session, said.Path)
		p.Sweep(said.Swept)
	}
}

// Update opens the ledger, alone among all processes, and runs f on what it
// holds. What f adds is written when f returns.
func (l *Ledger) Update(ctx context.Context, f func(*LedgerPage)) (err error) {
	if err := l.make(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, ledgerWait)
	defer cancel()
	lock := flock.New(filepath.Join(filepath.Dir(l.path), ledgerLock), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if ok, err := lock.TryLockContext(ctx, ledgerPoll); err != nil || !ok {
		return errors.Join(fmt.Errorf("open the ledger %s: %w", l.path, err), lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	p, size := l.read()
	f(p)
	return l.write(p, size)
}

// Begun tells whether anything was written into the ledger.
func (l *Ledger) Begun() bool {
	for _, path := range append([]string{l.path}, l.more...) {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// Read gives what the ledger holds. It creates nothing.
func (l *Ledger) Read() *LedgerPage {
	p, _ := l.read()
	return p
}

func (l *Ledger) read() (*LedgerPage, int64) {
	p := newLedgerPage(l.now())
	for _, path := range l.more {
		p.take(path)
	}
	return p, p.take(l.path)
}

func newLedgerPage(now time.Time) *LedgerPage {
	return &LedgerPage{told: map[Shown]bool{}, marks: map[string]time.Time{}, now: now}
}

// take reads one file. A line that is not whole, as a kill leaves it, counts
// as nothing.
func (p *LedgerPage) take(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close() // only read
	var size int64
	for lines := bufio.NewReader(io.LimitReader(f, 2*mostLedger)); ; {
		line, err := lines.ReadString('\n')
		size += int64(len(line))
		if err != nil {
			return size
		}
		p.line(strings.TrimSuffix(line, "\n"))
	}
}

func (p *LedgerPage) line(line string) {
	word, rest, _ := strings.Cut(line, " ")
	first, second, _ := strings.Cut(rest, " ")
	switch word {
	case "told":
		p.told[Shown{Lobe: second, ID: first}] = true
	case "said":
		if session, path, ok := strings.Cut(second, " "); ok {
			p.said = Transcript{first, session, path, -1}
		}
	case "swept":
		if size, err := strconv.ParseInt(first, 10, 64); err == nil {
			p.said.Swept = size
		}
	case "mark":
		if at, err := strconv.ParseInt(second, 10, 64); err == nil {
			p.marks[first] = time.UnixMilli(at)
		}
	}
}

// write appends what was added, in one go.
func (l *Ledger) write(p *LedgerPage, size int64) (err error) {
	if !p.cleared && p.added.Len() == 0 {
		return nil
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if p.cleared || size > l.limit {
		how |= os.O_TRUNC
	}
	if p.cleared {
		for _, path := range l.more {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	f, err := os.OpenFile(l.path, how, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text := p.added.Bytes()
	if size > 0 && how&os.O_TRUNC == 0 {
		// Ends a line that a kill cut short; an empty line says nothing.
		text = append([]byte("\n"), text...)
	}
	_, err = f.Write(text)
	return err
}

// make makes the folder of ledgers, in a lobe that exists, and takes away old
// ones when a new one is begun.
func (l *Ledger) make() error {
	if _, err := os.Stat(l.path); err == nil {
		return nil
	}
	dir := filepath.Dir(l.path)
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return l.prune(dir)
}

func (l *Ledger) prune(dir string) error {
	listed, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type old struct {
		name string
		at   time.Time
	}
	var all []old
	for _, e := range listed {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && e.Name() != ledgerLock {
			all = append(all, old{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return b.at.Compare(a.at) })
	var errs []error
	for i, o := range all {
		if i >= ledgerCount || l.now().Sub(o.at) > ledgerAge {
			if err := os.Remove(filepath.Join(dir, o.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
