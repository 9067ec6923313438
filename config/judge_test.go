package config_test

import (
	"strings"
	"testing"

	"memory-mcp/config"
)

func TestJudge(t *testing.T) {
	type model = config.Model
	jev := model{Name: "jev", URL: config.JevURL, Key: "k"}
	for _, tt := range []struct {
		name, file string
		env        map[string]string
		want       model
		warn       string
	}{
		{"nobody by default", `{}`, nil, model{}, ""},
		{"a key alone", `{}`, map[string]string{"TYPESAFE_API_KEY": "k"}, model{}, ""},
		{"jev by the environment", `{}`, map[string]string{"MEMORY_MCP_JUDGE": "jev", "TYPESAFE_API_KEY": "k"}, jev, ""},
		{"jev by the file", `{"models": {"judge": {"model": "jev", "key": "k"}}}`, nil, jev, ""},
		{"jev by its name, the key from the environment", `{"models": {"judge": "Jev"}}`, map[string]string{"TYPESAFE_API_KEY": "k"}, jev, ""},
		{"jev without a key", `{}`, map[string]string{"MEMORY_MCP_JUDGE": "jev"}, model{}, "MEMORY_MCP_JUDGE: jev is asked with a key, and there is none, and nobody judges"},
		{"jev elsewhere", `{}`, map[string]string{"MEMORY_MCP_JUDGE": "jev", "TYPESAFE_API_KEY": "k", "TYPESAFE_BASE_URL": "http://127.0.0.1:1/v1"},
			model{Name: "jev", URL: "http://127.0.0.1:1/v1", Key: "k"}, ""},
		{"jev nowhere", `{}`, map[string]string{"MEMORY_MCP_JUDGE": "jev", "TYPESAFE_API_KEY": "k", "TYPESAFE_BASE_URL": "localhost:1"}, model{}, "the URL of jev"},
		{"the model for generation", `{"models": {"generation": "qwen3-4b", "judge": "generation"}}`, nil, model{Name: "generation"}, ""},
		{"the model for generation, and there is none", `{"models": {"judge": "generation"}}`, nil, model{}, `models.judge: no model for "generation" is named`},
		{"switched off", `{"models": {"judge": {"model": "jev", "key": "k"}}}`, map[string]string{"MEMORY_MCP_JUDGE": "off"}, model{}, ""},
		{"somebody else", `{"models": {"judge": "jeff"}}`, nil, model{}, `models.judge: "jeff" is neither jev nor generation`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.file(tt.file)
			for k, v := range tt.env {
				w.env[k] = v
			}
			c := w.load()
			if c.Models.Judge != tt.want {
				t.Errorf("judge %+v, want %+v", c.Models.Judge, tt.want)
			}
			if got := warnings(c); tt.warn == "" && got != "" || !strings.Contains(got, tt.warn) {
				t.Errorf("warnings %q, want %q", got, tt.warn)
			}
		})
	}
}
