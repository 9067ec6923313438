package ops

import (
	"fmt"
	"strings"
	"time"

	"memory-mcp/crash"
)

// death is a crash report as answers tell it: without its stack, which is in
// the file.
type death struct {
	When    string   `json:"when"`
	Kind    string   `json:"kind"`
	Op      string   `json:"op"`
	Lobe    string   `json:"lobe"`
	Err     string   `json:"err"`
	Version string   `json:"version"`
	Path    string   `json:"path"`
	Remedy  []string `json:"remedy"`
}

func newDeath(r crash.Report) death {
	return death{
		When: instant(r.When), Kind: string(r.Kind), Op: r.Op, Lobe: r.Lobe, Err: r.Err, Version: r.Version,
		Path: r.Path, Remedy: r.Remedy,
	}
}

func (d death) line() string {
	what := d.Kind
	if d.Kind == string(crash.KindKilled) {
		what = "killed from outside"
	}
	s := fmt.Sprintf("%s, %s%s%s%s.", d.When, what, tail(" in ", d.Op), tail(" of lobe ", d.Lobe), tail(": ", d.Err))
	if len(d.Remedy) > 0 {
		s += " " + strings.Join(d.Remedy, "; ") + "."
	}
	return s + tail(" Report: ", d.Path)
}

// unseen gives the newest crash that nobody was told of, and marks it as told.
// What the journal cannot do is a notice, never a failure of the answer.
func (e *Env) unseen() (deaths []death, notices []string) {
	if e.Journal == nil {
		return nil, nil
	}
	r, ok, err := e.Journal.Latest()
	if err != nil {
		notices = append(notices, err.Error())
	}
	if !ok {
		return nil, notices
	}
	if err := e.Journal.MarkShown(r); err != nil {
		notices = append(notices, err.Error())
	}
	return []death{newDeath(r)}, notices
}

// deaths are the newest crashes, at most n. They count as told.
func (e *Env) deaths(n int) (found []death, notices []string) {
	if e.Journal == nil {
		return nil, nil
	}
	all, err := e.Journal.Reports()
	if err != nil {
		notices = append(notices, err.Error())
	}
	for _, r := range all[:min(n, len(all))] {
		found = append(found, newDeath(r))
	}
	if len(all) > 0 && !all[0].Shown {
		if err := e.Journal.MarkShown(all[0]); err != nil {
			notices = append(notices, err.Error())
		}
	}
	return found, notices
}

// since is a span of time in words.
func since(from, now time.Time) string {
	if from.IsZero() {
		return "unknown"
	}
	return now.Sub(from).Round(time.Second).String()
}
