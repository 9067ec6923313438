package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
)

func newList(e *env) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:     "ls [FILTER...]",
		Short:   "List titles, ages and paths",
		GroupID: groupDaily,
		Long: `List memories with their age, topic, title and file, newest first: those of
the current project and the person's own. A filter is one of query's.`,
		Example: `  memory-mcp ls
  memory-mcp ls --topic gotchas
  memory-mcp ls '#build' --lobe '*'`,
		RunE: func(c *cobra.Command, args []string) error {
			a := e.open()
			defer end(c.Context(), a, false)
			return e.list(c.Context(), a, o, joined(args))
		},
	}
	f := c.Flags()
	f.StringVar(&o.lobe, "lobe", "", `a lobe's name, several with commas, or "*" for all`)
	f.StringVar(&o.scope, "topic", "", "only this topic, or a prefix such as modules")
	f.StringVar(&o.branch, "branch", "*", "of recent work")
	f.StringVar(&o.status, "status", "*", "active, candidate, review")
	f.StringVar(&o.kind, "kind", "", "only this kind")
	f.IntVarP(&o.limit, "limit", "n", 0, "at most so many")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

func (e *env) list(ctx context.Context, a *app.App, o searchOptions, filter string) error {
	all, err := e.all(ctx, a, o, filter)
	if err != nil {
		return err
	}
	if o.json {
		b, err := json.Marshal(all)
		if err != nil {
			return err
		}
		return e.say(string(b))
	}
	if len(all.Results) == 0 {
		return e.sayf("Nothing is remembered in %s.", either(strings.Join(all.Lobes, ", "), "any lobe"))
	}
	return e.say(e.listTable(all).render(e.terminal))
}

// listing is everything that a search finds, without a budget.
type listing struct {
	Lobes   []string `json:"lobes"`
	Results []hit    `json:"results"`
	Total   int      `json:"total"`
}

// all asks for page after page.
func (e *env) all(ctx context.Context, a *app.App, o searchOptions, filter string) (listing, error) {
	found := listing{Lobes: []string{}, Results: []hit{}}
	const page = 50
	for {
		o.limit = page
		args := o.arguments()
		args["maxTokens"], args["detail"], args["offset"] = roomyTokens, "brief", len(found.Results)
		set(args, "filter", filter)
		reply, err := e.ask(ctx, a, request{op: "memory_query", args: args})
		if err != nil {
			return listing{}, err
		}
		structure, err := reply.JSON()
		if err != nil {
			return listing{}, err
		}
		var next foundAnswer
		if err := json.Unmarshal(structure, &next); err != nil {
			return listing{}, err
		}
		found.Lobes, found.Total = next.Lobes, next.Total
		found.Results = append(found.Results, next.Results...)
		if len(next.Results) == 0 || len(found.Results) >= next.Total {
			return found, nil
		}
	}
}

func (e *env) listTable(all listing) *table {
	t := &table{head: []string{"AGE", "TOPIC", "TITLE", "FILE"}, elastic: 2, right: map[int]bool{0: true}}
	now := e.Now()
	for _, h := range all.Results {
		title := h.Title
		if h.Broken {
			title = "(does not parse) " + title
		}
		when := "-"
		if !h.Created.IsZero() {
			when = age(h.Created, now)
		}
		t.add(when, h.Topic, title, e.shortPath(h.Path))
	}
	t.style = func(column int, s string) string {
		switch column {
		case 1:
			return e.terminal.cyan(s)
		case 3:
			return e.terminal.faint(s)
		}
		return s
	}
	return t
}

// shortPath is a path as a person at a terminal reads it: relative to the
// working directory or the home directory. Programs get it whole.
func (e *env) shortPath(path string) string {
	if !e.terminal.is {
		return path
	}
	if rel, err := filepath.Rel(e.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(e.Home, path); err == nil && e.Home != "" && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
