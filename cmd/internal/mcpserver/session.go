package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// session is what is known of the client, and the way to ask it something.
type session struct {
	out           *output
	notifications chan mcp.JSONRPCNotification

	mu           sync.Mutex
	ready        bool
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	asked        int
	waiting      map[string]chan envelope
}

func newSession(out *output) *session {
	return &session{out: out, notifications: make(chan mcp.JSONRPCNotification, 64), waiting: map[string]chan envelope{}}
}

// Initialize notes that the handshake is done.
func (s *session) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
}

// Initialized tells whether the handshake is done.
func (s *session) Initialized() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// SessionID names the only session of a stream.
func (s *session) SessionID() string { return "stdio" }

// NotificationChannel takes what mcp-go wants to tell the client.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// GetClientInfo is who the client said it is.
func (s *session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// SetClientInfo notes who the client says it is.
func (s *session) SetClientInfo(info mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info = info
}

// GetClientCapabilities is what the client said it can do.
func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

// SetClientCapabilities notes what the client says it can do.
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = c
}

// ProtocolVersion is the one that the handshake agreed on, empty without one.
func (s *session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetProtocolVersion notes the one that the handshake agreed on.
func (s *session) SetProtocolVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}

// ListRoots asks a client of the older era for its roots.
func (s *session) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	answer, forget, id := s.expect()
	defer forget()
	s.out.message(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      string `json:"id"`
		Method  string `json:"method"`
	}{mcp.JSONRPC_VERSION, id, string(mcp.MethodListRoots)})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case e := <-answer:
		if e.Error != nil {
			return nil, fmt.Errorf("the client refused to tell its roots: %s", e.Error)
		}
		var r mcp.ListRootsResult
		if err := json.Unmarshal(e.Result, &r); err != nil {
			return nil, fmt.Errorf("read the client's roots: %w", err)
		}
		return &r, nil
	}
}

// expect makes a place for the answer to a request of ours.
func (s *session) expect() (answer chan envelope, forget func(), id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	id = Name + "-" + strconv.Itoa(s.asked)
	answer = make(chan envelope, 1)
	s.waiting[id] = answer
	return answer, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, id)
	}, id
}

// answered takes the client's answer to a request of ours. One that nobody
// waits for is dropped.
func (s *session) answered(e envelope) {
	var id string
	if err := json.Unmarshal(e.ID, &id); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, ok := s.waiting[id]; ok {
		delete(s.waiting, id)
		answer <- e
	}
}

// forward writes what mcp-go tells the client on its own.
func (c *conn) forward() {
	for {
		select {
		case n := <-c.session.notifications:
			c.out.message(n)
		case <-c.ctx.Done():
			return
		}
	}
}
