package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/crash"
	"memory-mcp/llm/whisper"
	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
	"memory-mcp/store"
	"memory-mcp/store/entry"
)

// explained are all closed errors of the packages below, with what they come
// to: the code, and a part of the advice.
func explained() []struct {
	name string
	err  error
	code string
	hint string
} {
	syntax := &entry.SyntaxError{Line: 3, What: "no closing line", Value: "---", Remedy: "add a line ---"}
	return []struct {
		name string
		err  error
		code string
		hint string
	}{
		{"lobes.UnknownLobeError", &lobes.UnknownLobeError{Name: "wbe", Known: []string{"app", "web"}, Near: []string{"web"}}, "unknown_lobe", `lobe: "web"`},
		{"lobes.AmbiguousError", &lobes.AmbiguousError{Candidates: []string{"app", "web"}}, "ambiguous_lobe", `"app" or "web"`},
		{"lobes.NoLobeError", &lobes.NoLobeError{Known: []string{"app"}, Why: "/tmp"}, "no_lobe", `"app"`},
		{"lobes.DegradedError", &lobes.DegradedError{Lobe: "web", Cause: errors.New("gone"), Remedy: []string{"create it"}}, "degraded_lobe", "create it"},
		{"lobes.SafeModeError", &lobes.SafeModeError{}, "safe_mode", "memory_diagnose()"},
		{"lobes.ReadOnlyError", &lobes.ReadOnlyError{Verb: "store"}, "read_only", "memory-mcp store"},
		{"lobes.EphemeralError", &lobes.EphemeralError{Title: "Today x", Severity: "high", Signals: []string{"today"}}, "ephemeral", `durabilityDecision: "store-anyway"`},
		{"lobes.FullError", &lobes.FullError{Lobe: "app", Used: 2, Budget: 2, ConfigPath: "/c.json", ConfigLine: `"budgetMB": 4`}, "full", `"budgetMB": 4`},
		{"lobes.TextError", &lobes.TextError{Field: "text", What: lobes.TextTooLong, Size: 70000}, "bad_text", "several short memories"},
		{"lobes.ValueError", &lobes.ValueError{Field: "scope", Value: "x", Near: []string{"y"}, Allowed: []string{"y"}}, "bad_value", `"y"`},
		{"lobes.UnknownIDError", &lobes.UnknownIDError{ID: "arch-1", Lobes: []string{"app"}, Near: []string{"arch-12"}}, "unknown_id", `memory_query(id: "arch-12")`},
		{"lobes.ErrNoLedger", lobes.ErrNoLedger, "no_ledger", "work without"},
		{"store.CurrentError", &store.CurrentError{ID: "a", Revision: "0011223344556677"}, "current", "replace"},
		{"store.UnknownRevisionError", &store.UnknownRevisionError{ID: "a", Revision: "0011223344556677"}, "unknown_revision", "why"},
		{"store.BlankError", &store.BlankError{ID: "a", Recorded: noon}, "erased_state", "why"},
		{"lobes.LostStateError", &lobes.LostStateError{ID: "a", Recorded: noon}, "lost_state", "replace"},
		{"store.BusyError", &store.BusyError{ID: "a", Path: "/x", Age: time.Second}, "busy", "repeat"},
		{"store.LockedError", &store.LockedError{Path: "/x", Waited: time.Second}, "locked", "epeat"},
		{"store.ConflictError", &store.ConflictError{ID: "arch-1", Want: "a", Have: "b"}, "conflict", `memory_query(id: "arch-1")`},
		{"store.BrokenError", &store.BrokenError{ID: "a", Path: "/x.md", Cause: syntax}, "malformed", "add a line ---"},
		{"store.NewerFormatError", &store.NewerFormatError{Path: "/x", Have: 2, Know: 1}, "newer_format", "update"},
		{"store.UnknownIDError", &store.UnknownIDError{ID: "a", Dir: "/x", Gone: true}, "unknown_id", `memory_correct(id: "a", action: "restore")`},
		{"store.RecordsFullError", &store.RecordsFullError{Dir: "/x/.records", Bytes: store.MaxRecords}, "records_full", "/x/.records"},
		{"lobes.ErrInboxFull", lobes.ErrInboxFull, "inbox_full", "memory-mcp diagnose"},
		{"lobes.RecalledError", &lobes.RecalledError{}, "recalled", "what is new"},
		{"lobes.DeclinedError", &lobes.DeclinedError{}, "not_told", "stay as they are"},
		{"lobes.UnfoundedError", &lobes.UnfoundedError{What: "a number"}, "not_told", "stay as they are"},
		{"lobes.UnaskedError", &lobes.UnaskedError{Cause: errors.New("spent")}, "model_unasked", "memory-mcp diagnose"},
		{"lobes.NoTranscriberError", &lobes.NoTranscriberError{Why: errors.New("x")}, "no_transcriber", "memory-mcp models use whisper-base"},
		{"lobes.NoTranscriberError", &lobes.NoTranscriberError{Why: whisper.ErrNotBuilt}, "no_transcriber", "-tags whisper"},
		{"lobes.UnheardError", &lobes.UnheardError{Path: "/x/a.m4a", Why: "it is no WAV"}, "unheard", "ffmpeg -i"},
		{"lobes.SoundPathError", &lobes.SoundPathError{Path: "/etc/a.wav", Why: "it is outside"}, "bad_audio", "memory-mcp record FILE"},
		{"lobes.NothingToUndoError", &lobes.NothingToUndoError{ID: "arch-1", Lobe: "app"}, "nothing_to_undo", `memory_history(action: "timeline", id: "arch-1")`},
		{"lobes.MovedError", &lobes.MovedError{ID: "arch-1", Lobe: "app", To: "web"}, "moved", `lobe: "web"`},
		{"lobes.StaleTokenError", &lobes.StaleTokenError{Given: "a", Now: "b"}, "stale_token", "without apply"},
		{"lobes.RefusedError", &lobes.RefusedError{Title: "x", What: "erased"}, "refused", "memory-mcp store"},
		{"store.ErrChanged", store.ErrChanged, "changed", "repeat"},
		{"store.ExistsError", &store.ExistsError{ID: "arch-1", Path: "/x"}, "taken", `memory_query(id: "arch-1")`},
		{"entry.SyntaxError", syntax, "malformed", "add a line ---"},
		{"entry.KeyError", &entry.KeyError{Key: "tags", Cause: errors.New("x")}, "malformed", "mend"},
		{"entry.TopicError", &entry.TopicError{Given: "gotchs", Near: "gotchas", Known: []string{"gotchas"}}, "unknown_topic", `topic: "gotchas"`},
		{"entry.WordError", &entry.WordError{What: "kind", Given: "fcat", Near: "fact", Known: []string{"fact"}}, "bad_value", `"fact"`},
		{"entry.ErrMalformed", entry.ErrMalformed, "malformed", "mend"},
		{"config.Error", &config.Error{Problem: config.Problem{File: "/c.json", Line: 3, What: "no comma"}}, "bad_config", "configuration"},
		{"config.LobeExistsError", &config.LobeExistsError{Path: "/c.json", Name: "app", Line: 3}, "lobe_exists", `lobe: "app"`},
		{"crash.Panicked", &crash.Panicked{Report: crash.Report{Op: "x"}}, "panic", "goes on"},
		{"crash.CorruptReportError", &crash.CorruptReportError{Path: "/x", Err: errors.New("x")}, "corrupt_report", "delete"},
		{"repo.ErrNoRepository", repo.ErrNoRepository, "no_repository", "memory_bootstrap("},
		{"repo.ErrTooDeep", repo.ErrTooDeep, "no_history", "work without"},
		{"repo.ErrShallow", repo.ErrShallow, "no_history", "work without"},
		{"repo.NoRepositoryError", &repo.NoRepositoryError{}, "no_repository", "memory_bootstrap("},
		{"repo.NotOwnedError", &repo.NotOwnedError{}, "not_owned", "trustedRoots"},
		{"repo.UnsuitableError", &repo.UnsuitableError{}, "no_repository", "memory_bootstrap("},
		{"repo.GitFileError", &repo.GitFileError{}, "no_repository", "memory_bootstrap("},
		{"repo.HistoryError", &repo.HistoryError{Err: errors.New("x")}, "no_repository", "memory_bootstrap("},
	}
}

