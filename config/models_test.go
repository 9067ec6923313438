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
		{"a file", `{"models": {"generation": {"model": "~/m.gguf"}}}`, nil, func(m *config.Models) { m.Generation = model{Name: home + "/m.gguf"} }, ""},
		{"a file beside the configuration", `{"models": {"generation": "m/m.gguf"}}`, nil, func(m *config.Models) { m.Generation = model{Name: home + "/m/m.gguf"} }, ""},
		{"a server here", `{"models": {"generation": {"url": "http://127.0.0.1:11434/v1", "model": "qwen3"}}}`, nil,
			func(m *config.Models) { m.Generation = model{Name: "qwen3", URL: "http://127.0.0.1:11434/v1"} }, ""},
		{"a server elsewhere", `{"models": {"generation": {"url": "https://llm.example.com/v1", "key": "k"}}}`, nil,
			func(m *config.Models) {
				m.Generation = model{Name: config.DefaultRemoteModel, URL: "https://llm.example.com/v1", Key: "k"}
			}, ""},
		{"a server elsewhere without a key", `{"models": {"generation": {"url": "https://llm.example.com/v1"}}}`, nil,
			func(*config.Models) {}, "models.generation: a server beyond this machine needs a key, and it is not used"},
		{"a key without a server", `{"models": {"rerank": {"key": "k"}}}`, nil, func(*config.Models) {}, "a key without a URL"},
		{"a URL that is none", `{"models": {"rerank": {"url": "localhost:1", "model": "m"}}}`, nil, func(*config.Models) {}, "the URL is not one of http or https"},
		{"the environment", `{"models": {"generation": "qwen3-4b"}}`,
			map[string]string{"MEMORY_MCP_GENERATION_URL": "https://llm.example.com/v1", "MEMORY_MCP_GENERATION_KEY": "k"},
			func(m *config.Models) {
				m.Generation = model{Name: config.DefaultRemoteModel, URL: "https://llm.example.com/v1", Key: "k"}
			}, ""},
		{"the environment's name", `{}`, map[string]string{"MEMORY_MCP_EMBEDDING_URL": "http://localhost:1/v1", "MEMORY_MCP_EMBEDDING_MODEL": "e"},
			func(m *config.Models) { m.Embedding = model{Name: "e", URL: "http://localhost:1/v1"} }, ""},
		{"the environment without a key", `{"models": {"generation": "qwen3-4b"}}`, map[string]string{"MEMORY_MCP_GENERATION_URL": "https://llm.example.com/v1"},
			func(m *config.Models) { m.Generation = model{Name: "qwen3-4b"} }, "MEMORY_MCP_GENERATION_URL: a server beyond this machine needs a key"},
		{"bounds", `{"models": {"dimensions": 8, "callsPerDay": 0, "tokensPerDay": 5000, "server": "~/ls", "mirror": "~/mirror"}}`, nil,
			func(m *config.Models) {
				m.Dimensions, m.CallsPerDay, m.TokensPerDay, m.Server, m.Mirror = 32, 0, 5000, home+"/ls", home+"/mirror"
			}, "models.dimensions: 8 is not between 32 and 4096"},
		{"the environment's mirror", `{"models": {"mirror": "~/mirror"}}`, map[string]string{"MEMORY_MCP_MODEL_MIRROR": "https://mirror.example.com/x"},
			func(m *config.Models) { m.Mirror = "https://mirror.example.com/x" }, ""},
		{"a mirror that is none", `{"models": {"mirror": "http://"}}`, nil, func(*config.Models) {}, "no http URL"},
		{"the judge", `{}`, map[string]string{"MEMORY_MCP_JUDGE": "jev", "TYPESAFE_API_KEY": "k", "TYPESAFE_BASE_URL": "http://127.0.0.1:9"},
			func(m *config.Models) {
				m.Judge, m.JudgeAt = "jev", model{Name: "jev", URL: "http://127.0.0.1:9/v1", Key: "k"}
			}, ""},
		{"the judge without a key", `{"models": {"judge": "jev"}}`, nil, func(*config.Models) {}, "the judge is off: a server beyond this machine needs a key"},
		{"the judge off", `{"models": {"judge": "model"}}`, map[string]string{"MEMORY_MCP_JUDGE": "off"}, func(*config.Models) {}, ""},
		{"no judge of this name", `{}`, map[string]string{"MEMORY_MCP_JUDGE": "jew"}, func(*config.Models) {}, `"jew" is not one of off, model, jev`},
		{"a key in the wrong place", `{"embedding": "qwen3-embedding"}`, nil, func(*config.Models) {}, `move it into "models"`},
		{"no object", `{"models": ["qwen3-4b"]}`, nil, func(*config.Models) {}, "models: a list is not an object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.file(tt.file)
			for k, v := range tt.env {
				w.env[k] = v
			}
			want := config.Models{Dimensions: config.DefaultDimensions, CallsPerDay: config.DefaultCallsPerDay, TokensPerDay: config.DefaultTokensPerDay}
			tt.want(&want)
			for _, path := range []*string{&want.Server, &want.Mirror, &want.Generation.Name} {
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
