package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// readEnvironmentLobes makes the lobes of a configuration whose file has none.
func (c *Config) readEnvironmentLobes(env *environment) error {
	workspaces, dir := env.getenv("MEMORY_MCP_WORKSPACES"), env.getenv("MEMORY_MCP_DIR")
	budget, root := c.environmentBudget(env), env.getenv("MEMORY_MCP_REPO_ROOT")
	c.Source = SourceDefault
	if workspaces != "" || dir != "" || root != "" {
		c.Source = SourceEnvironment
	}
	if workspaces != "" {
		if err := c.readWorkspaces(env, workspaces, budget); err != nil {
			return err
		}
		return c.placeEnvironmentLobes(env, dir)
	}
	lobe := Lobe{Root: env.cwd, Budget: budget}
	if root != "" {
		path, err := env.resolve(root, env.cwd)
		if err != nil {
			return variableError("MEMORY_MCP_REPO_ROOT", err)
		}
		if what := env.noProject(path); what != "" {
			return variableError("MEMORY_MCP_REPO_ROOT", fmt.Errorf("%q is %s and never a project", root, what))
		}
		lobe.Root = path
	}
	c.Lobes = []Lobe{lobe}
	return c.placeEnvironmentLobes(env, dir)
}

func variableError(name string, err error) *Error {
	return &Error{Problem{Key: name, What: err.Error(), Remedy: "set it to the absolute path of the folder"}, err}
}

func (c *Config) environmentBudget(env *environment) int64 {
	const name = "MEMORY_MCP_BUDGET"
	text := strings.TrimSpace(env.getenv(name))
	if text == "" {
		return DefaultBudget
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < megabytes(minBudgetMB) || n > megabytes(maxBudgetMB) {
		c.Warnings = append(c.Warnings, Problem{Key: name,
			What:   fmt.Sprintf("%q is not a number of bytes between %d and %d; %d is used", text, megabytes(minBudgetMB), megabytes(maxBudgetMB), DefaultBudget),
			Remedy: fmt.Sprintf("write it like %s=%d", name, DefaultBudget)})
		return DefaultBudget
	}
	return n
}

// readWorkspaces reads the map from lobe names to roots. A text that is no
// such map is an error: the memory would go to another store.
func (c *Config) readWorkspaces(env *environment, text string, budget int64) error {
	const name = "MEMORY_MCP_WORKSPACES"
	const example = `write it like {"my-project": "/home/me/git/my-project"}`
	v, _, err := parse([]byte(text))
	if err != nil {
		return &Error{Problem{Key: name, What: err.Error(), Remedy: example}, err}
	}
	if v.Value.Kind() != '{' {
		return &Error{Problem{Key: name, What: shown(v) + " is not an object", Remedy: example}, nil}
	}
	r := &reader{src: []byte(text)}
	r.members(v, name, example, func(lobe string, at, value *hujson.Value) {
		where := join(name, lobe)
		if err := checkName(lobe); err != nil {
			near, _ := nameProblem(lobe)
			r.warn(at, where, err.Error()+", and the lobe is skipped", near, example)
			return
		}
		if value.Value.Kind() != '"' {
			r.warn(value, where, shown(value)+" is not the path of a folder, and the lobe is skipped", "", example)
			return
		}
		c.addWorkspace(r, env, Lobe{Name: lobe, Budget: budget}, value, where)
	})
	c.Warnings = append(c.Warnings, r.problems...)
	return nil
}

func (c *Config) addWorkspace(r *reader, env *environment, lobe Lobe, v *hujson.Value, key string) {
	text := v.Value.(hujson.Literal).String()
	path, err := env.resolve(text, env.cwd)
	if err == nil && text == "" {
		err = fmt.Errorf("the path is empty")
	}
	if err == nil && env.noProject(path) != "" {
		err = fmt.Errorf("%q is %s and never a project", text, env.noProject(path))
	}
	if err != nil {
		r.warn(v, key, err.Error()+", and the lobe is skipped", "", "write the path out in full")
		return
	}
	lobe.Root = path
	c.Lobes = append(c.Lobes, lobe)
}

// placeEnvironmentLobes gives each lobe its folder below dir. One absolute
// folder for several lobes would mix their memories, and is refused.
func (c *Config) placeEnvironmentLobes(env *environment, dir string) error {
	if dir == "" {
		return nil
	}
	const name = "MEMORY_MCP_DIR"
	taken := map[string]string{}
	for i := range c.Lobes {
		lobe := &c.Lobes[i]
		path, err := env.resolve(dir, lobe.Root)
		if err != nil {
			return variableError(name, err)
		}
		if other, ok := taken[path]; ok {
			return &Error{Problem{Key: name, What: fmt.Sprintf("%q would be one folder for the lobes %q and %q", dir, other, lobe.Name),
				Remedy: "write a path relative to each root, or use " + FileName}, nil}
		}
		taken[path], lobe.MemoryDir = lobe.Name, path
	}
	return nil
}

// warnUnusedVariables tells of the variables that a file with lobes outranks.
func (c *Config) warnUnusedVariables(env *environment) {
	for _, name := range []string{"MEMORY_MCP_WORKSPACES", "MEMORY_MCP_REPO_ROOT", "MEMORY_MCP_DIR", "MEMORY_MCP_BUDGET"} {
		if env.getenv(name) != "" {
			c.Warnings = append(c.Warnings, Problem{Key: name, What: fmt.Sprintf("the variable is not used, because %s has lobes", c.Path),
				Remedy: "unset it, or add the lobe to the file"})
		}
	}
}

// readEnvironmentSwitches has the last word on what concerns this process.
func (c *Config) readEnvironmentSwitches(env *environment) {
	c.environmentSwitch(env, "MEMORY_MCP_READONLY", &c.ReadOnly, true)
	c.environmentSwitch(env, "MEMORY_MCP_DEBUG", &c.Debug, false)
	const name = "MEMORY_MCP_TOOLS"
	profile := env.getenv(name)
	if profile == "" {
		return
	}
	if meaning, ok := toolMeanings()[strings.ToLower(profile)]; ok {
		c.Tools = meaning
		return
	}
	c.Warnings = append(c.Warnings, Problem{Key: name, Near: nearest(profile, toolProfiles()),
		What: fmt.Sprintf("%q is not one of %s, and is ignored", profile, strings.Join(toolProfiles(), ", "))})
}

// environmentSwitch reads a variable that is on or off. A word that is neither
// counts as the safe side, and is told.
func (c *Config) environmentSwitch(env *environment, name string, into *bool, safe bool) {
	switch text := strings.ToLower(strings.TrimSpace(env.getenv(name))); text {
	case "":
	case "1", "true", "yes", "on":
		*into = true
	case "0", "false", "no", "off":
		*into = false
	default:
		*into = safe
		c.Warnings = append(c.Warnings, Problem{Key: name, What: fmt.Sprintf("%q is neither 1 nor 0; %t is used", text, safe), Remedy: "write 1 or 0"})
	}
}
