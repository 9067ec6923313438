package store_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// TestMain lets the test binary play the process that is killed.
func TestMain(m *testing.M) {
	for name, play := range map[string]func(string) error{"STORE_TEST_WRITER": writeForever, "STORE_TEST_ERASER": eraseForever, "STORE_TEST_MERGER": mergeOnce, "STORE_TEST_RECORDER": recordForever} {
		dir := os.Getenv(name)
		if dir == "" {
			continue
		}
		if err := play(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeForever (or as often as it is told) stores, corrects and deletes, and says each acknowledged
// revision on its standard output.
func writeForever(dir string) error {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	writes, err := strconv.Atoi(os.Getenv("STORE_TEST_WRITES"))
	if err != nil {
		writes = math.MaxInt
	}
	for i := range writes {
		id := fmt.Sprintf("gotcha-%d-%d", os.Getpid(), i/3)
		ws, err := s.Write(bg, me, func(tx *store.Tx) error {
			if i%6 == 5 {
				return tx.Remove(id)
			}
			return tx.Put(entry.OpReplace, note(id, id, strings.Repeat(fmt.Sprintf("state %d of %s\n", i, id), 50)))
		})
		if err != nil {
			return err
		}
		fmt.Println(id, ws[0].Key)
	}
	return nil
}

// TestAcknowledgedWritesSurviveAKill kills writers at whatever they are doing
// and looks at what is left.
func TestAcknowledgedWritesSurviveAKill(t *testing.T) {
	dir := lobe(t)
	acknowledged := map[string]string{}
	var rounds int
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end) || rounds < 10; rounds++ {
		killOne(t, dir, "STORE_TEST_WRITER", time.Duration(20+rounds*7%60)*time.Millisecond, acknowledged)
		checkWhole(t, dir, acknowledged)
		if t.Failed() {
			t.Fatalf("in round %d", rounds)
		}
	}
	if len(acknowledged) < rounds {
		t.Fatalf("only %d entries were acknowledged in %d rounds", len(acknowledged), rounds)
	}
	t.Logf("%d kills, %d entries acknowledged", rounds, len(acknowledged))
}

func killOne(t *testing.T, dir, player string, after time.Duration, acknowledged map[string]string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), player+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	child.Stderr = &stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var kill *time.Timer
	for lines.Scan() {
		if kill == nil {
			kill = time.AfterFunc(after, func() {
				if err := child.Process.Kill(); err != nil {
					t.Error(err)
				}
			})
		}
		if id, key, ok := strings.Cut(lines.Text(), " "); ok && len(key) == len("20060102T150405.000000000Z-0123456789abcdef") {
			acknowledged[id] = key
		}
	}
	if err := child.Wait(); err == nil || stderr.Len() > 0 {
		t.Fatalf("the writer ended by itself: %v %s", err, stderr.String())
	}
}

// checkWhole opens the folder as the next process does: every file parses,
// every acknowledged state is there, and it is the head or the head follows it.
func checkWhole(t *testing.T, dir string, acknowledged map[string]string) {
	t.Helper()
	s := open(t, dir, store.Options{})
	put(t, s, entry.OpReplace, note("gotcha-check", "Check", time.Now().String()))
	problems, err := s.Problems(bg)
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %+v, %v", problems, err)
	}
	v := look(t, s)
	for id, key := range acknowledged {
		last, ok, err := s.Newest(id)
		if err != nil || !ok || last.Key() < key {
			t.Errorf("%s: acknowledged %s, newest is %s (%v)", id, key, last.Key(), err)
			continue
		}
		h, there := v.ID(id)
		if there == last.Gone() || there && h.Hash != entry.Sum(last.Head) {
			t.Errorf("%s: the head does not agree with its newest revision %s", id, last.Key())
		}
	}
}

