package llamacpp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"memory-mcp/llm"
	"memory-mcp/llm/sidecar"
)

// A Role is what a model is for. The server has to know it at its start.
type Role string

// The roles of models.
const (
	Chat  Role = "chat"  // answers questions
	Embed Role = "embed" // turns texts into vectors
	Rank  Role = "rank"  // scores texts against a query
)

// Options adjust a model; Server, File, Role and Dir are required.
type Options struct {
	Server string // absolute path of llama-server
	File   string // absolute path of the model
	Role   Role
	Dir    string // absolute; where processes find each other's server
	// Context is how many tokens one request may have, with its answer; 0 is
	// 8,192.
	Context int
	// Threads is how many processors the server may use; 0 leaves half of
	// them to others.
	Threads int
	// Pooling is how the vectors of tokens become one: last for Qwen3, or as
	// the model file says when it is empty.
	Pooling    string
	Idle       time.Duration // without a use, after which it is stopped; 0 is 10 minutes
	Pause      time.Duration // before it is started again when it failed; 0 is a second
	MostMemory int64         // in bytes; 0 is one and a half times the model's file and 2 GiB
	Client     llm.Options
	Logger     *slog.Logger
}

const defaultContext = 8192

// A Model is a model file that is served while it is needed.
type Model struct {
	o     Options
	s     *sidecar.Supervisor
	share sidecar.Share
}

// New returns a model. It starts nothing.
func New(o Options) (*Model, error) {
	for name, path := range map[string]string{"server": o.Server, "model": o.File, "folder": o.Dir} {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("the %s's path %q is not absolute", name, path)
		}
	}
	switch o.Role {
	case Chat, Embed, Rank:
	default:
		return nil, fmt.Errorf("no role is named %q", o.Role)
	}
	if o.Context <= 0 {
		o.Context = defaultContext
	}
	if o.Threads <= 0 {
		o.Threads = max(1, runtime.NumCPU()/2)
	}
	m := &Model{o: o}
	m.share = sidecar.Share{Dir: o.Dir, Name: m.name(), Launch: m.launch, Alive: m.check}
	m.s = sidecar.New(sidecar.Options{
		Launch: sidecar.Shared(m.share), Idle: o.Idle, Pause: o.Pause, Logger: o.Logger,
	})
	return m, nil
}

// name tells servers of one machine apart: another file, role or context is
// another server.
func (m *Model) name() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s", m.o.File, m.o.Role, m.o.Context, m.o.Pooling))
	return string(m.o.Role) + "-" + hex.EncodeToString(sum[:6])
}

// Run owns the server until ctx ends. It is to be called once.
func (m *Model) Run(ctx context.Context) { m.s.Run(ctx) }

// State tells how the server is.
func (m *Model) State() sidecar.State { return m.s.State() }

// A Loan is a client of a running server until it is given back.
type Loan struct {
	*llm.Client
	Return func()
}

// Borrow lends a client if the server answers now; else it sees to the start
// and returns a [sidecar.NotReadyError] at once.
func (m *Model) Borrow(ctx context.Context) (Loan, error) { return m.loan(m.s.Borrow(ctx)) }

// Wait lends a client as soon as the server answers.
func (m *Model) Wait(ctx context.Context) (Loan, error) { return m.loan(m.s.Wait(ctx)) }

// Join lends a client of the server that another process runs, if there is one
// that answers now. It is for programs that end before a model is loaded:
// nothing is started, and [Model.Run] need not run.
func (m *Model) Join(ctx context.Context) (Loan, error) {
	at, err := m.share.Running(ctx)
	return m.loan(sidecar.Lease{Address: at, Return: func() {}}, err)
}

func (m *Model) loan(l sidecar.Lease, err error) (Loan, error) {
	if err != nil {
		return Loan{}, err
	}
	c, err := llm.New(llm.Endpoint{URL: l.URL + "/v1", Key: l.Key, Sidecar: true}, m.o.Client)
	if err != nil {
		l.Return()
		return Loan{}, err
	}
	return Loan{Client: c, Return: l.Return}, nil
}

// arguments are those of the server's command line. The key is not among them.
func (m *Model) arguments(port int) []string {
	threads, size := strconv.Itoa(m.o.Threads), strconv.Itoa(m.o.Context)
	args := []string{
		"--model", m.o.File, "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--offline",
		"--ctx-size", size,
		// One request at a time has the whole context; several in one batch
		// would be pooled wrongly by models without an end mark.
		"--parallel", "1",
		"--threads", threads, "--threads-batch", threads,
		// Threads that wait for work by spinning make a busy machine crawl.
		"--poll", "0", "--poll-batch", "0",
	}
	switch m.o.Role {
	case Chat:
		args = append(args, "--jinja")
	case Embed:
		args = append(args, "--embedding", "--batch-size", size, "--ubatch-size", size)
	case Rank:
		args = append(args, "--reranking", "--batch-size", size, "--ubatch-size", size)
	}
	if m.o.Pooling != "" {
		args = append(args, "--pooling", m.o.Pooling)
	}
	return args
}

// mostMemory is what the server may hold: the model, which it maps, what a
// request needs beside it, and room. More is a leak.
func (m *Model) mostMemory() int64 {
	info, err := os.Stat(m.o.File)
	if m.o.MostMemory > 0 || err != nil {
		return m.o.MostMemory
	}
	return info.Size()*3/2 + 2<<30
}

// environment is what the server needs of ours, and its key. It keeps no
// prompts of the past in memory: no two of ours begin alike.
func environment(key string) []string {
	env := []string{"LLAMA_API_KEY=" + key, "LLAMA_ARG_CACHE_RAM=0"}
	for _, name := range []string{
		"PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
		"SystemRoot", "TEMP", "TMP", "USERPROFILE", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Readable tells early what a server would tell late: that a file is there, and
// begins as a model does.
func Readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the model: %w", err)
	}
	defer f.Close() // only read
	magic := make([]byte, 4)
	if _, err := f.Read(magic); err != nil || string(magic) != "GGUF" {
		return fmt.Errorf("the model %s is no GGUF file", path)
	}
	return nil
}

var errEnded = errors.New("it ended before it answered")
