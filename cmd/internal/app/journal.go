package app

import (
	"path/filepath"
	"time"

	"memory-mcp/crash"
)

func (a *App) openJournal(home string) {
	if home == "" {
		return
	}
	a.journal = crash.Open(filepath.Join(home, "crashes"), crash.Options{Version: a.o.Version, Now: a.o.Now})
	reports, err := a.journal.Recover()
	if err != nil {
		a.log.Warn("the crash journal cannot be read in full", "cause", err)
	}
	for _, r := range reports {
		a.log.Warn("an earlier process died", "during", r.Op, "report", r.Path)
	}
	if a.o.Serving {
		a.journal.Begin()
	}
}

// journal is the crash journal as operations see it. Each guarded call also
// counts as one that may use the present lobes.
type journal struct{ app *App }

// Guard runs a call; a panic in it becomes a report and an error.
func (j journal) Guard(d crash.Doing, run func() error) error {
	defer j.app.calls.begin()()
	started := j.app.o.Now()
	defer func() {
		j.app.log.Debug("call", "op", d.Op, "took", j.app.o.Now().Sub(started).Round(time.Microsecond))
	}()
	if j.app.journal == nil {
		return run()
	}
	return j.app.journal.Guard(d, run)
}

// Guard runs work of the program that is no operation; a panic in it becomes a
// report and an error.
func (a *App) Guard(d crash.Doing, run func() error) error { return journal{a}.Guard(d, run) }

// Reports gives all reports, newest first.
func (j journal) Reports() ([]crash.Report, error) {
	if j.app.journal == nil {
		return nil, nil
	}
	return j.app.journal.Reports()
}

// Latest gives the newest report if nobody was told of it.
func (j journal) Latest() (crash.Report, bool, error) {
	if j.app.journal == nil {
		return crash.Report{}, false, nil
	}
	return j.app.journal.Latest()
}

// MarkShown notes that somebody was told of a report.
func (j journal) MarkShown(r crash.Report) error {
	if j.app.journal == nil {
		return nil
	}
	return j.app.journal.MarkShown(r)
}
