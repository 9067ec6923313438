package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// maxFile is the largest configuration file that is read.
const maxFile = 4 << 20

// Lists of words that the keys take. They are functions because a slice that
// anyone could write to is no constant.

func topKeys() []string {
	return []string{"lobes", "tools", "readOnly", "debug", "trustedRoots", "bareRepositories", "languages", "behavior", "models"}
}

func behaviorKeys() []string {
	return []string{"staleDaysStandard", "staleDaysPreferences", "staleDaysGotchas", "maxStaleInBriefing",
		"maxDedupSuggestions", "maxConflictPairs", "halfLifeDays", "halfLives", "boosts"}
}

func lobeKeys() []string {
	return []string{"root", "memoryDir", "budgetMB", "alwaysInclude", "files", "fileNames"}
}

func kinds() []string {
	return []string{"fact", "decision", "preference", "episode", "experience", "summary", "checkpoint", "task", "context"}
}

// misplaced names the block in which a key that was found elsewhere belongs.
func misplaced(key, name string) string {
	switch {
	case key != "behavior" && slices.Contains(behaviorKeys(), name):
		return `"behavior"`
	case !strings.HasPrefix(key, "models") && slices.Contains(modelsKeys(), name):
		return `"models"`
	case key != "" && slices.Contains(topKeys(), name):
		return "the outermost object"
	case !strings.HasPrefix(key, "lobes.") && slices.Contains(lobeKeys(), name):
		return `a lobe, for example "lobes": {"my-project": {"root": "~/git/my-project"}}`
	}
	return ""
}

var errNotRegular = errors.New("it is not a regular file")

// readBytes reads the file whole, a small one only, and only a regular one.
func readBytes(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errNotRegular // a named pipe would not even open
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(src) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return src, nil
}

func (c *Config) readFile(env *environment) error {
	src, err := readBytes(c.Path)
	if err != nil {
		return unreadable(c.Path, "", err)
	}
	c.sum = sha256.Sum256(src)
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	root, line, err := parse(src)
	if err != nil {
		return &Error{Problem{File: c.Path, Line: line, What: err.Error(),
			Remedy: `correct the file, or start from {"lobes": {}}`}, err}
	}
	r := &reader{file: c.Path, src: src}
	if root.Value.Kind() != '{' {
		return &Error{Problem{File: c.Path, Line: r.line(root), What: shown(root) + " is not an object",
			Remedy: `write the file like {"lobes": {"my-project": {"root": "~/git/my-project"}}}`}, nil}
	}
	c.readTop(r, root, env)
	c.Warnings = append(c.Warnings, r.problems...)
	c.warnHidden(env)
	return nil
}

// warnHidden tells of configuration files in later places.
func (c *Config) warnHidden(env *environment) {
	if env.explicit != "" {
		return
	}
	for _, place := range env.places[len(c.earlier)+1:] {
		if _, err := os.Stat(place); err == nil && place != c.Path {
			c.Warnings = append(c.Warnings, Problem{File: place, What: fmt.Sprintf("this file is not read, because %s comes first", c.Path),
				Remedy: "move what it says into that file, and remove this one"})
		}
	}
}

func (c *Config) readTop(r *reader, root *hujson.Value, env *environment) {
	base := filepath.Dir(c.Path)
	r.object(root, "", `{"lobes": {}}`, []field{
		{"lobes", func(key string, v *hujson.Value) { c.readLobes(r, key, v, env) }},
		{"tools", r.choice(&c.Tools, toolProfiles(), toolMeanings())},
		{"readOnly", r.boolean(&c.ReadOnly)},
		{"debug", r.boolean(&c.Debug)},
		{"trustedRoots", r.paths(&c.TrustedRoots, base, env)},
		{"bareRepositories", r.paths(&c.BareRepositories, base, env)},
		{"languages", r.languages(&c.Languages)},
		{"behavior", func(key string, v *hujson.Value) { c.readBehavior(r, key, v) }},
		{"models", func(key string, v *hujson.Value) { c.readModels(r, key, v, env) }},
	})
}

