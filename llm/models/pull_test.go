package models_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memory-mcp/llm/models"
)

// text is a model that is none, long enough to be cut.
var text = bytes.Repeat([]byte("0123456789abcdef"), 20000)

func model() models.Model {
	sum := sha256.Sum256(text)
	return models.Model{Name: "small", Repo: "org/repo", Revision: "abc", File: "small.gguf", Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
}

// hub serves the model as a hub does, and notes what was asked for.
type hub struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
	cut    int // bytes after which the connection breaks; 0 is never
	plain  bool
	text   []byte
}

func newHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{text: text}
	h.Server = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.Close)
	return h
}

func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.ranges = append(h.ranges, r.Header.Get("Range"))
	cut, plain, text := h.cut, h.plain, h.text
	h.mu.Unlock()
	if r.URL.Path != "/org/repo/resolve/abc/small.gguf" {
		http.NotFound(w, r)
		return
	}
	if plain {
		r.Header.Del("Range")
	}
	if cut > 0 {
		w.Header().Set("Content-Length", "320000")
		if _, err := w.Write(text[:cut]); err != nil {
			return
		}
		panic(http.ErrAbortHandler)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

func (h *hub) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

func (h *hub) asked() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.ranges, ",")
}

func folder(t *testing.T) models.Folder {
	t.Helper()
	return models.Folder{Dir: filepath.Join(t.TempDir(), "mo dels")}
}

func whole(t *testing.T, f models.Folder) {
	t.Helper()
	got, err := os.ReadFile(f.Path(model()))
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("the file has %d bytes, %v", len(got), err)
	}
	if _, err := os.Stat(f.Path(model()) + ".part"); !os.IsNotExist(err) {
		t.Errorf("the partial file stays: %v", err)
	}
}

func TestPull(t *testing.T) {
	h, f := newHub(t), folder(t)
	var last, total int64
	path, err := f.Pull(t.Context(), models.Source(h.URL+"/"), model(), func(d, n int64) { last, total = d, n })
	if err != nil || path != f.Path(model()) {
		t.Fatalf("Pull = %q, %v", path, err)
	}
	whole(t, f)
	if last != int64(len(text)) || total != last {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	if _, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil); err != nil || h.asked() != "" {
		t.Errorf("what is here is fetched again: %q, %v", h.asked(), err)
	}
}

func TestPullGoesOn(t *testing.T) {
	h, f := newHub(t), folder(t)
	h.set(func() { h.cut = 100000 })
	_, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("a connection that breaks gives %v", err)
	}
	if _, err := os.Stat(f.Path(model())); !os.IsNotExist(err) {
		t.Fatal("half a file has the name of a whole one")
	}
	h.set(func() { h.cut = 0 })
	if _, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil); err != nil {
		t.Fatal(err)
	}
	whole(t, f)
	if got := h.asked(); got != ",bytes=100000-" {
		t.Errorf("asked for %q", got)
	}
}

// What was left of a fetch may be of no use to the server.
func TestPullBeginsAnew(t *testing.T) {
	for name, c := range map[string]struct {
		left  []byte
		plain bool
	}{
		"a server without ranges":   {text[:1000], true},
		"more than there is":        {append(bytes.Clone(text), 'x'), false},
		"all of it, and not named":  {text, false},
		"all of it, without ranges": {text, true},
	} {
		h, f := newHub(t), folder(t)
		h.plain = c.plain
		if err := os.MkdirAll(f.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path(model())+".part", c.left, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		whole(t, f)
	}
}

func TestWrongChecksum(t *testing.T) {
	h, f := newHub(t), folder(t)
	h.text = append([]byte("X"), text[1:]...)
	_, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil)
	var sum *models.SumError
	if !errors.As(err, &sum) {
		t.Fatalf("another file gives %v", err)
	}
	left, err := filepath.Glob(filepath.Join(f.Dir, "small*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// A part of another file on disk is found out in the same way, and the next try is clean.
	h.set(func() { h.text = text })
	if err := os.WriteFile(f.Path(model())+".part", []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil); !errors.As(err, &sum) {
		t.Errorf("another file's part gives %v", err)
	}
	if _, err := f.Pull(t.Context(), models.Source(h.URL), model(), nil); err != nil {
		t.Error(err)
	}
	whole(t, f)
}

// Where the catalogue has no checksum the hub tells it, at the door or at the
// place that it sends on to.
func TestChecksumOfTheHub(t *testing.T) {
	m := model()
	sum := m.SHA256
	m.SHA256, m.Size = "", 0
	told, wrong := `"`+sum+`"`, `"`+strings.Repeat("0", 64)+`"`
	for _, c := range []struct {
		tag string
		ok  bool
	}{{told, true}, {wrong, false}, {"", false}, {`"short"`, false}} {
		far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
		}))
		door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.tag != "" {
				w.Header().Set("X-Linked-Etag", c.tag)
			}
			http.Redirect(w, r, far.URL+"/bytes?secret=1", http.StatusFound)
		}))
		_, err := folder(t).Pull(t.Context(), models.Source(door.URL), m, nil)
		if (err == nil) != c.ok {
			t.Errorf("tag %q: %v", c.tag, err)
		}
		door.Close()
		far.Close()
	}
}

