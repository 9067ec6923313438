package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Hub is where models are published.
const Hub = "https://huggingface.co"

// A Source is where files come from: the URL of a hub or of a server that has
// its paths, or a folder that holds the files by their names or by those
// paths. Empty is [Hub].
type Source string

// A piece is the rest of a file, from some byte on.
type piece struct {
	io.ReadCloser
	from int64  // the first byte that comes; 0 when the server begins anew
	size int64  // of the whole file; 0 when it is not told
	sum  string // SHA-256 of the whole file in hex; empty when it is not told
	// local tells that the file is on this machine already.
	local bool
}

// A StatusError is a server's refusal.
type StatusError struct {
	URL    string
	Status int
}

// Error tells the URL and the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answered %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

func (s Source) open(ctx context.Context, m Model, from int64) (piece, error) {
	switch {
	case s == "" && m.Role == Program:
		return fetch(ctx, Releases, m, from)
	case s == "":
		return fetch(ctx, Hub, m, from)
	case strings.HasPrefix(string(s), "http://"), strings.HasPrefix(string(s), "https://"):
		return fetch(ctx, string(s), m, from)
	case filepath.IsAbs(string(s)):
		return fromFolder(string(s), m, from)
	}
	return piece{}, fmt.Errorf("the source %q is neither an http URL nor an absolute folder", string(s))
}

// path is where a hub has a model's file, and where releases are.
func (m Model) path() string {
	if m.Role == Program {
		return m.Repo + "/releases/download/" + m.Revision + "/" + m.File
	}
	return m.Repo + "/resolve/" + m.Revision + "/" + m.File
}

// quiet is how long a server may send nothing.
const quiet = 60 * time.Second

func fetch(ctx context.Context, base string, m Model, from int64) (piece, error) {
	at := strings.TrimRight(base, "/") + "/" + m.path()
	asking, stop := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(asking, http.MethodGet, at, nil)
	if err != nil {
		stop()
		return piece{}, err
	}
	if from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
	}
	told := ""
	client := http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
		// A hub tells the checksum and sends on to where the bytes are.
		told = firstOf(told, linkedSum(r.Response))
		if len(via) >= 10 {
			return errors.New("it sends on for ever")
		}
		return nil
	}}
	alarm := time.AfterFunc(quiet, stop)
	res, err := client.Do(req)
	if err != nil {
		stop()
		return piece{}, plain(err)
	}
	p := piece{ReadCloser: &lively{res.Body, alarm, stop}, sum: firstOf(told, linkedSum(res))}
	switch res.StatusCode {
	case http.StatusOK:
		p.size = max(0, res.ContentLength)
	case http.StatusPartialContent:
		p.from, p.size, err = contentRange(res.Header.Get("Content-Range"), from)
	case http.StatusRequestedRangeNotSatisfiable:
		// What is here is longer than what is there: it begins anew.
		if err := p.Close(); err != nil {
			return piece{}, err
		}
		return fetch(ctx, base, m, 0)
	default:
		err = &StatusError{redacted(at), res.StatusCode}
	}
	if err != nil {
		return piece{}, errors.Join(err, p.Close())
	}
	return p, nil
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// linkedSum is the checksum that a hub tells of a large file.
func linkedSum(r *http.Response) string {
	if r == nil {
		return ""
	}
	sum := strings.Trim(r.Header.Get("X-Linked-Etag"), `"`)
	if len(sum) != 64 {
		return ""
	}
	return strings.ToLower(sum)
}

// contentRange reads "bytes FROM-TO/SIZE".
func contentRange(header string, asked int64) (from, size int64, err error) {
	var to int64
	if _, err := fmt.Sscanf(header, "bytes %d-%d/%d", &from, &to, &size); err != nil || from != asked || to+1 != size {
		return 0, 0, fmt.Errorf("the server sent the range %q when asked for %d on", header, asked)
	}
	return from, size, nil
}

// plain is a network's error without the URL's secrets, which url.Error keeps
// in its query.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return fmt.Errorf("fetch %s: %w", redacted(u.URL), u.Err)
	}
	return err
}

func redacted(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return "the model"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// lively ends a request whose server has gone silent.
type lively struct {
	io.ReadCloser
	alarm *time.Timer
	stop  context.CancelFunc
}

// Read reads, and sets the alarm anew.
func (l *lively) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	l.alarm.Reset(quiet)
	return n, err
}

// Close ends the request.
func (l *lively) Close() error {
	l.alarm.Stop()
	l.stop()
	return l.ReadCloser.Close()
}

// fromFolder opens a file that a mirror on disk has by its name or path.
func fromFolder(dir string, m Model, from int64) (piece, error) {
	var missing error
	for _, name := range []string{m.File, m.path()} {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			missing = err
			continue
		}
		if err != nil {
			return piece{}, err
		}
		return fromFile(f, from)
	}
	return piece{}, fmt.Errorf("the mirror has no such file: %w", missing)
}

func fromFile(f *os.File, from int64) (piece, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", f.Name())
	}
	if err == nil && from > info.Size() {
		from = 0
	}
	if err == nil {
		_, err = f.Seek(from, io.SeekStart)
	}
	if err != nil {
		return piece{}, errors.Join(err, f.Close())
	}
	return piece{ReadCloser: f, from: from, size: info.Size(), local: true}, nil
}