// TestEveryStepCanBeTheLast lays the folder out as each step of the protocol
// leaves it, and opens it.
func TestEveryStepCanBeTheLast(t *testing.T) {
	for _, c := range []struct {
		name string
		last func(t *testing.T, s *before)
		want string // the body that holds afterwards
		revs int
	}{
		{"revision prepared", func(t *testing.T, b *before) { b.hideRevision(t) }, "one", 1},
		{"half a revision prepared", func(t *testing.T, b *before) { b.cutRevision(t) }, "one", 1},
		{"head prepared", func(t *testing.T, b *before) { b.hideRevision(t); b.strayHead(t) }, "one", 1},
		{"head exchanged, old one beside it", func(t *testing.T, b *before) { b.hideRevision(t); b.newHead(t); b.strayHead(t) }, "two", 2},
		{"head renamed", func(t *testing.T, b *before) { b.hideRevision(t); b.newHead(t) }, "two", 2},
		{"all but the tidying", func(t *testing.T, b *before) { b.newHead(t); b.strayHead(t) }, "two", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := layOut(t)
			c.last(t, b)
			s := open(t, b.dir, store.Options{})
			if got := body(t, s, "gotcha-00000001"); got != c.want {
				t.Errorf("before any write the body is %q, want %q", got, c.want)
			}
			put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "b"))
			if got := body(t, s, "gotcha-00000001"); got != c.want {
				t.Errorf("body %q, want %q", got, c.want)
			}
			if got := ops(t, s, "gotcha-00000001"); len(got) != c.revs {
				t.Errorf("history %v, want %d revisions", got, c.revs)
			}
			if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
				t.Errorf("problems %+v, %v", problems, err)
			}
		})
	}
}

// before is a folder in which "one" was replaced by "two", taken back to "one".
type before struct {
	dir, head, rev string // of the second state
	one, two       string
}

func layOut(t *testing.T) *before {
	t.Helper()
	b := &before{dir: lobe(t)}
	s := open(t, b.dir, store.Options{})
	w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
	b.head, b.one = w.Path, readFile(t, w.Path)
	w = put(t, s, entry.OpReplace, note("gotcha-00000001", "A", "two"))
	b.two = readFile(t, w.Path)
	b.rev = filepath.Join(b.dir, ".history", entry.HistoryDir("gotcha-00000001"), "gotcha-00000001."+w.Key+".md")
	writeFile(t, b.head, b.one)
	return b
}

func (b *before) half() string {
	name := strings.TrimSuffix(filepath.Base(b.rev), ".md")
	id, key, _ := strings.Cut(name, ".")
	return filepath.Join(filepath.Dir(b.rev), "."+key+"."+id+".tmp")
}

func (b *before) hideRevision(t *testing.T) {
	t.Helper()
	if err := os.Rename(b.rev, b.half()); err != nil {
		t.Fatal(err)
	}
}

func (b *before) cutRevision(t *testing.T) {
	t.Helper()
	text := readFile(t, b.rev)
	b.hideRevision(t)
	writeFile(t, b.half(), text[:len(text)/2])
}

func (b *before) newHead(t *testing.T) { t.Helper(); writeFile(t, b.head, b.two) }

func (b *before) strayHead(t *testing.T) {
	t.Helper()
	writeFile(t, filepath.Join(filepath.Dir(b.head), ".tmp-0011223344556677"), b.one)
}

// TestAKillBetweenDeletionAndTombstone: the head is gone, the tombstone is not
// named yet.
func TestAKillBetweenDeletionAndTombstone(t *testing.T) {
	for name, committed := range map[string]bool{"head taken away": true, "tombstone prepared only": false} {
		t.Run(name, func(t *testing.T) {
			s := open(t, lobe(t), store.Options{})
			w := put(t, s, entry.OpCreate, note("gotcha-00000001", "A", "one"))
			text := readFile(t, w.Path)
			ws, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove("gotcha-00000001") })
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(s.Dir(), ".history", entry.HistoryDir("gotcha-00000001"))
			if err := os.Rename(filepath.Join(dir, "gotcha-00000001."+ws[0].Key+".md"), filepath.Join(dir, "."+ws[0].Key+".gotcha-00000001.tmp")); err != nil {
				t.Fatal(err)
			}
			if !committed {
				writeFile(t, w.Path, text)
			}
			s = open(t, s.Dir(), store.Options{})
			put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "b"))
			last, _, err := s.Newest("gotcha-00000001")
			if err != nil || last.Gone() != committed {
				t.Fatalf("newest %+v, %v", last, err)
			}
		})
	}
}

// TestStraysAreSweptAfterADay: what no write will claim does not pile up.
func TestStraysAreSweptAfterADay(t *testing.T) {
	b := layOut(t)
	b.hideRevision(t)
	b.strayHead(t)
	stray := filepath.Join(filepath.Dir(b.head), ".tmp-0011223344556677")
	old := time.Now().Add(-25 * time.Hour)
	for _, p := range []string{stray, b.half()} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, b.dir, store.Options{})
	put(t, s, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	for _, p := range []string{stray, b.half()} {
		if _, err := os.Lstat(p); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", p, err)
		}
	}
}
