// Package crash keeps the journal of what was being done when the program
// died: one JSON report a death, the newest [Kept] of them, in one folder.
//
// Three deaths are covered. A panic in a call is caught by [Journal.Guard],
// which answers it as an error of type [*Panicked]; the process goes on. A
// panic in background work started with [Journal.Go] writes the report and
// ends the process, since nobody is left to answer to. A kill writes nothing,
// so a process that serves leaves a marker while operations are in progress
// ([Journal.Begin], [Journal.Close]), and the next one turns the marker of a
// dead process into a report with [Journal.Recover]. A marker belongs to a
// living process as long as its lock is held; process numbers are not asked.
//
// A report holds names and places in our code, and never a memory: of a panic
// only what the runtime said, or the type of the value, is written down. The
// journal never makes a call fail: when it cannot write, the call's own result
// stands, and [Journal.Problem] says why. Nothing is created before there is
// something to write.
package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"
)

// Kept is how many reports the journal keeps.
const Kept = 20

// Kind says how the program died.
type Kind string

// The kinds of a report.
const (
	KindPanic      Kind = "panic"      // in a guarded call; the process went on
	KindBackground Kind = "background" // in background work; the process ended
	KindKilled     Kind = "killed"     // from outside, during an operation
	KindStartup    Kind = "startup"    // the program could not start
	KindLobe       Kind = "lobe"       // one lobe could not be opened
	KindTransport  Kind = "transport"  // the connection to the client broke
)

// PhaseConfiguration is the phase of reading the configuration, for which
// reports have remedies of their own.
const PhaseConfiguration = "configuration"

// Doing is one piece of work. It holds names, never text of a memory.
type Doing struct {
	// Op is the operation, Lobe the lobe that it works on, Phase the part of
	// the program's life.
	Op    string `json:"op"`
	Lobe  string `json:"lobe,omitempty"`
	Phase string `json:"phase,omitempty"`
	// Writes says that the operation may store something. Only such work
	// creates the journal's home for its marker.
	Writes bool `json:"writes,omitempty"`
}

// Options of a journal. The zero value works.
type Options struct {
	// Version is the program's, for the reports.
	Version string
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Exit ends the process after background work panicked, and does not
	// return. By default it prints one line to stderr and exits with 2.
	Exit func(Report)
}

// A Journal is the folder of reports. It is safe for concurrent use.
type Journal struct {
	dir     string
	opts    Options
	started time.Time

	mu      sync.Mutex
	serving bool
	marker  *marker
	doing   []begun // in the order in which they began
	next    int
	shown   map[string]bool
	problem error
}

// Open returns the journal of a folder, which need not exist: nothing is
// created or read yet.
func Open(dir string, o Options) *Journal {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Exit == nil {
		o.Exit = exit
	}
	return &Journal{dir: dir, opts: o, started: o.Now(), shown: map[string]bool{}}
}

func exit(r Report) {
	fmt.Fprintf(os.Stderr, "memory-mcp: background work %q panicked: %s (report %s)\n", r.Op, r.Err, r.Path)
	os.Exit(2)
}

// Problem returns what the journal could not write lately, nil when all is
// well. Calls go on without it.
func (j *Journal) Problem() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.problem
}

func (j *Journal) note(err error) {
	if err == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.problem = err
}

// Panicked is the error of a guarded call that panicked.
type Panicked struct {
	// Report is what was written down. Its Path is empty when that could not
	// be done.
	Report Report
}

// Error says what panicked and where the report is.
func (p *Panicked) Error() string {
	text := fmt.Sprintf("%s panicked: %s", p.Report.Op, p.Report.Err)
	if p.Report.Path == "" {
		return text + " (no report could be written)"
	}
	return text + " (report " + p.Report.Path + ")"
}

// Guard runs f and returns its error. A panic in f becomes a report and an
// error of type [*Panicked]. In a process that serves, the marker names the
// work while f runs.
func (j *Journal) Guard(d Doing, f func() error) (err error) {
	end := j.begin(d)
	defer func() {
		if value := recover(); value != nil {
			err = &Panicked{j.panicked(KindPanic, d, value, debug.Stack())}
		}
		end()
	}()
	return f()
}

// Go runs f in the background. A panic in f becomes a report, and then the
// process ends through [Options.Exit]. Background work does not count as an
// operation in progress.
func (j *Journal) Go(d Doing, f func()) {
	go func() {
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			report := j.panicked(KindBackground, d, value, debug.Stack())
			j.note(j.Close())
			j.opts.Exit(report)
		}()
		f()
	}()
}

func (j *Journal) panicked(kind Kind, d Doing, value any, stack []byte) Report {
	r := j.report(kind, d)
	r.Err, r.Stack = describe(value), string(stack)
	err, _ := value.(error)
	r.Remedy = remedies(kind, d.Phase, err)
	return j.save(r)
}

// Record writes down an error that no panic caused, such as a start that
// failed. The text of err goes into the report without what stands in
// quotation marks: the caller answers for the rest. When the report cannot be
// written its Path is empty.
func (j *Journal) Record(kind Kind, d Doing, err error) Report {
	r := j.report(kind, d)
	r.Err, r.Remedy = withoutQuotes(err.Error()), remedies(kind, d.Phase, err)
	return j.save(r)
}

func (j *Journal) report(kind Kind, d Doing) Report {
	now := j.opts.Now()
	return Report{When: now.UTC(), Version: j.opts.Version, Kind: kind, Phase: d.Phase, Op: d.Op, Lobe: d.Lobe,
		PID: os.Getpid(), UptimeSeconds: now.Sub(j.started).Seconds(), Also: []Doing{}, Remedy: []string{}}
}

// save writes the report under a new name and drops the oldest ones.
func (j *Journal) save(r Report) Report {
	r.ID = fmt.Sprintf("%s-%d-%s", r.When.UTC().Format(timeInName), r.PID, random())
	path := filepath.Join(j.dir, r.ID+reportSuffix)
	if err := writeReport(path, r); err != nil {
		j.note(fmt.Errorf("write crash report: %w", err))
		return r
	}
	r.Path = path
	j.note(j.prune())
	return r
}
