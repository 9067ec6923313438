//go:build unix

package store

import (
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// readIn reads a small file in an open folder, whose name has no slash in it,
// with as few calls as can be: a history has many. It reads into b.
func readIn(_ *os.Root, dir *os.File, folder, name string, b []byte) ([]byte, error) {
	conn, err := dir.SyscallConn()
	if err != nil {
		return nil, err
	}
	cerr := conn.Control(func(fd uintptr) { b, err = readFrom(int(fd), name, b) })
	if err == nil {
		err = cerr
	}
	if err != nil {
		return b[:0], &fs.PathError{Op: "read", Path: path.Join(folder, name), Err: err}
	}
	return b, nil
}

func readFrom(dir int, name string, b []byte) ([]byte, error) {
	var fd, n int
	err := again(func() (err error) {
		fd, err = unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return b, err
	}
	defer unix.Close(fd) // only read
	for {
		if len(b) == cap(b) {
			b = append(b, make([]byte, 4<<10)...)[:len(b)]
		}
		if err := again(func() (err error) { n, err = unix.Read(fd, b[len(b):cap(b)]); return err }); err != nil {
			return b, err
		}
		if n == 0 {
			return b, nil
		}
		b = b[:len(b)+n]
	}
}

// again repeats a call that a signal has broken off.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
