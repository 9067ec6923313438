// Package config reads what a person set: memory-config.json, the
// environment, and the defaults for the rest.
//
// [Load] finds the first configuration file of a fixed list of places
// ([DefaultPath] tells which), reads it as JSON with comments, and lets a few
// environment variables have the last word. A file that is there and cannot be
// read or parsed is an error: it is never skipped in favour of another place,
// because the other place may lead to another store. What can be done without
// (an unknown key, a number out of range, one lobe without a root) is left out
// and told as a [Problem] that names the file, the line, the key and the
// nearest known key.
//
// A [Config] is a value: it never changes after Load. [Config.Stale] says when
// it is time to load again, and [AddLobe] edits the file without touching its
// comments or its order. The package opens no lobe and looks for no repository.
package config

import (
	"os"
	"path/filepath"
)

// FileName is the name of the configuration file in every place.
const FileName = "memory-config.json"

// Options say where to look. The zero value means this process: its
// environment, its home directory and its working directory.
type Options struct {
	// Path is the file named on the command line. It must exist.
	Path string
	// Getenv reads an environment variable; os.Getenv when nil.
	Getenv func(string) string
	// Home is the user's home directory, Cwd the working directory.
	Home, Cwd string
	// BinaryDir is the folder of the running program; empty means that it is
	// no place for a configuration.
	BinaryDir string
}

// The values of [Config.Source].
const (
	SourceFile        = "file"
	SourceEnvironment = "environment"
	SourceDefault     = "default"
)

// Config is everything that was set, checked and completed.
type Config struct {
	// Source tells where the lobes came from: SourceFile, SourceEnvironment
	// or SourceDefault.
	Source string
	// Path is the configuration file that was read, empty when there is none.
	// A file without lobes is read for its other settings.
	Path string
	// Home is the absolute folder of the global store, the journal and the
	// lobes outside of git: MEMORY_MCP_HOME, else ~/.memory-mcp.
	Home string
	// Lobes are the configured lobes in the order of the file. Two of them
	// never have one name or one MemoryDir.
	Lobes []Lobe
	// Tools is the profile of listed tools: empty, "verbs" or "full".
	Tools string
	// ReadOnly takes every writing tool away.
	ReadOnly bool
	// Debug asks for operation names and times in the log.
	Debug bool
	// TrustedRoots are folders whose repositories are believed although they
	// belong to another user.
	TrustedRoots []string
	// BareRepositories are bare repositories that may be served.
	BareRepositories []string
	// Languages are the stemmed languages besides English, by English name.
	Languages []string
	// Behavior tunes what is shown and how memories fade.
	Behavior Behavior
	// Models are the language models that may be used.
	Models Models
	// Warnings are the settings that were ignored or changed, in file order.
	Warnings []Problem

	sum     [32]byte
	earlier []string // places before Path, where a file may appear later
}

// Lobe is one configured lobe.
type Lobe struct {
	// Name is empty for a lobe that is named after its folder later.
	Name string
	// Root is the absolute path of the project.
	Root string
	// MemoryDir is the absolute folder of its entries, empty when it is to be
	// found from the repository.
	MemoryDir string
	// Budget is the size in bytes that its entries may take.
	Budget int64
	// AlwaysInclude has the lobe searched from every other lobe.
	AlwaysInclude bool
	// Files is the trust of files without a header: empty for the default,
	// or "user".
	Files string
	// FileNames is how new files are named: empty for the id, or "slug".
	FileNames string
	// Line is the line of the file that declares the lobe, 0 without a file.
	Line int
}

// Behavior is the block of the same name. The zero of a duration in days means
// never.
type Behavior struct {
	// StaleDaysStandard is the age in days at which a memory is stale.
	StaleDaysStandard int
	// StaleDaysPreferences is the same for user and preferences, 0 for never.
	StaleDaysPreferences int
	// StaleDaysGotchas is the same for gotchas, 0 for never.
	StaleDaysGotchas int
	// MaxStaleInBriefing is how many stale memories a briefing names.
	MaxStaleInBriefing int
	// MaxDedupSuggestions is how many similar memories a store names.
	MaxDedupSuggestions int
	// MaxConflictPairs is how many contradictions an answer names.
	MaxConflictPairs int
	// HalfLifeDays is the half-life of a memory of no confidence.
	HalfLifeDays float64
	// HalfLives replaces HalfLifeDays for the kinds that it names.
	HalfLives map[string]float64
	// Boosts is whether topic, trust, age and use change the order of hits.
	Boosts bool
}

// DefaultBudget is the size of a lobe in bytes when none is set.
const DefaultBudget = 2 << 20

// Load reads the configuration. On error the value is nil, and the error is an
// [*Error] that names the file or variable and says what to do.
func Load(o Options) (*Config, error) {
	env, err := o.environment()
	if err != nil {
		return nil, err
	}
	path, earlier, err := env.find()
	if err != nil {
		return nil, err
	}
	c := &Config{Home: env.memoryHome, Path: path, Behavior: defaultBehavior(), Models: defaultModels(), earlier: earlier}
	if path != "" {
		if err := c.readFile(env); err != nil {
			return nil, err
		}
	}
	if c.Source == SourceFile {
		c.warnUnusedVariables(env)
	} else {
		if err := c.readEnvironmentLobes(env); err != nil {
			return nil, err
		}
	}
	c.readEnvironmentSwitches(env)
	c.readEnvironmentModels(env)
	return c, nil
}

func defaultBehavior() Behavior {
	return Behavior{
		StaleDaysStandard:   30,
		MaxStaleInBriefing:  5,
		MaxDedupSuggestions: 3,
		MaxConflictPairs:    2,
		HalfLifeDays:        30,
		HalfLives:           map[string]float64{},
		Boosts:              true,
	}
}

// HalfLife returns the half-life in days of a memory of this kind.
func (b Behavior) HalfLife(kind string) float64 {
	if days, ok := b.HalfLives[kind]; ok {
		return days
	}
	return b.HalfLifeDays
}

// HomePath returns what [Config.Home] would be, also while the configuration
// itself cannot be used.
func HomePath(o Options) (string, error) {
	env := &environment{getenv: o.Getenv, home: o.Home, cwd: o.Cwd}
	if err := env.fill(); err != nil {
		return "", err
	}
	return env.memoryHome, nil
}

// DefaultPath returns the file that [Load] reads, or, when there is none yet,
// the place where a new one belongs: the user's configuration directory, or
// the folder that MEMORY_MCP_HOME names. It is empty when no home directory
// can be found.
func DefaultPath(o Options) string {
	env, err := o.environment()
	if err != nil {
		return ""
	}
	if env.explicit != "" {
		return env.explicit
	}
	for _, place := range env.places {
		if _, err := os.Lstat(place); err == nil {
			return place
		}
	}
	if env.homeMoved {
		return filepath.Join(env.memoryHome, FileName)
	}
	if len(env.places) == 0 {
		return ""
	}
	return env.places[0]
}
