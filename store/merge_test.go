package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// copyOf copies a store's folder, as a person does.
func copyOf(t testing.TB, s *store.Store) *store.Store {
	t.Helper()
	dir := lobe(t)
	if err := os.CopyFS(dir, os.DirFS(s.Dir())); err != nil {
		t.Fatal(err)
	}
	return open(t, dir, store.Options{})
}

func merge(t testing.TB, s, from *store.Store) store.Merged {
	t.Helper()
	m, err := s.Merge(bg, from.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Skipped)+len(m.Damaged) > 0 {
		t.Fatalf("merged %+v", m)
	}
	return m
}

// keys lists the whole history of a store by its file names.
func keys(t testing.TB, s *store.Store) []string {
	t.Helper()
	var all []string
	names, err := filepath.Glob(filepath.Join(s.Dir(), ".history/*/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		all = append(all, filepath.Base(name))
	}
	return all
}

const shared = "gotcha-00000001"

func diverged(t testing.TB) (a, b *store.Store) {
	t.Helper()
	a = open(t, lobe(t), store.Options{})
	put(t, a, entry.OpCreate, note(shared, "Port", "It is 8080."))
	return a, copyOf(t, a)
}

// TestAFolderThatWasCopiedOverAnother: whoever looks through the folder is told
// of the twins, though nobody has asked for the past of anything yet.
func TestAFolderThatWasCopiedOverAnother(t *testing.T) {
	a, b := diverged(t)
	put(t, a, entry.OpReplace, note(shared, "Port", "It is 1111."))
	put(t, a, entry.OpCreate, note("gotcha-0000000a", "A", "Only in a."))
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 2222."))
	files, err := filepath.Glob(filepath.Join(b.Dir(), ".history/*/*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		writeFile(t, filepath.Join(a.Dir(), ".history", filepath.Base(filepath.Dir(file)), filepath.Base(file)), readFile(t, file))
	}
	s := open(t, a.Dir(), store.Options{})
	problems, err := s.Problems(bg)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].What, "another copy of the folder has changed") {
		t.Fatalf("%+v, %v", problems, err)
	}
	if again := s.Disputed(shared, "gotcha-0000000a"); !slices.Equal(again, []string{shared}) {
		t.Errorf("disputed: %v", again)
	}
}

func TestAMergeFollowsTheLaterState(t *testing.T) {
	a, b := diverged(t)
	put(t, a, entry.OpReplace, note(shared, "Port", "It is 1111."))
	put(t, a, entry.OpCreate, note("gotcha-0000000a", "A", "Only in a."))
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 2221."))
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 2222."))
	put(t, b, entry.OpCreate, note("gotcha-0000000b", "B", "Only in b."))
	m := merge(t, a, b)
	if m.Added != 3 || !slices.Equal(m.Heads, []string{shared, "gotcha-0000000b"}) || !slices.Equal(m.Twins, []string{shared}) {
		t.Fatalf("merged %+v", m)
	}
	if got := body(t, a, shared); got != "It is 2222." {
		t.Fatalf("the head says %q", got)
	}
	merge(t, b, a)
	if ka, kb := keys(t, a), keys(t, b); !slices.Equal(ka, kb) || len(ka) != 6 {
		t.Fatalf("histories\n%v\n%v", ka, kb)
	}
	for _, s := range []*store.Store{a, b, open(t, a.Dir(), store.Options{})} {
		look(t, s)
		if got := s.Conflicts(); len(got) != 1 || got[0].ID != shared || !got[0].Twin {
			t.Fatalf("conflicts %+v", got)
		}
		if done := settle(t, s, true); len(done.Adopted)+len(done.Retracted) > 0 {
			t.Fatalf("settled %+v", done)
		}
	}
	if again := merge(t, a, b); again.Added > 0 || len(again.Heads) > 0 {
		t.Fatalf("merged again: %+v", again)
	}
	twin := past(t, a).Beside(shared)
	if e, err := past(t, a).Entry(twin[0]); err != nil || e.Body != "It is 1111." || len(twin) != 1 {
		t.Fatalf("beside %+v: %v, %v", twin, e.Body, err)
	}
	write(t, a, func(tx *store.Tx) error {
		tx.Join(shared)
		return tx.Put(entry.OpReplace, note(shared, "Port", "It is 3333."))
	})
	if got := a.Conflicts(); len(got) > 0 {
		t.Fatalf("joined, and still %+v", got)
	}
	if r, _, _ := a.Newest(shared); len(r.Parents) != 2 {
		t.Fatalf("parents %v", r.Parents)
	}
	merge(t, b, a)
	if got := body(t, b, shared); got != "It is 3333." || len(b.Conflicts()) > 0 {
		t.Fatalf("the other copy says %q, conflicts %+v", got, b.Conflicts())
	}
}

