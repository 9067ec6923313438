// Package app joins everything: the configuration becomes running lobes.
//
// [Open] reads the configuration and finds the lobes of a process: those that
// are configured, the repository of the working directory, and those of the
// folders that the agent's host names in its environment. [App.Current] gives
// them as they are now: a configuration file that changed is taken over at the
// next call, one that is broken is reported while the old settings stay, and a
// set of lobes that was replaced is closed when the calls that use it ended.
//
// It is the only package that knows every package below it. It decides
// nothing about memories.
package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/crash"
	"memory-mcp/lobes"
)

// Options say in which world the program runs.
type Options struct {
	Version string
	// ConfigPath is the configuration file that was named; empty looks in the
	// usual places.
	ConfigPath string
	// Getenv reads an environment variable.
	Getenv func(string) string
	// Home is the person's home directory, Cwd the working directory,
	// BinaryDir the folder of the program.
	Home, Cwd, BinaryDir string
	// ReadOnly refuses every write.
	ReadOnly bool
	// Serving tells that the process lives on: it answers many calls and leaves
	// a mark of those that a kill would interrupt. A folder outside git becomes
	// a lobe of a serving process only when nothing else names a project.
	Serving bool
	// Working tells that the process works off inboxes and waits for the model
	// that it needs; see [App.Lend].
	Working bool
	// Log is where log lines go; nil discards them.
	Log io.Writer
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// App is the running program. It is safe for concurrent use.
type App struct {
	o       Options
	log     *slog.Logger
	journal *crash.Journal // nil when there is no home to keep it in
	started time.Time
	calls   calls
	closing sync.WaitGroup // of lobes of earlier configurations

	mu      sync.Mutex
	now     generation
	bound   []string        // folders that became lobes while the program ran
	asked   bool            // the client was asked for its roots
	tending context.Context // not nil while edits from outside are followed
	untend  context.CancelFunc
}

// A generation is one reading of the configuration and what came of it.
type generation struct {
	config *config.Config // nil when it could not be read
	set    *lobes.Set
	specs  []lobes.Spec
	brains brains
	notice string // why a newer configuration is not in use
}

// Open reads the configuration and finds the lobes. It opens none of them and
// never fails: what is wrong shows in the answers of the lobes and in
// diagnose.
func Open(o Options) *App {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &App{o: o, started: o.Now(), log: logger(o)}
	c, err := config.Load(a.places())
	a.openJournal(a.memoryHome(c))
	a.now = a.generation(c, err)
	if err != nil {
		a.log.Warn("the configuration cannot be used", "cause", err)
	}
	return a
}

func logger(o Options) *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	level := slog.LevelWarn
	if o.Serving {
		level = slog.LevelInfo
	}
	if o.Getenv("MEMORY_MCP_DEBUG") == "1" {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(o.Log, &slog.HandlerOptions{Level: level}))
}

func (a *App) places() config.Options {
	return config.Options{
		Path: a.o.ConfigPath, Getenv: a.o.Getenv, Home: a.o.Home, Cwd: a.o.Cwd, BinaryDir: a.o.BinaryDir,
	}
}

// Log is where the program writes what it does.
func (a *App) Log() *slog.Logger { return a.log }

// Home is the folder of the global store and the journal, empty when it
// cannot be told.
func (a *App) Home() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.memoryHome(a.now.config)
}

// memoryHome is the folder of the global store and the journal, which is known
// also while the configuration cannot be read. Empty is that of nobody.
func (a *App) memoryHome(c *config.Config) string {
	if c != nil {
		return c.Home
	}
	home, err := config.HomePath(a.places())
	if err != nil {
		return ""
	}
	return home
}

// ConfigPath is the configuration file in use, or the one to create.
func (a *App) ConfigPath() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.configPath()
}

func (a *App) configPath() string {
	if a.now.config != nil && a.now.config.Path != "" {
		return a.now.config.Path
	}
	return config.DefaultPath(a.places())
}

// Current gives the lobes as the configuration is now.
func (a *App) Current(context.Context) (*lobes.Set, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refresh()
	return a.now.set, nil
}

func (a *App) memory(ctx context.Context) (ops.Memory, error) { return a.Current(ctx) }

// refresh takes over what changed in the configuration or was repaired around
// it. The caller holds the lock.
func (a *App) refresh() {
	if a.now.config == nil {
		a.reload()
		return
	}
	stale, err := a.now.config.Stale()
	switch {
	case err != nil:
		a.now.notice = err.Error() + "; the settings that were read before are kept"
	case stale:
		a.reload()
	default:
		a.now.notice = ""
		a.repair()
	}
}

// reload reads the configuration again. One that cannot be used changes
// nothing but the notice.
func (a *App) reload() {
	c, err := config.Load(a.places())
	if err != nil {
		a.now.notice = err.Error() + "; the settings that were read before are kept"
		if a.now.config == nil {
			a.now.notice = err.Error()
		}
		return
	}
	a.log.Info("the configuration was read again", "file", c.Path)
	a.replace(a.generation(c, nil))
}

