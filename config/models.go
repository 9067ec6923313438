package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// Models is the block of the same name: which language models may be used.
// Nothing is used that is not named here or in the environment.
type Models struct {
	// Server is the absolute path of llama-server, empty when it is to be
	// looked for.
	Server string
	// Mirror is where model files are fetched from, instead of the hub: a URL
	// or an absolute folder.
	Mirror string
	// Embedding turns texts into vectors, Rerank scores what was found,
	// Generation finds memories in raw material and tells them in words, Speech
	// turns what was spoken into text and is always one of this machine.
	Embedding, Rerank, Generation, Speech Model
	// Judge tells how two memories stand to each other: [JudgeGeneration], or
	// [JudgeJev] with where that is.
	Judge Model
	// Dimensions is how many numbers of each vector are kept.
	Dimensions int
	// CallsPerDay and TokensPerDay are the ceiling of what is asked of a server
	// in a day. 0 is without a ceiling, -1 the default: none on this machine.
	CallsPerDay, TokensPerDay int
}

// The ceiling of a day for a server beyond this machine.
const (
	DefaultCalls  = 2000
	DefaultTokens = 4_000_000
)

// DefaultGeneration is what a server is asked for that was named without a model.
const DefaultGeneration = "openai/gpt-5.4-mini"

// Ceiling is how many calls and tokens of a day the model may take; 0 is
// without a ceiling.
func (m Models) Ceiling(of Model) (calls, tokens int) {
	calls, tokens = m.CallsPerDay, m.TokensPerDay
	remote := of.URL != "" && !loopback(of.URL)
	for _, c := range []struct {
		at       *int
		standard int
	}{{&calls, DefaultCalls}, {&tokens, DefaultTokens}} {
		switch {
		case of.URL == "":
			*c.at = 0 // a model of this machine costs nobody anything
		case *c.at < 0 && remote:
			*c.at = c.standard
		}
		*c.at = max(*c.at, 0)
	}
	return calls, tokens
}

// Model is one model: on this machine when it has no URL.
type Model struct {
	// Name is a name of the catalogue, the absolute path of a model file, or
	// with a URL whatever the server calls it. Empty means that there is none.
	Name string
	// URL is the address of a server with the OpenAI protocol, up to and with
	// its version.
	URL string
	// Key is sent to the server.
	Key string
}

// Used tells whether the model may be used.
func (m Model) Used() bool { return m.Name != "" }

// DefaultDimensions is how many numbers of a vector are kept.
const DefaultDimensions = 256

func modelsKeys() []string {
	return []string{"server", "mirror", "embedding", "rerank", "generation", "speech", "judge", "dimensions", "callsPerDay", "tokensPerDay"}
}

func defaultModels() Models {
	return Models{Dimensions: DefaultDimensions, CallsPerDay: -1, TokensPerDay: -1}
}

func (c *Config) readModels(r *reader, key string, v *hujson.Value, env *environment) {
	m, base := &c.Models, filepath.Dir(c.Path)
	r.object(v, key, `"models": {"embedding": {"model": "qwen3-embedding"}}`, []field{
		{"server", c.modelPath(r, &m.Server, env)},
		{"mirror", func(key string, v *hujson.Value) {
			if text, ok := r.text(v, key, `"mirror": "https://mirror.example.com"`); ok {
				c.mirror(r, v, key, text, env)
			}
		}},
		{"embedding", r.model(&m.Embedding, "", base, env)},
		{"rerank", r.model(&m.Rerank, "", base, env)},
		{"generation", r.model(&m.Generation, DefaultGeneration, base, env)},
		{"speech", r.speech(&m.Speech, base, env)},
		{"judge", r.judge(&m.Judge)},
		{"dimensions", r.integer(&m.Dimensions, 32, 4096, false)},
		{"callsPerDay", r.integer(&m.CallsPerDay, 1, 1_000_000, true)},
		{"tokensPerDay", r.integer(&m.TokensPerDay, 1000, 1_000_000_000, true)},
	})
}

func (c *Config) modelPath(r *reader, into *string, env *environment) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		text, ok := r.text(v, key, fmt.Sprintf("%q: \"/usr/local/bin/llama-server\"", leaf(key)))
		if !ok || text == "" {
			return
		}
		path, err := env.resolve(text, filepath.Dir(c.Path))
		if err != nil {
			r.warn(v, key, err.Error()+", and is ignored", "", "write the path out in full")
			return
		}
		*into = path
	}
}

func (c *Config) mirror(r *reader, v *hujson.Value, key, text string, env *environment) {
	at, err := env.mirror(text, filepath.Dir(c.Path))
	if err != nil {
		r.warn(v, key, err.Error()+", and is ignored", "", "write a URL, or a folder's path")
		return
	}
	c.Models.Mirror = at
}

