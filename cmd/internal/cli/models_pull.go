package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/models"
)

func newModelsPull(e *env) *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "pull MODEL...",
		Short: "Fetch models, or go on where a fetch was interrupted",
		Long: `Fetch models from the hub, or from the mirror that the configuration or
MEMORY_MCP_MODEL_MIRROR names (a URL, or a folder). Each file's checksum is
looked at before it counts. --from takes a file that you brought. A role in
place of a name (generation, embedding, rerank, speech) is the best model of it
for the memory of this machine; "runtime" is llama.cpp, which runs models.`,
		Example: `  memory-mcp models pull runtime qwen3-embedding
  memory-mcp models pull generation
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
	if from != "" && !filepath.IsAbs(from) {
		from = filepath.Join(e.Dir, from)
	}
	for _, name := range names {
		m, err := e.namedModel(name)
		if err != nil {
			return err
		}
		if err := e.pullModel(ctx, p, m, from); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) pullModel(ctx context.Context, p modelPlaces, m models.Model, from string) error {
	b := e.transfer(m.Name)
	var path string
	var err error
	switch {
	case m.Role == models.Program && from != "":
		path, err = p.install.Take(ctx, p.folder, from, m, b.report)
	case m.Role == models.Program:
		path, err = p.install.Pull(ctx, p.folder, p.mirror, m, b.report)
	case from != "":
		path, err = p.folder.Take(ctx, from, m, b.report)
	default:
		path, err = p.folder.Pull(ctx, p.mirror, m, b.report)
	}
	b.end()
	if err != nil {
		return notFetched(err)
	}
	if m.Role == models.Program {
		return e.tellRuntime(ctx, path)
	}
	line := fmt.Sprintf("%s is in %s", m.Name, path)
	if _, used := p.used[m.Name]; !used && blockOf(m.Role) != "" {
		line += "\nto use it: " + Name + " models use " + m.Name
	}
	return e.say(line)
}

// tellRuntime says which llama.cpp was unpacked, and whether it runs here.
func (e *env) tellRuntime(ctx context.Context, path string) error {
	version, err := llamacpp.Version(ctx, path)
	if err != nil {
		return &HintedError{Err: err, Code: ops.ExitFailure,
			Hint: `install what it lacks (on Debian and Ubuntu: apt install libgomp1), or name another llama-server as "server" in the block "models"`}
	}
	return e.say(fmt.Sprintf("llama.cpp %s is in %s", version, filepath.Dir(path)))
}

// notFetched says what to do when a model did not come.
func notFetched(err error) error {
	var sum *models.SumError
	var room *models.RoomError
	var busy *models.BusyError
	var foreign *models.ForeignError
	h := &HintedError{Err: err, Code: ops.ExitFailure, Hint: "what was fetched is kept: run the same command again, or bring the file and use --from"}
	switch {
	case errors.As(err, &sum):
		h.Hint = "the source has another file under this name: try another one, or bring the file and use --from"
	case errors.As(err, &room), errors.Is(err, syscall.ENOSPC):
		h.Hint = "free some room, or move the folder with MEMORY_MCP_HOME; what was fetched is kept"
	case errors.As(err, &busy):
		h.Code, h.Hint = ops.ExitBusy, "run the same command again when it is done"
	case errors.As(err, &foreign):
		h.Hint = `move it away, or name its llama-server as "server" in the block "models"`
	}
	return h
}

// namedModel finds a model by its name, or the one of a role that suits this
// machine, and then says which.
func (e *env) namedModel(name string) (models.Model, error) {
	if strings.EqualFold(name, models.RuntimeName) {
		m, published := models.Runtime(runtime.GOOS, runtime.GOARCH)
		if !published {
			return m, &HintedError{Err: fmt.Errorf("no llama.cpp is published for %s/%s", runtime.GOOS, runtime.GOARCH),
				Hint: `build it, and put llama-server on PATH or name it as "server" in the block "models"`, Code: ops.ExitNotFound}
		}
		return m, nil
	}
	for _, role := range []models.Role{models.Chat, models.Embed, models.Rank, models.Speech} {
		if key := blockOf(role); key == strings.ToLower(name) && key != "" || string(role) == strings.ToLower(name) {
			memory := models.MachineMemory()
			m, _ := models.Choose(role, memory)
			return m, e.say(fmt.Sprintf("for %s %s suits this machine, with %s of memory", name, m.Name, size(memory)))
		}
	}
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
				m, err := e.namedModel(name)
				if err != nil {
					return err
				}
				freed, err := p.folder.Remove(m)
				if err == nil && m.Role == models.Program {
					var more int64
					more, err = p.install.Remove()
					freed += more
				}
				if err != nil {
					return notFetched(err)
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
