package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// scratch are the options of all measurements in scratch repositories.
type scratch struct {
	sizes []string
	seed  uint64
	rest  time.Duration
	temp  string
	json  bool
}

// flags declares them; of says what the seed is of.
func (s *scratch) flags(c *cobra.Command, sizes []string, of string) {
	f := c.Flags()
	f.StringSliceVar(&s.sizes, "entries", sizes, "how many entries; several with commas")
	f.Uint64Var(&s.seed, "seed", 1, of)
	f.DurationVar(&s.rest, "rest", 3*time.Second, "let the files rest before they are read, as those of yesterday have")
	f.StringVar(&s.temp, "temp", "", "where to make the scratch repositories")
	f.BoolVar(&s.json, "json", false, "answer as JSON")
}

// entries are the sizes that were asked for, none below least.
func (s *scratch) entries(command string, least int) ([]int, error) {
	var all []int
	for _, size := range s.sizes {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || n < least {
			return nil, &UsageError{Command: Name + " bench " + command, Err: fmt.Errorf("%q is no number of entries", size)}
		}
		all = append(all, n)
	}
	return all, nil
}

// programsPaths are the variables without which no program starts here.
func (e *env) programsPaths() []string {
	var set []string
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP"} {
		if value := e.Getenv(name); value != "" {
			set = append(set, name+"="+value)
		}
	}
	return set
}