// TestUnknownTopicNamesTheArgument names the one that the tool has for a topic.
func TestUnknownTopicNamesTheArgument(t *testing.T) {
	for _, tt := range []struct {
		op, args string
		shell    bool
		want     string
	}{
		{"memory_query", `{"scope":"gotchs"}`, false, `scope: "gotchas"`},
		{"memory_store", `{"content":"x","topic":"gotchs"}`, false, `topic: "gotchas"`},
		{"memory_history", `{"topic":"gotchs"}`, false, `topic: "gotchas"`},
		{"memory_correct", `{"id":"a","action":"move","toTopic":"gotchs"}`, false, `toTopic: "gotchas"`},
		{"memory_query", `{"scope":"gotchs"}`, true, "--topic gotchas"},
		{"memory_correct", `{"id":"a","action":"move","toTopic":"gotchs"}`, true, "--to-topic gotchas"},
	} {
		m := full()
		m.err = &entry.TopicError{Given: "gotchs", Near: "gotchas", Known: []string{"gotchas"}}
		e := env(m, ops.Facts{})
		e.Shell = tt.shell
		_, fault := ops.Call(t.Context(), e, tt.op, json.RawMessage(tt.args))
		if fault == nil || !strings.Contains(fault.Hint, tt.want) {
			t.Errorf("%s(%s): %+v, want %s", tt.op, tt.args, fault, tt.want)
		}
	}
}

