package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"memory-mcp/cmd/internal/ops"
)

const (
	lobesURI = "memory://lobes"
	entryURI = "memory://entry/{lobe}/{id}"
)

// addResources offers the list of lobes, and each entry under its address.
func (c *conn) addResources() {
	c.mcp.AddResource(mcp.NewResource(lobesURI, "lobes",
		mcp.WithResourceDescription("All lobes with their folders, sizes and health"),
		mcp.WithMIMEType("application/json"),
	), c.readLobes)
	c.mcp.AddResourceTemplate(mcp.NewResourceTemplate(entryURI, "entry",
		mcp.WithTemplateDescription("One memory in full, by its lobe and id"),
		mcp.WithTemplateMIMEType("text/markdown"),
	), c.readEntry)
}

func (c *conn) readLobes(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	reply, fault := ops.Call(ctx, c.env, "memory_list_lobes", json.RawMessage(`{"format":"json","maxTokens":20000}`))
	if fault != nil {
		return nil, fault
	}
	b, err := reply.JSON()
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(b)}}, nil
}

func (c *conn) readEntry(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	lobe, id, err := entryOf(r.Params.URI)
	if err != nil {
		return nil, missing(ctx, err)
	}
	args, err := json.Marshal(map[string]any{"id": []string{id}, "lobe": lobe, "detail": "full", "maxTokens": ops.MaxTokens})
	if err != nil {
		return nil, err
	}
	reply, fault := ops.Call(ctx, c.env, "memory_query", args)
	if fault != nil && fault.HTTP == 404 {
		return nil, missing(ctx, fault)
	}
	if fault != nil {
		return nil, fault
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/markdown", Text: reply.Text()}}, nil
}

// An outcome is what a handler tells of an answer that the library cannot say:
// the code of its error.
type outcome struct{ code int }

type outcomeKey struct{}

// missing notes that there is no such resource: for the library every error of
// a handler is one of the server.
func missing(ctx context.Context, err error) error {
	if o, ok := ctx.Value(outcomeKey{}).(*outcome); ok {
		o.code = mcp.RESOURCE_NOT_FOUND
		if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
			o.code = mcp.INVALID_PARAMS
		}
	}
	return err
}

// coded gives an error the code that its handler noted.
func (o *outcome) coded(answer mcp.JSONRPCMessage) mcp.JSONRPCMessage {
	failed, ok := answer.(mcp.JSONRPCError)
	if !ok || o.code == 0 {
		return answer
	}
	failed.Error.Code = o.code
	return failed
}

// entryOf reads the address of an entry.
func entryOf(uri string) (lobe, id string, err error) {
	rest, ok := strings.CutPrefix(uri, "memory://entry/")
	l, i, two := strings.Cut(rest, "/")
	if !ok || !two {
		return "", "", fmt.Errorf("read %q: an entry's address is %s", uri, entryURI)
	}
	if lobe, err = url.PathUnescape(l); err == nil {
		id, err = url.PathUnescape(i)
	}
	if err != nil {
		return "", "", fmt.Errorf("read %q: %w", uri, err)
	}
	return lobe, id, nil
}
