package bootstrap

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// structure describes the top-level folders and the languages.
func structure(p *project) []Proposal {
	if len(p.files) == 0 {
		return nil
	}
	folders, top := topLevel(p.files)
	var b strings.Builder
	if len(folders) > 0 {
		b.WriteString("Top-level folders:\n")
	}
	for _, f := range folders[:min(len(folders), 24)] {
		fmt.Fprintf(&b, "- `%s/`: %s\n", f.name, f.describe())
	}
	if len(folders) > 24 {
		b.WriteString("- and others\n")
	}
	if len(folders) == 0 {
		fmt.Fprintf(&b, "No folders; files at the top: %s.\n", some(top, 20))
	}
	langs := languages(p.files)
	if len(langs) > 0 {
		fmt.Fprintf(&b, "\nLanguages by share of source files: %s.\n", strings.Join(langs, ", "))
	}
	return []Proposal{{Topic: "architecture", Title: "Repository structure", Body: b.String(), Tags: []string{"structure"}}}
}

// A folder is a top-level folder and what lies in it.
type folder struct {
	name  string
	count int
	exts  map[string]int // by language
	under map[string]int // its own folders
}

func (f folder) describe() string {
	parts := []string{amount(f.count)}
	if hint := folderHint(strings.ToLower(f.name)); hint != "" {
		parts = append([]string{hint}, parts...)
	}
	if lang := busiest(f.exts); lang != "" {
		parts = append(parts, "mostly "+lang)
	}
	if below := byCount(f.under); len(below) > 0 && len(below) <= 12 {
		slices.Sort(below)
		parts = append(parts, "with "+some(below, 8))
	}
	return strings.Join(parts, ", ")
}

func topLevel(files []string) (folders []folder, top []string) {
	byName := map[string]*folder{}
	for _, file := range files {
		name, rest, below := strings.Cut(file, "/")
		if !utf8.ValidString(name) {
			continue
		}
		if !below {
			top = append(top, name)
			continue
		}
		f := byName[name]
		if f == nil {
			f = &folder{name: name, exts: map[string]int{}, under: map[string]int{}}
			byName[name] = f
		}
		f.count++
		if lang := language(file); lang != "" {
			f.exts[lang]++
		}
		if sub, _, deeper := strings.Cut(rest, "/"); deeper && utf8.ValidString(sub) {
			f.under[sub]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		folders = append(folders, *byName[name])
	}
	return folders, top
}

// byCount lists the keys by falling count, then by name.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// busiest is the language of more than half the counted files.
func busiest(langs map[string]int) string {
	total := 0
	for _, n := range langs {
		total += n
	}
	if names := byCount(langs); len(names) > 0 && 2*langs[names[0]] > total {
		return names[0]
	}
	return ""
}

// languages tells the share of each language in steps of five percent.
func languages(files []string) []string {
	counts, total := map[string]int{}, 0
	for _, f := range files {
		if lang := language(f); lang != "" {
			counts[lang]++
			total++
		}
	}
	var out []string
	for _, name := range byCount(counts) {
		share := (counts[name]*100/total + 2) / 5 * 5
		switch {
		case len(out) == 6:
			return out
		case share == 0:
			out = append(out, name+" (a little)")
		case share >= 100:
			out = append(out, name+" (nearly all)")
		default:
			out = append(out, fmt.Sprintf("%s (about %d %%)", name, share))
		}
	}
	return out
}

// language is the programming language of a file, by its name.
func language(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return "Go"
	case ".ts", ".tsx", ".mts", ".cts":
		return "TypeScript"
	case ".js", ".jsx", ".mjs", ".cjs":
		return "JavaScript"
	case ".py", ".pyi":
		return "Python"
	case ".rs":
		return "Rust"
	case ".java":
		return "Java"
	case ".kt":
		return "Kotlin"
	case ".swift":
		return "Swift"
	case ".c", ".h":
		return "C"
	case ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx":
		return "C++"
	case ".cs":
		return "C#"
	case ".m", ".mm":
		return "Objective-C"
	}
	return otherLanguage(strings.ToLower(path.Ext(file)))
}

func otherLanguage(ext string) string {
	switch ext {
	case ".rb":
		return "Ruby"
	case ".php":
		return "PHP"
	case ".ex", ".exs":
		return "Elixir"
	case ".erl", ".hrl":
		return "Erlang"
	case ".scala":
		return "Scala"
	case ".clj", ".cljs", ".cljc":
		return "Clojure"
	case ".dart":
		return "Dart"
	case ".gd":
		return "GDScript"
	case ".lua":
		return "Lua"
	case ".hs":
		return "Haskell"
	case ".ml", ".mli":
		return "OCaml"
	case ".zig":
		return "Zig"
	case ".r":
		return "R"
	case ".jl":
		return "Julia"
	case ".vue":
		return "Vue"
	case ".svelte":
		return "Svelte"
	case ".sh", ".bash", ".zsh":
		return "Shell"
	case ".ps1":
		return "PowerShell"
	case ".sql":
		return "SQL"
	case ".tf":
		return "Terraform"
	case ".proto":
		return "Protocol Buffers"
	}
	return ""
}

// folderHint is what a folder of this name usually holds.
func folderHint(name string) string {
	switch name {
	case "cmd", "bin", "cli":
		return "commands"
	case "internal", "lib", "libs", "pkg", "packages", "crates", "modules":
		return "libraries"
	case "src", "source", "sources", "app", "apps":
		return "source code"
	case "test", "tests", "spec", "specs", "__tests__", "e2e", "testdata", "fixtures":
		return "tests"
	case "doc", "docs", "documentation":
		return "documentation"
	case "example", "examples", "demo", "demos", "samples":
		return "examples"
	case "script", "scripts", "tools", "tool", "hack":
		return "scripts and tools"
	case "config", "configs", "conf", "settings":
		return "configuration"
	case "assets", "static", "public", "resources", "res", "images", "img":
		return "assets"
	case "migrations", "migration", "db", "database":
		return "database"
	case "deploy", "deployment", "infra", "infrastructure", "terraform", "k8s", "helm", "charts":
		return "deployment"
	case "api", "proto", "protos", "openapi", "schema", "schemas":
		return "interfaces and schemas"
	case "web", "frontend", "client", "ui":
		return "user interface"
	case "server", "backend", "services", "service":
		return "server side"
	case "bench", "benchmark", "benchmarks":
		return "benchmarks"
	case ".github", ".gitlab", ".circleci", ".ci":
		return "continuous integration"
	}
	return ""
}
