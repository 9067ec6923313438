package ops

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"memory-mcp/config"
	"memory-mcp/crash"
	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
	"memory-mcp/store"
	"memory-mcp/store/entry"
)

func ofStorage(g guide, err error) *Fault {
	var busy *store.BusyError
	var locked *store.LockedError
	var conflict *store.ConflictError
	var newer *store.NewerFormatError
	var gone *store.UnknownIDError
	var taken *store.ExistsError
	var records *store.RecordsFullError
	if f := ofBlanks(g, err); f != nil {
		return f
	}
	switch {
	case errors.As(err, &busy):
		return &Fault{"busy", busy.Error(), "Nothing was written. Somebody is saving that file: repeat the same call in a few seconds.", ExitBusy, 409}
	case errors.As(err, &locked):
		return &Fault{"locked", locked.Error(), "Nothing was written. Repeat the same call in a few seconds; if it stays locked: " + g.diagnose(), ExitBusy, 423}
	case errors.As(err, &conflict):
		return &Fault{"conflict", conflict.Error(), "Nothing was written. Read what it says now: " + g.get(conflict.ID) + ", then repeat with revision: " + quote(conflict.Have) + ".", ExitRefused, 409}
	case errors.As(err, &newer):
		return &Fault{"newer_format", newer.Error(), "Reading works. A person has to update this program: " + line("version"), ExitFailure, 409}
	case errors.As(err, &gone):
		hint := "Find its id: " + g.search(true, "what it is about")
		switch {
		case gone.Erased:
			hint = "Nothing is left of it, and its id is not used again. What is remembered: " + g.search(true, "what it was about")
		case gone.Gone:
			hint = "Its history stays. Put it back: " + g.correct(gone.ID, "restore", "")
		}
		return &Fault{"unknown_id", gone.Error(), hint, ExitNotFound, 404}
	case errors.Is(err, store.ErrChanged):
		return &Fault{"changed", err.Error(), "Somebody saved that file while it was read: repeat the same call.", ExitBusy, 409}
	case errors.As(err, &records):
		return &Fault{"records_full", records.Error(), "A person can move the folders of old months out of " + records.Dir + ", or erase what a session left: " + line("forget", "--session", "ID", "--erase"), ExitRefused, 507}
	case errors.As(err, &taken):
		return &Fault{"taken", taken.Error(), "Read what is there now: " + g.get(taken.ID), ExitRefused, 409}
	}
	return nil
}

// ofBlanks explains the errors about states whose content is, or was, erased.
func ofBlanks(g guide, err error) *Fault {
	var current *store.CurrentError
	var unknown *store.UnknownRevisionError
	var blank *store.BlankError
	switch {
	case errors.As(err, &current):
		return &Fault{"current", current.Error(), "Nothing was erased. First say what holds instead: " + g.correct(current.ID, "replace", "the text that holds") + "; then repeat the call. Or erase the whole memory: the same call without revision.", ExitRefused, 409}
	case errors.As(err, &unknown):
		return &Fault{"unknown_revision", unknown.Error(), "Nothing was erased. Its revisions: " + g.history(askWhy, arg{"id", unknown.ID}), ExitNotFound, 404}
	case errors.As(err, &blank):
		return &Fault{"erased_state", blank.Error(), "Nothing was changed, since nobody knows it any more. What is known: " + g.history(askWhy, arg{"id", blank.ID}), ExitRefused, 409}
	}
	return nil
}

func ofFiles(g guide, err error) *Fault {
	var broken *store.BrokenError
	var key *entry.KeyError
	var syntax *entry.SyntaxError
	switch {
	case errors.As(err, &broken):
		return &Fault{"malformed", broken.Error(), "A person has to mend the file " + broken.Path + remedy(broken.Cause) + ". It is searched as plain text until then.", ExitRefused, 422}
	case errors.As(err, &key):
		return &Fault{"malformed", key.Error(), "A person has to mend that line of the file; nothing was changed. Which file: " + g.diagnose(), ExitRefused, 422}
	case errors.As(err, &syntax):
		return &Fault{"malformed", syntax.Error(), "A person has to mend the file" + remedy(syntax) + ". Which file: " + g.diagnose(), ExitRefused, 422}
	case errors.Is(err, entry.ErrMalformed):
		return &Fault{"malformed", err.Error(), "A person has to mend the file. Which one: " + g.diagnose(), ExitRefused, 422}
	}
	return ofRepository(g, err)
}

