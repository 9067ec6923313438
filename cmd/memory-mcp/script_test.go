package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are the words that the scripts know besides testscript's own.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"setid": setID, "setnext": setField("next"), "settoken": setField("token"), "setrevision": setField("revision"), "instant": instant, "age": setAge, "entries": countEntries, "exits": exits, "generator": startGenerator, "sage": startSage,
	}
}

// setID VAR... puts the ids in the last standard output, in their order, each
// into a variable.
func setID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: setid VAR...")
	}
	var ids []string
	for _, id := range regexp.MustCompile(`\b(?:user|pref|gotcha|dec|arch|conv|mem|recent|mod)-[0-9a-f]{8}\b`).FindAllString(ts.ReadFile("stdout"), -1) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) < len(args) {
		ts.Fatalf("only the ids %q in %q", ids, ts.ReadFile("stdout"))
	}
	for i, name := range args {
		ts.Setenv(name, ids[i])
	}
}

// setField is a command that puts a field of the last answer in JSON into a
// variable: where the next page begins, or the token of a preview.
func setField(name string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		found := regexp.MustCompile(`"` + name + `":"([^"]+)"`).FindStringSubmatch(ts.ReadFile("stdout"))
		if neg || len(args) != 1 || found == nil {
			ts.Fatalf("usage: set%s VAR, after an answer that has one", name)
		}
		ts.Setenv(args[0], found[1])
	}
}

// instant VAR puts the time into a variable, and lets it pass.
func instant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: instant VAR")
	}
	ts.Setenv(args[0], time.Now().UTC().Format(time.RFC3339Nano))
	time.Sleep(5 * time.Millisecond)
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
