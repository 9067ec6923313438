package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"memory-mcp/cmd/internal/ops"
)

// addPrompts offers what a person may want to start by hand; hosts show them
// as commands.
func (c *conn) addPrompts() {
	c.mcp.AddPrompt(mcp.NewPrompt("briefing",
		mcp.WithPromptDescription("What earlier sessions left for this one: who the user is, preferences, gotchas, what is stale"),
	), c.promptBriefing)
	c.mcp.AddPrompt(mcp.NewPrompt("recall",
		mcp.WithPromptDescription("What is remembered about a task"),
		mcp.WithArgument("task", mcp.ArgumentDescription("what the task is about, in plain words"), mcp.RequiredArgument()),
	), c.promptRecall)
	c.mcp.AddPrompt(mcp.NewPrompt("harvest",
		mcp.WithPromptDescription("Look back at this session and store what a later one should know"),
	), c.promptHarvest)
}

func (c *conn) promptBriefing(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return c.prompt(ctx, "The briefing from memory:", map[string]any{})
}

func (c *conn) promptRecall(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	task := r.Params.Arguments["task"]
	if task == "" {
		return nil, errors.New(`the prompt needs the argument task: what the task is about, such as "add retry to the upload client"`)
	}
	return c.prompt(ctx, "What memory says about the task:", map[string]any{"context": task})
}

// prompt is the answer of memory_context as the user's words.
func (c *conn) prompt(ctx context.Context, head string, args map[string]any) (*mcp.GetPromptResult, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	reply, fault := ops.Call(ctx, c.env, "memory_context", raw)
	if fault != nil {
		return nil, fault
	}
	return said(head + "\n" + reply.Text()), nil
}

func (c *conn) promptHarvest(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	store := "memory_store"
	if c.facts().Profile == ops.Verbs {
		store = "gotcha, convention, prefer or learn"
	}
	if c.facts().ReadOnly {
		return said("This memory is read-only in this session. List, for me to store by hand, what a later session should know: one insight a line."), nil
	}
	return said("Look back at this session. For each thing that a later session should know and could not see from the code (a trap, a decision and its reason, " +
		"a convention, what I prefer), call " + store + " once, with the files it rests on as sources. Leave out what was only of use today. Then list what you stored."), nil
}

func said(text string) *mcp.GetPromptResult {
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))})
}