// TestAPersonChoosesBetweenTwoCopies by putting back what the other one made:
// it is an edit, and settles the conflict for good. A file that was there
// before the other copy's history came is none.
func TestAPersonChoosesBetweenTwoCopies(t *testing.T) {
	for name, byHand := range map[string]bool{"put back by hand": true, "there all the time": false} {
		t.Run(name, func(t *testing.T) {
			a, b := diverged(t)
			w := put(t, a, entry.OpReplace, note(shared, "Port", "It is 1111."))
			ours := readFile(t, w.Path)
			put(t, b, entry.OpReplace, note(shared, "Port", "It is 2222."))
			merge(t, a, b)
			old := time.Now().Add(-time.Minute)
			if byHand {
				old = time.Now().Add(time.Minute)
			}
			writeFile(t, w.Path, ours)
			if err := os.Chtimes(w.Path, old, old); err != nil {
				t.Fatal(err)
			}
			done := settle(t, a, true)
			if r, _, _ := a.Newest(shared); byHand != (len(done.Adopted) == 1) || byHand != (len(r.Parents) == 2) {
				t.Fatalf("settled %+v, the newest follows %v", done, r.Parents)
			}
			if byHand {
				put(t, a, entry.OpReplace, note(shared, "Port", "It is 3333."))
			}
			if got := a.Conflicts(); byHand != (len(got) == 0) {
				t.Fatalf("conflicts %+v", got)
			}
		})
	}
}

func TestAMergeTakesOverDeletionsAndMoves(t *testing.T) {
	a, b := diverged(t)
	put(t, a, entry.OpCreate, note("gotcha-0000000a", "A", "Deleted in b."))
	merge(t, b, a)
	write(t, b, func(tx *store.Tx) error {
		if err := tx.Move(entry.OpMove, shared, toTopic("modules/net")); err != nil {
			return err
		}
		return tx.Remove("gotcha-0000000a")
	})
	merge(t, a, b)
	if got := body(t, a, "gotcha-0000000a"); got != "(none)" {
		t.Errorf("deleted there, and here %q", got)
	}
	if h, ok := look(t, a).ID(shared); !ok || h.Path != "modules/net/"+shared+".md" || h.Entry.Topic != "modules/net" {
		t.Errorf("moved there, and here %+v", h)
	}
	if done := settle(t, a, true); len(done.Adopted)+len(done.Retracted)+done.Waiting > 0 {
		t.Errorf("settled %+v", done)
	}
	// Deleted here, and changed later there: it is back, and the deletion is beside it.
	write(t, a, func(tx *store.Tx) error { return tx.Remove(shared) })
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 9090."))
	m := merge(t, a, b)
	if got := body(t, a, shared); got != "It is 9090." || !slices.Equal(m.Twins, []string{shared}) {
		t.Errorf("body %q, merged %+v", got, m)
	}
	// Changed here, and deleted later there: it is gone, and the text is beside it.
	put(t, a, entry.OpReplace, note("gotcha-0000000c", "C", "One."))
	merge(t, b, a)
	put(t, a, entry.OpReplace, note("gotcha-0000000c", "C", "Two."))
	write(t, b, func(tx *store.Tx) error { return tx.Remove("gotcha-0000000c") })
	merge(t, a, b)
	if got := body(t, a, "gotcha-0000000c"); got != "(none)" || len(past(t, a).Beside("gotcha-0000000c")) != 1 {
		t.Errorf("body %q, beside %+v", got, past(t, a).Beside("gotcha-0000000c"))
	}
}

func TestAMergeAdoptsWhatIsPending(t *testing.T) {
	a, b := diverged(t)
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 2222."))
	rest(t)
	file := filepath.Join(a.Dir(), "gotchas", shared+".md")
	writeFile(t, file, strings.Replace(readFile(t, file), "8080", "8081", 1))
	other := filepath.Join(b.Dir(), "gotchas/gotcha-00000002.md")
	writeFile(t, other, "---\nid: gotcha-00000002\ntopic: gotchas\n---\n# By hand\n\nNobody has written it down.\n")
	rest(t)
	before := keys(t, b)
	merge(t, a, b)
	if got := body(t, a, shared); got != "It is 8081." {
		t.Errorf("the later edit by hand gave way to %q", got)
	}
	if got := ops(t, a, shared); !slices.Equal(got, []entry.Op{entry.OpCreate, entry.OpReplace, entry.OpAdopt}) {
		t.Errorf("history %v", got)
	}
	if got := ops(t, a, "gotcha-00000002"); !slices.Equal(got, []entry.Op{entry.OpAdopt}) || body(t, a, "gotcha-00000002") == "(none)" {
		t.Errorf("what was pending there has here the history %v", got)
	}
	if after := keys(t, b); !slices.Equal(before, after) {
		t.Errorf("the other folder was written: %v", after)
	}
	settle(t, b, true)
	merge(t, a, b)
	merge(t, b, a)
	if got := ops(t, a, "gotcha-00000002"); len(got) != 1 || !slices.Equal(keys(t, a), keys(t, b)) {
		t.Errorf("one edit, written down on both sides, is %v", got)
	}
}

