package store

import "context"

// ahead is a scan that goes on while a snapshot is read: the first look needs
// both.
type ahead struct {
	walk *walk
	done chan struct{}
	err  error
}

// scanAhead begins the scan of the next look. The caller holds s.looking.
func (s *Store) scanAhead() {
	s.dropAhead()
	a := &ahead{walk: s.newWalk(), done: make(chan struct{})}
	s.ahead = a
	go func() {
		defer close(a.done)
		root, err := s.root()
		if err != nil || root == nil {
			a.err = errNotFolder
			return
		}
		defer root.Close() // a folder handle: nothing to lose
		a.err = a.walk.scan(context.Background(), root)
	}()
}

// begun gives the walk of the scan that was begun ahead, or a new one. The
// caller holds s.looking.
func (s *Store) begun(ctx context.Context) *walk {
	a := s.ahead
	if a == nil {
		return s.newWalk()
	}
	select {
	case <-ctx.Done():
		return s.newWalk() // it will be told so itself
	case <-a.done:
	}
	if a.err != nil {
		s.dropAhead()
		return s.newWalk()
	}
	s.ahead = nil
	a.walk.scanned = true
	return a.walk
}

// dropAhead gives up a scan that nobody has asked about. The caller holds
// s.looking.
func (s *Store) dropAhead() {
	a := s.ahead
	if a == nil {
		return
	}
	s.ahead = nil
	<-a.done
	if a.walk.watch != nil {
		a.walk.watch.close() // the queue is given up: nothing to lose
	}
}
