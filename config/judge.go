package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The judges that there are.
const (
	// JudgeJev is a service that chooses between a few answers and writes nothing.
	JudgeJev = "jev"
	// JudgeGeneration is the model for generation.
	JudgeGeneration = "generation"
)

// JevURL is where the service is, unless TYPESAFE_BASE_URL says otherwise.
const JevURL = "https://api.typesafe.ai/v1"

const judgeVariable = "MEMORY_MCP_JUDGE"

// judge reads who judges: a name, or an object for the service. It is settled
// when the environment has been read, too.
func (r *reader) judge(into *Model) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		text := func(into *string) func(string, *hujson.Value) {
			return func(key string, v *hujson.Value) {
				if text, ok := r.text(v, key, fmt.Sprintf("%q: \"…\"", leaf(key))); ok {
					*into = strings.TrimSpace(text)
				}
			}
		}
		var m Model
		if v.Value.Kind() == '"' {
			text(&m.Name)(key, v)
		} else {
			r.object(v, key, `"judge": {"model": "jev", "key": "…"}`, []field{{"model", text(&m.Name)}, {"url", text(&m.URL)}, {"key", text(&m.Key)}})
		}
		*into = m
	}
}

// settleJudge decides who judges. A key alone has nobody judge: it was perhaps
// meant for another program.
func (c *Config) settleJudge(env *environment) {
	m := c.Models.Judge
	where := "models.judge"
	if name := strings.TrimSpace(env.getenv(judgeVariable)); name != "" {
		m.Name, where = name, judgeVariable
	}
	c.Models.Judge = Model{}
	unused := func(what, remedy string) {
		c.Warnings = append(c.Warnings, Problem{Key: where, What: what + ", and nobody judges", Remedy: remedy})
	}
	switch m.Name = strings.ToLower(m.Name); m.Name {
	case "", "off", "none", "0":
		return
	case JudgeGeneration:
		if !c.Models.Generation.Used() {
			unused(`no model for "generation" is named`, `name one in the block "models"`)
			return
		}
		c.Models.Judge = Model{Name: m.Name}
		return
	case JudgeJev:
	default:
		unused(fmt.Sprintf("%q is neither %s nor %s", m.Name, JudgeJev, JudgeGeneration), nearestJudge(m.Name))
		return
	}
	for _, part := range []struct {
		at       *string
		variable string
		standard string
	}{{&m.URL, "TYPESAFE_BASE_URL", JevURL}, {&m.Key, "TYPESAFE_API_KEY", ""}} {
		if text := strings.TrimSpace(env.getenv(part.variable)); text != "" {
			*part.at = text
		}
		if *part.at == "" {
			*part.at = part.standard
		}
	}
	switch {
	case checkURL(m.URL) != nil:
		unused("the URL of jev is not one of http or https", "unset TYPESAFE_BASE_URL")
	case m.Key == "" && !loopback(m.URL):
		unused("jev is asked with a key, and there is none", "set TYPESAFE_API_KEY")
	default:
		c.Models.Judge = m
	}
}

func nearestJudge(name string) string {
	known := []string{JudgeJev, JudgeGeneration}
	if near := nearest(name, known); slices.Contains(known, near) {
		return fmt.Sprintf("write %q", near)
	}
	return "write " + strings.Join(known, " or ")
}