// repair looks again at lobes that had no place, such as a folder that did
// not exist.
func (a *App) repair() {
	broken := func(specs []lobes.Spec) (n int) {
		for _, s := range specs {
			if s.Err != nil {
				n++
			}
		}
		return n
	}
	before := broken(a.now.specs)
	if before == 0 {
		return
	}
	if specs := a.specs(a.now.config); broken(specs) < before {
		a.replace(a.generation(a.now.config, nil))
	}
}

// replace puts a new generation in place of the present one, whose lobes are
// closed when the calls that use them ended.
func (a *App) replace(next generation) {
	old := a.now.set
	a.now = next
	if a.tending != nil {
		a.untend()
		a.tend()
	}
	a.calls.whenIdle(func() {
		a.closing.Add(1)
		a.background("close lobes", func(ctx context.Context) {
			defer a.closing.Done()
			if err := old.Close(ctx); err != nil {
				a.log.Warn("the lobes of the old configuration were not closed in order", "cause", err)
			}
		})
	})
}

// Run reads the lobes in the background, and from then on writes edits from
// outside into the history once they rest, until ctx ends. It returns at once.
func (a *App) Run(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tending = ctx
	new(thrift).begin()
	a.now.set.Warm(ctx)
	a.tend()
}

// Lend runs the models of this machine until ctx ends, for work that waits for
// them. It returns at once; Close comes after wait has returned.
func (a *App) Lend(ctx context.Context) (wait func()) {
	a.mu.Lock()
	brains := a.now.brains
	a.mu.Unlock()
	var running sync.WaitGroup
	brains.run(ctx, func(name string, work func(context.Context)) {
		running.Add(1)
		a.background(name, func(ctx context.Context) {
			defer running.Done()
			work(ctx)
		})
	})
	return running.Wait
}

// tend follows the present lobes. The caller holds the lock.
func (a *App) tend() {
	set, brains := a.now.set, a.now.brains
	ctx, cancel := context.WithCancel(a.tending)
	a.untend = cancel
	brains.run(ctx, a.background)
	a.background("follow edits", func(context.Context) {
		if err := set.Run(ctx); err != nil {
			a.log.Warn("edits from outside are not followed", "cause", err)
		}
	})
}

// Close ends the program in order: edits from outside that wait to be written
// into the history are written, and the marks of this process are removed.
func (a *App) Close(ctx context.Context) error {
	a.mu.Lock()
	set := a.now.set
	a.mu.Unlock()
	err := set.Close(ctx)
	// Those of an earlier configuration may be closing still.
	closed := make(chan struct{})
	go func() {
		a.closing.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
	if a.journal != nil {
		err = errors.Join(err, a.journal.Close())
	}
	return err
}

// Leave ends a program that only read: what waits to be written into the
// history goes on waiting, for one that writes.
func (a *App) Leave() error {
	if a.journal == nil {
		return nil
	}
	return a.journal.Close()
}

// Facts tell about the program and its configuration.
func (a *App) Facts() ops.Facts {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := ops.Facts{Version: a.o.Version, ReadOnly: a.o.ReadOnly, Started: a.started, Config: a.configPath(), Source: "nowhere"}
	if a.now.notice != "" {
		f.Unread = a.now.notice
		f.Notices = append(f.Notices, a.now.notice)
	}
	c := a.now.config
	if c == nil {
		return f
	}
	f.Source = c.Source
	f.ReadOnly = f.ReadOnly || c.ReadOnly
	if profile, ok := ops.ParseProfile(c.Tools); ok {
		f.Profile = profile
	}
	f.Parts, f.Generates = a.now.brains.tell(), c.Models.Generation.Used()
	for _, w := range c.Warnings {
		f.Notices = append(f.Notices, w.String())
	}
	return f
}

// Generates tells whether a model for generation is configured.
func (a *App) Generates() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now.config != nil && a.now.config.Models.Generation.Used()
}

// Target says which lobe a command speaks to: the one named, else that of the
// working directory.
func (a *App) Target(lobe string) lobes.Target {
	return lobes.Target{Lobe: lobe, Dirs: append(a.hostDirs(), a.o.Cwd)}
}

// Server is the world of the calls of an agent, which has a name only once it
// greeted.
func (a *App) Server() *ops.Env {
	return a.Env(lobes.By{Actor: "mcp", Session: a.Session(), Role: "assistant"}, false)
}

// Begin notes that a call starts which may use the present lobes; the function
// that it returns, that it ended.
func (a *App) Begin() (end func()) { return a.calls.begin() }

// Env is the world of a call by the given caller. A person at a shell reads
// command lines in the answers, an agent reads tools.
func (a *App) Env(by lobes.By, shell bool) *ops.Env {
	a.mu.Lock()
	here := a.inRepository(a.o.Cwd)
	a.mu.Unlock()
	env := &ops.Env{
		Current: a.memory, Facts: a.Facts, By: by, Dirs: a.hostDirs(), Adopt: a.Adopt, Bind: a.Bind, Tried: a.Tried, Shell: shell, Now: a.o.Now,
		Journal: journal{a}, Used: a.used,
	}
	if shell || here {
		env.Cwd = a.o.Cwd
	}
	return env
}
