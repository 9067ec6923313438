package bootstrap

import (
	"path"
	"slices"
	"strings"
)

// A system is a build system: the files that show it and what can be read
// from them.
type system struct {
	name  string
	files []string // patterns of path.Match, lower case, for files at the top
	read  func(p *project, file string) facts
}

// facts are what a manifest tells.
type facts struct {
	about    []string // short statements: name, version of the language
	commands []string // how to build, test and run
}

func systems() []system {
	return []system{
		{"Go", []string{"go.mod"}, goModule},
		{"Go workspace", []string{"go.work"}, nil},
		{"Node", []string{"package.json"}, packageJSON},
		{"Deno", []string{"deno.json", "deno.jsonc"}, commandsOnly("deno task", "deno test")},
		{"Cargo (Rust)", []string{"cargo.toml"}, cargo},
		{"Python", []string{"pyproject.toml"}, pyproject},
		{"Python (setuptools)", []string{"setup.py", "setup.cfg"}, commandsOnly("pip install -e .")},
		{"Python requirements", []string{"requirements.txt"}, commandsOnly("pip install -r requirements.txt")},
		{"Maven", []string{"pom.xml"}, maven},
		{"Gradle", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, gradle},
		{"sbt (Scala)", []string{"build.sbt"}, commandsOnly("sbt compile", "sbt test")},
		{"CMake", []string{"cmakelists.txt"}, cmake},
		{"Meson", []string{"meson.build"}, commandsOnly("meson setup build", "meson test -C build")},
		{"Bazel", []string{"module.bazel", "workspace", "workspace.bazel"}, commandsOnly("bazel build //...", "bazel test //...")},
		{"Bundler (Ruby)", []string{"gemfile"}, commandsOnly("bundle install")},
		{"Composer (PHP)", []string{"composer.json"}, composer},
		{"Mix (Elixir)", []string{"mix.exs"}, mix},
		{"Dart/Flutter", []string{"pubspec.yaml"}, pubspec},
		{"Swift Package Manager", []string{"package.swift"}, swiftPackage},
		{"Tuist", []string{"tuist.swift", "project.swift", "tuist/config.swift"}, commandsOnly("tuist generate", "tuist test")},
		{"Xcode", []string{"*.xcodeproj/project.pbxproj"}, nil},
		{".NET", []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj"}, dotnet},
		{"Godot", []string{"project.godot"}, godot},
		{"Unity", []string{"projectsettings/projectversion.txt"}, nil},
		{"Zig", []string{"build.zig"}, commandsOnly("zig build", "zig build test")},
		{"Nix", []string{"flake.nix", "default.nix", "shell.nix"}, nil},
		{"Make", []string{"makefile", "gnumakefile"}, makefile},
		{"just", []string{"justfile"}, justfile},
		{"Task", []string{"taskfile.yml", "taskfile.yaml"}, taskfile},
		{"Docker", []string{"dockerfile", "containerfile"}, nil},
		{"Docker Compose", []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"}, compose},
	}
}

func commandsOnly(commands ...string) func(*project, string) facts {
	return func(*project, string) facts { return facts{commands: commands} }
}

// build describes the build systems at the top, or, where there is none, those
// one and two folders below, and the packages of a repository with several.
func build(p *project) []Proposal {
	var lines, sources []string
	for _, s := range systems() {
		files := p.match(s.files...)
		if len(files) == 0 {
			continue
		}
		lines = append(lines, systemLines(p, s, files[0])...)
		sources = append(sources, firstOf(files, 2)...)
	}
	nested, nestedFiles := packages(p)
	if len(nested) > 0 {
		lines = append(lines, nested...)
		if len(sources) == 0 {
			sources = firstOf(nestedFiles, 8)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []Proposal{{Topic: "architecture", Title: "Build system and commands", Body: strings.Join(lines, "\n"), Sources: sources, Tags: []string{"build"}}}
}

func systemLines(p *project, s system, file string) []string {
	var f facts
	if s.read != nil {
		f = s.read(p, file)
	}
	line := "- " + s.name + " (`" + file + "`)"
	if len(f.about) > 0 {
		line += ": " + strings.Join(f.about, ", ")
	}
	lines := []string{clip(oneLine(line), 300)}
	if len(f.commands) > 0 {
		quoted := make([]string, 0, len(f.commands))
		for _, c := range f.commands {
			quoted = append(quoted, "`"+strings.ReplaceAll(clip(oneLine(c), 100), "`", "'")+"`")
		}
		lines = append(lines, "  Commands: "+some(quoted, 14))
	}
	return lines
}

// packages tells which folders below the top have a manifest of their own.
func packages(p *project) (lines, files []string) {
	for _, s := range systems()[:22] {
		var patterns []string
		for _, name := range s.files {
			if !strings.Contains(name, "/") {
				patterns = append(patterns, "*/"+name, "*/*/"+name)
			}
		}
		found := slices.DeleteFunc(p.match(patterns...), inTests)
		var dirs []string
		for _, file := range found {
			dirs = append(dirs, "`"+path.Dir(file)+"`")
		}
		if dirs = slices.Compact(dirs); len(dirs) > 0 {
			lines = append(lines, "- "+s.name+" packages in "+some(dirs, 10))
			files = append(files, found...)
		}
	}
	return lines, files
}

// inTests tells a file that is material for tests or examples.
func inTests(file string) bool {
	for part := range strings.SplitSeq(strings.ToLower(path.Dir(file)), "/") {
		switch part {
		case "test", "tests", "testdata", "fixtures", "__fixtures__", "examples", "example", "templates", "template":
			return true
		}
	}
	return false
}
