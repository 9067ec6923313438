package lobes_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"memory-mcp/lobes"
)

// senses is an embedder with a dictionary: words of one line mean the same.
type senses struct {
	name  string
	lines []string
	down  atomic.Bool  // no question is answered
	made  atomic.Int32 // vectors of memories
	fail  atomic.Int32 // from which batch on Embed fails; 0 is never
	hates string       // a word of a text that it never takes
	asked atomic.Int32 // calls of Embed
	texts []string     // that Embed was given
}

func newSenses() *senses {
	return &senses{name: "senses 1", lines: []string{
		"database sql postgres tables", "outage crash failed broke", "deploy release rollout ship", "cat kitten", "sofa couch",
	}}
}

func (s *senses) Fingerprint() string { return s.name }
func (s *senses) Dimensions() int     { return 32 }

func (s *senses) Query(_ context.Context, text string) ([]float32, error) {
	if s.down.Load() {
		return nil, errors.New("not loaded")
	}
	return s.vector(text), nil
}

func (s *senses) Embed(_ context.Context, texts []string) ([][]float32, error) {
	switch s.fail.Load() {
	case 0:
	case 1:
		return nil, errors.New("the model died")
	default:
		s.fail.Add(-1)
	}
	s.asked.Add(1)
	s.texts = append(s.texts, texts...)
	if s.hates != "" && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, s.hates) }) {
		return nil, errors.New("the text is too long")
	}
	var all [][]float32
	for _, text := range texts {
		s.made.Add(1)
		all = append(all, s.vector(text))
	}
	return all, nil
}

func (s *senses) vector(text string) []float32 {
	v := make([]float32, s.Dimensions())
	for _, word := range strings.Fields(strings.ToLower(text)) {
		at := -1
		for i, line := range s.lines {
			if strings.Contains(" "+line+" ", " "+strings.Trim(word, ".,")+" ") {
				at = i
			}
		}
		if at < 0 {
			h := fnv.New32a()
			if _, err := h.Write([]byte(word)); err != nil {
				panic(err)
			}
			v[len(s.lines)+int(h.Sum32()%uint32(s.Dimensions()-len(s.lines)))] += .05
			continue
		}
		v[at]++
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(max(square, 1e-12)))
	}
	return v
}

// thinking makes a world whose lobe has memories of three matters.
func thinking(t *testing.T, s *senses) *world {
	t.Helper()
	w := newWorld(t, func(w *world) { w.options.Embedder = s }, "app")
	for _, text := range []string{
		"The kitten likes the couch in the corner of the office, do not move it.",
		"Postgres was chosen for all tables of the billing service.",
		"Each rollout is announced an hour before in the team channel.",
	} {
		w.keeps("general", text)
	}
	return w
}

func (w *world) keeps(topic, text string) lobes.Stored {
	w.Helper()
	r, err := w.set.Remember(w.Context(), lobes.By{Actor: "test"}, w.app(), []lobes.Note{{Topic: topic, Text: text}})
	if err != nil || len(r.Stored) != 1 {
		w.Fatalf("Remember: %+v, %v", r, err)
	}
	return r.Stored[0]
}

func (w *world) app() lobes.Target {
	return lobes.Target{Dirs: []string{filepath.Join(w.dir, "app")}}
}

func (w *world) asked(text string) lobes.Answer {
	w.Helper()
	a, err := w.set.Recall(w.Context(), w.app(), lobes.Query{Text: text})
	if err != nil {
		w.Fatal(err)
	}
	return a
}

