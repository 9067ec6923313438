package llamacpp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A MissingError says that the program was not found.
type MissingError struct{ Looked []string }

// Error tells where it was looked for.
func (e *MissingError) Error() string {
	return "llama-server was not found: " + strings.Join(e.Looked, ", ")
}

// Find gives the absolute path of llama-server: the named one, else the first
// one below the given folders, else the one on PATH. A named one that is not
// there is an error: nothing else is taken in its place.
func Find(named string, folders ...string) (string, error) {
	if named != "" {
		if err := runnable(named); err != nil {
			return "", fmt.Errorf("the configured llama-server: %w", err)
		}
		return filepath.Abs(named)
	}
	name := "llama-server"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	e := &MissingError{}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if runnable(path) == nil {
			return filepath.Abs(path)
		}
		e.Looked = append(e.Looked, "no "+path)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		e.Looked = append(e.Looked, "none on PATH")
		return "", e
	}
	return filepath.Abs(path)
}

func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fmt.Errorf("%s cannot be run: it has no permission to", path)
	}
	return nil
}
