package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// environment is Options with every gap filled and every place resolved.
type environment struct {
	getenv     func(string) string
	home, cwd  string
	memoryHome string
	homeMoved  bool
	explicit   string // the file that the person named, which must exist
	named      string // how the person named it, for messages
	places     []string
}

func (o Options) environment() (*environment, error) {
	e := &environment{getenv: o.Getenv, home: o.Home, cwd: o.Cwd}
	if err := e.fill(); err != nil {
		return nil, err
	}
	if err := e.findExplicit(o.Path); err != nil {
		return nil, err
	}
	if dir := e.userConfigDir(runtime.GOOS); dir != "" {
		e.places = append(e.places, filepath.Join(dir, "memory-mcp", FileName))
	}
	e.places = append(e.places, filepath.Join(e.memoryHome, FileName))
	if o.BinaryDir != "" {
		e.places = append(e.places, filepath.Join(o.BinaryDir, FileName))
	}
	return e, nil
}

// fill finds the folders that everything else is relative to.
func (e *environment) fill() error {
	if e.getenv == nil {
		e.getenv = os.Getenv
	}
	if e.home == "" {
		e.home = e.getenv("HOME")
	}
	if e.home == "" {
		// Without a home directory MEMORY_MCP_HOME may still do.
		if home, err := os.UserHomeDir(); err == nil {
			e.home = home
		}
	}
	if e.cwd == "" {
		cwd, err := os.Getwd()
		if err != nil {
			return &Error{Problem{What: "the working directory cannot be found: " + err.Error(),
				Remedy: "start the program in a folder that exists"}, err}
		}
		e.cwd = cwd
	}
	return e.findMemoryHome()
}

func (e *environment) findMemoryHome() error {
	moved := e.getenv("MEMORY_MCP_HOME")
	if moved == "" {
		if e.home == "" {
			return &Error{Problem{What: "no home directory is known", Remedy: "set HOME, or MEMORY_MCP_HOME to an absolute path"}, nil}
		}
		e.memoryHome = filepath.Join(e.home, ".memory-mcp")
		return nil
	}
	path, err := e.expand(moved)
	if err != nil {
		return &Error{Problem{Key: "MEMORY_MCP_HOME", What: err.Error(), Remedy: "write the folder out in full"}, err}
	}
	if !filepath.IsAbs(path) {
		return &Error{Problem{Key: "MEMORY_MCP_HOME", What: fmt.Sprintf("%q is not an absolute path", moved),
			Remedy: fmt.Sprintf("write it out in full, for example %q", filepath.Join(e.cwd, moved))}, nil}
	}
	e.memoryHome, e.homeMoved = filepath.Clean(path), true
	return nil
}

func (e *environment) findExplicit(path string) error {
	e.named = "--config"
	if path == "" {
		e.named, path = "MEMORY_MCP_CONFIG", e.getenv("MEMORY_MCP_CONFIG")
	}
	if path == "" {
		return nil
	}
	full, err := e.resolve(path, e.cwd)
	if err != nil {
		return &Error{Problem{Key: e.named, What: err.Error(), Remedy: "write the path out in full"}, err}
	}
	e.explicit = full
	return nil
}

// userConfigDir is os.UserConfigDir for the environment that was given.
func (e *environment) userConfigDir(goos string) string {
	if xdg := e.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(xdg) {
		return xdg
	}
	roaming := e.getenv("AppData")
	switch {
	case goos == "windows" && roaming != "":
		return roaming
	case e.home == "":
		return ""
	case goos == "windows":
		return filepath.Join(e.home, "AppData", "Roaming")
	case goos == "darwin":
		return filepath.Join(e.home, "Library", "Application Support")
	}
	return filepath.Join(e.home, ".config")
}

// find returns the file to read, empty for none, and the places before it. A
// place that cannot be looked at is an error, since a file may be there.
func (e *environment) find() (string, []string, error) {
	if e.explicit != "" {
		if _, err := os.Stat(e.explicit); err != nil {
			return "", nil, unreadable(e.explicit, e.named, err)
		}
		return e.explicit, nil, nil
	}
	for i, place := range e.places {
		_, err := os.Lstat(place)
		if err == nil {
			return place, e.places[:i], nil
		}
		if !absent(err) {
			return "", nil, unreadable(place, "", err)
		}
	}
	return "", e.places, nil
}

func unreadable(path, key string, err error) *Error {
	p := Problem{File: path, Key: key, What: "the configuration cannot be read: " + cause(err), Remedy: "make the file readable"}
	switch {
	case errors.Is(err, fs.ErrNotExist) && key != "":
		p.What, p.Remedy = "there is no such configuration file", "create it, or leave "+key+" out"
	case errors.Is(err, fs.ErrNotExist):
		p.What, p.Remedy = "the configuration file is gone", "put it back, or restart to go on without it"
	}
	return &Error{p, err}
}

// absent is true when nothing can be at the path, also because a part of it is
// a file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isNotFolder(err)
}

func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// expand replaces ~ at the start and $HOME or ${HOME} anywhere. Any other
// variable is an error: a path that is taken literally would lead elsewhere.
func (e *environment) expand(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%q holds a NUL byte", path)
	}
	if strings.HasPrefix(path, "~") {
		rest := path[1:]
		if rest != "" && !os.IsPathSeparator(rest[0]) && rest[0] != '/' {
			return "", fmt.Errorf("%q names the home of another user, which is not expanded", path)
		}
		path = "$HOME" + rest
	}
	var missing error
	out := expandVariables(path, func(name string) string {
		if name == "HOME" && e.home != "" {
			return e.home
		}
		if missing == nil {
			missing = fmt.Errorf("%q uses the variable %q; only $HOME and ~ are expanded", path, name)
		}
		return ""
	})
	return out, missing
}

// expandVariables replaces $NAME and ${NAME}. A dollar sign before anything
// but a letter or an underscore is part of the name.
func expandVariables(s string, value func(string) string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest := variable(after)
		if name == "" {
			b.WriteByte('$')
		} else {
			b.WriteString(value(name))
		}
		s = rest
	}
}

func variable(s string) (name, rest string) {
	if inner, braced := strings.CutPrefix(s, "{"); braced {
		if name, rest, found := strings.Cut(inner, "}"); found && name != "" {
			return name, rest
		}
		return "", s
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return s[:n], s[n:]
}

// resolve expands a path and makes it absolute, relative ones below base.
func (e *environment) resolve(path, base string) (string, error) {
	full, err := e.expand(path)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(full) {
		full = filepath.Join(base, full)
	}
	full, err = filepath.Abs(full)
	if err != nil {
		return "", fmt.Errorf("%q cannot be made absolute: %w", path, err)
	}
	return full, nil
}
