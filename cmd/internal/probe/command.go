package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A Command is how a host starts a program.
type Command struct {
	Path string
	Args []string
	Env  map[string]string // besides what [Bare] gives
	Dir  string
}

// Bare is the environment of a program whose host gives it nothing: what the
// system itself needs, and where the home is.
func Bare(system, home string, getenv func(string) string) map[string]string {
	if system == "windows" {
		env := map[string]string{"USERPROFILE": home}
		for _, name := range []string{"SystemRoot", "SystemDrive", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA"} {
			if v := getenv(name); v != "" {
				env[name] = v
			}
		}
		return env
	}
	return map[string]string{"HOME": home, "PATH": "/usr/bin:/bin"}
}

func (c Command) make(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, []string{}
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	cmd.WaitDelay = time.Second
	return cmd
}

// Output runs a program to its end and gives what it printed.
func Output(ctx context.Context, c Command) (string, error) {
	var out, errs bytes.Buffer
	cmd := c.make(ctx)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := ended(cmd.Run(), &errs)
	return out.String(), err
}

// ended joins the end of a program with what it said on standard error.
func ended(err error, errs *bytes.Buffer) error {
	if err == nil {
		return nil
	}
	said := strings.TrimSpace(errs.String())
	if line, _, more := strings.Cut(said, "\n"); more {
		said = line
	}
	if said == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, said)
}

// An Answered is what came of one event.
type Answered struct {
	Text string
	Took time.Duration
}

// Hook puts one event to a hook. It is an error if the hook ends with a code,
// or says anything on standard error.
func Hook(ctx context.Context, c Command, event []byte) (Answered, error) {
	var out, errs bytes.Buffer
	cmd := c.make(ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(event), &out, &errs
	start := time.Now()
	err := cmd.Run()
	a := Answered{Text: out.String(), Took: time.Since(start)}
	switch {
	case ctx.Err() != nil:
		return a, fmt.Errorf("no answer within %v", time.Since(start).Round(time.Millisecond))
	case err != nil:
		return a, ended(err, &errs)
	case errs.Len() > 0:
		return a, errors.New("it writes to standard error: " + strings.TrimSpace(errs.String()))
	}
	return a, nil
}
