package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/imports"
	"memory-mcp/lobes"
)

func newExport(e *env) *cobra.Command {
	var lobe, file string
	var history bool
	c := &cobra.Command{
		Use:     "export",
		Short:   "Write all memories as lines of JSON",
		GroupID: groupSetup,
		Long: `Write each memory of the lobe as one line of JSON: the file as it is, to the
byte, and what it says. "memory-mcp import --from memory-mcp FILE" reads it back
equal, in this or in another lobe. With --history each line holds all earlier
states, too, and what was taken back is there.`,
		Example: `  memory-mcp export --history > backup.jsonl
  memory-mcp export --lobe global --output me.jsonl`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return e.export(c.Context(), lobe, file, history) },
	}
	c.Flags().StringVar(&lobe, "lobe", "", `this lobe instead of that of the working directory, or "*" for all`)
	c.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of standard output")
	c.Flags().BoolVar(&history, "history", false, "with all earlier states")
	return c
}

func (e *env) export(ctx context.Context, lobe, file string, history bool) (err error) {
	a := e.open()
	defer end(ctx, a, false)
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	all, err := set.Copies(ctx, a.Target(lobe), history)
	if err != nil {
		return e.explained(a, err)
	}
	return e.writeCopies(file, all)
}

func (e *env) writeCopies(file string, all []lobes.Copy) (err error) {
	if file == "" {
		return imports.Write(e.Stdout, all)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.Dir, file)
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".export-*")
	if err != nil {
		return err
	}
	var out io.Writer = temporary
	err = errors.Join(imports.Write(out, all), temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
