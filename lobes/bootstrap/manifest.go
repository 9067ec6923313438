package bootstrap

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// about makes a statement of a name and a value, if there is a value.
func about(list []string, name, value string) []string {
	if value = oneLine(value); value != "" {
		list = append(list, name+" "+clip(value, 80))
	}
	return list
}

// find is the first group of a pattern, or "".
func find(pattern *regexp.Regexp, text string) string {
	if m := pattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var (
	goModulePattern    = expression(`(?m)^module\s+"?([^\s"]+)`)
	goVersionPattern   = expression(`(?m)^go\s+(\S+)`)
	goToolchainPattern = expression(`(?m)^toolchain\s+(\S+)`)
)

func goModule(p *project, file string) facts {
	text := p.read(file)
	f := facts{commands: []string{"go build ./...", "go test ./...", "go vet ./..."}}
	f.about = about(f.about, "module", find(goModulePattern(), text))
	f.about = about(f.about, "Go", find(goVersionPattern(), text))
	f.about = about(f.about, "toolchain", find(goToolchainPattern(), text))
	return f
}

// nodeManager is the package manager, by its own statement or its lock file.
func nodeManager(p *project, stated string) string {
	if name, _, _ := strings.Cut(stated, "@"); name != "" {
		return name
	}
	for _, lock := range []struct{ file, name string }{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lockb", "bun"}, {"bun.lock", "bun"}, {"package-lock.json", "npm"},
	} {
		if p.has(lock.file) {
			return lock.name
		}
	}
	return "npm"
}

func packageJSON(p *project, file string) facts {
	var pkg struct {
		Name           string            `json:"name"`
		PackageManager string            `json:"packageManager"`
		Scripts        map[string]string `json:"scripts"`
		Engines        map[string]string `json:"engines"`
		Workspaces     json.RawMessage   `json:"workspaces"`
		Type           string            `json:"type"`
		Dependencies   map[string]any    `json:"dependencies"`
		Dev            map[string]any    `json:"devDependencies"`
	}
	// A field of an odd type spoils only itself: what was read stays.
	if err := json.Unmarshal([]byte(p.read(file)), &pkg); err != nil && pkg.Name == "" && pkg.Scripts == nil {
		return facts{}
	}
	manager := nodeManager(p, pkg.PackageManager)
	var f facts
	f.about = about(f.about, "package", pkg.Name)
	f.about = about(f.about, "package manager", manager)
	f.about = about(f.about, "Node", pkg.Engines["node"])
	if len(pkg.Workspaces) > 0 {
		f.about = append(f.about, "workspaces")
	}
	if used := frameworks(pkg.Dependencies, pkg.Dev); len(used) > 0 {
		f.about = append(f.about, "uses "+strings.Join(used, ", "))
	}
	f.commands = append(f.commands, manager+" install")
	for _, name := range slices.Sorted(maps.Keys(pkg.Scripts)) {
		if !strings.HasPrefix(name, "pre") && !strings.HasPrefix(name, "post") {
			f.commands = append(f.commands, manager+" run "+name)
		}
	}
	return f
}

// frameworks are the dependencies that say what kind of program it is.
func frameworks(lists ...map[string]any) []string {
	var out []string
	for _, name := range []string{"next", "nuxt", "react", "react-native", "expo", "vue", "svelte", "@sveltejs/kit", "@angular/core",
		"astro", "electron", "express", "fastify", "@nestjs/core", "hono", "vite", "webpack", "typescript"} {
		for _, list := range lists {
			if _, ok := list[name]; ok {
				out = append(out, name)
				break
			}
		}
	}
	return out
}

// tomlValue is a text in one section of a TOML file. It reads the plain lines
// that manifests consist of, and nothing else of the language.
func tomlValue(text, section, key string) string {
	current := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			current = strings.Trim(line, "[] ")
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if current != section || !ok || strings.TrimSpace(name) != key {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
			if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
				return value[1 : end+1]
			}
		}
		return ""
	}
	return ""
}