func TestEveryClosedErrorIsExplained(t *testing.T) {
	known := map[string]bool{}
	for _, tt := range explained() {
		known[tt.name] = true
		for _, err := range []error{tt.err, fmt.Errorf("store %q: %w", "x", tt.err)} {
			f := env(full(), ops.Facts{}).Explain(err)
			if f.Code != tt.code || !strings.Contains(f.Hint, tt.hint) || f.Message == "" || f.Exit == 0 || f.HTTP < 400 {
				t.Errorf("%s is explained as %+v, want code %s and a hint with %q", tt.name, f, tt.code, tt.hint)
			}
		}
	}
	for _, s := range sentinels(t) {
		if !known[s] {
			t.Errorf("%s is not explained", s)
		}
	}
}

// sentinels are the error types and values that the packages below export.
func sentinels(t *testing.T) []string {
	t.Helper()
	var found []string
	for name, dir := range map[string]string{
		"lobes": "lobes", "store": "store", "entry": "store/entry", "config": "config", "crash": "crash", "repo": "lobes/repo",
	} {
		files, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s (%v)", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range errorsOf(parsed) {
				found = append(found, name+"."+s)
			}
		}
	}
	if len(found) < 20 {
		t.Fatalf("only %q were found", found)
	}
	return found
}

func errorsOf(f *ast.File) []string {
	var found []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || d.Name.Name != "Error" || len(d.Type.Params.List) > 0 {
				continue
			}
			receiver := d.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			if name, ok := receiver.(*ast.Ident); ok && name.IsExported() {
				found = append(found, name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if ok && d.Tok == token.VAR && strings.HasPrefix(v.Names[0].Name, "Err") {
					found = append(found, v.Names[0].Name)
				}
			}
		}
	}
	return found
}

func TestErrorsOfTheSystemAreExplained(t *testing.T) {
	at := func(err error) error {
		return fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "/x", Err: err})
	}
	tests := []struct {
		err  error
		code string
		hint string
	}{
		{at(syscall.ENOSPC), "disk_full", "disk of /x"},
		{at(fs.ErrPermission), "no_permission", "/x writable"},
		{at(syscall.EROFS), "no_permission", "/x writable"},
		{at(fs.ErrNotExist), "not_found", "/x exists"},
		{context.Canceled, "cancelled", ""},
		{context.DeadlineExceeded, "timeout", "memory-mcp diagnose"},
		{errors.New("what nobody knows"), "failed", "memory-mcp diagnose"},
	}
	for _, tt := range tests {
		f := env(full(), ops.Facts{}).Explain(tt.err)
		if f.Code != tt.code || !strings.Contains(f.Hint, tt.hint) {
			t.Errorf("%v is explained as %+v", tt.err, f)
		}
	}
}

func TestAdviceProposesOnlyWhatCanBeCalled(t *testing.T) {
	for _, s := range settings() {
		for _, tt := range explained() {
			e := env(full(), s.facts)
			e.Shell = s.shell
			seen := s
			seen.broken = tt.code == "degraded_lobe" || tt.code == "safe_mode"
			seen.check(t, tt.name, e.Explain(tt.err).Error())
		}
	}
}

func TestRefusalOffersBothWaysOn(t *testing.T) {
	for profile, want := range map[ops.Profile][]string{
		ops.Default: {`memory_store(content: "Today I fixed it.", topic: "recent-work", title: "Fixed")`, `memory_store(content: "Today I fixed it.", title: "Fixed", durabilityDecision: "store-anyway")`},
		ops.Verbs:   {`learn(observation: "Today I fixed it.", topic: "recent-work", title: "Fixed")`, `durabilityDecision: "store-anyway")`},
	} {
		m := full()
		m.err = &lobes.EphemeralError{Title: "Fixed", Severity: "high", Signals: []string{"tied to today"}}
		_, fault := ops.Call(t.Context(), env(m, ops.Facts{Profile: profile}), "memory_store",
			json.RawMessage(`{"entries":[{"content":"another"},{"title":"Fixed","content":"Today I fixed it."}]}`))
		if fault == nil || fault.Code != "ephemeral" {
			t.Fatalf("got %+v", fault)
		}
		has(t, fault.Error(), append(want, "high", "tied to today", "Nothing of this call was stored")...)
	}
}
