//go:build unix

package store

import "golang.org/x/sys/unix"

// nonBlock keeps the opening of a named pipe that took a file's place from
// waiting for a writer.
const nonBlock = unix.O_NONBLOCK

// noFollow makes the opening of a symbolic link fail.
const noFollow = unix.O_NOFOLLOW
