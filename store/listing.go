package store

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"memory-mcp/store/entry"
)

// historyFolders is how many folders the ids of a history are spread over:
// two hex digits.
const historyFolders = 256

// names is which revisions history has, by their names alone. It never
// changes; two of them share the folders that are alike.
type names [historyFolders]*listed

// listed is one folder of history as it was listed.
type listed struct {
	stamp  stamp
	read   time.Time // the moment just before it was listed
	groups []group   // by id
	halves []string  // names of half-written revisions
}

// group is the revisions of one id.
type group struct {
	id   string
	keys []string // oldest first
	sum  uint64   // of the keys: it tells when one has come or gone
}

// newest is the last key of a group.
func (g group) newest() string { return g.keys[len(g.keys)-1] }

// until is how many of the keys were not recorded after the time that
// [entry.KeyTime] made the mark of.
func (g group) until(mark string) int {
	for n, key := range slices.Backward(g.keys) { // most have one
		if !recordedAfter(key, mark) {
			return n + 1
		}
	}
	return 0
}

// sumOf makes one number of the keys of an id. It is never 0.
func sumOf(keys []string) uint64 {
	h := fnv.New64a()
	for _, k := range keys {
		h.Write([]byte(k)) // a hash never fails to write
	}
	return max(1, h.Sum64())
}

// folderNumber is the place of a history folder, or false for a folder that
// holds no history.
func folderNumber(name string) (int, bool) {
	n, err := strconv.ParseUint(name, 16, 8)
	return int(n), err == nil && len(name) == 2 && name == strings.ToLower(name)
}

// same tells whether two listings of a folder hold the same.
func (l *listed) same(other *listed) bool {
	if l == nil || other == nil {
		return (l == nil || len(l.groups) == 0) && (other == nil || len(other.groups) == 0)
	}
	return slices.EqualFunc(l.groups, other.groups, func(a, b group) bool { return a.sum == b.sum && a.id == b.id })
}

// of gives the revisions of an id.
func (n *names) of(id string) (group, bool) {
	i, _ := folderNumber(entry.HistoryDir(id))
	if n[i] == nil {
		return group{}, false
	}
	at, ok := slices.BinarySearchFunc(n[i].groups, id, func(g group, id string) int { return strings.Compare(g.id, id) })
	if !ok {
		return group{}, false
	}
	return n[i].groups[at], true
}

// history lists the names of history. Folders that have not changed since the
// last time are not listed again; the first call lists them all.
func (s *Store) history(root *os.Root) (*names, error) {
	s.listing.Lock()
	defer s.listing.Unlock()
	if root == nil {
		return &names{}, nil
	}
	top, err := root.Open(historyDir)
	if errors.Is(err, fs.ErrNotExist) {
		return &names{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list history: %w", err)
	}
	defer top.Close() // a folder handle: nothing to lose
	fresh, read := &names{}, s.wall()
	folders, err := top.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list history: %w", err)
	}
	var todo []int
	err = stampEach(top, folders, func(name string, st stamp) {
		i, ok := folderNumber(name)
		if !ok {
			return
		}
		if old := s.listedNames[i]; old != nil && unchanged(old.stamp, st, old.read) {
			fresh[i] = old
		} else if st.kind == kindFolder {
			fresh[i] = &listed{stamp: st, read: read}
			todo = append(todo, i)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("list history: %w", err)
	}
	if err := fresh.list(root, todo); err != nil {
		return nil, fmt.Errorf("list history: %w", err)
	}
	s.listedNames = *fresh
	return fresh, nil
}

// list lists the folders that may have changed, side by side.
func (n *names) list(root *os.Root, todo []int) error {
	workers := min(2*runtime.GOMAXPROCS(0), len(todo))
	errs := make([]error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(todo) && errs[worker] == nil; i += workers {
				errs[worker] = n[todo[i]].fill(root, fmt.Sprintf("%02x", todo[i]))
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// fill lists one folder. What lies in the wrong folder is not found by its id,
// and does not count.
func (l *listed) fill(root *os.Root, folder string) error {
	found, err := namesIn(root, path.Join(historyDir, folder))
	if err != nil {
		return err
	}
	type revisionName struct{ id, key string }
	all := make([]revisionName, 0, len(found))
	for _, name := range found {
		if id, key, ok := entry.SplitName(name); ok {
			all = append(all, revisionName{id, key})
		} else if _, _, ok := splitHalf(name); ok {
			l.halves = append(l.halves, name)
		}
	}
	slices.SortFunc(all, func(a, b revisionName) int {
		if c := strings.Compare(a.id, b.id); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
	keys := make([]string, len(all))
	for i := 0; i < len(all); {
		end := i
		for ; end < len(all) && all[end].id == all[i].id; end++ {
			keys[end] = all[end].key
		}
		if entry.HistoryDir(all[i].id) == folder {
			l.groups = append(l.groups, group{all[i].id, keys[i:end:end], sumOf(keys[i:end])})
		}
		i = end
	}
	return nil
}
