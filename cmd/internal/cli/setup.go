package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/cmd/internal/install"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
)

// setupOptions are what setup and uninstall are told.
type setupOptions struct {
	command                string
	hosts                  []string
	scope                  string
	yes, dryRun            bool
	noHooks, readOnly      bool
	noBootstrap, onlyPrint bool
	json                   bool
}

func newSetup(e *env) *cobra.Command {
	var o setupOptions
	c := &cobra.Command{
		Use:     "setup [FOLDER]",
		Short:   "Read this repository, and give every agent here the memory",
		GroupID: groupSetup,
		Long: `Read the repository of this folder into first memories, find the agents of
this machine, and show what each of their files would become: the server, hooks
that recall and keep without being asked, a skill and the command /mem. These
files are changed only with --yes, or when you say yes at a terminal. Safe to
repeat; "memory-mcp uninstall" takes everything back to the byte.

A program that will not stay where it is, as under "go run", is first copied
to ~/.memory-mcp/bin, and that copy is what is registered.`,
		Example: `  memory-mcp setup                            show what would change
  memory-mcp setup --yes                      every agent that is here
  memory-mcp setup --yes --host codex,gemini  only these
  memory-mcp setup --print --host zed         the entry, to paste it yourself`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runSetup(c.Context(), e, o, args) },
	}
	o.flags(c)
	f := c.Flags()
	f.StringVar(&o.command, "command", "", "register the program at `PATH` instead of the running one")
	f.BoolVar(&o.noHooks, "no-hooks", false, "register the server and the texts, and no hooks")
	f.BoolVar(&o.readOnly, "read-only", false, "register a server that refuses every write")
	f.BoolVar(&o.noBootstrap, "no-bootstrap", false, "do not read the repository")
	f.BoolVar(&o.onlyPrint, "print", false, "print the entry of each agent and do nothing else")
	return c
}

// flags are those that setup and uninstall share.
func (o *setupOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&o.hosts, "host", nil, "only these agents, or all: "+strings.Join(hosts.IDs(), ", "))
	f.StringVar(&o.scope, "scope", string(install.User), "whose files: user, or project for those of the repository, which others share")
	f.BoolVarP(&o.yes, "yes", "y", false, "change the files without asking")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would change, and change nothing at all")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
}

