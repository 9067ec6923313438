package config_test

import (
	"strings"
	"testing"

	"memory-mcp/config"
)

func TestModels(t *testing.T) {
	type model = config.Model
	const home = "HOME" // stands for the home directory of the test
	for _, tt := range []struct {
		name, file string
		env        map[string]string
		want       func(*config.Models)
		warn       string
	}{
		{"nothing is used unasked", `{}`, map[string]string{"OPENAI_API_KEY": "k", "TYPESAFE_API_KEY": "k"}, func(*config.Models) {}, ""},
		{"a name", `{"models": {"embedding": "qwen3-embedding"}}`, nil, func(m *config.Models) { m.Embedding = model{Name: "qwen3-embedding"} }, ""},
		{"a file", `{"models": {"rerank": {"model": "~/m.gguf"}}}`, nil, func(m *config.Models) { m.Rerank = model{Name: home + "/m.gguf"} }, ""},
		{"a file beside the configuration", `{"models": {"rerank": "m/m.gguf"}}`, nil, func(m *config.Models) { m.Rerank = model{Name: home + "/m/m.gguf"} }, ""},
		{"speech", `{"models": {"speech": "whisper-base"}}`, nil, func(m *config.Models) { m.Speech = model{Name: "whisper-base"} }, ""},
		{"speech by a file", `{"models": {"speech": {"model": "~/ear.bin"}}}`, nil, func(m *config.Models) { m.Speech = model{Name: home + "/ear.bin"} }, ""},
		{"speech by a server", `{"models": {"speech": {"model": "w", "url": "http://127.0.0.1:1/v1"}}}`, nil,
			func(*config.Models) {}, "models.speech: speech is not sent to a server, and it is not used"},
		{"a server here", `{"models": {"rerank": {"url": "http://127.0.0.1:11434/v1", "model": "qwen3"}}}`, nil,
			func(m *config.Models) { m.Rerank = model{Name: "qwen3", URL: "http://127.0.0.1:11434/v1"} }, ""},
		{"a server elsewhere", `{"models": {"rerank": {"url": "https://llm.example.com/v1", "key": "k", "model": "r"}}}`, nil,
			func(m *config.Models) { m.Rerank = model{Name: "r", URL: "https://llm.example.com/v1", Key: "k"} }, ""},
		{"a server without a model", `{"models": {"rerank": {"url": "http://localhost:1/v1"}}}`, nil,
			func(*config.Models) {}, "models.rerank: a server has to be told which model, and it is not used"},
		{"a server elsewhere without a key", `{"models": {"rerank": {"url": "https://llm.example.com/v1"}}}`, nil,
			func(*config.Models) {}, "models.rerank: a server beyond this machine needs a key, and it is not used"},
		{"a key without a server", `{"models": {"rerank": {"key": "k"}}}`, nil, func(*config.Models) {}, "a key without a URL"},
		{"a URL that is none", `{"models": {"rerank": {"url": "localhost:1", "model": "m"}}}`, nil, func(*config.Models) {}, "the URL is not one of http or https"},
		{"the environment", `{"models": {"embedding": "qwen3-embedding"}}`,
			map[string]string{"MEMORY_MCP_EMBEDDING_URL": "https://llm.example.com/v1", "MEMORY_MCP_EMBEDDING_KEY": "k", "MEMORY_MCP_EMBEDDING_MODEL": "e"},
			func(m *config.Models) { m.Embedding = model{Name: "e", URL: "https://llm.example.com/v1", Key: "k"} }, ""},
		{"the environment's name", `{}`, map[string]string{"MEMORY_MCP_EMBEDDING_URL": "http://localhost:1/v1", "MEMORY_MCP_EMBEDDING_MODEL": "e"},
			func(m *config.Models) { m.Embedding = model{Name: "e", URL: "http://localhost:1/v1"} }, ""},
		{"the environment without a key", `{"models": {"embedding": "qwen3-embedding"}}`, map[string]string{"MEMORY_MCP_EMBEDDING_URL": "https://llm.example.com/v1"},
			func(m *config.Models) { m.Embedding = model{Name: "qwen3-embedding"} }, "MEMORY_MCP_EMBEDDING_URL: a server beyond this machine needs a key"},
		{"generation here", `{"models": {"generation": "qwen3-4b"}}`, nil, func(m *config.Models) { m.Generation = model{Name: "qwen3-4b"} }, ""},
		{"generation elsewhere has a model by default", `{}`,
			map[string]string{"MEMORY_MCP_GENERATION_URL": "https://llm.example.com/v1", "MEMORY_MCP_GENERATION_KEY": "k"},
			func(m *config.Models) {
				m.Generation = model{Name: "openai/gpt-5.4-mini", URL: "https://llm.example.com/v1", Key: "k"}
			}, ""},
		{"generation elsewhere takes the place of one here", `{"models": {"generation": "qwen3-4b"}}`, map[string]string{"MEMORY_MCP_GENERATION_URL": "http://127.0.0.1:1/v1"},
			func(m *config.Models) {
				m.Generation = model{Name: config.DefaultGeneration, URL: "http://127.0.0.1:1/v1"}
			}, ""},
		{"generation elsewhere without a key", `{}`, map[string]string{"MEMORY_MCP_GENERATION_URL": "https://llm.example.com/v1", "OPENAI_API_KEY": "k"},
			func(*config.Models) {}, "MEMORY_MCP_GENERATION_URL: a server beyond this machine needs a key"},
		{"ceilings", `{"models": {"callsPerDay": 20, "tokensPerDay": 0}}`, nil, func(m *config.Models) { m.CallsPerDay, m.TokensPerDay = 20, 0 }, ""},
		{"a ceiling below zero", `{"models": {"callsPerDay": -5}}`, nil, func(m *config.Models) { m.CallsPerDay = 1 }, "models.callsPerDay: -5 is not between 1 and 1000000"},
		{"bounds", `{"models": {"dimensions": 8, "server": "~/ls", "mirror": "~/mirror"}}`, nil,
			func(m *config.Models) {
				m.Dimensions, m.Server, m.Mirror = 32, home+"/ls", home+"/mirror"
			}, "models.dimensions: 8 is not between 32 and 4096"},
		{"the environment's mirror", `{"models": {"mirror": "~/mirror"}}`, map[string]string{"MEMORY_MCP_MODEL_MIRROR": "https://mirror.example.com/x"},
			func(m *config.Models) { m.Mirror = "https://mirror.example.com/x" }, ""},
		{"a mirror that is none", `{"models": {"mirror": "http://"}}`, nil, func(*config.Models) {}, "no http URL"},
		{"a key in the wrong place", `{"embedding": "qwen3-embedding"}`, nil, func(*config.Models) {}, `move it into "models"`},
		{"no object", `{"models": ["qwen3-4b"]}`, nil, func(*config.Models) {}, "models: a list is not an object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.file(tt.file)
			for k, v := range tt.env {
				w.env[k] = v
			}
			want := config.Models{Dimensions: config.DefaultDimensions, CallsPerDay: -1, TokensPerDay: -1}
			tt.want(&want)
			for _, path := range []*string{&want.Server, &want.Mirror, &want.Rerank.Name, &want.Speech.Name} {
				*path = strings.Replace(*path, home, w.home, 1)
			}
			c := w.load()
			if c.Models != want {
				t.Errorf("models are\n%+v, want\n%+v", c.Models, want)
			}
			if got := warnings(c); (tt.warn == "") != (got == "") || !strings.Contains(got, tt.warn) {
				t.Errorf("warnings are %q, want %q", got, tt.warn)
			}
		})
	}
}

func TestCeiling(t *testing.T) {
	here, elsewhere := config.Model{Name: "m", URL: "http://127.0.0.1:1/v1"}, config.Model{Name: "m", URL: "https://llm.example.com/v1", Key: "k"}
	for _, tt := range []struct {
		name          string
		set           config.Models
		of            config.Model
		calls, tokens int
	}{
		{"elsewhere, by default", config.Models{CallsPerDay: -1, TokensPerDay: -1}, elsewhere, config.DefaultCalls, config.DefaultTokens},
		{"here, by default", config.Models{CallsPerDay: -1, TokensPerDay: -1}, here, 0, 0},
		{"set", config.Models{CallsPerDay: 5, TokensPerDay: 6000}, here, 5, 6000},
		{"taken away", config.Models{}, elsewhere, 0, 0},
		{"of this program", config.Models{CallsPerDay: 5, TokensPerDay: 6000}, config.Model{Name: "qwen3-4b"}, 0, 0},
	} {
		if calls, tokens := tt.set.Ceiling(tt.of); calls != tt.calls || tokens != tt.tokens {
			t.Errorf("%s: %d calls and %d tokens, want %d and %d", tt.name, calls, tokens, tt.calls, tt.tokens)
		}
	}
}