func toolProfiles() []string {
	return []string{"verbs", "full", "default"}
}

func toolMeanings() map[string]string {
	return map[string]string{"verbs": "verbs", "full": "full", "default": ""}
}

func (r *reader) paths(into *[]string, base string, env *environment) func(string, *hujson.Value) {
	return func(key string, v *hujson.Value) {
		r.texts(v, key, fmt.Sprintf("%q: [\"/srv/shared\"]", leaf(key)), func(v *hujson.Value, text string) {
			path, err := env.resolve(text, base)
			if text == "" {
				err = errors.New("the path is empty")
			}
			if err != nil {
				r.warn(v, key, err.Error()+", and is ignored", "", "write the path out in full")
				return
			}
			*into = append(*into, path)
		})
	}
}

func (r *reader) languages(into *[]string) func(string, *hujson.Value) {
	known := []string{"english", "russian", "french", "spanish", "swedish", "norwegian", "hungarian"}
	codes := map[string]string{"en": "english", "ru": "russian", "fr": "french", "es": "spanish", "sv": "swedish",
		"no": "norwegian", "nb": "norwegian", "hu": "hungarian"}
	return func(key string, v *hujson.Value) {
		r.texts(v, key, `"languages": ["french"]`, func(v *hujson.Value, text string) {
			name := strings.ToLower(text)
			if full, ok := codes[name]; ok {
				name = full
			}
			if !slices.Contains(known, name) {
				r.warn(v, key, fmt.Sprintf("%q is not one of %s, and is ignored", text, strings.Join(known, ", ")), nearest(text, known), "")
				return
			}
			if !slices.Contains(*into, name) {
				*into = append(*into, name)
			}
		})
	}
}

func (c *Config) readBehavior(r *reader, key string, v *hujson.Value) {
	b := &c.Behavior
	r.object(v, key, `"behavior": {"staleDaysStandard": 30}`, []field{
		{"staleDaysStandard", r.integer(&b.StaleDaysStandard, 1, 365, false)},
		{"staleDaysPreferences", r.integer(&b.StaleDaysPreferences, 1, 730, true)},
		{"staleDaysGotchas", r.integer(&b.StaleDaysGotchas, 1, 730, true)},
		{"maxStaleInBriefing", r.integer(&b.MaxStaleInBriefing, 1, 20, false)},
		{"maxDedupSuggestions", r.integer(&b.MaxDedupSuggestions, 1, 10, false)},
		{"maxConflictPairs", r.integer(&b.MaxConflictPairs, 1, 5, false)},
		{"halfLifeDays", r.float(&b.HalfLifeDays, 1, 3650)},
		{"halfLives", func(key string, v *hujson.Value) { r.halfLives(b.HalfLives, key, v) }},
		{"boosts", func(key string, v *hujson.Value) { r.onOff(&b.Boosts, key, v) }},
	})
}

func (r *reader) halfLives(into map[string]float64, key string, v *hujson.Value) {
	known := kinds()
	r.members(v, key, `"halfLives": {"episode": 14}`, func(name string, at, value *hujson.Value) {
		if !slices.Contains(known, name) {
			r.warn(at, join(key, name), "no kind of memory has this name", nearest(name, known), "the kinds are "+strings.Join(known, ", "))
			return
		}
		if days, ok := r.number(value, join(key, name), 1, 3650, false); ok {
			into[name] = days
		}
	})
}

// onOff reads "on" and "off", and true and false for the same.
func (r *reader) onOff(into *bool, key string, v *hujson.Value) {
	if kind := v.Value.Kind(); kind == 't' || kind == 'f' {
		*into = kind == 't'
		return
	}
	word := "on"
	if !*into {
		word = "off"
	}
	r.choice(&word, []string{"off", "on"}, map[string]string{"on": "on", "off": "off"})(key, v)
	*into = word == "on"
}

// megabytes is a budget in bytes.
func megabytes(mb float64) int64 {
	return int64(math.Round(mb * (1 << 20)))
}
