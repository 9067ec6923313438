package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/install"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes/repo"
)

func newDoctor(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "doctor",
		Short:   "Try out what setup registered, from end to end",
		GroupID: groupSetup,
		Long: `Start each registered server and each hook as an agent would, in an environment
with nothing in it: shake hands, store and recall in a scratch lobe, put recorded
events to the hooks. Look at git and at where a call from this folder goes. One
line for each check, with a remedy where one is needed. Nothing of yours is
touched. The exit code is 0 when all is well and 1 when something fails.
For the memories themselves there is "memory-mcp diagnose".`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return e.doctor(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return c
}

// The verdicts of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn" // works, but not as it could
	checkFail = "fail"
)

// A check is one line of doctor.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	What   string `json:"what"`
	Remedy string `json:"remedy"`
}

// An examination is one run of doctor.
type examination struct {
	*env
	io      install.Options
	checks  []check
	show    func(check) error
	scratch string
	servers map[string]tried // by what is started
	again   string           // the command line that repairs a registration
}

func (e *env) doctor(ctx context.Context, asJSON bool) error {
	a := e.open()
	defer end(ctx, a, false)
	x := &examination{env: e, servers: map[string]tried{}, again: e.self("") + " setup --yes"}
	x.show = func(c check) error {
		if asJSON {
			return nil
		}
		return e.showCheck(c)
	}
	x.io = install.Options{
		MemoryHome: a.Home(), Home: e.Home, OS: runtime.GOOS, Getenv: e.Getenv, Now: e.Now,
	}
	if err := x.run(ctx, a); err != nil {
		return err
	}
	failed := 0
	for _, c := range x.checks {
		if c.State == checkFail {
			failed++
		}
	}
	var err error
	if asJSON {
		err = e.say(compact(map[string]any{"ok": failed == 0, "checks": x.checks}))
	}
	if failed > 0 {
		return errors.Join(err, &ExitError{Code: ops.ExitFailure})
	}
	return err
}

func (e *env) showCheck(c check) error {
	t := e.terminal
	state := map[string]string{checkOK: t.green("ok  "), checkWarn: t.yellow("warn"), checkFail: t.red("FAIL")}[c.State]
	text := state + "  " + t.bold(c.Name) + ": " + printable(c.What) + "\n"
	if c.Remedy != "" {
		text += "      " + printable(c.Remedy) + "\n"
	}
	return e.say(text)
}

// tell adds a check; with an error it failed.
func (x *examination) tell(name, what string, err error, remedy string) error {
	c := check{Name: name, State: checkOK, What: what}
	if err != nil {
		c.State, c.What, c.Remedy = checkFail, strings.TrimSpace(err.Error()), remedy
	}
	x.checks = append(x.checks, c)
	return x.show(c)
}

func (x *examination) warn(name, what, remedy string) error {
	c := check{Name: name, State: checkWarn, What: what, Remedy: remedy}
	x.checks = append(x.checks, c)
	return x.show(c)
}

func (x *examination) run(ctx context.Context, a *app.App) error {
	var err error
	if x.scratch, err = os.MkdirTemp("", Name+"-doctor-*"); err != nil {
		return fmt.Errorf("make a scratch folder: %w", err)
	}
	defer func() {
		if err := removeAll(x.scratch); err != nil {
			a.Log().Warn("the scratch folder stays", "cause", err)
		}
	}()
	for _, step := range []func(context.Context, *app.App) error{x.program, x.settings, x.home, x.git, x.routing, x.models} {
		if err := step(ctx, a); err != nil {
			return err
		}
	}
	return x.agents(ctx)
}

// removeAll removes a folder in which a program may be about to end.
func removeAll(dir string) (err error) {
	for range 10 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// program tells which program runs.
func (x *examination) program(context.Context, *app.App) error {
	if x.Executable == "" {
		return x.warn("program", "its own path cannot be told", "")
	}
	return x.tell("program", version()+", "+x.short(x.Executable), nil, "")
}

// settings are those of the configuration file.
func (x *examination) settings(_ context.Context, a *app.App) error {
	f := a.Facts()
	if len(f.Notices) > 0 {
		remedy := "repair " + f.Config
		if !slices.ContainsFunc(f.Notices, func(n string) bool { return !strings.HasPrefix(n, "MEMORY_MCP_") }) {
			remedy = "correct the environment"
		}
		return x.tell("settings", "", errors.New(strings.Join(f.Notices, "; ")), remedy)
	}
	return x.tell("settings", "from "+either(f.Source, "nowhere"), nil, "")
}

// home wants to be able to write where the memory is.
func (x *examination) home(context.Context, *app.App) error {
	const name = "memory's home"
	at := x.io.MemoryHome
	if at == "" {
		return x.tell(name, "", errors.New("no home directory is known"), "set HOME, or MEMORY_MCP_HOME to an absolute path")
	}
	f, err := os.CreateTemp(at, ".doctor-*")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return x.tell(name, x.short(at)+", not there yet", nil, "")
	case err != nil:
		return x.tell(name, "", err, "make it writable for you: chmod u+rwx "+quote(at))
	}
	return x.tell(name, x.short(at), errors.Join(f.Close(), os.Remove(f.Name())), "look at "+quote(f.Name()))
}

// git tells the identity of this folder and of the person.
func (x *examination) git(context.Context, *app.App) error {
	r, err := repo.Discover(x.Dir, repo.Options{Getenv: x.Getenv, Home: x.Home})
	if errors.Is(err, repo.ErrNoRepository) {
		return x.tell("git", "this folder is in no repository", nil, "")
	}
	if err != nil {
		return x.tell("git", "", err, "see "+Name+" diagnose")
	}
	user := r.User()
	if user == "" {
		return x.warn("git", "no user.name is set, so your edits carry nobody's name", `git config --global user.name "Your Name"`)
	}
	return x.tell("git", fmt.Sprintf("repository %s, all its worktrees share %s; you are %s", r.Name(), x.short(r.CommonDir), user), nil, "")
}

// routing tells where a call from this folder would go.
func (x *examination) routing(ctx context.Context, a *app.App) error {
	set, err := a.Current(ctx)
	if err != nil {
		return x.tell("routing", "", err, "")
	}
	all, err := set.Resolve(a.Target(""), false)
	if err != nil {
		return x.warn("routing", "a call from here has no lobe of its own: "+err.Error(), "start your agent in a repository, or name folders in "+x.short(a.ConfigPath()))
	}
	var names []string
	for _, l := range all {
		names = append(names, l.Name()+" ("+x.short(l.Dir())+")")
	}
	return x.tell("routing", "a call from here goes to "+strings.Join(names, ", "), nil, "")
}

// agents tries what each agent would start.
func (x *examination) agents(ctx context.Context) error {
	states, err := install.Look(x.io)
	if err != nil {
		return x.tell("agents", "", err, "")
	}
	if len(states) == 0 {
		return x.warn("agents", "none was found here", x.again+" once one is installed")
	}
	for _, s := range states {
		if err := x.agent(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// scratchProject is a repository with nothing in it.
func (x *examination) scratchProject() (string, error) {
	dir := filepath.Join(x.scratch, "project")
	for _, d := range []string{"objects", filepath.Join("refs", "heads")} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", d), 0o700); err != nil {
			return "", err
		}
	}
	return dir, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
}
