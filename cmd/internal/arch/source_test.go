package arch_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is the text of a module: the files by their path with slashes.
type tree struct {
	texts map[string][]byte
	fset  *token.FileSet
	files []*file
}

// A file is one Go file.
type file struct {
	path string
	dir  string // the package, without the module's name
	test bool
	ast  *ast.File
}

// newTree parses every Go file outside of testdata.
func newTree(texts map[string][]byte) (*tree, error) {
	t := &tree{texts: texts, fset: token.NewFileSet()}
	for _, name := range sortedKeys(texts) {
		if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(t.fset, name, texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, &file{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), parsed})
	}
	return t, nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// packages are the directories with Go files that are no tests, and those
// files.
func (t *tree) packages() map[string][]*file {
	packages := map[string][]*file{}
	for _, f := range t.files {
		if !f.test {
			packages[f.dir] = append(packages[f.dir], f)
		}
	}
	return packages
}

// at is the place of a node in a message.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// maxText leaves out files that are too large to have been written by hand.
const maxText = 4 << 20

// readModule reads every text file of the checkout, but not what git ignores
// in the top folder, and not git's own folder.
func readModule(root string) (map[string][]byte, error) {
	ignored, err := ignoredNames(root)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	err = filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == ".git" || ignored(name) {
			return skip(d)
		}
		if d.IsDir() || !d.Type().IsRegular() {
			return nil
		}
		return readText(texts, full, name)
	})
	return texts, err
}

func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func readText(texts map[string][]byte, full, name string) error {
	info, err := os.Stat(full)
	if err != nil || info.Size() > maxText {
		return err
	}
	text, err := os.ReadFile(full)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return err
	}
	texts[name] = text
	return nil
}

// ignoredNames understands the two forms that our .gitignore uses: /name in
// the top folder, and a pattern for base names anywhere.
func ignoredNames(root string) (func(string) bool, error) {
	text, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		return nil, err
	}
	patterns := strings.Fields(string(text))
	return func(name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			pattern = strings.TrimSuffix(pattern, "/")
			if top, anchored := strings.CutPrefix(pattern, "/"); anchored {
				return name == top
			}
			match, err := path.Match(pattern, path.Base(name))
			return err == nil && match
		})
	}, nil
}
