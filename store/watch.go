package store

// events gives the files that changed since the last look, or false when only
// a scan can tell. The caller holds s.looking.
func (s *Store) events() (map[string]bool, bool) {
	if s.watch == nil || len(s.blind) > 0 {
		return nil, false
	}
	return s.watch.dirty()
}

func (s *Store) unwatch() {
	if s.watch != nil {
		s.watch.close() // the queue is given up: nothing to lose
		s.watch = nil
	}
}
