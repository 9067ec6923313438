package repo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxIndex bounds the index that is read: some three million files.
const maxIndex = 512 << 20

// maxPath bounds a path; version 4 could else write huge ones in little space.
const maxPath = 4096

// An indexEntry is what the index knows of one tracked file.
type indexEntry struct {
	path      string
	mode      uint32
	size      uint32
	sec, nsec uint32 // when the file was last written
}

func (e indexEntry) regular() bool { return e.mode&0o170000 == 0o100000 }

// errIndex stands behind every error about the form of an index.
var errIndex = errors.New("a form of index that is not read here")

// Tracked lists the paths in the index, slash-separated and relative to the
// root, in git's order: what git ls-files shows. Submodules are in it, and the
// folders that a sparse index folds, with a slash at the end. A repository
// without an index has none; an index that is split over two files is an error.
func (r Repo) Tracked() ([]string, error) {
	var out []string
	err := r.index(func(e indexEntry) bool {
		if len(out) == 0 || out[len(out)-1] != e.path { // a conflict lists a path up to three times
			out = append(out, e.path)
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("list the tracked files of %q: %w", r.GitDir, err)
	}
	return out, nil
}

// index calls visit with each entry until it answers false.
func (r Repo) index(visit func(indexEntry) bool) error {
	path := filepath.Join(r.GitDir, "index")
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return plain(err)
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxIndex {
		return errNotRegular
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return plain(err)
	}
	cfg, err := loadConfig(r.refsDir(), r.GitDir)
	if err != nil {
		return err
	}
	hash := 20
	if format, _ := cfg.get("extensions", "objectformat"); format == "sha256" {
		hash = 32
	}
	return parseIndex(b, hash, visit)
}

// parseIndex reads versions 2 to 4 of the index, whose hashes have the given
// length. The checksum at the end is not verified: a torn index shows as
// paths that are not there.
func parseIndex(b []byte, hash int, visit func(indexEntry) bool) error {
	if len(b) < 12 || string(b[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	p := indexParser{rest: b[12:], version: version, fixed: 40 + hash + 2}
	seen := false
	for range count {
		e, err := p.next()
		if err != nil {
			return err
		}
		seen = true
		if !visit(e) {
			return nil
		}
	}
	if !seen && bytes.HasPrefix(p.rest, []byte("link")) {
		return errIndex // all entries are in a shared index
	}
	return p.extensions(hash)
}

type indexParser struct {
	rest    []byte
	version uint32
	fixed   int    // the bytes of an entry before its name
	last    []byte // the name before, which version 4 builds on
}

func (p *indexParser) next() (indexEntry, error) {
	if len(p.rest) < p.fixed+2 {
		return indexEntry{}, errIndex
	}
	be := binary.BigEndian
	e := indexEntry{sec: be.Uint32(p.rest[8:]), nsec: be.Uint32(p.rest[12:]), mode: be.Uint32(p.rest[24:]), size: be.Uint32(p.rest[36:])}
	at := p.fixed
	if be.Uint16(p.rest[p.fixed-2:])&0x4000 != 0 { // extended flags
		if p.version < 3 {
			return indexEntry{}, errIndex
		}
		at += 2
	}
	keep := 0
	if p.version == 4 {
		strip, n := offsetVarint(p.rest[at:])
		if n == 0 || strip > uint64(len(p.last)) {
			return indexEntry{}, errIndex
		}
		keep = len(p.last) - int(strip)
		at += n
	}
	end := bytes.IndexByte(p.rest[at:], 0)
	if end < 0 || keep+end > maxPath {
		return indexEntry{}, errIndex
	}
	p.last = append(p.last[:keep:keep], p.rest[at:at+end]...)
	e.path = string(p.last)
	size := at + end + 1
	if p.version < 4 {
		size = (at + end + 8) &^ 7
	}
	if size > len(p.rest) {
		return indexEntry{}, errIndex
	}
	p.rest = p.rest[size:]
	return e, nil
}

// offsetVarint is the number format of git's pack offsets.
func offsetVarint(b []byte) (value uint64, n int) {
	for n < len(b) && n < 9 {
		c := b[n]
		n++
		value = value<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

// extensions looks for the one that says that entries are kept elsewhere.
func (p *indexParser) extensions(hash int) error {
	for b := p.rest; len(b) >= 8+hash; {
		size := uint64(binary.BigEndian.Uint32(b[4:]))
		if string(b[:4]) == "link" {
			return errIndex
		}
		if size > uint64(len(b)-8) {
			return errIndex
		}
		b = b[8+size:]
	}
	return nil
}
