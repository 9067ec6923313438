package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// stampAt tells of the file called name in an open folder, without following
// a symbolic link. Windows gives no change time and no cheap file number, so a
// write that puts the old modification time back goes unseen there.
func stampAt(folder *os.File, name string) (stamp, error) {
	info, err := os.Lstat(filepath.Join(folder.Name(), name))
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// stampEach tells of files in an open folder; one that cannot be asked about,
// most often because it has just gone, is left out.
func stampEach(folder *os.File, names []string, tell func(name string, st stamp)) error {
	for _, name := range names {
		if st, err := stampAt(folder, name); err == nil {
			tell(name, st)
		}
	}
	return nil
}

// stampOpen tells of an open file.
func stampOpen(f *os.File) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode().Perm()}
	switch {
	case info.Mode().IsRegular():
		s.kind = kindFile
	case info.IsDir():
		s.kind = kindFolder
	case info.Mode()&fs.ModeSymlink != 0:
		s.kind = kindLink
	}
	return s
}
