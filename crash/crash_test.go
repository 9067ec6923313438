package crash_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"memory-mcp/crash"
)

func journal(t *testing.T) (*crash.Journal, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home", "crashes")
	return crash.Open(dir, crash.Options{Version: "1.2.3", Now: clock()}), dir
}

// clock ticks a second at each look.
func clock() func() time.Time {
	now := time.Date(2026, 11, 30, 2, 15, 0, 0, time.UTC)
	var mu sync.Mutex
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func reports(t *testing.T, j *crash.Journal) []crash.Report {
	t.Helper()
	list, err := j.Reports()
	if err != nil {
		t.Fatalf("Reports: %v", err)
	}
	return list
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestGuardPassesTheResultThroughAndLeavesNoTrace(t *testing.T) {
	j, dir := journal(t)
	if err := j.Guard(crash.Doing{Op: "recall"}, func() error { return nil }); err != nil {
		t.Error(err)
	}
	own := errors.New("own")
	if err := j.Guard(crash.Doing{Op: "recall"}, func() error { return own }); err != own {
		t.Errorf("got %v", err)
	}
	if len(reports(t, j)) != 0 || len(entries(t, filepath.Dir(filepath.Dir(dir)))) != 0 {
		t.Errorf("something was created: %v", entries(t, filepath.Dir(filepath.Dir(dir))))
	}
}

func TestPanicBecomesReportAndError(t *testing.T) {
	j, dir := journal(t)
	var list []int
	err := j.Guard(crash.Doing{Op: "memory_store", Lobe: "api", Phase: "running"}, func() error {
		list[len(list)]++
		return nil
	})
	var p *crash.Panicked
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
	want := "memory_store panicked: runtime error: index out of range [0] with length 0 (report " + p.Report.Path + ")"
	if err.Error() != want {
		t.Errorf("error is\n%s\nwant\n%s", err, want)
	}
	all := reports(t, j)
	if len(all) != 1 {
		t.Fatalf("there are %d reports", len(all))
	}
	r := all[0]
	if r.Kind != crash.KindPanic || r.Op != "memory_store" || r.Lobe != "api" || r.Phase != "running" || r.Version != "1.2.3" ||
		r.PID != os.Getpid() || r.UptimeSeconds <= 0 || r.Shown || len(r.Remedy) == 0 || filepath.Dir(r.Path) != dir {
		t.Errorf("report is %+v", r)
	}
	if !strings.Contains(r.Stack, "TestPanicBecomesReportAndError") {
		t.Errorf("the stack does not show where:\n%s", r.Stack)
	}
	if r.When.IsZero() || r.When.Location() != time.UTC {
		t.Errorf("the time is %v", r.When)
	}
	checkModes(t, dir, r.Path)
}

func checkModes(t *testing.T, dir, file string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return
	}
	d, err := os.Stat(dir)
	if err != nil || d.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v (%v)", d.Mode(), err)
	}
	f, err := os.Stat(file)
	if err != nil || f.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v)", f.Mode(), err)
	}
}