func remedy(e *entry.SyntaxError) string {
	if e == nil || e.Remedy == "" {
		return ""
	}
	return ": " + e.Remedy
}

func ofRepository(g guide, err error) *Fault {
	var foreign *repo.NotOwnedError
	var exists *config.LobeExistsError
	var bad *config.Error
	var panicked *crash.Panicked
	var corrupt *crash.CorruptReportError
	switch {
	case errors.As(err, &panicked):
		return &Fault{"panic", panicked.Error(), "This is a fault of the program, not of the call. The server goes on; other calls work. Details: " + g.diagnose(), ExitFailure, 500}
	case errors.As(err, &corrupt):
		return &Fault{"corrupt_report", corrupt.Error(), "A person can delete that file.", ExitFailure, 500}
	case errors.As(err, &exists):
		return &Fault{"lobe_exists", exists.Error(), "It can be used already: repeat the call with lobe: " + quote(exists.Name) + ", without root.", ExitRefused, 409}
	case errors.As(err, &bad):
		return &Fault{"bad_config", bad.Error(), "A person has to mend the configuration; it is taken over at the next call. Details: " + g.diagnose(), ExitFailure, 500}
	case errors.As(err, &foreign):
		return &Fault{"not_owned", foreign.Error(), "If the folder can be trusted, a person adds it to trustedRoots in the configuration.", ExitRefused, 403}
	case errors.Is(err, repo.ErrTooDeep), errors.Is(err, repo.ErrShallow):
		return &Fault{"no_history", err.Error(), "Memories work without it; only what git would tell of a file's past is missing.", ExitFailure, 422}
	case isRepository(err):
		return &Fault{"no_repository", err.Error(), "Name a folder inside a git repository, or add the folder as a lobe: " + g.newLobe(), ExitFailure, 422}
	}
	return nil
}

func isRepository(err error) bool {
	var unsuitable *repo.UnsuitableError
	var file *repo.GitFileError
	var history *repo.HistoryError
	var none *repo.NoRepositoryError
	return errors.Is(err, repo.ErrNoRepository) || errors.As(err, &none) || errors.As(err, &unsuitable) || errors.As(err, &file) || errors.As(err, &history)
}

func ofSystem(g guide, err error) *Fault {
	var path *fs.PathError
	at := ""
	if errors.As(err, &path) {
		at = path.Path
	}
	switch {
	case errors.Is(err, lobes.ErrNoLedger):
		return &Fault{"no_ledger", err.Error(), "Memories work without it; only what was shown to this session is not remembered.", ExitFailure, 422}
	case errors.Is(err, lobes.ErrInboxFull):
		return &Fault{"inbox_full", err.Error(), "Nothing was taken. What takes the room: " + g.diagnose(), ExitRefused, 507}
	case errors.Is(err, context.Canceled):
		return &Fault{"cancelled", "the call was cancelled", "", ExitFailure, 499}
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{"timeout", err.Error(), "Try again; if it stays slow: " + g.diagnose(), ExitBusy, 504}
	case errors.Is(err, syscall.ENOSPC):
		return &Fault{"disk_full", err.Error(), "Nothing was lost, nothing was written. Free space on the disk of " + either(at, "the memories") + ", then repeat the call.", ExitFailure, 507}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Fault{"no_permission", err.Error(), "Nothing was written. A person has to make " + either(at, "the folder") + " writable for this user. Details: " + g.diagnose(), ExitFailure, 403}
	case errors.Is(err, fs.ErrNotExist):
		return &Fault{"not_found", err.Error(), "Check that " + either(at, "the path") + " exists. Details: " + g.diagnose(), ExitNotFound, 404}
	}
	return nil
}
