//go:build unix

package repo

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
	"time"
)

// deviceOf is the file system that a path lies on.
func deviceOf(path string) (uint64, bool) {
	fi, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true
}

// ownerOf names the owner of a path and tells whether that is this user. For
// root it is also the user who called sudo, as git has it.
func ownerOf(path string, o Options) (string, bool, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return "", false, plain(err)
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", true, nil
	}
	me := os.Geteuid()
	if int(st.Uid) == me {
		return "", true, nil
	}
	uid := strconv.FormatUint(uint64(st.Uid), 10)
	if me == 0 && o.env("SUDO_UID") == uid {
		return "", true, nil
	}
	if u, err := user.LookupId(uid); err == nil {
		return u.Username, false, nil
	}
	return "uid " + uid, false, nil
}

// changed is when a file last came into its place or changed, which no
// program can set.
func changed(fi os.FileInfo) time.Time {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fi.ModTime()
	}
	return changeTime(st)
}
