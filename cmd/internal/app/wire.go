package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/config"
	"memory-mcp/crash"
	"memory-mcp/lobes"
	"memory-mcp/lobes/repo"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// generation makes lobes of a configuration. One that could not be read gives
// a degraded lobe that says why, and the person's own store.
func (a *App) generation(c *config.Config, failure error) generation {
	g := generation{config: c}
	o := lobes.Options{Now: a.o.Now, Logger: a.log, ReadOnly: a.o.ReadOnly, Git: a.git(c), Go: a.background, Watch: a.o.Serving}
	if c == nil {
		g.notice = failure.Error()
		g.specs = a.unreadable(failure)
		if o.Home = a.memoryHome(nil); o.Home != "" {
			g.specs = append(g.specs, lobes.GlobalSpec(o.Home))
		}
		g.set = lobes.NewSet(g.specs, o)
		return g
	}
	g.specs = a.specs(c)
	o.Home, o.ConfigPath = c.Home, c.Path
	if o.ConfigPath == "" {
		o.ConfigPath = config.DefaultPath(a.places())
	}
	o.ReadOnly = o.ReadOnly || c.ReadOnly
	o.Analyzer = textanalysis.New(textanalysis.Options{Languages: c.Languages})
	o.Behavior = lobes.Behavior{
		StaleDaysStandard: c.Behavior.StaleDaysStandard, StaleDaysPreferences: c.Behavior.StaleDaysPreferences,
		StaleDaysGotchas: c.Behavior.StaleDaysGotchas, MaxStaleInBriefing: c.Behavior.MaxStaleInBriefing,
		MaxDedupSuggestions: c.Behavior.MaxDedupSuggestions, MaxConflictPairs: c.Behavior.MaxConflictPairs,
		NoBoosts: !c.Behavior.Boosts, HalfLifeDays: c.Behavior.HalfLifeDays, HalfLives: c.Behavior.HalfLives,
	}
	g.brains = a.brains(c)
	g.brains.give(&o)
	g.set = lobes.NewSet(g.specs, o)
	return g
}

// unreadable are the lobes of a configuration that cannot be read: the one
// that would be spoken to tells why it is not there.
func (a *App) unreadable(failure error) []lobes.Spec {
	spec := lobes.Place(lobes.PlaceOptions{Root: a.o.Cwd, Git: a.git(nil), Widen: true})
	spec.Err, spec.Remedy = failure, []string{"memory-mcp diagnose"}
	var e *config.Error
	if errors.As(failure, &e) && e.Remedy != "" {
		spec.Remedy = []string{e.Remedy}
	}
	return []lobes.Spec{spec}
}

// specs are the lobes of a configuration: those that it names, then the
// repositories of the working directory and of the folders that the host
// named, then what became a lobe while the program ran.
func (a *App) specs(c *config.Config) []lobes.Spec {
	var specs []lobes.Spec
	for _, l := range c.Lobes {
		if spec, ok := a.configured(c, l); ok {
			specs = append(specs, spec)
		}
	}
	for _, dir := range append([]string{a.o.Cwd}, a.hostDirs()...) {
		if _, err := repo.Discover(dir, a.git(c)); err == nil {
			specs = a.withFolder(c, specs, dir)
		}
	}
	for _, dir := range a.bound {
		specs = a.withFolder(c, specs, dir)
	}
	return append(specs, lobes.GlobalSpec(c.Home))
}

// configured is the lobe of one entry of the configuration. The default one
// is the working directory's, and is left out where that is no project.
func (a *App) configured(c *config.Config, l config.Lobe) (lobes.Spec, bool) {
	byDefault := c.Source == config.SourceDefault
	git := a.git(c)
	if !byDefault {
		git = git.Elsewhere()
	}
	spec := lobes.Place(lobes.PlaceOptions{
		Name: l.Name, Root: l.Root, MemoryDir: l.MemoryDir, Home: c.Home, Git: git, Widen: l.Name == "",
	})
	if byDefault && l.MemoryDir == "" && a.noProject(spec) {
		return lobes.Spec{}, false
	}
	spec.Budget, spec.AlwaysInclude, spec.Slug = l.Budget, l.AlwaysInclude, l.FileNames == "slug"
	if l.Files == "user" {
		spec.Plain = entry.User
	}
	if l.Line > 0 {
		spec.ConfigLine = fmt.Sprintf("%s:%d", c.Path, l.Line)
	}
	return spec, true
}

// noProject tells whether the working directory of a spec is no project. A
// process that serves was often started somewhere by chance, so outside git
// it waits for somebody to name a project.
func (a *App) noProject(spec lobes.Spec) bool {
	var unsuitable *repo.UnsuitableError
	if errors.As(spec.Err, &unsuitable) {
		return true
	}
	return a.o.Serving && spec.Err == nil && spec.Repo == nil
}

