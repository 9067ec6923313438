package arch_test

import (
	"strings"
	"testing"
)

// TestRulesSeeWhatIsWrong gives each rule a house with one fault and one
// without.
func TestRulesSeeWhatIsWrong(t *testing.T) {
	long := strings.Repeat("\n", 501)
	deep := "package store\nfunc f() { if true { for { switch { case true: func() { %s }() } } } }\n"
	wo, sh := "/wo"+"rk", "../sha"+"red"
	tests := []struct {
		rule string
		file string
		text string
		want string // part of the only problem; empty for none
	}{
		{"ImportsPointDown", "store/a.go", `package store; import "memory-mcp/store/entry"`, ""},
		{"ImportsPointDown", "store/a.go", `package store; import "memory-mcp/lobes"`, "store/a.go:1: store may import lower floors only, and imports lobes"},
		{"ImportsPointDown", "store/a.go", `package store; import "memory-mcp/store/index"`, "store may import lower floors only"},
		{"ImportsPointDown", "store/a.go", `package store; import "memory-mcp/llm/sidecar"`, "store never imports llm/sidecar"},
		{"ImportsPointDown", "lobes/a.go", `package lobes; import "memory-mcp/config"`, "lobes never imports config"},
		{"ImportsPointDown", "store/other/a.go", `package other; import "memory-mcp/store/entry"`, "package store/other has no floor"},
		{"ImportsPointDown", "cmd/internal/app/a.go", `package app; import "memory-mcp/cmd/internal/other"`, "package cmd/internal/other has no floor"},
		{"ImportsPointDown", "cmd/internal/app/a.go", `package app; import "memory-mcp/cmd/internal/ops"`, ""},
		{"ImportsPointDown", "cmd/internal/web/a.go", `package web; import "memory-mcp/lobes"`, "cmd/internal/web may import only cmd/internal/ops"},
		{"ImportsPointDown", "cmd/memory-mcp/a.go", `package main; import "memory-mcp/cmd/internal/ops"`, "cmd/memory-mcp may import only cmd/internal/cli"},
		{"ImportsPointDown", "store/a_test.go", `package store_test; import "memory-mcp/lobes"`, ""},
		{"ImportsPointDown", "lobes/a_test.go", `package lobes_test; import "memory-mcp/cmd/internal/ops"`, "a test of lobes imports cmd/internal/ops"},
		{"PureStayPure", "textanalysis/a.go", `package textanalysis; import "os"`, "textanalysis only computes, and imports os"},
		{"PureStayPure", "textanalysis/a_test.go", `package textanalysis; import "os"`, ""},
		{"StdoutBelongsToTheProtocol", "lobes/a.go", "package lobes\nfunc f() { fmt.Println() }", "lobes/a.go:2: fmt.Println"},
		{"StdoutBelongsToTheProtocol", "lobes/a.go", "package lobes\nvar w = os.Stdout", "lobes/a.go:2: os.Stdout"},
		{"StdoutBelongsToTheProtocol", "cmd/internal/cli/a.go", "package cli\nfunc f() { fmt.Println() }", ""},
		{"DependenciesAreExplained", "go.mod", "module memory-mcp\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\n", "no line for example.com/a"},
		{"DependenciesAreExplained", "go.mod", "module memory-mcp\n\nrequire example.com/a v1.0.0\n", "no line for example.com/a"},
		{"Folders", "pkg/a.go", "package pkg", `the top folder holds "pkg"`},
		{"Folders", ".github/a.txt", "", ""},
		{"PackageNames", "store/util/a.go", "package util", "has a name that says nothing"},
		{"PackageNames", "store/errors/a.go", "package errors", "hides a package of the standard library"},
		{"PackageNames", "store/a.go", "package stores", "package store is named stores"},
		{"FilesStayShort", "store/a_test.go", "package store" + long, "store/a_test.go has 501 lines"},
		{"FunctionsStayShort", "store/a.go", "package store\nfunc f() {" + strings.Repeat("\n", 70) + "}", "store/a.go:2: f has 71 lines"},
		{"FunctionsStayShort", "store/a_test.go", "package store\nfunc f() {" + strings.Repeat("\n", 70) + "}", ""},
		{"FunctionsStayShort", "store/a.go", "package store\nvar f = func() {" + strings.Repeat("\n", 70) + "}", "a function literal has 71 lines"},
		{"FunctionsStayShort", "store/a.go", strings.Replace(deep, "%s", "", 1), ""},
		{"FunctionsStayShort", "store/a.go", strings.Replace(deep, "%s", "if true {}", 1), "f is nested 5 deep"},
		{"FunctionsStayShort", "store/a.go", "package store\nfunc f() { if a { } else if b { } else if c { } else if d { } else if e { } else if g { } }", ""},
		{"ExportedAreDocumented", "store/a.go", "// Package store stores.\npackage store\nfunc F() {}", "store/a.go:3: F is exported"},
		{"ExportedAreDocumented", "store/a.go", "// Package store stores.\npackage store\ntype T struct{}", "T is exported"},
		{"ExportedAreDocumented", "store/a.go", "// Package store stores.\npackage store\nvar v, W = 1, 2", "W is exported"},
		{"ExportedAreDocumented", "store/a.go", "// Package store stores.\npackage store\n// All of them.\nconst (\nA = 1\nB = 2\n)", ""},
		{"ExportedAreDocumented", "store/a.go", "// Package store stores.\npackage store\ntype t[K any] struct{}\nfunc (*t[K]) Do() {}\n// E is an error.\ntype E struct{}\nfunc (E) Error() string { return \"\" }", ""},
		{"ExportedAreDocumented", "store/a.go", "// Package store stores.\npackage store\n// E is one.\ntype E struct{}\nfunc (*E) Do() {}", "Do is exported"},
		{"ExportedAreDocumented", "store/a.go", "// Stores.\npackage store", "package store has no comment"},
		{"NoInit", "store/a.go", "package store\nfunc init() {}", "an init function"},
		{"NoInit", "store/a.go", "package store\nfunc f() { err := g(); _ = err }", "an error is thrown away"},
		{"NoChangingVariables", "store/a.go", "package store\nvar v = 1\nfunc f() { v = 2 }", "store/a.go:3: the package variable v changes"},
		{"NoChangingVariables", "store/a.go", "package store\nvar v = 1\nfunc f() { v := 2; v++ }", ""},
		{"NoChangingVariables", "store/a.go", "package store\nvar v = map[int]int{}\nfunc f() { v[1]++ }", "the package variable v changes"},
		{"NoChangingVariables", "store/a.go", "package store\nvar v = map[int]int{}\nfunc f() { delete(v, 1) }", "the package variable v changes"},
		{"NoChangingVariables", "store/a.go", "package store\nvar v int\nfunc f() { g(&v) }\nfunc g(*int)", "the package variable v changes"},
		{"NoChangingVariables", "store/a.go", "package store\ntype t struct{ n int }\nvar v = []t{{1}}\nfunc f() *t { return &v[0] }", ""},
		{"NoChangingVariables", "store/a.go", "package store\ntype t struct{ n int }\nvar v = []t{{1}}\nfunc f() { x := &v[0]; x.n = 2 }", "the package variable v changes"},
		{"NoChangingVariables", "store/a.go", "package store\nimport \"sync\"\nvar mu sync.Mutex", "the package variable mu of type sync.Mutex changes"},
		{"NoChangingVariables", "store/a.go", "package store\nimport \"sync\"\nvar p = &sync.Pool{}", "the package variable p of type sync.Pool changes"},
		{"NoChangingVariables", "store/a.go", "package store\nimport \"errors\"\nvar errGone = errors.New(\"gone\")", ""},
		{"TextsStandAlone", "docs/a.md", "see `" + wo + "/main`", "is a folder of one machine"},
		{"TextsStandAlone", "docs/a.md", "in the home's home" + wo + " folder, and /workspace", ""},
		{"TextsStandAlone", "docs/a.md", "see " + sh + "/x", "is a folder beside the project"},
		{"TextsStandAlone", "docs/a.md", "belongs to iss" + "ue 12.", "is a numbered task"},
		{"TextsStandAlone", "store/a.go", "package store // DESIGN" + " §3", "is a page that is not here"},
		{"TextsStandAlone", ".ci/run", "GOPROXY=https://proxy.golang" + ".org", "is the host of a registry"},
		{"TextsStandAlone", "store/testdata/fuzz/F/1", sh, ""},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			house, err := newTree(map[string][]byte{tt.file: []byte(tt.text)})
			if err != nil {
				t.Fatal(err)
			}
			problems, _ := rules()[tt.rule](house)
			if got := strings.Join(problems, "\n"); (tt.want == "") != (got == "") || len(problems) > 1 || !strings.Contains(got, tt.want) {
				t.Errorf("%s with\n%s\ngives %q, want one with %q", tt.file, tt.text, problems, tt.want)
			}
		})
	}
}

// TestEmptyHouseIsNoProof: with nothing to look at, no rule has checked
// anything.
func TestEmptyHouseIsNoProof(t *testing.T) {
	house, err := newTree(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, rule := range rules() {
		if _, checked := rule(house); checked != 0 {
			t.Errorf("%s says that it checked %d things of nothing", name, checked)
		}
	}
}