func TestFileUsesSnakeCaseAndLists(t *testing.T) {
	j, _ := journal(t)
	r := j.Record(crash.KindTransport, crash.Doing{Op: "serve"}, errors.New("broken"))
	text, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"when": "2026-11-30T02:15:02Z"`, `"uptime_seconds": 1`, `"also": []`, `"remedy": [`, `"pid": `, `"kind": "transport"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// secretError is an error whose text quotes a memory.
type secretError struct{ text string }

func (e *secretError) Error() string { return e.text }

func TestNoTextOfAMemoryIsWritten(t *testing.T) {
	const secret = "the launch code is plum"
	values := []any{secret, &secretError{secret}, fmt.Errorf("parse: %s", secret), struct{ s string }{secret},
		fmt.Errorf("%s: %w", secret, &fs.PathError{Op: "open", Path: secret, Err: syscall.ENOSPC})}
	for _, value := range values {
		j, _ := journal(t)
		err := j.Guard(crash.Doing{Op: "store"}, func() error { panic(value) })
		var p *crash.Panicked
		if !errors.As(err, &p) || strings.Contains(err.Error(), secret) {
			t.Fatalf("error is %v", err)
		}
		text, err := os.ReadFile(p.Report.Path)
		if err != nil || strings.Contains(string(text), "plum") && !errors.Is(asError(value), syscall.ENOSPC) {
			t.Errorf("%T: the report tells it (%v):\n%s", value, err, text)
		}
	}
	j, _ := journal(t)
	r := j.Record(crash.KindLobe, crash.Doing{Op: "open"}, fmt.Errorf("parse %q at `%s`: bad \"x\\\"%s\" end", secret, secret, secret))
	if want := "parse \"…\" at `…`: bad \"…\" end"; r.Err != want {
		t.Errorf("recorded %s, want %s", r.Err, want)
	}
}

func asError(value any) error {
	err, _ := value.(error)
	return err
}

func TestSystemsWordsAreKept(t *testing.T) {
	j, _ := journal(t)
	err := j.Guard(crash.Doing{Op: "store"}, func() error { panic(&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}) })
	var p *crash.Panicked
	if !errors.As(err, &p) || !strings.Contains(p.Report.Err, syscall.ENOSPC.Error()) {
		t.Errorf("got %v", err)
	}
}

func TestRemediesFollowTheCause(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the numbers of errors are others there")
	}
	tests := []struct {
		err   error
		phase string
		want  string
	}{
		{&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "", "free some disk space"},
		{&fs.PathError{Op: "write", Path: "/x", Err: syscall.EDQUOT}, "", "free some disk space"},
		{&fs.PathError{Op: "open", Path: "/x/y", Err: syscall.EACCES}, "", "give yourself the right to read and write the folder: /x/y"},
		{&fs.PathError{Op: "open", Path: "/x/y", Err: syscall.ENOENT}, "", "the path is missing: create it or correct it in memory-config.json: /x/y"},
		{&os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: syscall.EROFS}, "", "the disk is read-only: remount it, or serve with --read-only"},
		{fmt.Errorf("accept: %w", syscall.EMFILE), "", "raise the limit of open files"},
		{errors.New("line 3: a list is not an object"), crash.PhaseConfiguration, "correct memory-config.json: the error names the line and the key"},
		{errors.New("odd"), "", "run memory-mcp diagnose"},
	}
	for _, tt := range tests {
		j, _ := journal(t)
		r := j.Record(crash.KindStartup, crash.Doing{Op: "serve", Phase: tt.phase}, tt.err)
		if len(r.Remedy) == 0 || !strings.HasPrefix(r.Remedy[0], tt.want) {
			t.Errorf("%v: remedies are %q, want first %q", tt.err, r.Remedy, tt.want)
		}
	}
}

func TestNewestReportsAreKept(t *testing.T) {
	j, dir := journal(t)
	var last crash.Report
	for i := range 25 {
		last = j.Record(crash.KindLobe, crash.Doing{Op: fmt.Sprint("op", i)}, errors.New("x"))
	}
	all := reports(t, j)
	if len(all) != crash.Kept || all[0].ID != last.ID || all[0].Op != "op24" || all[crash.Kept-1].Op != "op5" {
		t.Errorf("%d reports from %s to %s", len(all), all[0].Op, all[len(all)-1].Op)
	}
	if names := entries(t, dir); len(names) != crash.Kept {
		t.Errorf("the folder holds %v", names)
	}
}

