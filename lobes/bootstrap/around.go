package bootstrap

import (
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// licence names the licence by the text of its file.
func licence(p *project) []Proposal {
	for _, file := range p.match("license", "license.*", "licence", "licence.*", "copying", "copying.*", "unlicense", "unlicense.*") {
		name := licenceName(oneLine(strings.ToLower(p.read(file))))
		if name == "" {
			continue
		}
		return []Proposal{{Topic: "general", Title: "Licence", Body: "The project is under the " + name + ", as `" + file + "` says.", Sources: []string{file}, Tags: []string{"licence"}}}
	}
	return nil
}

// licenceName knows licences by a phrase that only they have; the first match
// counts, so the narrower phrase stands before the wider one.
func licenceName(text string) string {
	for _, l := range []struct{ phrase, name string }{
		{"gnu affero general public license", "GNU Affero General Public License"},
		{"gnu lesser general public license", "GNU Lesser General Public License"},
		{"gnu general public license version 2", "GNU General Public License, version 2"},
		{"gnu general public license version 3", "GNU General Public License, version 3"},
		{"gnu general public license", "GNU General Public License"},
		{"apache license", "Apache License 2.0"},
		{"mozilla public license", "Mozilla Public License 2.0"},
		{"boost software license", "Boost Software License"},
		{"eclipse public license", "Eclipse Public License"},
		{"european union public licence", "European Union Public Licence"},
		{"business source license", "Business Source License"},
		{"functional source license", "Functional Source License"},
		{"server side public license", "Server Side Public License"},
		{"creative commons", "Creative Commons licence"},
		{"this is free and unencumbered software released into the public domain", "Unlicense (public domain)"},
		{"permission to use, copy, modify, and/or distribute this software for any purpose", "ISC License"},
		{"permission is hereby granted, free of charge", "MIT License"},
		{"neither the name of", "BSD 3-Clause License"},
		{"redistribution and use in source and binary forms", "BSD 2-Clause License"},
		{"all rights reserved", "terms of its owner (all rights reserved)"},
	} {
		if strings.Contains(text, l.phrase) {
			if l.name == "GNU General Public License" {
				return gplVersion(text)
			}
			return l.name
		}
	}
	return ""
}

func gplVersion(text string) string {
	for _, v := range []string{"2", "3"} {
		if strings.Contains(text[:min(len(text), 400)], "version "+v) {
			return "GNU General Public License, version " + v
		}
	}
	return "GNU General Public License"
}

// integration names the continuous integration and its workflows.
func integration(p *project) []Proposal {
	var lines, sources []string
	for _, ci := range []struct {
		name     string
		patterns []string
	}{
		{"GitHub Actions", []string{".github/workflows/*.yml", ".github/workflows/*.yaml"}},
		{"Forgejo or Gitea Actions", []string{".forgejo/workflows/*.yml", ".forgejo/workflows/*.yaml", ".gitea/workflows/*.yml", ".gitea/workflows/*.yaml"}},
		{"GitLab CI", []string{".gitlab-ci.yml"}},
		{"CircleCI", []string{".circleci/config.yml"}},
		{"Azure Pipelines", []string{"azure-pipelines.yml", "azure-pipelines.yaml"}},
		{"Jenkins", []string{"jenkinsfile"}},
		{"Travis CI", []string{".travis.yml"}},
		{"Bitbucket Pipelines", []string{"bitbucket-pipelines.yml"}},
		{"Buildkite", []string{".buildkite/*.yml", ".buildkite/*.yaml"}},
		{"Drone", []string{".drone.yml"}},
		{"Woodpecker", []string{".woodpecker.yml", ".woodpecker/*.yml", ".woodpecker/*.yaml"}},
		{"AppVeyor", []string{"appveyor.yml", ".appveyor.yml"}},
		{"Google Cloud Build", []string{"cloudbuild.yaml", "cloudbuild.yml"}},
		{"a script", []string{".ci/run", ".ci/run.sh", "ci/run.sh", "ci.sh"}},
	} {
		files := p.match(ci.patterns...)
		if len(files) == 0 {
			continue
		}
		line := "- " + ci.name
		if names := workflowNames(p, files); len(names) > 0 {
			line += ": " + some(names, 12)
		}
		lines = append(lines, line)
		sources = append(sources, firstOf(files, 8)...)
	}
	if len(lines) == 0 {
		return nil
	}
	return []Proposal{{Topic: "conventions", Title: "Continuous integration", Body: "Pipelines of this repository:\n" + strings.Join(lines, "\n"), Sources: sources, Tags: []string{"ci"}}}
}

// workflowNames tells each file's own name for itself and where it is.
func workflowNames(p *project, files []string) []string {
	var out []string
	for _, file := range firstOf(files, 13) {
		var workflow struct {
			Name string `yaml:"name"`
		}
		label := "`" + path.Base(file) + "`"
		if !strings.HasSuffix(file, "ml") {
			out = append(out, "`"+file+"`")
			continue
		}
		if err := yaml.Unmarshal([]byte(p.read(file)), &workflow); err == nil && workflow.Name != "" {
			label = clip(oneLine(workflow.Name), 60) + " (" + label + ")"
		}
		out = append(out, label)
	}
	return out
}

// A tool is a program that checks or tests, known by its configuration.
type tool struct {
	name     string
	patterns []string
}

func testTools() []tool {
	return []tool{
		{"Jest", []string{"jest.config.*"}}, {"Vitest", []string{"vitest.config.*"}}, {"Mocha", []string{".mocharc*"}},
		{"Playwright", []string{"playwright.config.*"}}, {"Cypress", []string{"cypress.config.*", "cypress.json"}}, {"Karma", []string{"karma.conf.*"}},
		{"pytest", []string{"pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"}}, {"tox", []string{"tox.ini"}}, {"nox", []string{"noxfile.py"}},
		{"RSpec", []string{".rspec", "spec/spec_helper.rb"}}, {"PHPUnit", []string{"phpunit.xml", "phpunit.xml.dist"}},
	}
}

func lintTools() []tool {
	return []tool{
		{"EditorConfig", []string{".editorconfig"}}, {"pre-commit", []string{".pre-commit-config.yaml"}}, {"lefthook", []string{"lefthook.yml", "lefthook.yaml"}},
		{"golangci-lint", []string{".golangci.yml", ".golangci.yaml", ".golangci.toml"}}, {"staticcheck", []string{"staticcheck.conf"}},
		{"ESLint", []string{"eslint.config.*", ".eslintrc", ".eslintrc.*"}}, {"Prettier", []string{".prettierrc", ".prettierrc.*", "prettier.config.*"}},
		{"Biome", []string{"biome.json", "biome.jsonc"}}, {"Stylelint", []string{".stylelintrc", ".stylelintrc.*", "stylelint.config.*"}},
		{"TypeScript compiler", []string{"tsconfig.json"}}, {"Ruff", []string{"ruff.toml", ".ruff.toml"}}, {"Flake8", []string{".flake8"}},
		{"mypy", []string{"mypy.ini", ".mypy.ini"}}, {"Pylint", []string{".pylintrc", "pylintrc"}}, {"Pyright", []string{"pyrightconfig.json"}},
		{"RuboCop", []string{".rubocop.yml"}}, {"rustfmt", []string{"rustfmt.toml", ".rustfmt.toml"}}, {"Clippy", []string{"clippy.toml", ".clippy.toml"}},
		{"clang-format", []string{".clang-format"}}, {"clang-tidy", []string{".clang-tidy"}}, {"SwiftLint", []string{".swiftlint.yml"}},
		{"SwiftFormat", []string{".swiftformat", ".swift-format"}}, {"Credo", []string{".credo.exs"}}, {"mix format", []string{".formatter.exs"}},
		{"PHPStan", []string{"phpstan.neon", "phpstan.neon.dist"}}, {"PHP CS Fixer", []string{".php-cs-fixer.php", ".php-cs-fixer.dist.php"}},
		{"detekt", []string{"detekt.yml", "config/detekt/detekt.yml"}}, {"Checkstyle", []string{"checkstyle.xml", "config/checkstyle/checkstyle.xml"}},
		{"Dart analyzer", []string{"analysis_options.yaml"}}, {"markdownlint", []string{".markdownlint.*"}}, {"ShellCheck", []string{".shellcheckrc"}},
	}
}

// checks tells where tests are, and what tests and checks the code.
func checks(p *project) []Proposal {
	tests, testFiles := configured(p, testTools())
	lint, lintFiles := configured(p, lintTools())
	pyTests, pyLint := pythonTools(p)
	tests, lint = append(tests, pyTests...), append(lint, pyLint...)
	sources := append(testFiles, lintFiles...)
	if len(pyTests)+len(pyLint) > 0 {
		sources = append(sources, "pyproject.toml")
	}
	var lines []string
	if where := testPlaces(p.files); len(where) > 0 {
		lines = append(lines, "- Tests: "+strings.Join(where, "; "))
	}
	if len(tests) > 0 {
		lines = append(lines, "- Test tools: "+strings.Join(unique(tests), ", "))
	}
	if len(lint) > 0 {
		lines = append(lines, "- Formatting and static checks: "+strings.Join(unique(lint), ", "))
	}
	if len(lines) == 0 {
		return nil
	}
	return []Proposal{{Topic: "conventions", Title: "Tests and code checks", Body: strings.Join(lines, "\n"), Sources: firstOf(sources, 12), Tags: []string{"tests", "lint"}}}
}

func unique(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

func configured(p *project, tools []tool) (names, files []string) {
	for _, t := range tools {
		if found := p.match(t.patterns...); len(found) > 0 {
			names = append(names, t.name+" (`"+found[0]+"`)")
			files = append(files, found[0])
		}
	}
	return names, files
}

var pythonSection = expression(`(?m)^\[tool\.(\w+)`)

// pythonTools are the tools that pyproject.toml configures.
func pythonTools(p *project) (tests, lint []string) {
	if !p.has("pyproject.toml") {
		return nil, nil
	}
	for _, m := range pythonSection().FindAllStringSubmatch(p.read("pyproject.toml"), -1) {
		switch m[1] {
		case "pytest", "tox", "nox":
			tests = append(tests, m[1]+" (`pyproject.toml`)")
		case "ruff", "black", "isort", "mypy", "pylint", "pyright", "flake8":
			lint = append(lint, m[1]+" (`pyproject.toml`)")
		}
	}
	return tests, lint
}

// testPlaces tells by which names and in which folders tests are found.
func testPlaces(files []string) []string {
	var folders, styles []string
	for _, f := range files {
		if dir, _, below := strings.Cut(f, "/"); below && folderHint(strings.ToLower(dir)) == "tests" && !slices.Contains(folders, "`"+dir+"/`") {
			folders = append(folders, "`"+dir+"/`")
		}
		if style := testStyle(path.Base(f)); style != "" && !slices.Contains(styles, style) {
			styles = append(styles, style)
		}
	}
	slices.Sort(styles)
	var out []string
	if len(styles) > 0 {
		out = append(out, "files named "+some(styles, 6))
	}
	if len(folders) > 0 {
		out = append(out, "in "+some(folders, 6))
	}
	return out
}

func testStyle(base string) string {
	for _, end := range []string{"_test.go", ".test.ts", ".test.tsx", ".test.js", ".spec.ts", ".spec.js", "_spec.rb", "_test.exs", "_test.py", "Test.java", "Tests.cs", "Tests.swift", "_test.dart", "Test.kt", "Test.php"} {
		if strings.HasSuffix(base, end) {
			return "`*" + end + "`"
		}
	}
	if strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py") {
		return "`test_*.py`"
	}
	return ""
}

// rules cites the files that hold rules for agents and people, and the records
// of decisions. Their text stays where it is.
func rules(p *project) []Proposal {
	agents := p.match("agents.md", "claude.md", "gemini.md", "qwen.md", "warp.md", ".cursorrules", ".windsurfrules", ".clinerules", ".clinerules/*",
		".rules", ".goosehints", ".github/copilot-instructions.md", ".github/instructions/*.md", ".cursor/rules/*", ".windsurf/rules/*", ".claude/claude.md", ".claude/rules/*",
		"conventions.md", "*/agents.md", "*/*/agents.md", "*/claude.md", "*/*/claude.md")
	people := p.match("contributing.md", "contributing", "contributing.rst", ".github/contributing.md", "docs/contributing.md", "style.md", "styleguide.md", "docs/style.md", "development.md", "hacking.md", "hacking", "docs/development.md")
	decisions, records := decisionFolders(p.files)
	var lines []string
	if len(agents) > 0 {
		lines = append(lines, "- For coding agents: "+some(quoted(agents), 10))
	}
	if len(people) > 0 {
		lines = append(lines, "- For contributors: "+some(quoted(people), 6))
	}
	if len(decisions) > 0 {
		lines = append(lines, "- Decision records: "+some(quoted(decisions), 4))
	}
	if len(lines) == 0 {
		return nil
	}
	sources := append(append(firstOf(agents, 10), firstOf(people, 6)...), firstOf(records, 6)...)
	return []Proposal{{Topic: "conventions", Title: "Where the rules of this repository are written",
		Body: "Kept in files of the repository, which are the current text and are not copied here:\n" + strings.Join(lines, "\n"), Sources: sources, Tags: []string{"rules"}}}
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + n + "`"
	}
	return out
}

// decisionFolders are the folders of architecture decision records, and the
// records in them.
func decisionFolders(files []string) (folders, records []string) {
	for _, f := range files {
		dir := path.Dir(f)
		switch strings.ToLower(dir) {
		case "adr", "adrs", "doc/adr", "docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "docs/architecture/adr", "docs/rfcs", "rfcs":
			records = append(records, f)
			if !slices.Contains(folders, dir+"/") {
				folders = append(folders, dir+"/")
			}
		}
	}
	return folders, records
}
