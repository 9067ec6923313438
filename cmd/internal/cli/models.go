package cli

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/config"
	"memory-mcp/llm/models"
)

func newModels(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:     "models",
		Short:   "List, fetch, use and remove language models",
		GroupID: groupSetup,
		Long: `Language models are optional: without them everything works by words alone.
Nothing is fetched before you ask, and a model is used only when the block
"models" of the configuration names it. Recall by meaning in three lines:

  memory-mcp models pull runtime            # llama.cpp, which runs models
  memory-mcp models pull qwen3-embedding
  memory-mcp models use qwen3-embedding     # writes it into the configuration

The program that runs them is llama.cpp's llama-server: where "server" in that
block says, else the one that was fetched, else one on PATH.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newModelsList(e), newModelsPull(e), newModelsUse(e), newModelsRemove(e))
	return c
}

// modelPlaces are where models are kept and fetched from.
type modelPlaces struct {
	folder  models.Folder
	install models.Install // of the program that runs them
	mirror  models.Source
	used    map[string]string // role by the name in the configuration
	config  string            // the configuration file, whether it exists or not
	server  string            // that the configuration names
}

func (e *env) modelPlaces() (modelPlaces, error) {
	o := config.Options{Path: e.configPath, Getenv: e.Getenv, Home: e.Home, Cwd: e.Dir, BinaryDir: filepath.Dir(e.Executable)}
	c, err := config.Load(o)
	if err != nil {
		return modelPlaces{}, err
	}
	p := modelPlaces{
		folder: models.Folder{Dir: app.ModelsDir(c.Home)}, install: models.Install{Dir: app.RuntimeDir(c.Home)},
		mirror: models.Source(c.Models.Mirror), used: map[string]string{}, config: c.Path, server: c.Models.Server,
	}
	if p.config == "" {
		p.config = config.DefaultPath(o)
	}
	for role, m := range usedModels(c) {
		if m.URL == "" {
			p.used[m.Name] = role
		}
	}
	return p, nil
}

// usedModels are the models of the configuration by the key of their role.
func usedModels(c *config.Config) map[string]config.Model {
	return map[string]config.Model{"embedding": c.Models.Embedding, "rerank": c.Models.Rerank, "generation": c.Models.Generation, "speech": c.Models.Speech}
}

// blockOf is the key of the configuration for a role; empty for none.
func blockOf(r models.Role) string {
	return map[models.Role]string{models.Embed: "embedding", models.Rank: "rerank", models.Chat: "generation", models.Speech: "speech"}[r]
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
	lines := p.runtimeLine()
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

// runtimeLine tells of the program that runs models, where it can be fetched.
func (p modelPlaces) runtimeLine() []modelLine {
	m, published := models.Runtime(runtime.GOOS, runtime.GOARCH)
	if !published {
		return nil
	}
	release, err := p.install.Release()
	return []modelLine{{
		Name: m.Name, Role: string(m.Role), Size: m.Size, Here: err == nil && release != "", Suits: true, Used: err == nil && release != "",
		Path: p.install.Dir, Licence: m.Licence,
	}}
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
