package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/models"
	"memory-mcp/llm/whisper"
)

func newModelsUse(e *env) *cobra.Command {
	var role string
	c := &cobra.Command{
		Use:   "use MODEL",
		Short: "Write into the configuration which model is used",
		Long: `Write into the configuration which model is used: a name of "models list", or a
file of yours with --for: GGUF, or for speech one of whisper.cpp. "none" with
--for uses no model. No other byte of the configuration changes, and servers
that run take it up by themselves.`,
		Example: `  memory-mcp models use qwen3-embedding
  memory-mcp models use ~/gguf/bge-m3-q8_0.gguf --for embedding
  memory-mcp models use whisper-base
  memory-mcp models use none --for rerank`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return e.useModel(args[0], role) },
	}
	c.Flags().StringVar(&role, "for", "", "the `ROLE`: "+strings.Join(config.ModelRoles(), ", "))
	return c
}

// noModel is the name of none.
const noModel = "none"

func (e *env) useModel(name, role string) error {
	p, err := e.modelPlaces()
	if err != nil {
		return err
	}
	if role != "" && !slices.Contains(config.ModelRoles(), role) {
		return useError(fmt.Errorf("%q is no role", role), "--for is one of "+strings.Join(config.ModelRoles(), ", "))
	}
	isFile := strings.ContainsAny(name, `/\`)
	var next []string
	switch {
	case role == "" && (isFile || name == noModel):
		return useError(fmt.Errorf("%q does not say what it is for", name), "add --for "+strings.Join(config.ModelRoles(), ", or --for "))
	case name == noModel:
		name = ""
	case isFile:
		if !filepath.IsAbs(name) {
			name = filepath.Join(e.Dir, name)
		}
		if err := readableModel(role, name); err != nil {
			return err
		}
	default:
		if name, role, err = e.catalogued(p, name, role); err != nil {
			return err
		}
		next = p.missing(name, role)
	}
	before, err := config.UseModel(p.config, role, name)
	if err != nil {
		return err
	}
	return e.say(e.usedLines(p, role, name, before, next))
}

func useError(err error, hint string) error {
	return &UsageError{Command: Name + " models use", Err: err, Hint: hint}
}

// catalogued finds a model of the catalogue, and its role.
func (e *env) catalogued(p modelPlaces, name, role string) (string, string, error) {
	m, err := e.namedModel(name)
	if err != nil {
		return "", "", err
	}
	fits := blockOf(m.Role)
	switch {
	case fits == "":
		return "", "", useError(fmt.Errorf("%s is a model for %s, which the configuration does not name", m.Name, m.Role), "it is found by its file: "+Name+" models pull "+m.Name)
	case role != "" && role != fits:
		return "", "", useError(fmt.Errorf("%s is a model for %s, not for %s", m.Name, fits, role), "leave --for out")
	}
	return m.Name, fits, nil
}

// speechRole is the role of the model that listens, with whisper.cpp.
const speechRole = "speech"

// readableModel tells whether a file of a person is a model for a role.
func readableModel(role, path string) error {
	if role == speechRole {
		if err := whisper.Readable(path); err != nil {
			return &HintedError{Err: err, Code: ops.ExitNotFound, Hint: "name a model file of whisper.cpp, as ggml-base.bin"}
		}
		return nil
	}
	if err := llamacpp.Readable(path); err != nil {
		return &HintedError{Err: err, Code: ops.ExitNotFound, Hint: "name a GGUF file"}
	}
	return nil
}

// missing is what a model needs to run and is not here, as commands.
func (p modelPlaces) missing(name, role string) []string {
	var next []string
	if m, err := models.Lookup(name); err == nil {
		if _, err := os.Stat(p.folder.Path(m)); err != nil {
			next = append(next, Name+" models pull "+name)
		}
	}
	if role == speechRole {
		if !whisper.Built {
			next = append(next, "build this program with whisper.cpp: "+whisper.BuildCommand)
		}
		return next
	}
	if _, err := llamacpp.Find(p.server, p.install.Dir); err != nil {
		next = append(next, Name+" models pull "+models.RuntimeName)
	}
	return next
}

// usedLines tell what was written, what it replaced, what is missing, and what
// stands in its way.
func (e *env) usedLines(p modelPlaces, role, name, before string, next []string) string {
	line := fmt.Sprintf("%s: %s", role, cmp.Or(name, noModel))
	if before != "" && before != name {
		line += " instead of " + before
	}
	lines := []string{line + ", in " + e.shortPath(p.config)}
	for _, n := range next {
		lines = append(lines, "next: "+n)
	}
	for _, suffix := range []string{"_URL", "_MODEL"} {
		variable := "MEMORY_MCP_" + strings.ToUpper(role) + suffix
		if e.Getenv(variable) != "" {
			lines = append(lines, variable+" is set and has the last word")
		}
	}
	return strings.Join(lines, "\n")
}
