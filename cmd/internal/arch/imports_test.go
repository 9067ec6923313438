package arch_test

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A rule returns what is wrong, a line each, and how many things it looked at.
type rule func(*tree) (problems []string, checked int)

// importsPointDown checks every import of ours against the table.
func importsPointDown(t *tree) (problems []string, checked int) {
	table := floors()
	for dir := range t.packages() {
		if _, known := table[dir]; !known {
			problems = append(problems, "package "+dir+" has no floor; give it one in floors_test.go")
		}
	}
	for _, f := range t.files {
		for _, spec := range f.ast.Imports {
			to, ours := strings.CutPrefix(imported(spec), module+"/")
			if !ours || to == f.dir {
				continue
			}
			checked++
			if what := forbidden(f, to); what != "" {
				problems = append(problems, t.at(spec)+": "+what)
			}
		}
	}
	return problems, checked
}

// forbidden lets a test import what it likes, but nothing of cmd from below.
func forbidden(f *file, to string) string {
	if !f.test {
		return mayImport(f.dir, to)
	}
	if strings.HasPrefix(to, "cmd/") && !strings.HasPrefix(f.dir, "cmd/") {
		return "a test of " + f.dir + " imports " + to
	}
	return ""
}

func imported(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return name
}

// pureStayPure keeps input and output out of the packages that only compute.
func pureStayPure(t *tree) (problems []string, checked int) {
	for _, f := range t.files {
		if f.test || !slices.Contains(pure(), f.dir) {
			continue
		}
		checked++
		for _, spec := range f.ast.Imports {
			switch name := imported(spec); name {
			case "os", "os/exec", "os/signal", "syscall", "net", "net/http", "io/ioutil", "log", "log/slog":
				problems = append(problems, fmt.Sprintf("%s: %s only computes, and imports %s", t.at(spec), f.dir, name))
			}
		}
	}
	return problems, checked
}

// stdoutBelongsToTheProtocol finds prints in packages that do not own it.
func stdoutBelongsToTheProtocol(t *tree) (problems []string, checked int) {
	for _, f := range t.files {
		if f.test || slices.Contains(ownsStdout(), f.dir) {
			continue
		}
		checked++
		ast.Inspect(f.ast, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch pkg.Name + "." + selector.Sel.Name {
			case "fmt.Print", "fmt.Printf", "fmt.Println", "os.Stdout":
				problems = append(problems, fmt.Sprintf("%s: %s.%s, and stdout belongs to the protocol", t.at(n), pkg.Name, selector.Sel.Name))
			}
			return true
		})
	}
	return problems, checked
}

// dependenciesAreExplained wants a line in docs/dependencies.md for each
// module that is imported or required directly.
func dependenciesAreExplained(t *tree) (problems []string, checked int) {
	required := regexp.MustCompile(`(?m)^(?:require)?\s+([a-z0-9.-]+\.[a-z]+/\S+) v\S+( // indirect)?`)
	direct, modules := map[string]bool{}, []string{}
	for _, m := range required.FindAllStringSubmatch(string(t.texts["go.mod"]), -1) {
		modules = append(modules, m[1])
		if m[2] == "" {
			direct[m[1]] = true
		}
	}
	for _, f := range t.files {
		for _, spec := range f.ast.Imports {
			if m := moduleOf(imported(spec), modules); m != "" {
				direct[m] = true
			}
		}
	}
	doc := string(t.texts["docs/dependencies.md"])
	for _, m := range sortedKeys(direct) {
		named := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(m) + `([^\w/-]|$)`)
		if !named.MatchString(doc) {
			problems = append(problems, "docs/dependencies.md has no line for "+m)
		}
	}
	return problems, len(direct)
}

// moduleOf is the longest module that the path lies in.
func moduleOf(name string, modules []string) string {
	best := ""
	for _, m := range modules {
		if (name == m || strings.HasPrefix(name, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// folders keeps the top folder to what the design names.
func folders(t *tree) (problems []string, checked int) {
	allowed := []string{"cmd", "store", "lobes", "textanalysis", "llm", "config", "crash", "docs",
		"go.mod", "go.sum", "memory-config.json.example", "README.md", "CONTRIBUTING.md", "AGENTS.md", "LICENSE"}
	seen := map[string]bool{}
	for name := range t.texts {
		top, _, _ := strings.Cut(name, "/")
		if seen[top] {
			continue
		}
		seen[top] = true
		if !slices.Contains(allowed, top) && !strings.HasPrefix(top, ".") {
			problems = append(problems, "the top folder holds "+strconv.Quote(top))
		}
	}
	return problems, len(seen)
}

// packageNames refuses names that say nothing, and those that hide a package
// of the standard library.
func packageNames(t *tree) (problems []string, checked int) {
	vague := strings.Fields("util utils common helper helpers types manager misc base shared lib")
	standard := strings.Fields(`ast atomic base64 big binary bits bufio build bytes cmp context csv debug embed errors exec
		flag fmt fs gob gzip hash heap hex html http image io ioutil iter json list log maps math mime net os parser path
		filepath pprof rand rate reflect regexp ring rpc runtime scanner signal slices slog sort sql strconv strings sync
		syscall tar template testing text time tls token trace unicode unique url user utf8 xml zip zlib`)
	for dir, files := range t.packages() {
		checked++
		name := files[0].ast.Name.Name
		switch {
		case slices.Contains(vague, name) || slices.Contains(vague, path.Base(dir)):
			problems = append(problems, "package "+dir+" has a name that says nothing")
		case slices.Contains(standard, name):
			problems = append(problems, "package "+dir+" hides a package of the standard library")
		case name != "main" && name != path.Base(dir):
			problems = append(problems, "package "+dir+" is named "+name)
		}
	}
	return problems, checked
}
