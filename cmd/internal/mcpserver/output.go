package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
)

// output writes messages, one a line. After a write that failed it writes no
// more: the client is gone.
type output struct {
	log    *slog.Logger
	broken chan struct{}

	mu   sync.Mutex
	w    io.Writer
	dead bool
}

func newOutput(w io.Writer, log *slog.Logger) *output {
	return &output{log: log, w: w, broken: make(chan struct{})}
}

func (o *output) message(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		o.log.Error("an answer cannot be written as JSON", "cause", err)
		return
	}
	line := plain(b.Bytes())
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dead {
		return
	}
	if _, err := o.w.Write(line); err != nil {
		o.dead = true
		close(o.broken)
		if !isClosed(err) {
			o.log.Warn("the answer was not written", "cause", err)
		}
	}
}

// plain takes back the escapes of <, > and & that are only of use in web
// pages: they cost tokens wherever code is recalled.
func plain(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u00`)) {
		return b
	}
	out := b[:0]
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			out = append(out, b[i])
			continue
		}
		if i+6 <= len(b) {
			if c, ok := webEscape(b[i : i+6]); ok {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, b[i], b[i+1])
		i++
	}
	return out
}

func webEscape(b []byte) (byte, bool) {
	switch string(b) {
	case `\u003c`:
		return '<', true
	case `\u003e`:
		return '>', true
	case `\u0026`:
		return '&', true
	}
	return 0, false
}

// The error codes of JSON-RPC that we give ourselves.
const (
	parseError     = -32700
	invalidRequest = -32600
	invalidParams  = -32602
	internalError  = -32603
)

// failure is a JSON-RPC error.
type failure struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null when it is not known
	Error   failureDetail   `json:"error"`
}

type failureDetail struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func newFailure(id json.RawMessage, code int, message string) failure {
	if !isID(id) {
		id = json.RawMessage("null")
	}
	return failure{JSONRPC: "2.0", ID: id, Error: failureDetail{code, message}}
}

// isID tells whether a value can be the id of a request: a text or a number.
func isID(id json.RawMessage) bool {
	id = bytes.TrimSpace(id)
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}
