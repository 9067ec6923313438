package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/cmd/internal/install"
	"memory-mcp/cmd/internal/probe"
)

// What is stored in the scratch lobe, and the prompt that should bring it back.
const (
	probeText   = "The zyxomma probe of the doctor answers from the scratch lobe, and nobody else does."
	probePrompt = "From which lobe does the zyxomma probe of the doctor answer?"
	probeWord   = "zyxomma"
)

// tryTime is how long one program may take.
const tryTime = 20 * time.Second

// tried is what came of starting a server.
type tried struct {
	what   string
	older  string // its version, when it is not this program's
	err    error
	stored bool
}

// agent checks the files of one agent, and tries what they start.
func (x *examination) agent(ctx context.Context, s install.State) error {
	set := x.again + " --host " + s.ID
	if len(s.Servers) == 0 {
		unreadable := slices.ContainsFunc(s.Files, func(f install.FileState) bool { return f.Err != nil })
		if err := x.broken(s, set); err != nil || len(s.Files) == 0 || unreadable {
			return err
		}
		return x.warn(s.Name, "it does not have the memory", set)
	}
	if err := x.broken(s, set); err != nil {
		return err
	}
	for _, r := range s.Servers {
		if err := x.server(ctx, s, r, set); err != nil {
			return err
		}
	}
	return x.hooks(ctx, s, set)
}