func TestMirrors(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "org", "repo", "resolve", "abc")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	f := folder(t)
	if _, err := f.Pull(t.Context(), models.Source(dir), model(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty mirror gives %v", err)
	}
	file := filepath.Join(deep, "small.gguf")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pull(t.Context(), models.Source(dir), model(), nil); err != nil {
		t.Error(err)
	}
	whole(t, f)
	f = folder(t)
	if _, err := f.Take(t.Context(), file, model(), nil); err != nil {
		t.Error(err)
	}
	whole(t, f)
	unknown := model()
	unknown.SHA256 = ""
	if _, err := folder(t).Take(t.Context(), file, unknown, nil); err != nil {
		t.Errorf("a file that a person brings: %v", err)
	}
	for _, bad := range []string{filepath.Join(dir, "none"), deep} {
		if _, err := folder(t).Take(t.Context(), bad, model(), nil); err == nil {
			t.Errorf("%s is taken for a file", bad)
		}
	}
	if _, err := f.Pull(t.Context(), "some/where", models.Model{File: "x"}, nil); err == nil || !strings.Contains(err.Error(), "some/where") {
		t.Errorf("a relative source gives %v", err)
	}
}

func TestRefusals(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	_, err := folder(t).Pull(t.Context(), models.Source(strings.Replace(gone.URL, "http://", "http://me:secret@", 1)), model(), nil)
	var status *models.StatusError
	if !errors.As(err, &status) || status.Status != http.StatusNotFound || strings.Contains(err.Error(), "secret") {
		t.Errorf("a file that is not there gives %v", err)
	}
	huge := model()
	huge.Size = 1 << 60
	var room *models.RoomError
	h := newHub(t)
	if _, err := folder(t).Pull(t.Context(), models.Source(h.URL), huge, nil); !errors.As(err, &room) {
		t.Errorf("a model larger than the disk gives %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := folder(t).Pull(ctx, models.Source(h.URL), model(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a fetch that is broken off gives %v", err)
	}
}

func TestTwoAtOnce(t *testing.T) {
	f, started, leave := folder(t), make(chan bool), make(chan bool)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-leave
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}))
	defer slow.Close()
	first := make(chan error)
	go func() {
		_, err := f.Pull(t.Context(), models.Source(slow.URL), model(), nil)
		first <- err
	}()
	<-started
	_, err := f.Pull(t.Context(), models.Source(slow.URL), model(), nil)
	var busy *models.BusyError
	if !errors.As(err, &busy) {
		t.Errorf("a second fetch gives %v", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	whole(t, f)
}

func TestFolder(t *testing.T) {
	f := folder(t)
	list, err := f.List()
	if err != nil || len(list) != len(models.All()) {
		t.Fatalf("List = %d, %v", len(list), err)
	}
	m := list[0].Model
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, n := range map[string]int{f.Path(m): 5, f.Path(m) + ".part": 3} {
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err = f.List()
	if err != nil || list[0].Here != 5 || list[0].Part != 3 || list[1].Here != 0 {
		t.Errorf("List = %+v, %v", list[0], err)
	}
	if freed, err := f.Remove(m); err != nil || freed != 8 {
		t.Errorf("Remove = %d, %v", freed, err)
	}
	if freed, err := f.Remove(m); err != nil || freed != 0 {
		t.Errorf("Remove again = %d, %v", freed, err)
	}
}

func TestCatalogue(t *testing.T) {
	names, files := map[string]bool{}, map[string]bool{}
	for _, m := range models.All() {
		if names[m.Name] || files[m.File] || m.Repo == "" || m.Revision == "" || m.Licence == "" || m.Memory == 0 {
			t.Errorf("%+v is not complete, or there twice", m)
		}
		if m.SHA256 != "" && len(m.SHA256) != 64 {
			t.Errorf("%s has a checksum of %d digits", m.Name, len(m.SHA256))
		}
		names[m.Name], files[m.File] = true, true
		for _, name := range []string{m.Name, strings.ToUpper(m.Name), m.File} {
			if got, err := models.Lookup(name); err != nil || got.Name != m.Name {
				t.Errorf("Lookup(%q) = %q, %v", name, got.Name, err)
			}
		}
	}
	var unknown *models.UnknownModelError
	if _, err := models.Lookup("gpt"); !errors.As(err, &unknown) || len(unknown.Known) != len(names) {
		t.Errorf("Lookup of nothing = %v", err)
	}
	const gib = 1 << 30
	for _, c := range []struct {
		role   models.Role
		memory int64
		want   string
	}{
		{models.Chat, 32 * gib, "qwen3-8b"}, {models.Chat, 16 * gib, "qwen3-4b"}, {models.Chat, 8 * gib, "qwen3-1.7b"},
		{models.Chat, 4 * gib, "qwen3-0.6b"}, {models.Chat, 0, "qwen3-0.6b"}, {models.Embed, 8 * gib, "qwen3-embedding"},
		{models.Speech, 3 * gib, "whisper-base"},
	} {
		if got, ok := models.Choose(c.role, c.memory); !ok || got.Name != c.want {
			t.Errorf("%s for %d GiB is %s, want %s", c.role, c.memory/gib, got.Name, c.want)
		}
	}
}