func cargo(p *project, file string) facts {
	text := p.read(file)
	f := facts{commands: []string{"cargo build", "cargo test"}}
	f.about = about(f.about, "crate", tomlValue(text, "package", "name"))
	f.about = about(f.about, "edition", tomlValue(text, "package", "edition"))
	f.about = about(f.about, "Rust", tomlValue(text, "package", "rust-version"))
	if strings.Contains(text, "[workspace") {
		f.about = append(f.about, "a workspace")
	}
	return f
}

func pyproject(p *project, file string) facts {
	text := p.read(file)
	var f facts
	name := tomlValue(text, "project", "name")
	if name == "" {
		name = tomlValue(text, "tool.poetry", "name")
	}
	f.about = about(f.about, "project", name)
	f.about = about(f.about, "Python", tomlValue(text, "project", "requires-python"))
	f.about = about(f.about, "build backend", tomlValue(text, "build-system", "build-backend"))
	switch {
	case p.has("uv.lock"):
		f.commands = []string{"uv sync", "uv run pytest"}
	case p.has("poetry.lock") || strings.Contains(text, "[tool.poetry]"):
		f.commands = []string{"poetry install", "poetry run pytest"}
	case p.has("pdm.lock"):
		f.commands = []string{"pdm install"}
	default:
		f.commands = []string{"pip install -e ."}
	}
	return f
}

func maven(p *project, file string) facts {
	var pom struct {
		GroupID    string   `xml:"groupId"`
		ArtifactID string   `xml:"artifactId"`
		Modules    []string `xml:"modules>module"`
	}
	f := facts{commands: []string{"mvn package", "mvn test"}}
	if p.has("mvnw") {
		f.commands = []string{"./mvnw package", "./mvnw test"}
	}
	if err := xml.Unmarshal([]byte(p.read(file)), &pom); err != nil {
		return f
	}
	f.about = about(f.about, "artifact", strings.Trim(pom.GroupID+":"+pom.ArtifactID, ":"))
	if len(pom.Modules) > 0 {
		f.about = append(f.about, "modules "+some(pom.Modules, 10))
	}
	return f
}

var gradleNamePattern = expression(`rootProject\.name\s*=\s*["']([^"']+)`)

func gradle(p *project, _ string) facts {
	f := facts{commands: []string{"gradle build", "gradle test"}}
	if p.has("gradlew") {
		f.commands = []string{"./gradlew build", "./gradlew test"}
	}
	for _, settings := range p.match("settings.gradle", "settings.gradle.kts") {
		f.about = about(f.about, "project", find(gradleNamePattern(), p.read(settings)))
	}
	return f
}

var cmakeNamePattern = expression(`(?im)^\s*project\s*\(\s*"?([A-Za-z0-9_.+-]+)`)

func cmake(p *project, file string) facts {
	f := facts{commands: []string{"cmake -B build", "cmake --build build", "ctest --test-dir build"}}
	f.about = about(f.about, "project", find(cmakeNamePattern(), p.read(file)))
	return f
}

func composer(p *project, file string) facts {
	var pkg struct {
		Name    string         `json:"name"`
		Scripts map[string]any `json:"scripts"`
		Require map[string]any `json:"require"`
	}
	f := facts{commands: []string{"composer install"}}
	if err := json.Unmarshal([]byte(p.read(file)), &pkg); err != nil {
		return f
	}
	f.about = about(f.about, "package", pkg.Name)
	if v, ok := pkg.Require["php"].(string); ok {
		f.about = about(f.about, "PHP", v)
	}
	for _, name := range slices.Sorted(maps.Keys(pkg.Scripts)) {
		f.commands = append(f.commands, "composer "+name)
	}
	return f
}

var (
	mixAppPattern     = expression(`app:\s*:(\w+)`)
	mixElixirPattern  = expression(`elixir:\s*"([^"]+)"`)
	swiftNamePattern  = expression(`Package\(\s*name:\s*"([^"]+)"`)
	swiftToolsPattern = expression(`swift-tools-version:\s*([\d.]+)`)
	godotNamePattern  = expression(`(?m)^config/name="([^"]*)"`)
	godotVersion      = expression(`(?m)^config/features=PackedStringArray\("([\d.]+)"`)
	dotnetFramework   = expression(`<TargetFrameworks?>([^<]+)<`)
)

