package lobes

import (
	"context"
	"errors"
	"io"
)

// snapshotVersion names what a snapshot depends on besides the files: the
// words that the analyzer finds, and what [document] makes of an entry, whose
// number is raised when that changes.
//
//	1: the first
func (l *Lobe) snapshotVersion() string { return "lobes 1 " + l.o.Analyzer.Fingerprint() }

// takeOver spares the first look the reading of files that have not changed
// since another process read them. That there is nothing to take over only
// costs time.
func (l *Lobe) takeOver() {
	if _, err := l.store.LoadSnapshot(l.snapshotVersion()); err != nil {
		l.o.Logger.Debug("all files are read", "lobe", l.name, "cause", err)
	}
}

// handOn saves what the next process can take over. The caller holds the gate.
func (l *Lobe) handOn(ctx context.Context, final bool) error {
	if l.o.ReadOnly || l.view == nil {
		return nil
	}
	nothing := func(io.Writer) error { return nil } // the index is made anew: that is quick
	_, err := l.store.SaveSnapshot(ctx, l.snapshotVersion(), l.view, final, nothing)
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
func (l *Lobe) close(ctx context.Context) error {
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
		errs = append(errs, l.settle(ctx, l.store, true), l.refresh(ctx), l.handOn(ctx, true))
	}
	return errors.Join(append(errs, l.store.Close())...)
}
