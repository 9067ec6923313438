package cli

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"memory-mcp/cmd/internal/install"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/lobes/repo"
)

func newUninstall(e *env) *cobra.Command {
	var o setupOptions
	c := &cobra.Command{
		Use:     "uninstall",
		Short:   "Take back what setup wrote into the files of agents",
		GroupID: groupSetup,
		Long: `Take the server, the hooks and the texts out of the files of all agents, or of
those that are named, and remove the copied program. A file that nobody edited
since is byte for byte what it was before; in one that was edited, everything
else stays. Memories are kept: they are yours.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check("uninstall"); err != nil {
				return err
			}
			return e.uninstall(c.Context(), o)
		},
	}
	o.flags(c)
	return c
}

func (e *env) uninstall(ctx context.Context, o setupOptions) error {
	home, err := config.HomePath(config.Options{Path: e.configPath, Getenv: e.Getenv, Home: e.Home, Cwd: e.Dir, BinaryDir: folder(e.Executable)})
	if err != nil {
		return &HintedError{Err: err, Hint: "set HOME, and MEMORY_MCP_HOME if the memory is elsewhere", Code: ops.ExitFailure}
	}
	io := install.Options{
		Hosts: o.hosts, Scope: install.Scope(o.scope), MemoryHome: home, Home: e.Home, OS: runtime.GOOS, Getenv: e.Getenv, Now: e.Now,
	}
	if r, err := repo.Discover(e.Dir, repo.Options{Getenv: e.Getenv, Home: e.Home}); err == nil {
		io.Project = r.Root
	}
	plan, err := install.PrepareRemoval(io)
	if err != nil {
		return err
	}
	var out outcome
	out.plan(plan)
	j := job{plan: plan, finish: func() error { return nil }, answer: func() any { return out }}
	if len(o.hosts) == 0 && o.scope == string(install.User) {
		if at := install.CopyPath(home, io.OS); exists(at) {
			j.also = append(j.also, at)
		}
		j.finish = func() error { return e.forgetSetup(io, &out) }
	}
	if !o.json {
		if err := e.say(e.removalText(out, j, !o.yes)); err != nil {
			return err
		}
	}
	return e.carryOut(ctx, j, &out, o)
}

// forgetSetup removes what the installer kept for itself, if all went well.
func (e *env) forgetSetup(io install.Options, out *outcome) error {
	if out.verdict() != nil {
		return nil
	}
	kept, err := install.Forget(io)
	for _, k := range kept {
		out.Notes = append(out.Notes, "A copy stays, since the file was edited meanwhile: "+e.short(k))
	}
	return err
}

// removalText tells what would be taken back.
func (e *env) removalText(out outcome, j job, diffs bool) string {
	text := "No file of an agent holds anything of ours.\n"
	if len(out.Hosts) > 0 {
		text = e.hostsText(out)
	}
	if diffs {
		text += e.diffText(out)
	}
	for _, path := range j.also {
		text += "\nThe copied program goes too: " + e.short(path) + "\n"
	}
	return text
}
