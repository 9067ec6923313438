package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"memory-mcp/lobes/repo"
)

// rootsTime is how long a client may take to tell its roots.
const rootsTime = 2 * time.Second

// rootsKey names the request for the roots in an answer that asks for more.
const rootsKey = "roots"

// rootsOfClient remembers the roots for the life of the process: what they are
// decides only where a call without a lobe goes.
type rootsOfClient struct {
	mu    sync.Mutex
	known bool
	paths []string
}

// rootsFor gives a call the way to ask for the client's roots. A client of the
// stateless era is asked in the answer to the call, which it then repeats:
// asked tells that this has to be done.
func (c *conn) rootsFor(r mcp.CallToolRequest) (ask func(context.Context) ([]string, bool), asked *bool) {
	asked = new(bool)
	return func(ctx context.Context) ([]string, bool) {
		c.roots.mu.Lock()
		defer c.roots.mu.Unlock()
		if c.roots.known {
			return c.roots.paths, true
		}
		roots, ok := c.askRoots(ctx, r)
		if !ok {
			*asked = true
			return nil, false
		}
		c.roots.known = true
		c.roots.paths = c.paths(roots)
		return c.roots.paths, true
	}, asked
}

// askRoots asks a client that announced roots, and no other: many never answer.
func (c *conn) askRoots(ctx context.Context, r mcp.CallToolRequest) (roots []mcp.Root, ok bool) {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities == nil || info.ClientCapabilities.Roots == nil {
			return nil, true
		}
		if _, answered := r.Params.InputResponses[rootsKey]; !answered {
			return nil, false
		}
		if told := server.RootsResponse(r.Params.InputResponses, rootsKey); told != nil {
			roots = told.Roots
		}
		return roots, true
	}
	if c.session.GetClientCapabilities().Roots == nil {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	told, err := c.session.ListRoots(ctx, mcp.ListRootsRequest{})
	if err != nil {
		c.o.Log.Warn("the client announced roots and did not tell them", "cause", err)
		return nil, true
	}
	return told.Roots, true
}

func (c *conn) paths(roots []mcp.Root) []string {
	var paths []string
	for _, r := range roots {
		path, err := repo.RootURI(r.URI)
		if err != nil {
			c.o.Log.Warn("a root of the client is not used", "root", r.URI, "cause", err)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}
