package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// LogName is the log of what went wrong in hooks, below the memory's home: a
// line each, and never a text of anybody's.
const LogName = "hooks.log"

// mostLog is the size in bytes from which on the log is begun anew; what it
// held is kept once more beside it.
const mostLog = 64 << 10

// Log writes down what went wrong in a hook. It makes no folder: without a
// home there is no log.
func Log(home string, now time.Time, host, event string, failure error) (err error) {
	if home == "" || failure == nil {
		return nil
	}
	if info, err := os.Stat(home); err != nil || !info.IsDir() {
		return nil
	}
	path := filepath.Join(home, LogName)
	if info, err := os.Lstat(path); err == nil && info.Size() > mostLog {
		if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = fmt.Fprintf(f, "%s %s %s %s\n", now.UTC().Format(time.RFC3339), word(host), word(event), withoutQuotes(failure.Error()))
	return err
}

// withoutQuotes leaves out what errors quote: it may be anybody's text.
func withoutQuotes(s string) string {
	s = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`").ReplaceAllString(s, "…")
	s = strings.Join(strings.Fields(s), " ")
	return strings.ToValidUTF8(s[:min(len(s), 300)], "")
}

// word is a short name in a log.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return -1
	}, s)
	if s == "" {
		return "-"
	}
	return s[:min(len(s), 40)]
}
