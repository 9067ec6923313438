package hook

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memory-mcp/cmd/internal/hosts"
	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
)

// handOn gives the transcript of a session to a sweep of its own, which goes
// on when the host has ended.
func (h *Hook) handOn(ctx context.Context, e Event) error {
	if h.Start == nil {
		return nil
	}
	m := Material{Host: e.Host, Session: e.ID, Path: e.Transcript}
	if m.Path == "" && len(e.Messages) > 0 {
		spool, err := h.spool(e.Messages)
		if err != nil {
			return err
		}
		return h.Start(h.sweepArgs(m.Host, m.Session, spool, "--spool")...)
	}
	if !h.Allowed(m) {
		return nil
	}
	return h.Start(h.sweepArgs(m.Host, m.Session, m.Path)...)
}

// handOnFindings hands messages on only where there is something in them.
func (h *Hook) handOnFindings(ctx context.Context, e Event) error {
	var found []finding
	for i, m := range e.Messages {
		found = append(found, findingsIn(m, i)...)
	}
	if len(found) == 0 {
		return nil
	}
	return h.handOn(ctx, e)
}

func (h *Hook) sweepArgs(host, session, path string, more ...string) []string {
	args := []string{"sweep", "--host", host, "--session", session, "--transcript", path}
	if len(h.Target.Dirs) > 0 {
		args = append(args, "--dir", h.Target.Dirs[len(h.Target.Dirs)-1])
	}
	return append(args, more...)
}

// Allowed tells whether a transcript lies where its host keeps such files: the
// event might come from anybody.
func (h *Hook) Allowed(m Material) bool {
	if m.Path == "" {
		return false
	}
	path, err := filepath.EvalSymlinks(m.Path)
	if err != nil {
		return false
	}
	for _, dir := range h.folders(m.Host) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && repo.PathWithin(real, path) {
			return true
		}
	}
	return false
}

// folders are those that a host keeps its files in.
func (h *Hook) folders(id string) []string {
	host, ok := hosts.Lookup(id)
	if !ok {
		return nil
	}
	return host.Found.On(h.Machine)
}

// spoolPrefix opens the names of files that hand messages on.
const spoolPrefix = ".said-"

// spool writes messages where a sweep finds them. What an earlier one left
// behind is taken away after a day.
func (h *Hook) spool(all []Message) (path string, err error) {
	if info, err := os.Stat(h.Memory); h.Memory == "" || err != nil || !info.IsDir() {
		return "", errors.Join(errors.New("there is no home of the memory"), err)
	}
	old, err := filepath.Glob(filepath.Join(h.Memory, spoolPrefix+"*"))
	if err != nil {
		return "", err
	}
	for _, name := range old {
		if info, err := os.Stat(name); err == nil && h.Now().Sub(info.ModTime()) > 24*time.Hour {
			if err := os.Remove(name); err != nil {
				return "", err
			}
		}
	}
	f, err := os.CreateTemp(h.Memory, spoolPrefix+"*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	enc := json.NewEncoder(f)
	for _, m := range all {
		if err := enc.Encode(m); err != nil {
			return "", err
		}
	}
	return f.Name(), nil
}

// follow remembers where the transcript of a session is, so that it is looked
// through also when the host is killed.
func (h *Hook) follow(ctx context.Context, e Event) error {
	l, err := h.ledger(e)
	if l == nil || e.Agent != "" || strings.ContainsAny(e.Transcript+e.ID, "\r\n") || !h.Allowed(Material{Host: e.Host, Path: e.Transcript}) {
		return err
	}
	return l.Update(ctx, func(p *lobes.LedgerPage) { p.Follow(e.Host, e.ID, e.Transcript) })
}

// catchUp hands on transcripts of sessions that ended without a word.
func (h *Hook) catchUp(e Event) error {
	if h.Start == nil {
		return nil
	}
	left, err := h.Set.Unswept(h.Target, e.Session, restOf)
	if err != nil || len(left) == 0 {
		return err
	}
	var errs []error
	for _, t := range left[:min(len(left), mostCaughtUp)] {
		if h.Allowed(Material{Host: t.Host, Path: t.Path}) {
			errs = append(errs, h.Start(h.sweepArgs(t.Host, t.Session, t.Path)...))
		}
	}
	return errors.Join(errs...)
}

const (
	// restOf is how long nobody wrote into the transcript of a session that is
	// taken for ended.
	restOf       = 15 * time.Minute
	mostCaughtUp = 2
)
