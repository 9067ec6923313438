package ops

import (
	"context"
	"time"

	"memory-mcp/crash"
	"memory-mcp/lobes"
)

// Env is the world of one call.
type Env struct {
	// Current gives the lobes as the configuration is now.
	Current func(context.Context) (Memory, error)
	// Journal guards calls; nil is without.
	Journal Journal
	// Facts tells about the program and its configuration; nil is the zero one.
	Facts func() Facts
	// By is who calls.
	By lobes.By
	// Dirs are the folders that the host named, Cwd is the working directory.
	Dirs []string
	Cwd  string
	// Roots asks the client for its roots, and is asked only when nothing else
	// tells which lobe a call speaks to; nil is without. It is not ok while the
	// client has not answered.
	Roots func(context.Context) (roots []string, ok bool)
	// Tried asks the servers and programs of the models how they are; nil is
	// without, and then the facts tell.
	Tried func(context.Context) []Part
	// Bind hears the client's roots before they are used, so that lobes can be
	// made of them; nil is without.
	Bind func(roots []string)
	// Adopt makes a lobe of a folder, for a bootstrap with a root; nil refuses.
	// It gives the lobe's name.
	Adopt func(ctx context.Context, root string, budget int64) (string, error)
	// Progress hears how far a long call is; nil is without.
	Progress func(done, total int, what string)
	// Used hears what each call came to, once its answer is written; nil is
	// without.
	Used func(context.Context, lobes.By, Use)
	// Shell tells that a person at a shell reads the answer: what it proposes
	// are command lines.
	Shell bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Facts are what a running program tells about itself.
type Facts struct {
	Version  string
	Profile  Profile
	ReadOnly bool
	// Config is the configuration file in use, Source where the settings came
	// from in words, Notices what is wrong with them.
	Config  string
	Source  string
	Notices []string
	// Unread says why the configuration that is on disk is not the one in use;
	// "" when it is.
	Unread  string
	Started time.Time
	// Parts are the language models that are configured.
	Parts []Part
	// Generates tells that a model for generation is among them, so that raw
	// material can be recorded.
	Generates bool
}

// Part is a language model, and how it is.
type Part struct {
	Role  string `json:"role"` // embedding, rerank or generation
	Name  string `json:"name"`
	State string `json:"state"` // idle, starting, ready, waiting, paused, unreachable or off
	Cause string `json:"cause"`
	Next  string `json:"next"` // what to do about it
	// Version is what the program says of itself that runs the model.
	Version string `json:"version"`

	// Of a server: where it is, what it was asked today, and the ceiling of a
	// day, 0 when there is none.
	Host       string `json:"host"`
	Calls      int    `json:"calls"`
	Failed     int    `json:"failed"`
	Tokens     int    `json:"tokens"`
	MostCalls  int    `json:"most_calls"`
	MostTokens int    `json:"most_tokens"`
}

// Journal is what operations ask of the crash journal. [*crash.Journal] is one.
type Journal interface {
	Guard(crash.Doing, func() error) error
	Reports() ([]crash.Report, error)
	Latest() (crash.Report, bool, error)
	MarkShown(crash.Report) error
}

func (e *Env) facts() Facts {
	if e.Facts == nil {
		return Facts{}
	}
	return e.Facts()
}

func (e *Env) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

func (e *Env) guard(d crash.Doing, run func() error) error {
	if e.Journal == nil {
		return run()
	}
	return e.Journal.Guard(d, run)
}
