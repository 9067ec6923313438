package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memory-mcp/cmd/internal/ops"
	"memory-mcp/config"
	"memory-mcp/llm"
	"memory-mcp/llm/llamacpp"
	"memory-mcp/llm/models"
	"memory-mcp/llm/sidecar"
	"memory-mcp/lobes"
)

// brains are the language models of a generation. What is not configured, or
// cannot be used, is nil.
type brains struct {
	embedder   *embedder
	reranker   *reranker
	generator  *generator
	summarizer summarizer // with a generator
	judge      *judging
	unasked    error // why there is no generator
	ear        *ear
	deaf       error // why there is no ear
	parts      []part
}

// A part is one model, for a person.
type part struct {
	role, name string
	host       string                    // of a server that is asked
	model      *llamacpp.Model           // nil beyond this program
	meter      *llm.Daily                // nil for a model of this program
	cause      string                    // why it is not used
	next       string                    // what to do about it
	counts     func() (calls, fails int) // of one that is asked without a server of its own; nil when that is not counted
}

// brains joins the configured models. A model of this machine is run by a
// program that lives on: a command that answers once would end before it is
// loaded, and uses what another one runs.
func (a *App) brains(c *config.Config) brains {
	var b brains
	if c.Models.Embedding.Used() {
		p := a.part("embedding", c, c.Models.Embedding, llamacpp.Embed)
		if ask := p.reader(c.Models.Embedding, a.o.Serving); ask != nil {
			b.embedder = newEmbedder(ask, c.Models.Dimensions, p.name, fingerprint(c.Models.Embedding, p))
		}
		b.parts = append(b.parts, p)
	}
	if c.Models.Rerank.Used() {
		p := a.part("rerank", c, c.Models.Rerank, llamacpp.Rank)
		if ask := p.reader(c.Models.Rerank, a.o.Serving); ask != nil {
			b.reranker = &reranker{ask}
		}
		b.parts = append(b.parts, p)
	}
	b.generation(a, c)
	b.minds(a, c)
	b.speech(c)
	return b
}

// give hands the models to lobes, none as a nil interface.
func (b brains) give(o *lobes.Options) {
	if b.embedder != nil {
		o.Embedder = b.embedder
	}
	if b.reranker != nil {
		o.Reranker = b.reranker
	}
	if b.generator != nil {
		o.Extractor = extractor{b.generator}
	}
	b.giveMinds(o)
	if o.NoTranscriber = b.deaf; b.ear != nil {
		o.Transcriber = b.ear
	}
	o.NoExtractor = b.unasked
}

// run owns the models of this machine until ctx ends.
func (b brains) run(ctx context.Context, background func(string, func(context.Context))) {
	for _, p := range b.parts {
		if p.model != nil {
			background("run a model", func(context.Context) { p.model.Run(ctx) })
		}
	}
}

// tell says how each model is.
func (b brains) tell() []ops.Part {
	told := []ops.Part{}
	for _, p := range b.parts {
		t := ops.Part{Role: p.role, Name: p.name, State: "ready", Cause: p.cause, Next: p.next}
		p.count(&t)
		switch {
		case p.cause != "":
			t.State = "off"
		case p.model != nil:
			s := p.model.State()
			t.State = s.Name
			if s.Err != nil {
				t.Cause = s.Err.Error()
			}
			if s.Name == sidecar.Off && s.Err != nil {
				t.Next = "mend that, then start the agent anew: this process does not try again"
			}
		}
		told = append(told, t)
	}
	return told
}

// part finds a model, or says why it cannot be used.
func (a *App) part(role string, c *config.Config, m config.Model, as llamacpp.Role) part {
	p := part{role: role, name: m.Name, meter: a.meter(c, role, m)}
	if m.URL != "" {
		p.host = llm.Endpoint{URL: m.URL}.Host()
		return p
	}
	file, pooling, err := modelFile(c, m.Name)
	if err != nil {
		p.cause, p.next = err.Error(), "memory-mcp models pull "+m.Name
		var unknown *models.UnknownModelError
		if errors.As(err, &unknown) || filepath.IsAbs(m.Name) {
			p.next = "correct models." + role + " in " + c.Path
		}
		return p
	}
	server, err := llamacpp.Find(c.Models.Server, RuntimeDir(c.Home))
	if err != nil {
		p.cause, p.next = err.Error(), `memory-mcp models pull runtime, or name a llama-server as "server" in the block "models"`
		return p
	}
	p.name = strings.TrimSuffix(filepath.Base(file), ".gguf")
	p.model, err = llamacpp.New(llamacpp.Options{
		Server: server, File: file, Role: as, Pooling: pooling, Dir: filepath.Join(c.Home, "sidecar"), Logger: a.log,
	})
	if err != nil {
		p.cause = err.Error()
	}
	return p
}

