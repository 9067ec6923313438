package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const lobeExample = `"my-project": {"root": "~/git/my-project", "budgetMB": 2}`

// Bounds of a budget in MB. The lower one still holds a few entries.
const minBudgetMB, maxBudgetMB = 0.01, 102400

// reserved are the names that folders of ours have.
func reserved() []string {
	return []string{"global", "crashes", "models", "lobes"}
}

const maxName = 64

// checkName returns what is wrong with a lobe's name.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name of a lobe is empty")
	case len(name) > maxName:
		return fmt.Errorf("the name of the lobe is longer than %d characters", maxName)
	case slices.Contains(reserved(), strings.ToLower(name)):
		return fmt.Errorf("%q is a reserved name", name)
	case strings.Trim(name, ".") == "":
		return fmt.Errorf("%q is not a name", name)
	case suggestName(name) != name:
		return fmt.Errorf("the name %q has other characters than letters, digits, dot, hyphen and underscore", name)
	}
	return nil
}

// suggestName replaces what a name may not have. It is empty when nothing of
// the name is left.
func suggestName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, name)
	if strings.Trim(clean, "-.") == "" {
		return ""
	}
	return clean
}

// nameProblem is the suggestion and the remedy for a name that is refused.
func nameProblem(name string) (near, remedy string) {
	near = suggestName(name)
	if near == name || len(near) > maxName {
		near = ""
	}
	if slices.Contains(reserved(), strings.ToLower(name)) {
		near = ""
	}
	return near, "name it like " + lobeExample
}

func (c *Config) readLobes(r *reader, key string, v *hujson.Value, env *environment) {
	ok := r.members(v, key, `"lobes": {`+lobeExample+`}`, func(name string, at, value *hujson.Value) {
		c.Source = SourceFile
		where := join(key, name)
		if err := checkName(name); err != nil {
			near, remedy := nameProblem(name)
			r.warn(at, where, err.Error()+", and the lobe is skipped", near, remedy)
			return
		}
		lobe := Lobe{Name: name, Budget: DefaultBudget, Line: r.line(at)}
		if c.readLobe(r, &lobe, where, value, env) {
			c.addLobe(r, lobe, at, where)
		}
	})
	if !ok {
		// Lobes were meant and cannot be read: nothing else may stand for them.
		c.Source = SourceFile
	}
}

// readLobe fills the lobe and returns whether it can be used.
func (c *Config) readLobe(r *reader, lobe *Lobe, key string, v *hujson.Value, env *environment) bool {
	if v.Value.Kind() != '{' {
		r.warn(v, key, shown(v)+" is not an object, and the lobe is skipped", "", "write it like "+lobeExample)
		return false
	}
	usable, root, memoryDir := true, "", ""
	path := func(into *string) func(string, *hujson.Value) {
		return func(key string, v *hujson.Value) {
			usable = r.lobePath(into, key, v, env) && usable
		}
	}
	r.object(v, key, lobeExample, []field{
		{"root", path(&root)},
		{"memoryDir", path(&memoryDir)},
		{"budgetMB", func(key string, v *hujson.Value) {
			if mb, ok := r.number(v, key, minBudgetMB, maxBudgetMB, false); ok {
				lobe.Budget = megabytes(mb)
			}
		}},
		{"alwaysInclude", r.boolean(&lobe.AlwaysInclude)},
		{"files", r.choice(&lobe.Files, []string{"user", "agent-inferred"}, map[string]string{"user": "user", "agent-inferred": ""})},
		{"fileNames", r.choice(&lobe.FileNames, []string{"slug", "id"}, map[string]string{"slug": "slug", "id": ""})},
	})
	if !usable {
		return false
	}
	if root == "" {
		r.warn(v, key, "the lobe has no root, and is skipped", "", "add the project's folder, like "+lobeExample)
		return false
	}
	return c.placeLobe(r, lobe, root, memoryDir, key, v, env)
}

// lobePath reads the text of a path. A path of the wrong form makes the lobe
// unusable, since without it the memory would go elsewhere.
func (r *reader) lobePath(into *string, key string, v *hujson.Value, env *environment) bool {
	example := fmt.Sprintf("%q: \"~/git/my-project\"", leaf(key))
	if v.Value.Kind() != '"' {
		r.warn(v, key, shown(v)+" is not a text, and the lobe is skipped", "", "write it like "+example)
		return false
	}
	*into = v.Value.(hujson.Literal).String()
	if _, err := env.expand(*into); err != nil {
		r.warn(v, key, err.Error()+", and the lobe is skipped", "", "write the path out in full, like "+example)
		return false
	}
	return true
}

// placeLobe makes the two paths absolute: the root from the folder of the
// file, the memory folder from the root.
func (c *Config) placeLobe(r *reader, lobe *Lobe, root, memoryDir, key string, v *hujson.Value, env *environment) bool {
	var err error
	if lobe.Root, err = env.resolve(root, filepath.Dir(c.Path)); err == nil && memoryDir != "" {
		lobe.MemoryDir, err = env.resolve(memoryDir, lobe.Root)
	}
	if err != nil {
		r.warn(v, key, err.Error()+", and the lobe is skipped", "", "write the path out in full")
		return false
	}
	if what := env.noProject(lobe.Root); what != "" {
		r.warn(v, join(key, "root"), fmt.Sprintf("%q is %s and never a project; the lobe is skipped", root, what), "", "name the project's own folder, like "+lobeExample)
		return false
	}
	return true
}

// noProject says what a folder is that can hold no project, or nothing.
func (e *environment) noProject(path string) string {
	switch {
	case filepath.Dir(path) == path:
		return "the root of the file system"
	case e.home != "" && path == filepath.Clean(e.home):
		return "the home directory"
	}
	return ""
}

// addLobe adds the lobe unless its memory folder is another lobe's.
func (c *Config) addLobe(r *reader, lobe Lobe, at *hujson.Value, key string) {
	for _, other := range c.Lobes {
		if lobe.MemoryDir != "" && lobe.MemoryDir == other.MemoryDir {
			r.warn(at, join(key, "memoryDir"), fmt.Sprintf("%q is the folder of lobe %q already, and the lobe is skipped", lobe.MemoryDir, other.Name), "", "give each lobe a folder of its own")
			return
		}
	}
	c.Lobes = append(c.Lobes, lobe)
}
