package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are the words that the scripts know besides testscript's own.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"setid": setID, "age": setAge, "entries": countEntries, "exits": exits,
	}
}

// setID VAR puts the first id in the last standard output into a variable.
func setID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: setid VAR")
	}
	id := regexp.MustCompile(`\b(?:user|pref|gotcha|dec|arch|conv|mem|recent|mod)-[0-9a-f]{8}\b`).FindString(ts.ReadFile("stdout"))
	if id == "" {
		ts.Fatalf("no id in %q", ts.ReadFile("stdout"))
	}
	ts.Setenv(args[0], id)
}

// age FILE... makes files look as if they had been at rest for a while.
func setAge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: age FILE...")
	}
	for _, name := range args {
		path := ts.MkAbs(name)
		info, err := os.Stat(path)
		ts.Check(err)
		earlier := info.ModTime().Add(-1e12) // about a quarter of an hour
		ts.Check(os.Chtimes(path, earlier, earlier))
	}
}

// entries DIR N wants so many entry files below a folder.
func countEntries(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: entries DIR N")
	}
	found := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && d.IsDir() {
			return fs.SkipDir
		}
		if strings.HasSuffix(d.Name(), ".md") {
			found++
		}
		return nil
	}))
	if got := strings.TrimSpace(args[1]); got != strconv.Itoa(found) {
		ts.Fatalf("%s holds %d entries, want %s", args[0], found, got)
	}
}

// exits CODE COMMAND... wants the command to end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run %q: %v", args[1:], err)
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("%q ended with %d, want %s", args[1:], code, args[0])
	}
}