// check refuses what makes no sense, before anything is done.
func (o setupOptions) check(command string) error {
	wrong := func(hint, format string, args ...any) error {
		return &UsageError{Command: Name + " " + command, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	for _, id := range o.hosts {
		if _, known := hosts.Lookup(id); !known && id != "all" {
			return wrong("it is one of "+strings.Join(hosts.IDs(), ", "), "no agent is named %q", id)
		}
	}
	switch {
	case o.scope != string(install.User) && o.scope != string(install.Project):
		return wrong("it is user or project", "there is no scope %q", o.scope)
	case o.yes && o.dryRun:
		return wrong("", "--yes and --dry-run exclude each other")
	case o.onlyPrint && o.yes:
		return wrong("", "--yes and --print exclude each other")
	}
	return nil
}

func runSetup(ctx context.Context, e *env, o setupOptions, args []string) error {
	if err := o.check("setup"); err != nil {
		return err
	}
	here := *e
	if len(args) > 0 {
		here.Dir = args[0]
		if !filepath.IsAbs(here.Dir) {
			here.Dir = filepath.Join(e.Dir, here.Dir)
		}
	}
	a := here.openFor(false, here.Dir)
	defer end(ctx, a, !o.onlyPrint && !o.dryRun)
	if o.onlyPrint {
		return here.printEntries(a, o)
	}
	return here.setUp(ctx, a, o, len(args) > 0)
}

func (e *env) setUp(ctx context.Context, a *app.App, o setupOptions, named bool) error {
	done := setUp{Folders: map[string]string{}, Config: a.ConfigPath()}
	if !o.noBootstrap && !o.dryRun {
		b, err := e.bootstrap(ctx, a, o.json)
		switch project := (*HintedError)(nil); {
		case err == nil:
			done.Bootstrap = &b
		case !named && errors.As(err, &project) && project.Code == ops.ExitNotFound:
			done.Notes = append(done.Notes, project.Error()+", so none was read; "+project.Hint)
		default:
			return err
		}
	}
	io, err := e.installation(a, o, !o.dryRun)
	if err != nil {
		return err
	}
	done.Command, done.Installed = io.Command, io.Command != o.command && io.Command != e.Executable
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	for _, l := range set.List(ctx, a.Target("")) {
		done.Folders[l.Name] = l.Dir
	}
	plan, err := install.Prepare(io)
	if err != nil {
		return err
	}
	done.plan(plan)
	if !o.json {
		if err := e.showSetUp(ctx, a, done, !o.yes); err != nil {
			return err
		}
	}
	self := io.Command
	if o.command != "" {
		self = ""
	}
	return e.carryOut(ctx, job{
		plan:    plan,
		program: self,
		finish: func() (err error) {
			done.Server, err = e.verify(ctx, io)
			done.tail = done.Server
			return err
		},
		answer: func() any { return done },
	}, &done.outcome, o)
}

// installation is what the installer is told. With copying, a program that
// will not stay is copied to where it does.
func (e *env) installation(a *app.App, o setupOptions, copying bool) (install.Options, error) {
	io := install.Options{
		Hosts: o.hosts, Scope: install.Scope(o.scope), NoHooks: o.noHooks, ReadOnly: o.readOnly,
		MemoryHome: a.Home(), Home: e.Home, OS: runtime.GOOS, Getenv: e.Getenv, Now: e.Now,
		SetHome: e.Getenv("MEMORY_MCP_HOME"),
	}
	if io.MemoryHome == "" || io.Home == "" {
		return io, &HintedError{Err: errors.New("no home directory is known"), Hint: "set HOME, and MEMORY_MCP_HOME if the memory should be elsewhere", Code: ops.ExitFailure}
	}
	if io.Scope == install.Project {
		r, err := repo.Discover(e.Dir, repo.Options{Getenv: e.Getenv, Home: e.Home})
		if err != nil || r.Root == "" {
			return io, &HintedError{Err: fmt.Errorf("%q is in no working tree: %w", e.Dir, err), Hint: "run it in a repository, or use --scope user", Code: ops.ExitNotFound}
		}
		io.Project = r.Root
	}
	var err error
	io.Command, err = e.program(o, io.MemoryHome, copying)
	return io, err
}

// program finds the program to register, and puts it where it stays if it must.
func (e *env) program(o setupOptions, home string, copying bool) (string, error) {
	if o.command != "" {
		if !filepath.IsAbs(o.command) {
			return filepath.Join(e.Dir, o.command), nil
		}
		return o.command, nil
	}
	if e.Executable == "" || !fleeting(e.Executable, e.Getenv) {
		return e.Executable, nil
	}
	at := install.CopyPath(home, runtime.GOOS)
	if !copying || at == e.Executable {
		return at, nil
	}
	return at, copyTo(e.Executable, at)
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
	return &HintedError{Err: fmt.Errorf("%q is no project", e.Dir),
		Hint: "run it in a repository, or name one: " + Name + " setup FOLDER", Code: ops.ExitNotFound}
}

// printEntries prints what a person may paste, and writes nothing.
func (e *env) printEntries(a *app.App, o setupOptions) error {
	io, err := e.installation(a, o, false)
	if err != nil {
		return err
	}
	ids := o.hosts
	if len(ids) == 0 || ids[0] == "all" {
		ids = hosts.IDs()
	}
	shown := []shownEntry{}
	for _, id := range ids {
		s, err := install.Show(io, id)
		if err != nil {
			return err
		}
		h, _ := hosts.Lookup(id)
		if s.Text != "" {
			shown = append(shown, shownEntry{id, h.Name, s.Path, s.Text})
		}
	}
	if o.json {
		return e.say(compact(map[string]any{"command": io.Command, "entries": shown}))
	}
	var b strings.Builder
	for i, s := range shown {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n%s", e.terminal.cyan(s.Name), either(s.Path, "in its settings"), s.Text)
	}
	return e.say(b.String())
}

// A shownEntry is an entry for a person to paste.
type shownEntry struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"`
	Text string `json:"text"`
}
