package lobes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"memory-mcp/store"
	"memory-mcp/store/index"
)

// vectors are those of a lobe's entries: a cache in a file that all processes
// share and only ever add to, one file for each model.
type vectors struct {
	embed Embedder
	path  string // of the file

	mu   sync.Mutex
	set  *index.Vectors
	file os.FileInfo // that was read; nil for none
	read int64       // bytes of it
	news []store.Delta
	key  map[string]index.TextKey        // of each entry's text, by path
	said map[index.TextKey][]*store.Head // by text

	// counted is the share of the texts that has a vector, as it was with so
	// many vectors and before news came; negative when it is not known.
	counted float64
	with    int
}

func newVectors(e Embedder, dir string) *vectors {
	if e == nil {
		return nil
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", e.Fingerprint(), e.Dimensions()))
	return &vectors{
		embed: e, path: filepath.Join(dir, ".state", store.VectorsPrefix+hex.EncodeToString(sum[:8])),
		set: index.NewVectors(e.Dimensions()), key: make(map[string]index.TextKey), said: make(map[index.TextKey][]*store.Head),
		counted: -1,
	}
}

// textOf is what is embedded of an entry.
func textOf(h *store.Head) string { return h.Entry.Title + "\n\n" + h.Entry.Body }

// apply takes note of what changed in the lobe. It is worked in when somebody
// asks.
func (v *vectors) apply(d store.Delta) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.news = append(v.news, d)
	if len(v.news) > mostNews {
		v.workIn()
	}
}

// mostNews bounds the changes that wait.
const mostNews = 256

// catchUp works in what changed in the lobe and in the file. The caller holds
// the lock.
func (v *vectors) catchUp() error {
	v.workIn()
	return v.load()
}

func (v *vectors) workIn() {
	if len(v.news) > 0 {
		v.counted = -1
	}
	for _, d := range v.news {
		for _, path := range d.Gone {
			v.forget(path)
		}
		for _, r := range d.Changed {
			h := r.Head()
			v.forget(h.Path)
			key := index.TextKeyOf(textOf(h))
			v.key[h.Path] = key
			v.said[key] = append(v.said[key], h)
		}
	}
	v.news = nil
}

func (v *vectors) forget(path string) {
	key, ok := v.key[path]
	if !ok {
		return
	}
	delete(v.key, path)
	rest := slices.DeleteFunc(slices.Clone(v.said[key]), func(h *store.Head) bool { return h.Path == path })
	if len(rest) == 0 {
		delete(v.said, key)
		return
	}
	v.said[key] = rest
}

// load reads what any process has added to the file. A file that is another
// one by now, or that ends earlier, is read from its beginning.
func (v *vectors) load() (err error) {
	f, err := os.Open(v.path)
	if errors.Is(err, fs.ErrNotExist) {
		v.empty()
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if v.file != nil && (!os.SameFile(v.file, info) || info.Size() < v.read) {
		v.empty()
	}
	if info.Size() == v.read {
		v.file = info
		return nil
	}
	rest, err := io.ReadAll(io.NewSectionReader(f, v.read, info.Size()-v.read))
	if err != nil {
		return err
	}
	v.file = info
	if v.read > 0 {
		v.read += int64(v.set.Add(rest))
		return nil
	}
	n, err := v.set.Read(rest, v.embed.Fingerprint())
	v.read = int64(n)
	return err
}

// empty forgets what was read: the file is gone, erased with what it held.
func (v *vectors) empty() {
	if v.file != nil {
		v.set, v.file, v.read = index.NewVectors(v.embed.Dimensions()), nil, 0
	}
}

// near gives the entries nearest to a vector.
func (v *vectors) near(query []float32, most int, keep func(*store.Head) bool) ([]nearby, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.catchUp(); err != nil {
		return nil, err
	}
	found, err := v.set.Nearest(query, most, func(key index.TextKey) bool { return slices.ContainsFunc(v.said[key], keep) })
	if err != nil {
		return nil, err
	}
	var all []nearby
	for _, n := range found {
		for _, h := range v.said[n.Key] {
			if keep(h) {
				all = append(all, nearby{h, n.Cosine})
			}
		}
	}
	return all, nil
}

// A nearby is an entry near to a question.
type nearby struct {
	head   *store.Head
	cosine float64
}

// share is how much of the entries has a vector, from 0 to 1.
func (v *vectors) share() (float64, error) {
	if v == nil {
		return 0, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.catchUp(); err != nil || len(v.said) == 0 {
		return 0, err
	}
	if n := v.set.Len(); v.counted < 0 || v.with != n {
		v.counted, v.with = 1-float64(len(v.lacking()))/float64(len(v.said)), n
	}
	return v.counted, nil
}

// lacking are the texts without a vector, in a fixed order. The caller holds
// the lock.
func (v *vectors) lacking() []index.TextKey {
	var keys []index.TextKey
	for key := range v.said {
		if !v.set.Has(key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b index.TextKey) int { return slices.Compare(a[:], b[:]) })
	return keys
}

// embedBatch is how many texts are embedded at once: as many as may be lost
// when the process ends, and as long as others wait.
const embedBatch = 16

// fill embeds what has no vector yet, until ctx ends. One process of the
// machine does it for a lobe; the others read what it adds. Nothing is made
// where nothing was ever written.
func (v *vectors) fill(ctx context.Context) (err error) {
	state := filepath.Dir(v.path)
	if _, err := os.Stat(filepath.Join(filepath.Dir(state), ".lobe")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	lock := flock.New(v.path+".lock", flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	if err != nil || !mine {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	for {
		keys, texts, err := v.batch()
		if err != nil || len(keys) == 0 {
			return err
		}
		made, err := v.embed.Embed(ctx, texts)
		if err == nil && len(made) != len(keys) {
			err = fmt.Errorf("%d vectors for %d texts", len(made), len(keys))
		}
		if err != nil {
			return fmt.Errorf("embed memories: %w", err)
		}
		if err := v.add(keys, made); err != nil {
			return fmt.Errorf("keep vectors: %w", err)
		}
	}
}

// batch is what is embedded next.
func (v *vectors) batch() (keys []index.TextKey, texts []string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.catchUp(); err != nil && !errors.Is(err, index.ErrVectors) {
		return nil, nil, err
	}
	keys = v.lacking()
	keys = keys[:min(len(keys), embedBatch)]
	for _, key := range keys {
		texts = append(texts, textOf(v.said[key][0]))
	}
	return keys, texts, nil
}

// add writes vectors behind what is whole in the file. The caller holds the
// file's lock.
func (v *vectors) add(keys []index.TextKey, made [][]float32) (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, key := range keys {
		if err := v.set.Put(key, made[i]); err != nil {
			return err
		}
	}
	var records []byte
	if v.read == 0 {
		records = v.set.Head(v.embed.Fingerprint())
	}
	for _, key := range keys {
		records = append(records, v.set.Record(key)...)
	}
	f, err := os.OpenFile(v.path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// What is not whole behind that point was cut by a kill.
	if err := f.Truncate(v.read); err != nil {
		return err
	}
	if _, err := f.WriteAt(records, v.read); err != nil {
		return err
	}
	v.read += int64(len(records))
	v.file, err = f.Stat()
	return err
}
