package sidecar

import (
	"bytes"
	"strings"
	"sync"
)

// mostTail is how many bytes of a program's output are kept.
const mostTail = 8 << 10

// A tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// Write takes all, and never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if over := len(t.b) - mostTail; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(b), nil
}

// lines are the last whole lines, at most so many.
func (t *tail) lines(most int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := bytes.Split(bytes.TrimRight(t.b, "\r\n"), []byte("\n"))
	if len(all) > most {
		all = all[len(all)-most:]
	}
	text := strings.ToValidUTF8(string(bytes.Join(all, []byte("\n"))), "")
	return strings.TrimSpace(text)
}