func (w *world) embed() {
	w.Helper()
	if err := w.set.Embed(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func first(a lobes.Answer) string {
	if len(a.Results) == 0 {
		return ""
	}
	return a.Results[0].Entry.Body
}

func TestMeaningFindsWhatWordsDoNot(t *testing.T) {
	s := newSenses()
	w := thinking(t, s)
	for _, q := range []string{"cat sofa", "sql database", "ship release"} {
		if a := w.asked(q); len(a.Results) != 0 || a.RankedBy != lobes.RankedByWords {
			t.Errorf("%q without vectors: %q, ranked by %s", q, first(a), a.RankedBy)
		}
	}
	w.embed()
	for q, want := range map[string]string{"cat sofa": "kitten", "sql database": "Postgres", "ship release": "rollout"} {
		a := w.asked(q)
		if !strings.Contains(first(a), want) || a.RankedBy != lobes.RankedByBoth || a.VectorShare != 1 {
			t.Errorf("%q: %q, ranked by %s with %v", q, first(a), a.RankedBy, a.VectorShare)
		}
	}
	// Words still lead where they are right.
	if a := w.asked("billing service tables"); !strings.Contains(first(a), "Postgres") {
		t.Errorf("words lead to %q", first(a))
	}
}

// Where no vector of the question comes, the answer is what it is without an
// embedder.
func TestWithoutAModelThatIsReady(t *testing.T) {
	s := newSenses()
	w := thinking(t, s)
	w.embed()
	s.down.Store(true)
	if a := w.asked("cat sofa"); len(a.Results) != 0 || a.RankedBy != lobes.RankedByWords {
		t.Errorf("%q, ranked by %s", first(a), a.RankedBy)
	}
}

func TestVectorsFollowTheFiles(t *testing.T) {
	s := newSenses()
	w := thinking(t, s)
	stored := w.keeps("general", "The outage came from a full disk on the build machine.")
	w.embed()
	if a := w.asked("crash"); !strings.Contains(first(a), "outage") {
		t.Fatalf("found %q", first(a))
	}
	text, err := os.ReadFile(stored.Path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, stored.Path, strings.Replace(string(text), "The outage came", "The kitten came", 1))
	if a := w.asked("crash"); strings.Contains(first(a), "disk") {
		t.Errorf("a text that is not there any more is found: %q", first(a))
	}
	w.embed()
	if a := w.asked("cat disk"); !strings.Contains(first(a), "disk") {
		t.Errorf("the new text is not found: %q", first(a))
	}
	if err := os.Remove(stored.Path); err != nil {
		t.Fatal(err)
	}
	if a := w.asked("cat disk"); strings.Contains(first(a), "disk") {
		t.Errorf("a memory that is gone is found: %q", first(a))
	}
}

// What one process has embedded the next one has, and what was cut is made
// again.
func TestVectorsAreKept(t *testing.T) {
	s := newSenses()
	w := thinking(t, s)
	w.embed()
	made := s.made.Load()
	if made != 3 {
		t.Errorf("%d vectors were made", made)
	}
	w.open()
	if a := w.asked("cat sofa"); !strings.Contains(first(a), "kitten") {
		t.Errorf("after a restart: %q", first(a))
	}
	w.embed()
	if n := s.made.Load(); n != made {
		t.Errorf("%d vectors were made again", n-made)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "app", ".git", "memory", ".state", "vectors.*[0-9a-f]"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{len(whole) - 5, 60, 10, 0} {
		if err := os.Truncate(files[0], int64(cut)); err != nil {
			t.Fatal(err)
		}
		w.open()
		w.asked("warm")
		w.embed()
		if a := w.asked("sql database"); !strings.Contains(first(a), "Postgres") || a.VectorShare != 1 {
			t.Errorf("cut to %d bytes: %q, share %v", cut, first(a), a.VectorShare)
		}
	}
	if err := os.RemoveAll(filepath.Dir(files[0])); err != nil {
		t.Fatal(err)
	}
	w.embed()
	if a := w.asked("cat sofa"); !strings.Contains(first(a), "kitten") {
		t.Errorf("without caches: %q", first(a))
	}
}

// A vector tells about its text: what was erased or masked leaves none.
func TestErasureTakesTheVectors(t *testing.T) {
	s := newSenses()
	w := thinking(t, s)
	stored := w.keeps("general", "The outage came from a full disk on the build machine.")
	w.embed()
	if _, err := w.set.Correct(t.Context(), lobes.By{Actor: "test", Role: "user"}, w.app(), lobes.Correction{ID: stored.ID, Action: "erase"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "app", ".git", "memory", ".state", "vectors.*[0-9a-f]"))
	if err != nil || len(files) != 0 {
		t.Errorf("left: %v, %v", files, err)
	}
	made := s.made.Load()
	w.embed()
	if n := s.made.Load() - made; n != 3 {
		t.Errorf("%d vectors were made again", n)
	}
	if a := w.asked("crash"); strings.Contains(first(a), "disk") {
		t.Errorf("what was erased is found: %q", first(a))
	}
}

func TestAnotherModelEmbedsAnew(t *testing.T) {
	s := newSenses()
	w := thinking(t, s)
	w.embed()
	s.name = "senses 2"
	w.open()
	if a := w.asked("cat sofa"); len(a.Results) != 0 || a.VectorShare != 0 {
		t.Errorf("vectors of another model are used: %q, %v", first(a), a.VectorShare)
	}
	w.embed()
	if a := w.asked("cat sofa"); !strings.Contains(first(a), "kitten") {
		t.Errorf("with the new model: %q", first(a))
	}
}

// A model that dies in the middle loses nothing that was made.
func TestEmbeddingGoesOn(t *testing.T) {
	s := newSenses()
	w := newWorld(t, func(w *world) { w.options.Embedder = s }, "app")
	for i := range 40 {
		w.keeps("general", strings.Repeat("x", i+1)+" is a word of its own in this list")
	}
	s.fail.Store(2)
	if err := w.set.Embed(t.Context()); err == nil || !strings.Contains(err.Error(), "the model died") {
		t.Errorf("Embed = %v", err)
	}
	before := s.made.Load()
	if before == 0 || before == 40 {
		t.Fatalf("%d vectors were made", before)
	}
	s.fail.Store(0)
	w.embed()
	if n := s.made.Load(); n != 40 {
		t.Errorf("%d vectors were made for 40 memories", n)
	}
}

// A process that only reads makes no vector, and a lobe in which nothing was
// written stays without a trace.
func TestReadingEmbedsNothing(t *testing.T) {
	s := newSenses()
	w := newWorld(t, func(w *world) { w.options.Embedder = s }, "app")
	w.asked("cat sofa")
	w.embed()
	if _, err := os.Stat(filepath.Join(w.dir, "app", ".git", "memory")); !os.IsNotExist(err) {
		t.Errorf("a question left something behind: %v", err)
	}
	w.keeps("general", "The kitten likes the couch in the corner.")
	w.options.ReadOnly = true
	w.open()
	w.asked("cat sofa")
	var readOnly *lobes.ReadOnlyError
	if err := w.set.Embed(t.Context()); !errors.As(err, &readOnly) || s.made.Load() != 0 {
		t.Errorf("Embed = %v, %d vectors", err, s.made.Load())
	}
}

type order struct{ err error }

// Rank likes what says most about kittens.
func (o order) Rank(_ context.Context, _ string, texts []string) ([]float64, error) {
	var scores []float64
	for _, text := range texts {
		scores = append(scores, -5+float64(strings.Count(text, "kitten")))
	}
	return scores, o.err
}

func TestRerank(t *testing.T) {
	rank := &order{}
	w := newWorld(t, func(w *world) { w.options.Reranker = rank }, "app")
	w.keeps("general", "The office has a couch in the corner, the couch is grey.")
	w.keeps("general", "The kitten sleeps on the office couch all day, the kitten is grey and old.")
	a := w.asked("grey couch office")
	if !strings.Contains(first(a), "kitten") || a.RankedBy != lobes.RankedByModel || a.Results[0].Score < a.Results[1].Score {
		t.Errorf("%q first, ranked by %s", first(a), a.RankedBy)
	}
	rank.err = errors.New("down")
	if a := w.asked("grey couch office"); !strings.Contains(first(a), "grey") || a.RankedBy != lobes.RankedByWords {
		t.Errorf("%q first, ranked by %s", first(a), a.RankedBy)
	}
}

// A text that the model does not take keeps no other from its vector, and is
// not tried for ever; a model that takes none is tried again.
func TestTextsThatAModelRefuses(t *testing.T) {
	s := newSenses()
	s.hates = "Postgres"
	w := thinking(t, s)
	for i := range 40 {
		w.keeps("general", fmt.Sprintf("Shelf %d holds the boxes of customer %d, and nobody else.", i, i*i))
	}
	for range 5 {
		if err := w.set.Embed(t.Context()); err != nil {
			t.Logf("embed: %v", err)
		}
	}
	if n := s.made.Load(); n != 42 {
		t.Errorf("%d vectors of 42 texts that it takes", n)
	}
	asked := s.asked.Load()
	if err := w.set.Embed(t.Context()); err != nil || s.asked.Load() != asked {
		t.Errorf("the refused text is tried for ever: %d calls, %v", s.asked.Load()-asked, err)
	}
	got, err := w.set.Recall(t.Context(), w.app(), lobes.Query{Text: "cat sofa"})
	if err != nil || got.RankedBy != lobes.RankedByBoth || got.VectorShare < .97 || got.VectorShare >= 1 || len(got.Results) == 0 {
		t.Errorf("by meaning: %+v, %v", got, err)
	}
	down := newSenses()
	down.hates = " "
	w = thinking(t, down)
	for range 10 {
		if err := w.set.Embed(t.Context()); err == nil {
			t.Fatal("a model that takes no text is told as one that works")
		}
	}
	down.hates = ""
	if err := w.set.Embed(t.Context()); err != nil || down.made.Load() != 3 {
		t.Errorf("a model that works again: %d vectors, %v", down.made.Load(), err)
	}
}

// A large lobe is worked in piece by piece, and then whole.
func TestManyVectors(t *testing.T) {
	s := newSenses()
	w := newWorld(t, func(w *world) { w.options.Embedder = s }, "app")
	w.keeps("general", "The kitten likes the couch in the corner of the office, do not move it.")
	for i := range 280 {
		text := fmt.Sprintf("# Shelf %d\n\nIt holds the boxes of customer %d.\n", i, i*i)
		if err := os.WriteFile(filepath.Join(w.dir, "app", ".git", "memory", "general", fmt.Sprintf("mem-%08x.md", i+1)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.set.Recall(t.Context(), w.app(), lobes.Query{}); err != nil {
		t.Fatal(err)
	}
	if err := w.set.Embed(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := w.set.Recall(t.Context(), w.app(), lobes.Query{Text: "cat sofa"})
	if err != nil || got.VectorShare != 1 || len(got.Results) == 0 || !strings.Contains(got.Results[0].Entry.Body, "kitten") {
		t.Errorf("among 281: %+v, %v", got, err)
	}
}

// Of memories that say the same the second comes after one that says something
// else about the matter, though it is nearer to the question.
func TestHitsVary(t *testing.T) {
	s := newSenses()
	w := newWorld(t, func(w *world) { w.options.Embedder = s }, "app")
	for _, text := range []string{
		"The kitten sleeps on the couch, first floor.",
		"The kitten sleeps on the couch, upper floor.",
		"The kitten sleeps on the couch: sql outage, postgres crash, tables broke, release failed.",
		"Postgres holds all tables of the billing service.",
	} {
		w.keeps("general", text)
	}
	w.embed()
	a := w.asked("kitten couch")
	if len(a.Results) < 3 || a.RankedBy != lobes.RankedByBoth {
		t.Fatalf("%+v", a)
	}
	at := func(word string) int {
		return slices.IndexFunc(a.Results, func(r lobes.Result) bool { return strings.Contains(r.Entry.Body, word) })
	}
	if first, again, other := at("first"), at("upper"), at("outage"); min(first, again) != 0 || other != 1 {
		t.Errorf("what says the same comes %d and %d, what says more %d", first, again, other)
	}
	for i := 1; i < len(a.Results); i++ {
		if a.Results[i].Score > a.Results[i-1].Score {
			t.Errorf("hit %d has a better score than the one before it", i)
		}
	}
}

// The id of an entry without a title is no part of what it says.
func TestIDsAreNotEmbedded(t *testing.T) {
	s := newSenses()
	w := newWorld(t, func(w *world) { w.options.Embedder = s }, "app")
	w.keeps("general", "The kitten likes the couch in the corner of the office.")
	untitled := "---\nid: mem-00000001\ntopic: general\n---\nThe rollout is announced in the channel.\n"
	path := filepath.Join(w.dir, "app", ".git", "memory", "general", "mem-00000001.md")
	if err := os.WriteFile(path, []byte(untitled), 0o600); err != nil {
		t.Fatal(err)
	}
	w.asked("rollout")
	w.embed()
	slices.Sort(s.texts)
	if len(s.texts) != 2 || !strings.HasPrefix(s.texts[0], "The kitten likes the couch in the corner of the office\n\n") ||
		strings.TrimSpace(s.texts[1]) != "The rollout is announced in the channel." {
		t.Errorf("embedded %q", s.texts)
	}
}
