package store_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"testing"
	"time"

	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// TestThePastWhileOthersWrite asks about time while this process and another
// store of the same folder write, move, delete and erase: no answer is torn,
// and nothing that is written by a store looks like an edit by hand for good.
func TestThePastWhileOthersWrite(t *testing.T) {
	s := open(t, lobe(t), store.Options{Watch: true})
	other := open(t, s.Dir(), store.Options{})
	fill(t, s, 20)
	stop := make(chan struct{})
	var writers, readers sync.WaitGroup
	for n, s := range []*store.Store{s, other} {
		writers.Go(func() { writeSome(t, s, n) })
	}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					readSome(t, s)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	for _, s := range []*store.Store{s, other} {
		if done := settle(t, s, true); len(done.Adopted)+len(done.Retracted)+done.Waiting > 0 {
			t.Errorf("settled %+v", done)
		}
		if got := past(t, s).Since(time.Now().Add(-time.Hour)); len(got) != look(t, s).Len() {
			t.Errorf("%d ids differ from an hour ago, %d are there", len(got), look(t, s).Len())
		}
		if problems, err := s.Problems(bg); err != nil || len(problems) > 0 {
			t.Errorf("problems %+v, %v", problems, err)
		}
	}
}

func writeSome(t *testing.T, s *store.Store, n int) {
	for i := range 15 {
		id := fmt.Sprintf("gotcha-%08d", (i*7+n)%20)
		var err error
		switch i % 5 {
		case 1:
			_, err = s.Write(bg, me, func(tx *store.Tx) error { return tx.Move(entry.OpMove, id, toTopic(fmt.Sprintf("modules/m%d", i))) })
		case 2:
			_, err = s.Write(bg, me, func(tx *store.Tx) error { return tx.Remove(id) })
		case 3:
			_, err = s.Erase(bg, me, id)
		default:
			_, err = s.Write(bg, me, func(tx *store.Tx) error {
				return tx.Put(entry.OpReplace, note(id, "Title "+id, fmt.Sprintf("State %d of %d.", i, n)))
			})
		}
		var unknown *store.UnknownIDError
		var locked *store.LockedError // on a machine that is busy
		if err != nil && !errors.As(err, &unknown) && !errors.As(err, &locked) {
			t.Errorf("step %d: %v", i, err)
			return
		}
	}
}

func readSome(t *testing.T, s *store.Store) {
	p, err := s.Past(bg)
	if err != nil {
		t.Error(err)
		return
	}
	now := p.Now()
	if v, err := p.At(bg, now.Add(-50*time.Millisecond)); err != nil || v == nil {
		t.Errorf("at: %v", err)
	}
	n := 0
	for m := range p.Newest(time.Time{}, time.Time{}) {
		if _, err := p.Read(m); err != nil && !mayBeGone(err) {
			t.Errorf("read %+v: %v", m, err)
		}
		if n++; n == 20 {
			break
		}
	}
	for id := range p.IDs() {
		if _, there := p.View().ID(id); there {
			if _, ok := p.Believed(id, now); !ok {
				t.Errorf("%s has a head and is not believed", id)
			}
		}
		p.Line(id)
		p.Beside(id)
	}
	if _, err := s.SaveSnapshot(bg, "1", p.View(), true, func(io.Writer, ...string) ([]string, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
	s.Conflicts()
}

// mayBeGone tells whether an error says that what was there has gone or
// changed since.
func mayBeGone(err error) bool {
	var unknown *store.UnknownIDError
	return errors.As(err, &unknown) || errors.Is(err, store.ErrChanged) || errors.Is(err, fs.ErrNotExist)
}
