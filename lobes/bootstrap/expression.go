package bootstrap

import (
	"regexp"
	"sync"
)

// expression compiles a pattern when it is first used: most commands never
// read a repository, and should not pay for it at their start.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
