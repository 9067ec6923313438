package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
)

func newEdit(e *env) *cobra.Command {
	var lobe string
	c := &cobra.Command{
		Use:     "edit ID | WORDS...",
		Short:   "Open a memory in your editor",
		GroupID: groupDaily,
		Long: `Find a memory by its id or by words and open its file in $VISUAL or $EDITOR.
When several are found they are listed. The file is the truth: what you save
is what the next answer is made from.`,
		Example: `  memory-mcp edit build system
  memory-mcp edit arch-3f7a2b1c`,
		Args: atLeast(1, "the id of an entry, or words of it"),
		RunE: func(c *cobra.Command, args []string) error {
			a := e.open()
			defer end(c.Context(), a, true)
			return e.edit(c.Context(), a, lobe, joined(args))
		},
	}
	c.Flags().StringVar(&lobe, "lobe", "", `a lobe's name, or "*" for all`)
	return c
}

func (e *env) edit(ctx context.Context, a *app.App, lobe, words string) error {
	found, err := e.find(ctx, a, lobe, words)
	if err != nil {
		return err
	}
	switch len(found) {
	case 0:
		return &HintedError{Err: fmt.Errorf("no memory matches %q", words), Hint: Name + " ls lists them all", Code: ops.ExitNotFound}
	case 1:
		return e.openEditor(ctx, a, found[0])
	}
	t := &table{head: []string{"ID", "TITLE", "FILE"}, elastic: 1}
	for _, h := range found {
		t.add(h.ID, h.Title, e.shortPath(h.Path))
	}
	if err := e.say(t.render(e.terminal)); err != nil {
		return err
	}
	return &HintedError{Err: fmt.Errorf("%q matches %d memories", words, len(found)),
		Hint: "name one by its id: " + Name + " edit " + found[0].ID, Code: ops.ExitUsage}
}

// find looks for an id first, then for the words. A title that is the words
// wins over other hits.
func (e *env) find(ctx context.Context, a *app.App, lobe, words string) ([]hit, error) {
	base := map[string]any{"maxTokens": roomyTokens, "detail": "brief", "branch": "*", "status": "*"}
	set(base, "lobe", lobe)
	if !strings.ContainsAny(words, " ") {
		found, err := e.hits(ctx, a, with(base, "id", []string{words}))
		var fault *ops.Fault
		if err == nil && len(found) > 0 {
			return found, nil
		}
		if err != nil && !(errors.As(err, &fault) && fault.Exit == ops.ExitNotFound) {
			return nil, err
		}
	}
	found, err := e.hits(ctx, a, with(base, "filter", words))
	if err != nil {
		return nil, err
	}
	for _, h := range found {
		if strings.EqualFold(h.Title, words) {
			return []hit{h}, nil
		}
	}
	return found, nil
}

func with(base map[string]any, name string, value any) map[string]any {
	args := map[string]any{name: value}
	for k, v := range base {
		args[k] = v
	}
	return args
}

func (e *env) hits(ctx context.Context, a *app.App, args map[string]any) ([]hit, error) {
	reply, err := e.ask(ctx, a, request{op: "memory_query", args: args})
	if err != nil {
		return nil, err
	}
	structure, err := reply.JSON()
	if err != nil {
		return nil, err
	}
	var f foundAnswer
	if err := json.Unmarshal(structure, &f); err != nil {
		return nil, err
	}
	return f.Results, nil
}

func (e *env) openEditor(ctx context.Context, a *app.App, h hit) error {
	editor := either(e.Getenv("VISUAL"), e.Getenv("EDITOR"))
	if editor == "" {
		return &HintedError{Err: errors.New("no editor is set"),
			Hint: "set EDITOR, or open the file yourself: " + h.Path, Code: ops.ExitFailure}
	}
	c := editorCommand(ctx, runtime.GOOS, editor, h.Path)
	c.Stdin, c.Stdout, c.Stderr = e.Stdin, e.Stdout, e.Stderr
	if err := c.Run(); err != nil {
		return &HintedError{Err: fmt.Errorf("run the editor %q: %w", editor, err), Hint: "the file is " + h.Path, Code: ops.ExitFailure}
	}
	return e.checkEdited(ctx, a, h)
}

// editorCommand starts an editor as git does: the setting may hold options and
// quoted words, which a shell reads.
func editorCommand(ctx context.Context, goos, editor, path string) *exec.Cmd {
	if goos != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, path)
	}
	if exists(editor) {
		return exec.CommandContext(ctx, editor, path)
	}
	words := strings.Fields(editor)
	return exec.CommandContext(ctx, words[0], append(words[1:], path)...)
}

// checkEdited says how the file reads after the editor closed.
func (e *env) checkEdited(ctx context.Context, a *app.App, h hit) error {
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	for _, p := range set.Diagnose(ctx).Problems {
		if filepath.Clean(p.File) == filepath.Clean(h.Path) {
			return &HintedError{Err: fmt.Errorf("%s:%d: %s", p.File, p.Line, p.What), Hint: p.Remedy, Code: ops.ExitFailure}
		}
	}
	return e.sayf("%s  %s", h.ID, e.terminal.faint(h.Path))
}