func TestErasureWinsEveryMerge(t *testing.T) {
	a, b := diverged(t)
	put(t, a, entry.OpReplace, note(shared, "Port", "zanzibar in a"))
	put(t, b, entry.OpReplace, note(shared, "Port", "zanzibar in b"))
	erase(t, b, shared)
	m := merge(t, a, b)
	if !slices.Equal(m.Erased, []string{shared}) || len(grep(t, a.Dir(), "zanzibar")) > 0 {
		t.Fatalf("merged %+v, left in %v", m, grep(t, a.Dir(), "zanzibar"))
	}
	if ka, kb := keys(t, a), keys(t, b); !slices.Equal(ka, kb) || len(ka) != 1 {
		t.Fatalf("histories\n%v\n%v", ka, kb)
	}
	c, d := diverged(t)
	put(t, d, entry.OpReplace, note(shared, "Port", "zanzibar in d"))
	erase(t, c, shared)
	if m := merge(t, c, d); m.Added > 0 || len(grep(t, c.Dir(), "zanzibar")) > 0 {
		t.Fatalf("merged %+v, left in %v", m, grep(t, c.Dir(), "zanzibar"))
	}
	e := open(t, lobe(t), store.Options{})
	put(t, e, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	merge(t, e, c)
	erasedIn(t, e)
}

func erasedIn(t *testing.T, s *store.Store) {
	t.Helper()
	var unknown *store.UnknownIDError
	_, err := s.Write(bg, me, func(tx *store.Tx) error { return tx.Put(entry.OpCreate, note(shared, "New", "new")) })
	if !errors.As(err, &unknown) || !unknown.Erased {
		t.Fatalf("an id that was erased elsewhere is written: %v", err)
	}
}

// TestFilesOfTwoCopiesPutTogether: somebody copies one folder over the other,
// so that history is the union though no merge was made.
func TestFilesOfTwoCopiesPutTogether(t *testing.T) {
	a, b := diverged(t)
	put(t, a, entry.OpReplace, note(shared, "Port", "It is 1111."))
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 2222."))
	early := past(t, b).Line(shared)[1].Recorded
	if err := os.CopyFS(filepath.Join(a.Dir(), "x"), os.DirFS(filepath.Join(b.Dir(), ".history"))); err != nil {
		t.Fatal(err)
	}
	dir := entry.HistoryDir(shared)
	for _, name := range keys(t, b) {
		to := filepath.Join(a.Dir(), ".history", dir, name)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(a.Dir(), "x", dir, name), to); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(a.Dir(), "x")); err != nil {
		t.Fatal(err)
	}
	p := past(t, a)
	if line, beside := p.Line(shared), p.Beside(shared); len(line) != 2 || len(beside) != 1 {
		t.Fatalf("line %+v, beside %+v", line, beside)
	}
	if m, ok := p.Believed(shared, early); !ok || m.Key != p.Line(shared)[1].Key {
		t.Errorf("believed %+v, %v", m, ok)
	}
	if done := settle(t, a, true); len(done.Adopted) > 0 || len(a.Conflicts()) != 1 {
		t.Errorf("settled %+v, conflicts %+v", done, a.Conflicts())
	}
	put(t, a, entry.OpReplace, note(shared, "Port", "It is 3333."))
	if got := a.Conflicts(); len(got) != 1 {
		t.Errorf("a write that did not know of it has settled the conflict: %+v", got)
	}
}

