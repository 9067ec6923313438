package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/llm/models"
)

func newModels(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:     "models",
		Short:   "List, fetch and remove language models",
		GroupID: groupSetup,
		Long: `Language models are optional: without them everything works by words alone.
Nothing is fetched before you ask, and a model is used only when the block
"models" of the configuration names it:

  "models": {"embedding": "qwen3-embedding"}

The program that runs them is llama.cpp's llama-server, found on PATH, in
~/.memory-mcp/llama.cpp, or where "server" in that block says.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newModelsList(e), newModelsPull(e), newModelsRemove(e))
	return c
}

// modelPlaces are where models are kept and fetched from.
type modelPlaces struct {
	folder models.Folder
	mirror models.Source
	used   map[string]string // role by the name in the configuration
}

func (e *env) modelPlaces() (modelPlaces, error) {
	c, err := config.Load(config.Options{Path: e.configPath, Getenv: e.Getenv, Home: e.Home, Cwd: e.Dir, BinaryDir: filepath.Dir(e.Executable)})
	if err != nil {
		return modelPlaces{}, err
	}
	return modelPlaces{
		folder: models.Folder{Dir: app.ModelsDir(c.Home)}, mirror: models.Source(c.Models.Mirror),
		used: map[string]string{c.Models.Embedding.Name: "embedding", c.Models.Rerank.Name: "rerank"},
	}, nil
}

// modelLine is a model as list tells it.
type modelLine struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Size    int64  `json:"size"` // bytes; 0 when only the server knows
	Here    bool   `json:"here"`
	Part    int64  `json:"part"` // bytes of an interrupted fetch
	Suits   bool   `json:"suits"`
	Used    bool   `json:"used"`
	Path    string `json:"path"`
	Licence string `json:"licence"`
}

func newModelsList(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the models that can be fetched, and those that are here",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			lines, folder, err := e.modelLines()
			if err != nil {
				return err
			}
			if asJSON {
				return e.say(compact(map[string]any{"models": lines, "folder": folder, "memory": models.MachineMemory()}))
			}
			return e.showModels(lines, folder)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return c
}

func (e *env) modelLines() ([]modelLine, string, error) {
	p, err := e.modelPlaces()
	if err != nil {
		return nil, "", err
	}
	list, err := p.folder.List()
	if err != nil {
		return nil, "", err
	}
	memory := models.MachineMemory()
	var lines []modelLine
	for _, m := range list {
		best, _ := models.Choose(m.Role, memory)
		_, used := p.used[m.Name]
		lines = append(lines, modelLine{
			Name: m.Name, Role: string(m.Role), Size: max(m.Size, m.Here), Here: m.Here > 0, Part: m.Part,
			Suits: best.Name == m.Name, Used: used, Path: m.Path, Licence: m.Licence,
		})
	}
	return lines, p.folder.Dir, nil
}

func (e *env) showModels(lines []modelLine, folder string) error {
	t := &table{head: []string{"MODEL", "ROLE", "SIZE", "STATE", "LICENCE"}, right: map[int]bool{2: true}}
	for _, m := range lines {
		large := "?"
		if m.Size > 0 {
			large = size(m.Size)
		}
		var state []string
		switch {
		case m.Here:
			state = append(state, "here")
		case m.Part > 0:
			state = append(state, size(m.Part)+" fetched")
		}
		if m.Used {
			state = append(state, "configured")
		}
		if m.Suits {
			state = append(state, "suits this machine")
		}
		t.add(m.Name, m.Role, large, strings.Join(state, ", "), m.Licence)
	}
	return e.say(t.render(e.terminal) + e.terminal.faint("kept in "+e.shortPath(folder)))
}

func newModelsPull(e *env) *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "pull MODEL...",
		Short: "Fetch models, or go on where a fetch was interrupted",
		Long: `Fetch models from the hub, or from the mirror that the configuration or
MEMORY_MCP_MODEL_MIRROR names (a URL, or a folder). Each file's checksum is
looked at before it counts. --from takes a file that you brought.`,
		Example: `  memory-mcp models pull qwen3-embedding
  memory-mcp models pull qwen3-4b --from /media/stick/Qwen3-4B-Q4_K_M.gguf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, names []string) error {
			if from != "" && len(names) != 1 {
				return &UsageError{Command: Name + " models pull", Err: fmt.Errorf("--from is one file, and there are %d models", len(names)),
					Hint: "name one model"}
			}
			return e.pullModels(c.Context(), names, from)
		},
	}
	c.Flags().StringVar(&from, "from", "", "take this `FILE`")
	return c
}