// mirror is a URL as it stands, or a folder's path made absolute.
func (e *environment) mirror(text, base string) (string, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return text, checkURL(text)
	}
	return e.resolve(text, base)
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the text is no http URL") // which may hold a password
	}
	return nil
}

// model returns a reader of one model: an object, or its name alone. standard
// is what a server is asked for that is named without a model.
func (r *reader) model(into *Model, standard, base string, env *environment) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		example := fmt.Sprintf("%q: {\"model\": \"qwen3-embedding\"}", leaf(key))
		var m Model
		text := func(into *string) func(string, *hujson.Value) {
			return func(key string, v *hujson.Value) {
				if text, ok := r.text(v, key, fmt.Sprintf("%q: \"…\"", leaf(key))); ok {
					*into = strings.TrimSpace(text)
				}
			}
		}
		if v.Value.Kind() == '"' {
			text(&m.Name)(key, v)
		} else {
			r.object(v, key, example, []field{{"model", text(&m.Name)}, {"url", text(&m.URL)}, {"key", text(&m.Key)}})
		}
		if what, remedy := m.complete(standard, env, base); what != "" {
			r.warn(v, key, what+", and it is not used", "", remedy)
			return
		}
		*into = m
	}
}

// speech reads the model that listens. What was spoken leaves no machine.
func (r *reader) speech(into *Model, base string, env *environment) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		var m Model
		r.model(&m, "", base, env)(key, v)
		if m.URL != "" {
			r.warn(v, key, "speech is not sent to a server, and it is not used", "", `"speech": "whisper-base"`)
			return
		}
		*into = m
	}
}

// complete makes the path of a model absolute, or tells why it is none.
func (m *Model) complete(standard string, env *environment, base string) (what, remedy string) {
	switch {
	case m.URL == "" && m.Key != "":
		return "a key without a URL opens nothing", `add "url": "https://llm.example.com/v1"`
	case m.URL == "" && m.Name == "":
		return "", ""
	case m.URL == "":
		return m.local(env, base)
	case checkURL(m.URL) != nil:
		return "the URL is not one of http or https", `write it like "url": "http://127.0.0.1:11434/v1"`
	case m.Key == "" && !loopback(m.URL):
		return "a server beyond this machine needs a key", "set the key, or use a server of this machine"
	}
	if m.Name == "" {
		m.Name = standard
	}
	if m.Name == "" {
		return "a server has to be told which model", `add "model": "…"`
	}
	return "", ""
}

// local makes the path of a model file absolute; a name of the catalogue stays.
func (m *Model) local(env *environment, base string) (what, remedy string) {
	if !strings.ContainsAny(m.Name, `/\`) && !strings.HasPrefix(m.Name, "~") && !strings.HasPrefix(m.Name, "$") {
		return "", ""
	}
	path, err := env.resolve(m.Name, base)
	if err != nil {
		return err.Error(), "write the path of the model out in full"
	}
	m.Name = path
	return "", ""
}

// loopback tells whether a URL leads to this machine.
func loopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// readEnvironmentModels has the last word on models.
func (c *Config) readEnvironmentModels(env *environment) {
	c.environmentModel(env, "MEMORY_MCP_EMBEDDING", "", &c.Models.Embedding)
	c.environmentModel(env, "MEMORY_MCP_GENERATION", DefaultGeneration, &c.Models.Generation)
	c.settleJudge(env)
	const mirror = "MEMORY_MCP_MODEL_MIRROR"
	if text := strings.TrimSpace(env.getenv(mirror)); text != "" {
		at, err := env.mirror(text, env.cwd)
		if err != nil {
			c.Warnings = append(c.Warnings, Problem{Key: mirror, What: err.Error() + ", and is ignored", Remedy: "set it to a URL, or to a folder's path"})
		} else {
			c.Models.Mirror = at
		}
	}
}

// environmentModel reads NAME_URL, NAME_KEY and NAME_MODEL.
func (c *Config) environmentModel(env *environment, name, standard string, into *Model) {
	m := *into
	for suffix, part := range map[string]*string{"_URL": &m.URL, "_KEY": &m.Key, "_MODEL": &m.Name} {
		if text := strings.TrimSpace(env.getenv(name + suffix)); text != "" {
			*part = text
		}
	}
	if m == *into {
		return
	}
	// A model of this machine that the file names is none of the server's.
	if m.URL != into.URL && m.Name == into.Name {
		m.Name = ""
	}
	if what, remedy := m.complete(standard, env, env.cwd); what != "" {
		c.Warnings = append(c.Warnings, Problem{Key: name + "_URL", What: what + ", and it is not used", Remedy: remedy})
		return
	}
	*into = m
}
