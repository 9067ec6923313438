package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"memory-mcp/store/entry"
)

const historyDir = ".history"

// A half-written revision is named ".KEY.ID.tmp" until it counts.
const halfSuffix = ".tmp"

func folderOf(id string) string { return path.Join(historyDir, entry.HistoryDir(id)) }

func halfName(id, key string) string { return "." + key + "." + id + halfSuffix }

// keysOf lists the keys of an id's revisions, oldest first.
func keysOf(root *os.Root, id string) ([]string, error) { return keysIn(root, folderOf(id), id) }

// namesIn lists a folder; one that does not exist is empty.
func namesIn(root *os.Root, dir string) ([]string, error) {
	f, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // a folder handle: nothing to lose
	return f.Readdirnames(-1)
}

// foldersIn lists the folders of a folder. Whatever else lies there is none of
// ours: systems and people leave their own files everywhere.
func foldersIn(root *os.Root, dir string) ([]string, error) {
	f, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // a folder handle: nothing to lose
	all, err := f.ReadDir(-1)
	var names []string
	for _, e := range all {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// revision reads one revision. The error says when its bytes are not those
// that its name promises.
func revision(root *os.Root, id, key string) (entry.Revision, error) {
	return one(root).revision(id, key)
}

// shelf reads revisions. One that is kept open is quicker for many that lie in
// one folder, and is to be closed.
type shelf struct {
	root   *os.Root
	keep   bool
	folder string
	dir    *os.File // of folder; nil before the first read
	buffer []byte   // of what was read last
}

// one reads from history without keeping it open.
func one(root *os.Root) *shelf { return &shelf{root: root} }

func (sh *shelf) revision(id, key string) (entry.Revision, error) {
	folder := folderOf(id)
	name := id + "." + key + ".md"
	b, err := sh.read(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = sh.root.ReadFile(path.Join(broughtFolder(id), name))
	}
	if err != nil {
		return entry.Revision{}, err
	}
	r, err := readRevision(b, id, key)
	if err != nil {
		return r, fmt.Errorf("revision %s: %w", path.Join(folder, name), err)
	}
	return r, nil
}

// read reads a file. The bytes hold until the next one is read.
func (sh *shelf) read(folder, name string) ([]byte, error) {
	if !sh.keep {
		return sh.root.ReadFile(path.Join(folder, name))
	}
	if sh.folder != folder {
		sh.close()
		dir, err := sh.root.Open(folder)
		if err != nil {
			return nil, err
		}
		sh.folder, sh.dir = folder, dir
	}
	b, err := readIn(sh.root, sh.dir, folder, name, sh.buffer[:0])
	sh.buffer = b
	return b, err
}

func (sh *shelf) close() {
	if sh.dir != nil {
		sh.dir.Close() // a folder handle: nothing to lose
	}
	sh.folder, sh.dir = "", nil
}

var errDamaged = errors.New("the bytes are not those that its name promises")

func readRevision(b []byte, id, key string) (entry.Revision, error) {
	if !strings.HasSuffix(key, entry.Hash16(b)) {
		return entry.Revision{}, errDamaged
	}
	r, err := entry.ParseRevision(b)
	if err == nil && r.ID != id {
		err = errDamaged
	}
	if err != nil {
		return entry.Revision{}, err
	}
	return r, nil
}

// past is an id's newest intact revision and its key; the zero value is an id
// without a history.
type past struct {
	entry.Revision
	key string
}

func (p past) none() bool { return p.key == "" }

// hash16 is the part of the key that answers show.
func (p past) hash16() string { return hash16(p.key) }

func hash16(key string) string {
	if _, h, ok := strings.Cut(key, "-"); ok {
		return h
	}
	return key
}

// newest gives an id's newest revision that is intact and no late text.
func newest(root *os.Root, id string) (past, error) {
	keys, err := keysOf(root, id)
	if err != nil {
		return past{}, fmt.Errorf("history of %q: %w", id, err)
	}
	return newestOf(root, id, keys), nil
}

func newestOf(root *os.Root, id string, keys []string) past {
	for _, key := range slices.Backward(keys) {
		if r, err := revision(root, id, key); err == nil && r.Op != entry.OpLate && r.Op != entry.OpBlank {
			return past{r, key}
		}
	}
	return past{}
}

// under gives the newest state of an id that has a head, and how the head, its
// bytes and where they lie, stands to its history.
func (s *Store) under(root *os.Root, h *Head, keys []string) (past, *line, error) {
	l := lineOf(s.readChain(root, h.Entry.ID, keys), h, s.opts.Now())
	p, err := s.pastOf(root, l)
	return p, l, err
}

// pastOf gives the state that a head, or its absence, is in; for a pending one
// the state that it follows.
func (s *Store) pastOf(root *os.Root, l *line) (past, error) {
	if l.in < 0 {
		return past{}, nil
	}
	k, err := s.memo.read(one(root), l.id, l.facts[l.in].key)
	if err != nil {
		return past{}, fmt.Errorf("history of %q: %w", l.id, err)
	}
	return past{k.Revision, l.facts[l.in].key}, nil
}

// Newest gives the newest state of an entry that history holds.
func (s *Store) Newest(id string) (entry.Revision, bool, error) {
	root, err := s.root()
	if err != nil || root == nil {
		return entry.Revision{}, false, err
	}
	defer root.Close() // a folder handle: nothing to lose
	p, err := newest(root, id)
	return p.Revision, !p.none(), err
}

// Written gives the state of history that a head is in; false when it is in
// none, since it was edited from outside. It is the newest one, or that of
// another leaf: the states of another copy of the folder may be newer.
func (s *Store) Written(h *Head) (entry.Revision, bool, error) {
	root, err := s.root()
	if err != nil || root == nil {
		return entry.Revision{}, false, err
	}
	defer root.Close() // a folder handle: nothing to lose
	p, err := newest(root, h.Entry.ID)
	if err != nil || p.none() {
		return entry.Revision{}, false, err
	}
	if !p.Gone() && entry.Sum(p.Head) == h.Hash {
		return p.Revision, true, nil
	}
	keys, err := keysOf(root, h.Entry.ID)
	if err != nil {
		return entry.Revision{}, false, fmt.Errorf("history of %q: %w", h.Entry.ID, err)
	}
	p, l, err := s.under(root, h, keys)
	return p.Revision, err == nil && l.agrees() && !p.none(), err
}

// Revisions gives every intact state of an entry that counts, oldest first.
func (s *Store) Revisions(id string) ([]entry.Revision, error) {
	root, err := s.root()
	if err != nil || root == nil {
		return nil, err
	}
	defer root.Close() // a folder handle: nothing to lose
	keys, err := keysOf(root, id)
	if err != nil {
		return nil, fmt.Errorf("history of %q: %w", id, err)
	}
	var all []entry.Revision
	var facts []fact
	for _, key := range keys {
		if r, err := revision(root, id, key); err == nil {
			all, facts = append(all, r), append(facts, factOf(key, r))
		}
	}
	stand := standInsOf(facts)
	return slices.DeleteFunc(all, func(r entry.Revision) bool { return stand.by != nil && stand.replaced(r.Key()) }), nil
}