func (e *env) pullModels(ctx context.Context, names []string, from string) error {
	p, err := e.modelPlaces()
	if err != nil {
		return err
	}
	for _, name := range names {
		m, err := namedModel(name)
		if err != nil {
			return err
		}
		b := e.transfer(m.Name)
		var path string
		if from != "" {
			if !filepath.IsAbs(from) {
				from = filepath.Join(e.Dir, from)
			}
			path, err = p.folder.Take(ctx, from, m, b.report)
		} else {
			path, err = p.folder.Pull(ctx, p.mirror, m, b.report)
		}
		b.end()
		if err != nil {
			return notFetched(err)
		}
		line := fmt.Sprintf("%s is in %s", m.Name, path)
		if _, used := p.used[m.Name]; !used && blockOf(m.Role) != "" {
			line += fmt.Sprintf("\nto use it, add to the configuration: \"models\": {%q: %q}", blockOf(m.Role), m.Name)
		}
		if err := e.say(line); err != nil {
			return err
		}
	}
	return nil
}

// notFetched says what to do when a model did not come.
func notFetched(err error) error {
	var sum *models.SumError
	var room *models.RoomError
	var busy *models.BusyError
	h := &HintedError{Err: err, Code: ops.ExitFailure, Hint: "what was fetched is kept: run the same command again, or bring the file and use --from"}
	switch {
	case errors.As(err, &sum):
		h.Hint = "the source has another file under this name: try another one, or bring the file and use --from"
	case errors.As(err, &room):
		h.Hint = "free some room, or move the folder with MEMORY_MCP_HOME"
	case errors.As(err, &busy):
		h.Code, h.Hint = ops.ExitBusy, "run the same command again when it is done"
	}
	return h
}

// blockOf is the key of the configuration for a role; empty for none.
func blockOf(r models.Role) string {
	return map[models.Role]string{models.Embed: "embedding", models.Rank: "rerank"}[r]
}

func namedModel(name string) (models.Model, error) {
	m, err := models.Lookup(name)
	if err != nil {
		return m, &HintedError{Err: err, Hint: Name + " models list", Code: ops.ExitNotFound}
	}
	return m, nil
}

func newModelsRemove(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "rm MODEL...",
		Aliases: []string{"remove"},
		Short:   "Remove models from this machine",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			p, err := e.modelPlaces()
			if err != nil {
				return err
			}
			for _, name := range names {
				m, err := namedModel(name)
				if err != nil {
					return err
				}
				freed, err := p.folder.Remove(m)
				if err != nil {
					return err
				}
				line := m.Name + " was not here"
				if freed > 0 {
					line = fmt.Sprintf("%s is removed, %s are free again", m.Name, size(freed))
				}
				if err := e.say(line); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// transfer is a bar that tells bytes.
type transfer struct{ bar *progressbar.ProgressBar }

func (e *env) transfer(what string) *transfer {
	t := terminalOf(e.Stderr, e.Getenv)
	if !t.is {
		return &transfer{}
	}
	return &transfer{progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(e.Stderr), progressbar.OptionEnableColorCodes(t.colour),
		progressbar.OptionSetWidth(min(30, max(10, t.width/3))), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription(what), progressbar.OptionShowBytes(true))}
}

// report moves the bar. What cannot be drawn is not worth an error.
func (t *transfer) report(done, total int64) {
	if t.bar == nil {
		return
	}
	if total > 0 {
		t.bar.ChangeMax64(total)
	}
	if err := t.bar.Set64(done); err != nil {
		t.bar = nil
	}
}

func (t *transfer) end() {
	if t.bar == nil {
		return
	}
	if err := t.bar.Finish(); err != nil {
		t.bar = nil
	}
}
