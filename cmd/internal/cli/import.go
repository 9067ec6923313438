package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/imports"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

type importOptions struct {
	from, lobe        string
	yes, dryRun, json bool
}

func newImport(e *env) *cobra.Command {
	var o importOptions
	var kinds []string
	for _, k := range imports.Kinds() {
		kinds = append(kinds, string(k))
	}
	c := &cobra.Command{
		Use:     "import --from KIND PATH",
		Short:   "Take over what another memory knows",
		GroupID: groupSetup,
		Long: `Read a file or a folder of another memory and show what would be stored; with
--yes, or when you say yes at a terminal, store it. What was taken over keeps the
place that it came from and has a low trust; text that speaks to a model about its
rules is held for you. To do it twice stores nothing twice.

  claude-memory     Claude Code's own memory: ~/.claude/projects/NAME/memory
  claude-md         CLAUDE.md: each item and each paragraph is a memory
  agents-md         AGENTS.md, GEMINI.md and their kin, likewise
  mcp-memory-jsonl  the knowledge graph of the reference memory server
  memory-mcp        an export of this program, or a lobe's folder: ids, states and
                    bytes stay as they are, so take over only what you trust`,
		Example: `  memory-mcp import --from claude-md CLAUDE.md
  memory-mcp import --from memory-mcp backup.jsonl --yes`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.importFrom(c.Context(), o, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "what it was written by: "+strings.Join(kinds, ", "))
	f.StringVar(&o.lobe, "lobe", "", "into this lobe instead of that of the working directory")
	f.BoolVarP(&o.yes, "yes", "y", false, "store without asking")
	f.BoolVar(&o.dryRun, "dry-run", false, "only show what would be stored")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

// An imported is the answer of import.
type imported struct {
	Lobe    string            `json:"lobe"`
	Applied bool              `json:"applied"`
	Notes   []importedNote    `json:"notes"` // that are new
	Known   int               `json:"known"` // that a memory says already
	Copies  *lobes.Accepted   `json:"copies,omitempty"`
	Receipt *lobes.Receipt    `json:"receipt,omitempty"`
	Skipped []imports.Skipped `json:"skipped"`
}

type importedNote struct {
	Topic string   `json:"topic"`
	Title string   `json:"title"`
	Text  string   `json:"text"`
	From  []string `json:"from"`
}

func (e *env) importFrom(ctx context.Context, o importOptions, path string) error {
	wrong := func(err error, hint string) error {
		return &UsageError{Command: Name + " import", Err: err, Hint: hint}
	}
	switch {
	case o.from == "":
		return wrong(errors.New("--from is missing"), "")
	case o.yes && o.dryRun:
		return wrong(errors.New("--yes and --dry-run exclude each other"), "")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	batch, err := imports.Read(imports.Kind(o.from), path)
	var unknown *imports.UnknownKindError
	switch {
	case errors.As(err, &unknown):
		return wrong(err, "")
	case errors.Is(err, fs.ErrNotExist):
		return &HintedError{Err: err, Hint: "give the path of a file or a folder", Code: ops.ExitNotFound}
	case err != nil:
		return err
	}
	a := e.open()
	defer end(ctx, a, !o.dryRun)
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	w := importing{e, a, set, a.Target(o.lobe), e.by(a), batch}
	w.by.Source = batch.Source
	return w.run(ctx, o)
}

// An importing is one run of import.
type importing struct {
	*env
	app    *app.App
	set    *lobes.Set
	target lobes.Target
	by     lobes.By
	batch  imports.Batch
}

func (w *importing) run(ctx context.Context, o importOptions) error {
	done := imported{Notes: []importedNote{}, Skipped: append([]imports.Skipped{}, w.batch.Skipped...)}
	fresh, err := w.preview(ctx, &done)
	if err != nil {
		return w.fault(err)
	}
	want := o.yes
	if !o.json {
		if err := w.say(w.previewText(done)); err != nil {
			return err
		}
		if !want && !o.dryRun && fresh > 0 && w.person() {
			if want, err = w.yes(fmt.Sprintf("Store %s?", counted(fresh, "memory", "memories"))); err != nil {
				return err
			}
		}
	}
	if want && fresh > 0 {
		if err := w.store(ctx, &done); err != nil {
			return w.fault(err)
		}
	}
	if o.json {
		return w.say(compact(done))
	}
	return w.say(w.importedText(done, fresh, o))
}

func (w *importing) fault(err error) error { return w.explained(w.app, err) }
