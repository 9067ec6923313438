package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A Daily counts what is asked of a model in a day, and keeps to a ceiling. All
// processes that name the same file count together. It is a [Meter].
type Daily struct {
	Path                string // absolute; its folder is made when needed
	MaxCalls, MaxTokens int    // of a day; 0 is without limit
	Now                 func() time.Time
}

// A Count is what was asked of a model on one day, in the time of this machine.
type Count struct {
	Day    string `json:"day"` // as 2006-01-02
	Calls  int    `json:"calls"`
	Failed int    `json:"failed"` // of the calls
	Tokens int    `json:"tokens"`
	// Error is what the last call came to; "" when it succeeded.
	Error string `json:"error,omitempty"`
}

const meterWait = 2 * time.Second

// Today is the count of the day. Nothing that can be read counts as nothing.
func (d *Daily) Today() Count {
	c := Count{Day: d.now().Format(time.DateOnly)}
	var kept Count
	if b, err := os.ReadFile(d.Path); err == nil && json.Unmarshal(b, &kept) == nil && kept.Day == c.Day {
		return kept
	}
	return c
}

// Spent is the error of a call that is one too many; nil while there is room.
func (d *Daily) Spent() error { return d.over(d.Today()) }

func (d *Daily) over(c Count) error {
	if d.MaxCalls > 0 && c.Calls >= d.MaxCalls || d.MaxTokens > 0 && c.Tokens >= d.MaxTokens {
		return &SpentError{Calls: c.Calls, Tokens: c.Tokens, MaxCalls: d.MaxCalls, MaxTokens: d.MaxTokens, Until: d.tomorrow()}
	}
	return nil
}

func (d *Daily) tomorrow() time.Time {
	y, m, day := d.now().Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, d.now().Location())
}

// Allow counts a call, or refuses it. A ceiling that cannot be kept, because
// the count cannot be written, refuses too.
func (d *Daily) Allow() error {
	return d.change(func(c *Count) error {
		if err := d.over(*c); err != nil {
			return err
		}
		c.Calls++
		return nil
	})
}

// Used adds what a call came to.
func (d *Daily) Used(tokens int, err error) {
	// What cannot be noted is counted by the next Allow, which fails then.
	_ = d.change(func(c *Count) error {
		c.Tokens += max(tokens, 0)
		switch {
		case err == nil:
			c.Error = ""
		case errors.Is(err, context.Canceled): // nobody waits any more
			c.Failed++
		default:
			c.Failed, c.Error = c.Failed+1, cut(strings.Join(strings.Fields(err.Error()), " "), mostSaid)
		}
		return nil
	})
}

// change changes the count of the day, alone among all processes.
func (d *Daily) change(f func(*Count) error) (err error) {
	defer func() {
		var spent *SpentError
		if err != nil && !errors.As(err, &spent) {
			err = fmt.Errorf("count the calls of a model in %s: %w", d.Path, err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o700); err != nil {
		return err
	}
	lock := flock.New(d.Path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	ctx, stop := context.WithTimeout(context.Background(), meterWait)
	defer stop()
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil || !ok {
		return errors.Join(err, lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	c := d.Today()
	if err := f(&c); err != nil {
		return err
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	temporary := d.Path + ".tmp"
	if err := os.WriteFile(temporary, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, d.Path)
}

func (d *Daily) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}
