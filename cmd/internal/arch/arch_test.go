package arch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rules is everything that is checked, by the name of its test.
func rules() map[string]rule {
	return map[string]rule{
		"ImportsPointDown":           importsPointDown,
		"PureStayPure":               pureStayPure,
		"StdoutBelongsToTheProtocol": stdoutBelongsToTheProtocol,
		"DependenciesAreExplained":   dependenciesAreExplained,
		"Folders":                    folders,
		"PackageNames":               packageNames,
		"FilesStayShort":             filesStayShort,
		"FunctionsStayShort":         functionsStayShort,
		"ExportedAreDocumented":      exportedAreDocumented,
		"NoInit":                     noInit,
		"NoChangingVariables":        noChangingVariables,
		"TextsStandAlone":            textsStandAlone,
	}
}

// readHouse reads the module that this test belongs to.
func readHouse(t *testing.T) *tree {
	t.Helper()
	top := filepath.Join("..", "..", "..")
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+module+"\n") {
		t.Fatalf("%s is not the top folder of %s (%v)", top, module, err)
	}
	texts, err := readModule(top)
	if err != nil {
		t.Fatal(err)
	}
	house, err := newTree(texts)
	if err != nil {
		t.Fatal(err)
	}
	return house
}

func TestHouse(t *testing.T) {
	house := readHouse(t)
	all := rules()
	for _, name := range sortedKeys(all) {
		t.Run(name, func(t *testing.T) {
			problems, checked := all[name](house)
			if checked == 0 {
				t.Error("nothing was checked")
			}
			for _, p := range problems {
				t.Error(p)
			}
		})
	}
}
