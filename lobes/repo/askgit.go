package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// gitPatience is how long git itself may take for a question.
const gitPatience = 3 * time.Second

// ask runs git once on this repository, with none of the variables that would
// lead it to another one.
func (r Repo) ask(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + r.GitDir}, args...)...)
	cmd.Dir = r.GitDir
	cmd.WaitDelay = time.Second
	cmd.Env = append(withoutGit(os.Environ()), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, line)
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}

// withoutGit drops the variables that select a repository and keeps those
// that configure git.
func withoutGit(environ []string) []string {
	var out []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_EXEC_PATH" {
			continue
		}
		out = append(out, pair)
	}
	return out
}

// askBranch lets git read the references of a reftable.
func (r Repo) askBranch() (Branch, error) {
	commit, headErr := r.ask("rev-parse", "--verify", "--quiet", "HEAD")
	if headErr == nil && !isID(commit) {
		headErr = errHead
	}
	ref, err := r.ask("symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		if headErr == nil {
			return Branch{Detached: true, Commit: commit}, nil
		}
		return Branch{}, fmt.Errorf("read the branch of %q: its references are in a reftable, which only git 2.45 and newer reads: %w", r.GitDir, err)
	}
	b := Branch{Name: strings.TrimPrefix(ref, "refs/heads/"), Unborn: headErr != nil}
	if headErr == nil {
		b.Commit = commit
	}
	return b, nil
}

// maxUser bounds a name.
const maxUser = 200

// User is the name that git writes into commits here (user.name, with
// includes), asked of git once; where there is no git it is read from the
// configuration files, without conditional includes. It is never an e-mail
// address, and empty when nobody is configured.
func (r Repo) User() string {
	name, err := r.ask("config", "--get", "user.name")
	if errors.Is(err, exec.ErrNotFound) {
		name = r.userByHand()
	}
	name = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(name, ""))
	name = strings.Join(strings.Fields(name), " ")
	if len([]rune(name)) > maxUser || isAddress(name) {
		return ""
	}
	return name
}

func isAddress(name string) bool {
	at := strings.IndexByte(name, '@')
	return at > 0 && at < len(name)-1 && !strings.Contains(name, " ") || strings.Contains(name, "<")
}

func (r Repo) userByHand() string {
	var files []string
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig"))
	}
	name := ""
	for _, file := range append(files, filepath.Join(r.refsDir(), "config")) {
		if v, ok := readUser(file, 0); ok {
			name = v
		}
	}
	return name
}

// readUser is user.name of one file and the files that it includes.
func readUser(file string, depth int) (name string, found bool) {
	c, err := readConfig(file)
	if err != nil || depth > 10 {
		return "", false
	}
	for _, s := range c {
		switch {
		case s.section == "user" && s.key == "name":
			name, found = s.value, true
		case s.section == "include" && s.subsection == "" && s.key == "path":
			if v, ok := readUser(includePath(file, s.value), depth+1); ok {
				name, found = v, true
			}
		}
	}
	return name, found
}

func includePath(file, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return against(filepath.Dir(file), path)
}
