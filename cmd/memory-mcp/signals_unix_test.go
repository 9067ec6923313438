//go:build !windows

package main_test

import (
	"os"
	"syscall"
)

func terminations() []os.Signal { return []os.Signal{syscall.SIGTERM, syscall.SIGINT} }