func mix(p *project, file string) facts {
	text := p.read(file)
	f := facts{commands: []string{"mix deps.get", "mix compile", "mix test"}}
	f.about = about(f.about, "application", find(mixAppPattern(), text))
	f.about = about(f.about, "Elixir", find(mixElixirPattern(), text))
	return f
}

func swiftPackage(p *project, file string) facts {
	text := p.read(file)
	f := facts{commands: []string{"swift build", "swift test"}}
	f.about = about(f.about, "package", find(swiftNamePattern(), text))
	f.about = about(f.about, "Swift tools", find(swiftToolsPattern(), text))
	return f
}

func godot(p *project, file string) facts {
	text := p.read(file)
	var f facts
	f.about = about(f.about, "project", find(godotNamePattern(), text))
	f.about = about(f.about, "Godot", find(godotVersion(), text))
	return f
}

func dotnet(p *project, _ string) facts {
	f := facts{commands: []string{"dotnet build", "dotnet test"}}
	for _, file := range firstOf(p.match("*.csproj", "*.fsproj", "*/*.csproj", "*/*.fsproj", "*/*/*.csproj"), 1) {
		f.about = about(f.about, "target", find(dotnetFramework(), p.read(file)))
	}
	return f
}

func pubspec(p *project, file string) facts {
	var spec struct {
		Name         string               `yaml:"name"`
		Environment  map[string]string    `yaml:"environment"`
		Dependencies map[string]yaml.Node `yaml:"dependencies"`
	}
	if err := yaml.Unmarshal([]byte(p.read(file)), &spec); err != nil {
		return facts{}
	}
	tool := "dart"
	if _, ok := spec.Dependencies["flutter"]; ok {
		tool = "flutter"
	}
	f := facts{commands: []string{tool + " pub get", tool + " test"}}
	f.about = about(f.about, "package", spec.Name)
	f.about = about(f.about, "Dart SDK", spec.Environment["sdk"])
	return f
}

var (
	makeTarget = expression(`(?m)^([A-Za-z0-9][A-Za-z0-9_.-]*)\s*:(?:[^=:]|$)`)
	justRecipe = expression(`(?m)^@?([a-zA-Z][\w-]*)(?:\s+[^:\n]*)?:(?:[^=]|$)`)
)

// targets are the names that a pattern finds at the beginnings of lines, in
// the order of the file.
func targets(text, prefix string, pattern *regexp.Regexp) []string {
	var out []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if c := prefix + m[1]; !slices.Contains(out, c) && path.Ext(m[1]) == "" {
			out = append(out, c)
		}
	}
	return out
}

func makefile(p *project, file string) facts {
	return facts{commands: targets(p.read(file), "make ", makeTarget())}
}

func justfile(p *project, file string) facts {
	return facts{commands: targets(p.read(file), "just ", justRecipe())}
}

func taskfile(p *project, file string) facts {
	var spec struct {
		Tasks map[string]yaml.Node `yaml:"tasks"`
	}
	if err := yaml.Unmarshal([]byte(p.read(file)), &spec); err != nil {
		return facts{}
	}
	var f facts
	for _, name := range slices.Sorted(maps.Keys(spec.Tasks)) {
		f.commands = append(f.commands, "task "+name)
	}
	return f
}

func compose(p *project, file string) facts {
	var spec struct {
		Services map[string]yaml.Node `yaml:"services"`
	}
	f := facts{commands: []string{"docker compose up"}}
	if err := yaml.Unmarshal([]byte(p.read(file)), &spec); err == nil && len(spec.Services) > 0 {
		f.about = append(f.about, "services "+some(slices.Sorted(maps.Keys(spec.Services)), 12))
	}
	return f
}
