//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// stampAt tells of the file called name in an open folder, without following
// a symbolic link.
func stampAt(folder *os.File, name string) (stamp, error) {
	st, found := stamp{}, false
	err := stampEach(folder, []string{name}, func(_ string, s stamp) { st, found = s, true })
	if err == nil && !found {
		err = &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return st, err
}

// stampEach tells of files in an open folder; one that cannot be asked about,
// most often because it has just gone, is left out.
func stampEach(folder *os.File, names []string, tell func(name string, st stamp)) error {
	conn, err := folder.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Control(func(fd uintptr) {
		var st unix.Stat_t
		for _, name := range names {
			if unix.Fstatat(int(fd), name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				tell(name, stampOf(&st))
			}
		}
	})
}

// stampOpen tells of an open file.
func stampOpen(f *os.File) (stamp, error) {
	var st unix.Stat_t
	var failed error
	conn, err := f.SyscallConn()
	if err != nil {
		return stamp{}, err
	}
	if err = conn.Control(func(fd uintptr) { failed = unix.Fstat(int(fd), &st) }); err == nil {
		err = failed
	}
	if err != nil {
		return stamp{}, fmt.Errorf("stat %s: %w", f.Name(), err)
	}
	return stampOf(&st), nil
}

func stampOf(st *unix.Stat_t) stamp {
	s := stamp{
		size: st.Size, mtime: unix.TimespecToNsec(st.Mtim), ctime: unix.TimespecToNsec(st.Ctim),
		ino: st.Ino, dev: uint64(st.Dev), links: uint64(st.Nlink), gid: int(st.Gid), mode: fs.FileMode(st.Mode & 0o777),
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.kind = kindFile
	case unix.S_IFDIR:
		s.kind = kindFolder
	case unix.S_IFLNK:
		s.kind = kindLink
	}
	return s
}
