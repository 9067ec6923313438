package lobes

import (
	"context"
	"errors"

	"memory-mcp/store/index"
)

// snapshotVersion names what a snapshot depends on besides the files: the
// words that the analyzer finds, and what [document] makes of an entry, whose
// number is raised when that changes.
//
//	1: what was read of the files
//	2: the index too; places in a file or session give neighbours
//	3: an index that takes the entries from the files
//	4: marks of titles and texts
//	5: what entries are listed by
//	6: marks that are made otherwise
func (l *Lobe) snapshotVersion() string { return "lobes 6 " + l.o.Analyzer.Fingerprint() }

// takeOver spares the first look the reading and indexing of files that have
// not changed since another process did both. That there is nothing to take
// over only costs time.
func (l *Lobe) takeOver() {
	known, err := l.store.LoadSnapshot(l.snapshotVersion())
	if err != nil {
		l.o.Logger.Debug("all files are read", "lobe", l.name, "cause", err)
		return
	}
	docs := make([]index.Kept, len(known.Refs))
	for i, r := range known.Refs {
		docs[i] = index.Kept{Key: r.Path(), Ref: r}
	}
	words, err := index.Load(known.Index, l.o.Analyzer, docs, documentAgain)
	if err != nil {
		l.o.Logger.Debug("all entries are indexed", "lobe", l.name, "cause", err)
		l.store.Replace()
		return
	}
	l.index, l.view = words, known.View
	if l.vectors != nil {
		l.vectors.apply(known.View.Since(nil))
	}
}

// handOn saves what the next process can take over. The caller holds the gate,
// so that the index speaks of the view.
func (l *Lobe) handOn(ctx context.Context, final bool) error {
	if l.o.ReadOnly || l.view == nil {
		return nil
	}
	_, err := l.store.SaveSnapshot(ctx, l.snapshotVersion(), l.view, final, l.index.Save)
	return err
}

// keep hands on what has changed since the last time, when it is enough.
func (l *Lobe) keep(ctx context.Context) error {
	select {
	case <-l.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { l.gate <- struct{}{} }()
	return l.handOn(ctx, false)
}

// close writes down the edits that wait, if the lobe was used at all, and
// hands on what is known of the files.
func (s *Set) close(ctx context.Context, l *Lobe) error {
	select {
	case <-l.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	// A request that is still under way may look again.
	defer func() { l.gate <- struct{}{} }()
	if l.store == nil {
		return nil
	}
	var errs []error
	if !l.o.ReadOnly {
		errs = append(errs, s.settle(ctx, l, l.store, true), l.refresh(ctx), l.handOn(ctx, true))
	}
	return errors.Join(append(errs, l.store.Close())...)
}