// broken tells of the files that cannot be read or are not what setup would
// write.
func (x *examination) broken(s install.State, set string) error {
	for _, f := range s.Files {
		var err error
		switch {
		case f.Err != nil:
			err = x.tell(s.Name, "", fmt.Errorf("%s in %s: %w", f.What, x.short(f.Path), f.Err), "repair the file by hand, then "+set)
		case f.State == "outdated":
			err = x.warn(s.Name, f.What+" in "+x.short(f.Path)+" is not what setup would write now", set)
		case f.State == "missing" && f.What == "hooks" && len(s.Servers) > 0:
			err = x.warn(s.Name, "no hooks: it recalls only when the agent asks", set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// server starts a registered server as its host would.
func (x *examination) server(ctx context.Context, s install.State, r install.Registered, set string) error {
	key := fmt.Sprintf("%q %q %q", r.Command, r.Args, r.Env)
	t, known := x.servers[key]
	if !known {
		t = x.try(ctx, r)
		x.servers[key] = t
	}
	name := s.Name + " server"
	if err := x.tell(name, t.what, t.err, set); err != nil || t.older == "" {
		return err
	}
	return x.warn(name, fmt.Sprintf("it is version %s, and this is %s", t.older, version()), set)
}

func (x *examination) try(ctx context.Context, r install.Registered) tried {
	if err := there(r.Command); err != nil {
		return tried{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	c := probe.Command{Path: r.Command, Args: r.Args, Env: probe.Bare(x.io.OS, x.Home, x.Getenv), Dir: x.scratch}
	maps.Copy(c.Env, r.Env)
	server, err := probe.Dial(ctx, c)
	if err != nil {
		return tried{err: fmt.Errorf("%s: %w", x.short(r.Command), err)}
	}
	t := tried{what: fmt.Sprintf("%s answers in %d ms with %s", x.short(r.Command), server.Took.Milliseconds(), counted(len(server.Tools), "tool", "tools"))}
	if server.Version != version() {
		t.older = either(server.Version, "unknown")
	}
	if err := server.Close(); err != nil {
		return tried{err: err}
	}
	if !slices.Contains(server.Tools, "memory_store") || !slices.Contains(server.Tools, "memory_query") {
		t.what += "; it does not store, so nothing was tried"
		return t
	}
	if err := x.storeAndRecall(ctx, c); err != nil {
		return tried{err: err}
	}
	t.stored = true
	t.what += ", stores and recalls"
	return t
}

// there tells whether a program is where it was registered.
func there(command string) error {
	info, err := os.Stat(command)
	switch {
	case err != nil && filepath.IsAbs(command):
		return fmt.Errorf("%q is gone: it was moved or removed since setup", command)
	case err == nil && info.IsDir():
		return fmt.Errorf("%q is a folder", command)
	}
	return nil
}

// storeAndRecall stores the probe in a scratch lobe and looks for it.
func (x *examination) storeAndRecall(ctx context.Context, c probe.Command) (err error) {
	if c.Dir, err = x.scratchProject(); err != nil {
		return err
	}
	c.Env = maps.Clone(c.Env)
	c.Env["MEMORY_MCP_HOME"] = filepath.Join(x.scratch, "home")
	server, err := probe.Dial(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if _, err := server.Call(ctx, "memory_store", map[string]any{"text": probeText, "topic": "general"}); err != nil {
		return err
	}
	found, err := server.Call(ctx, "memory_query", map[string]any{"filter": probeWord})
	if err == nil && !strings.Contains(found, "scratch lobe") {
		err = fmt.Errorf("what was stored is not recalled: %.200q", found)
	}
	return err
}

// hooks puts recorded events to the hooks of an agent.
func (x *examination) hooks(ctx context.Context, s install.State, set string) error {
	if len(s.Hooks) == 0 {
		return nil
	}
	dir, err := x.scratchProject()
	if err != nil {
		return err
	}
	samples, err := hosts.Samples(s.ID, map[string]string{
		"dir": dir, "session": "doctor-" + s.ID, "prompt": probePrompt, "transcript": filepath.Join(x.scratch, "transcript.jsonl"),
	})
	if err != nil {
		return err
	}
	name := s.Name + " hooks"
	var longest time.Duration
	tries, said := 0, 0
	for _, h := range s.Hooks {
		for _, sample := range samples {
			if h.Event != "" && h.Event != sample.Name {
				continue
			}
			a, err := x.hook(ctx, h, sample, dir)
			if err != nil {
				return x.tell(name, "", fmt.Errorf("%s: %w", sample.Name, err), set)
			}
			longest, tries = max(longest, a.Took), tries+1
			if strings.Contains(a.Text, probeWord) {
				said++
			}
		}
	}
	what := fmt.Sprintf("%s tried, the slowest took %d ms", counted(tries, "event", "events"), longest.Milliseconds())
	if x.anyStored() && slices.ContainsFunc(samples, func(s hosts.Sample) bool { return s.Says }) {
		if said == 0 {
			return x.tell(name, "", errors.New(what+", and none brought the memory that was stored"), "see ~/.memory-mcp and "+Name+" diagnose")
		}
		what += fmt.Sprintf(", %d brought the memory", said)
	}
	if err := x.tell(name, what, nil, ""); err != nil {
		return err
	}
	return x.reviewed(s)
}

func (x *examination) anyStored() bool {
	for _, t := range x.servers {
		if t.stored {
			return true
		}
	}
	return false
}

// hook puts one event to one hook. What it answers is one JSON document or
// nothing.
func (x *examination) hook(ctx context.Context, h install.Hooked, sample hosts.Sample, dir string) (probe.Answered, error) {
	if err := there(h.Command[0]); err != nil {
		return probe.Answered{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	args := append(slices.Clone(h.Command[1:]), "--home", filepath.Join(x.scratch, "home"))
	a, err := probe.Hook(ctx, probe.Command{Path: h.Command[0], Args: args, Env: probe.Bare(x.io.OS, x.Home, x.Getenv), Dir: dir}, sample.Input)
	if err == nil && strings.TrimSpace(a.Text) != "" && !json.Valid([]byte(a.Text)) {
		err = fmt.Errorf("it answers something else than one JSON document: %.80q", a.Text)
	}
	return a, err
}

// reviewed tells whether a person has let Codex run the hooks.
func (x *examination) reviewed(s install.State) error {
	h, known := hosts.Lookup(s.ID)
	if !known || h.ID != "codex" || len(s.Servers) == 0 {
		return nil
	}
	text, err := os.ReadFile(s.Servers[0].Path)
	if err == nil && strings.Contains(string(text), s.Hooks[0].Path+":") {
		return x.tell(s.Name+" review", "you have reviewed hooks of this file", nil, "")
	}
	return x.warn(s.Name+" review", "Codex skips hooks until you have reviewed them", "start codex, enter /hooks, and trust those of "+Name)
}
