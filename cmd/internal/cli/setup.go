package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

type setupOptions struct {
	command         string
	hosts           []string
	noBootstrap     bool
	onlyPrint, json bool
}

func newSetup(e *env) *cobra.Command {
	var o setupOptions
	c := &cobra.Command{
		Use:     "setup [FOLDER]",
		Short:   "Read this repository, and show how to register the server",
		GroupID: groupSetup,
		Long: `Read the repository of this folder into first memories, print the briefing,
say where the files are, and print for each agent how to register the server.
Safe to repeat. No file of an agent is changed.

A program that will not stay where it is, as under "go run", is first copied
to ~/.memory-mcp/bin, and that copy is what the registration names.`,
		Example: `  memory-mcp setup
  memory-mcp setup --print --host codex`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runSetup(c.Context(), e, o, args) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.hosts, "host", nil, "only these agents: "+strings.Join(hostNames(), ", "))
	f.StringVar(&o.command, "command", "", "register this program instead of the running one")
	f.BoolVar(&o.noBootstrap, "no-bootstrap", false, "do not read the repository")
	f.BoolVar(&o.onlyPrint, "print", false, "print the registration and nothing else")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	return c
}

func hostNames() []string {
	var names []string
	for _, r := range registrations("", nil) {
		names = append(names, r.Host)
	}
	return names
}

// setUp is the answer of setup.
type setUp struct {
	Bootstrap     *lobes.Bootstrapped `json:"bootstrap,omitempty"`
	Folders       map[string]string   `json:"folders"`
	Config        string              `json:"config"`
	Command       string              `json:"command"`
	Installed     bool                `json:"installed"` // the program was copied to Command
	Registrations []registration      `json:"registrations"`
}

func runSetup(ctx context.Context, e *env, o setupOptions, args []string) error {
	dir := e.Dir
	if len(args) > 0 {
		dir = args[0]
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(e.Dir, dir)
		}
	}
	wanted, err := wantedHosts(o.hosts)
	if err != nil {
		return err
	}
	here := *e
	here.Dir = dir
	a := here.openFor(false, dir)
	defer end(ctx, a, !o.onlyPrint)
	return here.setUp(ctx, a, o, wanted)
}

func wantedHosts(names []string) (map[string]bool, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		known := false
		for _, host := range hostNames() {
			if name == "all" || strings.EqualFold(name, host) {
				wanted[host], known = true, true
			}
		}
		if !known {
			return nil, &UsageError{Command: Name + " setup", Err: fmt.Errorf("no agent is named %q", name),
				Hint: "it is one of " + strings.Join(hostNames(), ", ")}
		}
	}
	return wanted, nil
}

func (e *env) setUp(ctx context.Context, a *app.App, o setupOptions, wanted map[string]bool) error {
	var done setUp
	quiet := o.onlyPrint || o.json
	if !o.noBootstrap && !o.onlyPrint {
		b, err := e.bootstrap(ctx, a, quiet)
		if err != nil {
			return err
		}
		done.Bootstrap = &b
	}
	if err := e.command(a, o, &done); err != nil {
		return err
	}
	done.Config, done.Folders = a.ConfigPath(), map[string]string{}
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	for _, l := range set.List(ctx, a.Target("")) {
		done.Folders[l.Name] = l.Dir
	}
	variables := map[string]string{}
	if home := e.Getenv("MEMORY_MCP_HOME"); home != "" {
		variables["MEMORY_MCP_HOME"] = home
	}
	for _, r := range registrations(done.Command, variables) {
		if len(wanted) == 0 || wanted[r.Host] {
			done.Registrations = append(done.Registrations, r)
		}
	}
	switch {
	case o.json:
		return e.say(compact(done))
	case o.onlyPrint:
		return e.say(e.registrationText(done))
	}
	return e.showSetUp(ctx, a, done)
}