// modelFile is the file of a model of this machine, and how it pools.
func modelFile(c *config.Config, name string) (path, pooling string, err error) {
	if filepath.IsAbs(name) {
		_, err = os.Stat(name)
		return name, "", err
	}
	m, err := models.Lookup(name)
	if err != nil {
		return "", "", err
	}
	path = models.Folder{Dir: ModelsDir(c.Home)}.Path(m)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("the model %s is not on this machine", m.Name)
	}
	return path, m.Pooling, nil
}

// ModelsDir is the folder of model files in the memory's home.
func ModelsDir(home string) string { return filepath.Join(home, "models") }

// RuntimeDir is the folder of the program that runs models, in the memory's
// home.
func RuntimeDir(home string) string { return filepath.Join(home, "llama.cpp") }

// fingerprint names all that vectors of a model depend on. Another model of the
// same make has a file of the same size.
func fingerprint(m config.Model, p part) string {
	from := m.URL
	if from == "" && filepath.IsAbs(m.Name) {
		if info, err := os.Stat(m.Name); err == nil {
			from = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return strings.Join([]string{p.name, from, instruction}, "\x00")
}

// An asker lends a client of a model: at once or never, or after a wait.
type asker func(ctx context.Context, wait bool) (llamacpp.Loan, error)

// asker is how a model is asked, nil when it cannot be.
func (p *part) asker(m config.Model, serving bool) asker {
	switch {
	case p.cause != "":
		return nil
	case m.URL != "":
		var o llm.Options
		if p.meter != nil {
			o.Meter = p.meter
		}
		client, err := llm.New(llm.Endpoint{URL: m.URL, Key: m.Key, Model: m.Name}, o)
		if err != nil {
			p.cause = err.Error()
			return nil
		}
		return func(context.Context, bool) (llamacpp.Loan, error) {
			return llamacpp.Loan{Client: client, Return: func() {}}, nil
		}
	case !serving:
		return nil
	}
	model := p.model
	return func(ctx context.Context, wait bool) (llamacpp.Loan, error) {
		if wait {
			return model.Wait(ctx)
		}
		return model.Borrow(ctx)
	}
}

// reader is how a model is asked while somebody waits for an answer. A program
// that does not run models uses the one that another process runs.
func (p *part) reader(m config.Model, serving bool) asker {
	if ask := p.asker(m, serving); ask != nil || p.cause != "" {
		return ask
	}
	model := p.model
	return func(ctx context.Context, _ bool) (llamacpp.Loan, error) { return model.Join(ctx) }
}

// embedder is a model that turns texts into vectors.
type embedder struct {
	ask        asker
	print      string
	dimensions int  // 0 for as many as the model gives
	instructed bool // questions are told from texts by an instruction
}

// newEmbedder knows which models were trained for what: only Qwen3's have
// vectors of which the first numbers say most, and expect an instruction.
func newEmbedder(ask asker, dimensions int, name, print string) *embedder {
	e := &embedder{ask: ask, print: print, instructed: strings.Contains(strings.ToLower(name), "qwen3-embed")}
	if e.instructed {
		e.dimensions = dimensions
	}
	return e
}

// instruction is what Qwen3's embedding models expect before a question.
const instruction = "Instruct: Given a question about a software project, retrieve the notes that answer it\nQuery:"

// Fingerprint names all that the vectors depend on.
func (e *embedder) Fingerprint() string { return e.print }

// Dimensions is how many numbers of each vector are kept.
func (e *embedder) Dimensions() int { return e.dimensions }

// Query gives the vector of a question, if the model is ready.
func (e *embedder) Query(ctx context.Context, text string) ([]float32, error) {
	if e.instructed {
		text = instruction + text
	}
	all, err := e.vectors(ctx, false, []string{text})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Embed gives the vectors of memories, as soon as the model is ready.
func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.vectors(ctx, true, texts)
}

// mostEmbedded is how many characters of a text have a say in its vector: the
// model's context holds them in any language.
const mostEmbedded = 6000

func (e *embedder) vectors(ctx context.Context, wait bool, texts []string) ([][]float32, error) {
	loan, err := e.ask(ctx, wait)
	if err != nil {
		return nil, err
	}
	defer loan.Return()
	short := make([]string, len(texts))
	for i, text := range texts {
		runes := []rune(text)
		short[i] = string(runes[:min(len(runes), mostEmbedded)])
	}
	all, err := loan.Embed(ctx, short)
	if err != nil {
		return nil, err
	}
	for i, v := range all {
		if all[i], err = llm.Shorten(v, e.dimensions); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// reranker is a model that scores texts against a question.
type reranker struct{ ask asker }

// Rank gives the scores in the order of the texts, if the model is ready.
func (r *reranker) Rank(ctx context.Context, query string, texts []string) ([]float64, error) {
	loan, err := r.ask(ctx, false)
	if err != nil {
		return nil, err
	}
	defer loan.Return()
	ranked, err := loan.Rank(ctx, query, texts)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(texts))
	for _, x := range ranked {
		scores[x.Index] = x.Score
	}
	return scores, nil
}