func TestWhatCannotBeMerged(t *testing.T) {
	a, b := diverged(t)
	if _, err := a.Merge(bg, filepath.Join(b.Dir(), "gotchas")); err == nil {
		t.Error("a folder without a mark was merged")
	}
	if _, err := a.Merge(bg, "relative"); err == nil {
		t.Error("a relative path was merged")
	}
	if m, err := a.Merge(bg, a.Dir()); err != nil || m.Added > 0 {
		t.Errorf("with itself: %+v, %v", m, err)
	}
	put(t, b, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	writeFile(t, filepath.Join(a.Dir(), "gotchas/gotcha-00000002.md"), "---\nid: [\n---\n")
	m, err := a.Merge(bg, b.Dir())
	var exists *store.ExistsError
	if err != nil || len(m.Skipped) != 1 || !errors.As(m.Skipped[0].Err, &exists) {
		t.Errorf("onto a file that is in the way: %+v, %v", m, err)
	}
	name := keys(t, b)[0]
	file := filepath.Join(b.Dir(), ".history", entry.HistoryDir(name[:len(shared)]), name)
	writeFile(t, file, readFile(t, file)+"x")
	put(t, b, entry.OpReplace, note(shared, "Port", "It is 9090."))
	if m, err := a.Merge(bg, b.Dir()); err != nil || len(m.Damaged) != 1 || m.Damaged[0].File != file {
		t.Errorf("of a damaged history: %+v, %v", m, err)
	}
}

// TestMergingSurvivesAKill kills a process that merges; merging again completes
// it, and no head is lost or goes back in between.
func TestMergingSurvivesAKill(t *testing.T) {
	source := open(t, lobe(t), store.Options{})
	fill(t, source, 8)
	for rounds := range 6 {
		target := copyOf(t, source)
		for i := range 8 {
			id := fmt.Sprintf("gotcha-%08d", i)
			put(t, source, entry.OpReplace, note(id, "Title", fmt.Sprintf("Round %d, one.", rounds)))
			put(t, source, entry.OpReplace, note(id, "Title", fmt.Sprintf("Round %d, two.", rounds)))
		}
		t.Setenv("STORE_TEST_FROM", source.Dir())
		killOne(t, target.Dir(), "STORE_TEST_MERGER", time.Duration(2+rounds*9)*time.Millisecond, map[string]string{})
		s := open(t, target.Dir(), store.Options{})
		if done := settle(t, s, true); len(done.Adopted)+len(done.Retracted) > 0 {
			t.Fatalf("round %d: a merge that was cut off was taken for edits: %+v", rounds, done)
		}
		merge(t, s, source)
		if a, b := keys(t, s), keys(t, source); !slices.Equal(a, b) {
			t.Fatalf("round %d: histories\n%v\n%v", rounds, a, b)
		}
		for h := range look(t, source).Heads() {
			if here, ok := look(t, s).ID(h.Entry.ID); !ok || here.Hash != h.Hash {
				t.Fatalf("round %d: %s differs", rounds, h.Path)
			}
		}
	}
}

// mergeOnce merges, and waits to be killed.
func mergeOnce(dir string) error {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	fmt.Println("begin") // the clock of the one who kills starts here
	if _, err := s.Merge(bg, os.Getenv("STORE_TEST_FROM")); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return nil
}

// TestWhatAHeadFollowsIsCompleted: a merge was killed between the head and the
// states that lie between it and the one before.
func TestWhatAHeadFollowsIsCompleted(t *testing.T) {
	s := open(t, lobe(t), store.Options{})
	var last store.Written
	for _, text := range []string{"One.", "Two.", "Three.", "Four."} {
		last = put(t, s, entry.OpReplace, note(shared, "Port", text))
	}
	dir := filepath.Join(s.Dir(), ".history", entry.HistoryDir(shared))
	all := keys(t, s)
	for _, name := range all[1:3] {
		key := strings.TrimSuffix(strings.TrimPrefix(name, shared+"."), ".md")
		if key == last.Key {
			t.Fatalf("the last one is among %v", all)
		}
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, "."+key+"."+shared+".tmp")); err != nil {
			t.Fatal(err)
		}
	}
	next := open(t, s.Dir(), store.Options{})
	put(t, next, entry.OpCreate, note("gotcha-00000002", "B", "b"))
	if got := ops(t, next, shared); len(got) != 4 {
		t.Fatalf("history %v", got)
	}
}

// TestAMergeGoesOnWhereAKillLeftIt: the state that is to lead was prepared, and
// nothing else had happened.
func TestAMergeGoesOnWhereAKillLeftIt(t *testing.T) {
	a, b := diverged(t)
	w := put(t, b, entry.OpReplace, note(shared, "Port", "It is 2222."))
	writeFile(t, filepath.Join(a.Dir(), ".history", entry.HistoryDir(shared), "."+w.Key+"."+shared+".tmp"), "cut")
	merge(t, a, b)
	if got := body(t, a, shared); got != "It is 2222." || !slices.Equal(keys(t, a), keys(t, b)) {
		t.Fatalf("the head says %q, the history is %v", got, keys(t, a))
	}
}