// bootstrap reads the repository; a bar tells how far it is.
func (e *env) bootstrap(ctx context.Context, a *app.App, quiet bool) (lobes.Bootstrapped, error) {
	bar := e.progress(quiet)
	world := a.Env(e.by(a), true)
	world.Progress = bar.report
	reply, fault := ops.Call(ctx, world, "memory_bootstrap", json.RawMessage(`{"maxTokens": 20000}`))
	bar.end()
	if fault != nil {
		return lobes.Bootstrapped{}, e.noProject(fault)
	}
	var b lobes.Bootstrapped
	structure, err := reply.JSON()
	if err == nil {
		err = json.Unmarshal(structure, &b)
	}
	return b, err
}

// noProject says what to do in a folder that is no project.
func (e *env) noProject(fault *ops.Fault) error {
	if fault.Code != "no_lobe" {
		return fault
	}
	return &HintedError{Err: fmt.Errorf("%q is no project: %s", e.Dir, fault.Message),
		Hint: "run it in a repository, or name one: " + Name + " setup FOLDER", Code: ops.ExitNotFound}
}

// command finds the program to register, and installs it where it must be.
func (e *env) command(a *app.App, o setupOptions, done *setUp) error {
	done.Command = o.command
	if o.command != "" {
		if !filepath.IsAbs(o.command) {
			done.Command = filepath.Join(e.Dir, o.command)
		}
		return nil
	}
	done.Command = e.Executable
	if e.Executable == "" || !fleeting(e.Executable, e.Getenv) {
		return nil
	}
	if a.Home() == "" {
		return errors.New("install the program: no home directory is known")
	}
	path, err := install(e.Executable, filepath.Join(a.Home(), "bin"))
	if err != nil {
		return err
	}
	done.Command, done.Installed = path, true
	return nil
}

func (e *env) showSetUp(ctx context.Context, a *app.App, done setUp) error {
	t := e.terminal
	var b strings.Builder
	if r := done.Bootstrap; r != nil {
		fmt.Fprintf(&b, "%s lobe %s: %s stored, %d unchanged\n", t.green("Read"), r.Lobe,
			counted(len(r.Stored), "memory", "memories"), r.Unchanged)
		for _, w := range r.Warnings {
			b.WriteString(t.yellow(printable(strings.TrimSpace(w))) + "\n")
		}
		b.WriteString("\n")
	}
	if err := e.say(b.String()); err != nil {
		return err
	}
	if done.Bootstrap != nil {
		err := e.call(ctx, a, request{op: "memory_context", args: map[string]any{}, pretty: e.showBriefing, always: true})
		if err != nil {
			return err
		}
	}
	b.Reset()
	b.WriteString("\n" + t.bold("Files") + "\n")
	for _, name := range slices.Sorted(maps.Keys(done.Folders)) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, done.Folders[name])
	}
	fmt.Fprintf(&b, "  %-12s %s%s\n", "settings", done.Config, missing(done.Config))
	b.WriteString("\n" + e.registrationText(done))
	return e.say(b.String())
}

// missing says that a file is not there yet.
func missing(path string) string {
	if path == "" || exists(path) {
		return ""
	}
	return " (optional, not there yet)"
}

func (e *env) registrationText(done setUp) string {
	t := e.terminal
	var b strings.Builder
	if done.Installed {
		b.WriteString("This build would not stay where it is, so it was copied to " + t.bold(done.Command) + "\n\n")
	}
	b.WriteString(t.bold("Register the server with your agent") + "\n")
	for _, alike := range grouped(done.Registrations) {
		b.WriteString("\n")
		for _, r := range alike {
			b.WriteString(t.cyan(r.Title) + ": " + r.How + "\n")
		}
		for _, line := range alike[0].Text {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// grouped puts agents together that are told the same.
func grouped(all []registration) [][]registration {
	var groups [][]registration
	for _, r := range all {
		i := slices.IndexFunc(groups, func(g []registration) bool { return slices.Equal(g[0].Text, r.Text) })
		if i < 0 {
			groups = append(groups, []registration{r})
			continue
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}
