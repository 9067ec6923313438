package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/ops"
	"memory-mcp/lobes"
)

// env is what the commands share: the world, the options that every command
// takes, and how to call an operation.
type env struct {
	World
	terminal   terminal // of standard output
	configPath string
	readOnly   bool
}

func newEnv(w World) *env {
	if w.Getenv == nil {
		w.Getenv = func(string) string { return "" }
	}
	return &env{World: w, terminal: terminalOf(w.Stdout, w.Getenv)}
}

// open starts the program without serving. The caller closes it.
func (e *env) open() *app.App { return e.openFor(false, e.Dir) }

func (e *env) openFor(serving bool, dir string) *app.App {
	o := e.options(dir)
	o.Serving = serving
	return app.Open(o)
}

// openWorking is open for a command that waits for the model that it needs.
func (e *env) openWorking() *app.App {
	o := e.options(e.Dir)
	o.Working = true
	return app.Open(o)
}

func (e *env) options(dir string) app.Options {
	return app.Options{
		Version: version(), ConfigPath: e.configPath, Getenv: e.Getenv, Home: e.Home, Cwd: dir,
		BinaryDir: folder(e.Executable), ReadOnly: e.readOnly || truthy(e.Getenv("MEMORY_MCP_READONLY")),
		Log: e.Stderr, Now: e.Now,
	}
}

func folder(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Dir(path)
}

func truthy(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// by says who acts at a shell: a person where one is seen to type, else a
// program, often an agent.
func (e *env) by(a *app.App) lobes.By {
	by := lobes.By{Actor: "cli", Session: a.Session(), Role: "assistant"}
	if e.person() {
		by.Role = "user"
	}
	return by
}

// person tells whether somebody types: both ends are a terminal, and no agent
// says that it started the program. Agents run commands in terminals too.
func (e *env) person() bool {
	if !isTerminal(e.Stdin) || !e.terminal.is {
		return false
	}
	for _, name := range agentVariables() {
		if e.Getenv(name) != "" {
			return false
		}
	}
	return true
}

// agentVariables are set by agents in the shells that they run.
func agentVariables() []string {
	return []string{
		"AI_AGENT", "AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE", "CURSOR_AGENT",
		"CURSOR_TRACE_ID", "COPILOT_CLI", "OPENCODE", "CLINE_ACTIVE", "AUGMENT_AGENT", "GOOSE_TERMINAL",
	}
}

// A request is one call of an operation by a command.
type request struct {
	op   string
	args map[string]any
	json bool // print the structure
	// pretty prints the answer for a person at a terminal; nil prints its text.
	pretty func(structure []byte) error
	// always uses pretty also when the output is no terminal.
	always bool
}

// run opens the program, makes one call and prints its answer.
func (e *env) run(ctx context.Context, r request) error {
	a := e.open()
	defer end(ctx, a, r.writes())
	return e.call(ctx, a, r)
}

// writes tells whether the call may change a memory.
func (r request) writes() bool {
	o, known := ops.Find(r.op)
	return known && o.Effect.Writes()
}

// end ends the program in order. What a command had to do is done by then, so
// what goes wrong here is told and changes nothing.
func end(ctx context.Context, a *app.App, wrote bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	var err error
	if wrote {
		err = a.Close(ctx)
	} else {
		err = a.Leave()
	}
	if err != nil {
		a.Log().Warn("the program did not end in order", "cause", err)
	}
}

// closeTime bounds how long an orderly end may take.
const closeTime = 2 * time.Second

// call makes one call and prints its answer.
func (e *env) call(ctx context.Context, a *app.App, r request) error {
	reply, err := e.ask(ctx, a, r)
	if err != nil {
		return err
	}
	return e.print(reply, r)
}

// ask makes one call.
func (e *env) ask(ctx context.Context, a *app.App, r request) (ops.Reply, error) {
	if err := plainText(r.args); err != nil {
		return ops.Reply{}, err
	}
	raw, err := json.Marshal(r.args)
	if err != nil {
		return ops.Reply{}, err
	}
	reply, fault := ops.Call(ctx, a.Env(e.by(a), true), r.op, raw)
	if fault != nil {
		return ops.Reply{}, fault
	}
	return reply, nil
}

func (e *env) print(reply ops.Reply, r request) error {
	if !r.json && (r.pretty == nil || !e.terminal.is && !r.always) {
		return e.say(reply.Text())
	}
	structure, err := reply.JSON()
	if err != nil {
		return err
	}
	if r.json {
		return e.say(string(structure))
	}
	return r.pretty(structure)
}

// say prints lines for whoever called.
func (e *env) say(text string) error {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(e.Stdout, text)
	return err
}

func (e *env) sayf(format string, args ...any) error {
	return e.say(fmt.Sprintf(format, args...))
}

// text is what a command was given to store: its arguments, or standard input
// when there are none or the only one is "-". A terminal is not waited for.
func (e *env) text(args []string, what string) (string, error) {
	fromInput := len(args) == 0 || len(args) == 1 && args[0] == "-"
	if !fromInput {
		return strings.Join(args, " "), nil
	}
	if isTerminal(e.Stdin) && len(args) == 0 {
		return "", &UsageError{Err: errors.New(what + " is missing"), Hint: `give it as an argument, or pipe it in with "-"`}
	}
	const most = 1 << 20
	b, err := io.ReadAll(io.LimitReader(e.Stdin, most))
	if err != nil {
		return "", fmt.Errorf("read %s from standard input: %w", what, err)
	}
	if strings.TrimSpace(string(b)) == "" {
		return "", &UsageError{Err: errors.New(what + " is missing: standard input is empty"), Hint: `give it as an argument, or pipe it in with "-"`}
	}
	return string(b), nil
}

// plainText refuses bytes that are not UTF-8: JSON would put other characters
// in their place, and what is stored would not be what was given.
func plainText(args map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		texts := []string{}
		switch value := args[name].(type) {
		case string:
			texts = append(texts, value)
		case []string:
			texts = value
		}
		for _, text := range texts {
			if !utf8.ValidString(text) {
				return &UsageError{Err: fmt.Errorf("%s is not valid UTF-8: %.60q", name, text), Hint: "convert it first, for example with iconv -t UTF-8"}
			}
		}
	}
	return nil
}

// quote puts a value into a message.
func quote(s string) string { return fmt.Sprintf("%q", s) }

// set puts an argument into a call if it was given.
func set[T comparable](args map[string]any, name string, value T) {
	var zero T
	if value != zero {
		args[name] = value
	}
}

// setList is set for a list.
func setList(args map[string]any, name string, values []string) {
	if len(values) > 0 {
		args[name] = values
	}
}

// exists tells whether something is at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
