package store

import (
	"io/fs"
	"time"
)

// stamp is what the file system says of a file without opening it.
type stamp struct {
	size         int64
	mtime, ctime int64 // ns since 1970; ctime is 0 where the system has none
	ino, dev     uint64
	links        uint64 // names that the file has
	gid          int
	mode         fs.FileMode
	kind         kind
}

type kind uint8

const (
	kindOther kind = iota
	kindFile
	kindFolder
	kindLink
)

// racy is how young a file's times may be, at the moment of a read, for a
// later write to leave them as they are: the coarsest clock of a file system
// in use ticks every 2 s (FAT).
const racy = 2500 * time.Millisecond

// unchanged tells whether a file that was read at the moment read, when its
// stamp was old, still has the same bytes now that its stamp is now. It may
// say no for an unchanged file, and never yes for a changed one: the times
// must agree, must not lie in the future, and must have been old enough at
// the read for any later write to move them.
func unchanged(old, now stamp, read time.Time) bool {
	if old != now {
		return false
	}
	newest := max(old.mtime, old.ctime)
	return newest < read.Add(-racy).UnixNano()
}
