package lobes

import (
	"cmp"
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
	"time"

	"github.com/gofrs/flock"

	"memory-mcp/store"
	"memory-mcp/store/index"
)

// vectors are those of a lobe's entries: a cache in a file that all processes
// share and only ever add to, one file for each model.
type vectors struct {
	embed Embedder
	path  string // of the file

	mu   sync.RWMutex
	set  *index.Vectors
	file os.FileInfo // that was read; nil for none
	read int64       // bytes of it
	news []store.Delta
	key  map[string]index.TextKey       // of each entry's text, by path
	said map[index.TextKey][]*store.Ref // by text

	refused map[index.TextKey]int // how often the model refused a text
	works   bool                  // the model took some

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
		set: index.NewVectors(e.Dimensions()), key: make(map[string]index.TextKey), said: make(map[index.TextKey][]*store.Ref),
		refused: make(map[index.TextKey]int), counted: -1,
	}
}

// textOf is what is embedded of an entry. An entry without a title goes by its
// id, which means nothing.
func textOf(h *store.Head) string {
	if h.Entry.Title == h.Entry.ID && h.Entry.Body != "" {
		return h.Entry.Body
	}
	return h.Entry.Title + "\n\n" + h.Entry.Body
}

// apply takes note of what changed in the lobe. It is worked in when somebody
// asks.
func (v *vectors) apply(d store.Delta) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.news, v.counted = append(v.news, d), -1
	if len(v.news) > mostNews {
		v.workIn(len(d.Changed))
	}
}

// mostNews bounds the changes that wait.
const mostNews = 256

// workedIn is how many entries are worked in before others may ask.
const workedIn = 256

// errBehind says that the entries of a large lobe are still being looked at.
var errBehind = errors.New("not all entries are known yet")

// catchUp works in what changed in the lobe and in the file, as long as it may;
// 0 is without limit. Somebody who asks meanwhile is not held up.
func (v *vectors) catchUp(within time.Duration) error {
	for start := time.Now(); ; {
		done, err := v.catchUpSome()
		if done || err != nil {
			return err
		}
		if within > 0 && time.Since(start) > within {
			return errBehind
		}
	}
}

func (v *vectors) catchUpSome() (done bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.workIn(workedIn) {
		return false, nil
	}
	return true, v.load()
}

// workIn works in the changes of so many entries, and tells whether these were
// all. The caller holds the lock.
func (v *vectors) workIn(most int) (all bool) {
	for len(v.news) > 0 {
		d := &v.news[0]
		for _, path := range d.Gone {
			v.forget(path)
		}
		d.Gone = nil
		for ; len(d.Changed) > 0 && most > 0; most-- {
			r := d.Changed[0]
			d.Changed = d.Changed[1:]
			h := r.Head()
			v.forget(h.Path)
			key := index.TextKeyOf(textOf(h))
			v.key[h.Path] = key
			v.said[key] = append(v.said[key], r)
		}
		if len(d.Changed) > 0 {
			return false
		}
		v.news = v.news[1:]
	}
	v.news = nil
	return true
}

func (v *vectors) forget(path string) {
	key, ok := v.key[path]
	if !ok {
		return
	}
	delete(v.key, path)
	rest := slices.DeleteFunc(slices.Clone(v.said[key]), func(r *store.Ref) bool { return r.Path() == path })
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

// A nearness is what is near to a question among the entries.
type nearness struct {
	near []nearby // the nearest first
	index.Nearness
}

// A nearby is an entry near to a question.
type nearby struct {
	head   *store.Head
	cosine float64
}

// near gives the entries nearest to a vector. What is not known yet of a large
// lobe is waited for as long as for the vector of a question.
func (v *vectors) near(query []float32, most int, keep func(*store.Head) bool) (nearness, error) {
	if err := v.catchUp(thinkWithin); err != nil {
		return nearness{}, err
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	found, err := v.set.Nearest(query, most, func(key index.TextKey) bool {
		return slices.ContainsFunc(v.said[key], func(r *store.Ref) bool { return keep(r.Head()) })
	})
	if err != nil {
		return nearness{}, err
	}
	all := nearness{Nearness: found}
	for _, n := range found.Near {
		for _, r := range v.said[n.Key] {
			if h := r.Head(); keep(h) {
				all.near = append(all.near, nearby{h, n.Cosine})
			}
		}
	}
	return all, nil
}

// alike tells how alike two of some hits are in meaning: a cosine, 0 when one
// has no vector.
func (v *vectors) alike(hits []hit) func(i, j int) float64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	set, keys := v.set, make([]index.TextKey, len(hits))
	for i, h := range hits {
		keys[i] = v.key[h.head.Path]
	}
	return func(i, j int) float64 { return set.Cosine(keys[i], keys[j]) }
}

// share is how much of the entries has a vector, from 0 to 1.
func (v *vectors) share() (float64, error) {
	if v == nil {
		return 0, nil
	}
	if err := v.catchUp(thinkWithin); err != nil {
		return 0, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.said) == 0 {
		return 0, nil
	}
	if n := v.set.Len(); v.counted < 0 || v.with != n {
		have := 0
		for key := range v.said {
			if v.set.Has(key) {
				have++
			}
		}
		v.counted, v.with = float64(have)/float64(len(v.said)), n
	}
	return v.counted, nil
}

// mostTries is how often a text is tried with a model that takes others.
const mostTries = 3

// lacking are the texts without a vector, in a fixed order, those last that
// were refused.
func (v *vectors) lacking() ([]index.TextKey, error) {
	if err := v.catchUp(0); err != nil && !errors.Is(err, index.ErrVectors) {
		return nil, err
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	var keys []index.TextKey
	for key := range v.said {
		if !v.set.Has(key) && (v.refused[key] < mostTries || !v.works) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b index.TextKey) int {
		return cmp.Or(cmp.Compare(v.refused[a], v.refused[b]), slices.Compare(a[:], b[:]))
	})
	return keys, nil
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
		lacking, err := v.lacking()
		if err != nil || len(lacking) == 0 {
			return err
		}
		for keys := range slices.Chunk(lacking, embedBatch) {
			if err := v.embedAll(ctx, keys); err != nil {
				return err
			}
		}
	}
}

// embedAll embeds texts. When a model refuses them together, each is tried
// alone, so that one that it does not take keeps no other from its vector; two
// failures in a row with nothing between them are the model's.
func (v *vectors) embedAll(ctx context.Context, keys []index.TextKey) error {
	err := v.embedOnce(ctx, keys)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if len(keys) == 1 {
		v.failed(keys[0])
		return err
	}
	made, inRow := 0, 0
	for i := range keys {
		err := v.embedOnce(ctx, keys[i:i+1])
		if ctx.Err() != nil {
			return err
		}
		if err == nil {
			made, inRow = made+1, 0
			continue
		}
		v.failed(keys[i])
		if inRow++; made == 0 && inRow == 2 {
			return err
		}
	}
	return nil
}

// failed takes note of a text that a model refused.
func (v *vectors) failed(key index.TextKey) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refused[key]++
}

// embedOnce embeds the texts that are still said.
func (v *vectors) embedOnce(ctx context.Context, keys []index.TextKey) error {
	keys, texts := v.texts(keys)
	if len(keys) == 0 {
		return nil
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
	return nil
}

// texts are those of the keys that somebody still says.
func (v *vectors) texts(of []index.TextKey) (keys []index.TextKey, texts []string) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, key := range of {
		if said := v.said[key]; len(said) > 0 && !v.set.Has(key) {
			keys, texts = append(keys, key), append(texts, textOf(said[0].Head()))
		}
	}
	return keys, texts
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
	v.works = true
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
