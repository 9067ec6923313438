package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		GroupID: groupSetup,
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				return e.sayf("%s %s (%s, %s/%s)", Name, version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			}
			b, err := json.Marshal(map[string]string{
				"name": Name, "version": version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				"path": e.Executable,
			})
			if err != nil {
				return err
			}
			return e.say(string(b))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return c
}

// version is that of the module when it was installed as one, else the commit
// that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if commit == "" {
		return "devel"
	}
	return fmt.Sprintf("devel-%s%s", commit, changed)
}