func TestCorruptReportsAreNamedAndNotFatal(t *testing.T) {
	j, dir := journal(t)
	good := j.Record(crash.KindLobe, crash.Doing{Op: "op"}, errors.New("x"))
	for name, text := range map[string]string{"19990101T000000.000Z-1-a.json": "{", "empty.json": "", "other.json": `{"a": 1}`, "big.json": strings.Repeat(" ", 2<<20)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := j.Reports()
	if len(list) != 1 || list[0].ID != good.ID {
		t.Errorf("reports are %+v", list)
	}
	var corrupt *crash.CorruptReportError
	if !errors.As(err, &corrupt) || strings.Count(err.Error(), "cannot be read") != 4 || !strings.Contains(err.Error(), filepath.Join(dir, "other.json")) {
		t.Errorf("error is %v", err)
	}
	if latest, ok, err := j.Latest(); !ok || latest.ID != good.ID || err == nil {
		t.Errorf("Latest is %+v, %t, %v", latest, ok, err)
	}
}

func TestReportIsShownOnce(t *testing.T) {
	j, dir := journal(t)
	if _, ok, err := j.Latest(); ok || err != nil {
		t.Fatalf("Latest is %t, %v", ok, err)
	}
	j.Record(crash.KindLobe, crash.Doing{Op: "old"}, errors.New("x"))
	newest := j.Record(crash.KindLobe, crash.Doing{Op: "new"}, errors.New("x"))
	r, ok, err := j.Latest()
	if !ok || err != nil || r.ID != newest.ID {
		t.Fatalf("Latest is %+v, %t, %v", r, ok, err)
	}
	if err := j.MarkShown(r); err != nil {
		t.Fatal(err)
	}
	// Another process sees it as well.
	other := crash.Open(dir, crash.Options{})
	if r, ok, err := other.Latest(); ok || err != nil {
		t.Errorf("after showing, Latest is %+v, %v", r, err)
	}
	if all := reports(t, other); len(all) != 2 || !all[0].Shown || !all[1].Shown {
		t.Errorf("the history is %+v", all)
	}
}

func TestJournalThatCannotBeWrittenNeverFailsTheCall(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(blocked, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := crash.Open(filepath.Join(blocked, "crashes"), crash.Options{})
	j.Begin()
	ran := false
	if err := j.Guard(crash.Doing{Op: "store", Writes: true}, func() error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("the call failed: %v", err)
	}
	if j.Problem() == nil {
		t.Error("the problem is not told")
	}
	var p *crash.Panicked
	if err := j.Guard(crash.Doing{Op: "store"}, func() error { panic("x") }); !errors.As(err, &p) || p.Report.Path != "" || !strings.Contains(err.Error(), "no report could be written") {
		t.Errorf("got %v", err)
	}
	if err := j.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestGuardIsSafeForConcurrentUse(t *testing.T) {
	j, dir := journal(t)
	j.Begin()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			err := j.Guard(crash.Doing{Op: "op", Lobe: strings.Repeat("x", 300), Writes: true}, func() error {
				if i%10 == 0 {
					panic(i)
				}
				return nil
			})
			if (err != nil) != (i%10 == 0) {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(j.Close(), j.Problem()); err != nil {
		t.Error(err)
	}
	if len(reports(t, j)) != 2 || len(entries(t, filepath.Join(dir, "running"))) != 0 {
		t.Errorf("%d reports, markers %v", len(reports(t, j)), entries(t, filepath.Join(dir, "running")))
	}
}

func TestReadingInAnEmptyHomeLeavesNoTrace(t *testing.T) {
	j, dir := journal(t)
	j.Begin()
	if err := j.Guard(crash.Doing{Op: "recall"}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, filepath.Dir(filepath.Dir(dir))); len(names) != 0 {
		t.Errorf("created %v", names)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

func TestOldTemporariesAreSwept(t *testing.T) {
	j, dir := journal(t)
	j.Record(crash.KindLobe, crash.Doing{Op: "op"}, errors.New("x"))
	old, young := filepath.Join(dir, ".a.json.1"), filepath.Join(dir, ".b.json.2")
	now := time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
	for path, age := range map[string]time.Duration{old: 25 * time.Hour, young: time.Hour} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	j.Record(crash.KindLobe, crash.Doing{Op: "op"}, errors.New("x"))
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old one is there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young one is gone: %v", err)
	}
}

func BenchmarkGuard(b *testing.B) {
	j := crash.Open(filepath.Join(b.TempDir(), "crashes"), crash.Options{})
	j.Begin()
	for b.Loop() {
		if err := j.Guard(crash.Doing{Op: "recall", Lobe: "api"}, func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(j.Close(), j.Problem()); err != nil {
		b.Fatal(err)
	}
}
