package models

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// An archive is believed up to so many files and bytes.
const (
	mostFiles = 2000
	mostBytes = 2 << 30
)

// An item is a file of an archive, or a link to another one.
type item struct {
	name string // with slashes
	link string // what it leads to; empty for a file
	open func() (io.ReadCloser, error)
}

// unpack writes into a new folder what lies beside a program in an archive, and
// the program. Nothing is written outside the folder, and only what lies in it
// is linked to.
func unpack(archive, into, program string) (err error) {
	each := eachOfTar
	if strings.HasSuffix(archive, ".zip") {
		each = eachOfZip
	}
	folder, err := folderOf(each, archive, program)
	if err != nil {
		return err
	}
	if err := os.Mkdir(into, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	room := int64(mostBytes)
	return each(archive, func(x item) error {
		name, beside := strings.CutPrefix(x.name, folder)
		if !beside || name == "" || strings.Contains(name, "/") {
			return nil // the program needs nothing of other folders
		}
		return write(root, name, x, &room)
	})
}

// folderOf is the folder that holds the program, with a slash, or empty.
func folderOf(each func(string, func(item) error) error, archive, program string) (string, error) {
	folder, found, files := "", false, 0
	err := each(archive, func(x item) error {
		if files++; files > mostFiles {
			return fmt.Errorf("it has more than %d files", mostFiles)
		}
		if path.Base(x.name) == program && !found {
			folder, found = strings.TrimSuffix(x.name, program), true
		}
		return nil
	})
	if err == nil && !found {
		err = fmt.Errorf("it holds no %s", program)
	}
	return folder, err
}

func write(root *os.Root, name string, x item, room *int64) (err error) {
	if x.link != "" {
		if strings.ContainsAny(x.link, `/\`) || x.link == ".." {
			return fmt.Errorf("the link %q leads to %q, elsewhere", name, x.link)
		}
		return root.Symlink(x.link, name)
	}
	from, err := x.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	// Programs and libraries: the archive's own permissions say no more.
	to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	n, err := io.Copy(to, io.LimitReader(from, *room+1))
	if *room -= n; *room < 0 {
		err = errors.Join(err, fmt.Errorf("it unpacks to more than %d MB", mostBytes>>20))
	}
	return errors.Join(err, to.Sync(), to.Close())
}

func eachOfTar(archive string, do func(item) error) (err error) {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s is no gzip file: %w", archive, err)
	}
	for t := tar.NewReader(plain); ; {
		head, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		x := item{name: path.Clean(head.Name), open: func() (io.ReadCloser, error) { return io.NopCloser(t), nil }}
		switch head.Typeflag {
		case tar.TypeReg:
		case tar.TypeSymlink:
			x.link = head.Linkname
		default:
			continue
		}
		if err := do(x); err != nil {
			return err
		}
	}
}

func eachOfZip(archive string, do func(item) error) (err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, f := range z.File {
		if f.Mode()&fs.ModeType != 0 {
			continue
		}
		if err := do(item{name: path.Clean(f.Name), open: f.Open}); err != nil {
			return err
		}
	}
	return nil
}