// withFolder adds the lobe of a folder, unless one of them covers it already.
func (a *App) withFolder(c *config.Config, specs []lobes.Spec, dir string) []lobes.Spec {
	spec := lobes.Place(lobes.PlaceOptions{Root: dir, Home: c.Home, Git: a.git(c).Elsewhere(), Widen: true})
	if _, covered := covering(specs, spec); covered {
		return specs
	}
	return append(specs, spec)
}

// covering finds the lobe that already speaks for a folder: that of the same
// repository, or outside git of the same folder.
func covering(specs []lobes.Spec, spec lobes.Spec) (lobes.Spec, bool) {
	i := slices.IndexFunc(specs, func(s lobes.Spec) bool {
		if spec.Repo != nil && s.Repo != nil {
			return s.Repo.CommonDir == spec.Repo.CommonDir
		}
		return spec.Root != "" && s.Root == spec.Root
	})
	if i < 0 {
		return lobes.Spec{}, false
	}
	return specs[i], true
}

// git says where repositories may be looked for and which are believed.
func (a *App) git(c *config.Config) repo.Options {
	o := repo.Options{Getenv: a.o.Getenv, Home: a.o.Home}
	if c != nil {
		o.Trusted, o.Named = c.TrustedRoots, c.BareRepositories
	}
	return o
}

// background runs work that serves no call. A panic in it is written down and
// ends the process.
func (a *App) background(name string, work func(context.Context)) {
	if a.journal == nil {
		go work(context.Background())
		return
	}
	a.journal.Go(crash.Doing{Op: name, Phase: "running"}, func() { work(context.Background()) })
}

// Adopt makes a lobe of a folder that the caller named, and gives the lobe's
// name. Where lobes are configured in a file it is written there, else it
// lasts as long as the process. A budget of 0 is the usual one.
func (a *App) Adopt(_ context.Context, root string, budget int64) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.now.config
	if c == nil {
		return "", errors.New(a.now.notice)
	}
	if a.o.ReadOnly || c.ReadOnly {
		return "", &lobes.ReadOnlyError{Verb: "add a lobe"}
	}
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("make a lobe of %q: the path is not absolute", root)
	}
	spec := lobes.Place(lobes.PlaceOptions{Root: root, Home: c.Home, Git: a.git(c).Elsewhere(), Widen: true})
	if spec.Err != nil {
		return "", fmt.Errorf("make a lobe of %q: %w", root, spec.Err)
	}
	if known, ok := covering(lobes.UniqueNames(a.now.specs), spec); ok {
		return known.Name, nil
	}
	if c.Source == config.SourceFile && c.Path != "" {
		if err := a.write(c, spec, budget); err != nil {
			return "", err
		}
		a.reload()
	} else {
		a.bound = append(a.bound, root)
		a.replace(a.generation(c, nil))
	}
	known, ok := covering(lobes.UniqueNames(a.now.specs), spec)
	if !ok {
		return "", fmt.Errorf("make a lobe of %q: %s", root, a.now.notice)
	}
	return known.Name, nil
}

// write puts the lobe into the configuration file, under the first of its
// names that is free there.
func (a *App) write(c *config.Config, spec lobes.Spec, budget int64) error {
	root := spec.Root
	if root == "" {
		root = spec.Repo.CommonDir
	}
	name, parent := configName(spec.Name), configName(filepath.Base(filepath.Dir(root)))
	var taken *config.LobeExistsError
	for _, try := range []string{name, parent + "-" + name, fmt.Sprintf("%s-%d", name, len(c.Lobes)+1)} {
		err := config.AddLobe(c.Path, try, root, float64(budget)/(1<<20))
		if !errors.As(err, &taken) {
			return err
		}
	}
	return taken
}

// configName replaces the characters that a name in the configuration may not
// have.
func configName(name string) string {
	clean := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, name), "-.")
	if clean == "" {
		return "lobe"
	}
	return clean[:min(len(clean), 48)]
}

// Bind makes lobes of the folders that a client announced as its roots. It is
// asked once; without any, the working directory stands in for them, unless
// it is no project either.
func (a *App) Bind(roots []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.now.config
	if a.asked || c == nil {
		return
	}
	a.asked = true
	if len(roots) == 0 && c.Source == config.SourceDefault {
		roots = []string{a.o.Cwd}
	}
	for _, dir := range roots {
		spec := lobes.Place(lobes.PlaceOptions{Root: dir, Home: c.Home, Git: a.git(c).Elsewhere(), Widen: true})
		if spec.Err == nil && (spec.Repo != nil || c.Source == config.SourceDefault) {
			a.bound = append(a.bound, dir)
		}
	}
	if len(a.bound) > 0 {
		a.replace(a.generation(c, nil))
	}
}
