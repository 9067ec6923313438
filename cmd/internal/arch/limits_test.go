package arch_test

import (
	"bytes"
	"fmt"
	"go/ast"
)

// The limits. The aim is far below them.
const (
	maxFileLines     = 500
	maxFunctionLines = 70
	maxNesting       = 4
)

func filesStayShort(t *tree) (problems []string, checked int) {
	for _, f := range t.files {
		checked++
		if n := bytes.Count(t.texts[f.path], []byte("\n")); n > maxFileLines {
			problems = append(problems, fmt.Sprintf("%s has %d lines, and at most %d are allowed", f.path, n, maxFileLines))
		}
	}
	return problems, checked
}

// functionsStayShort looks at everything but tests, whose tables may be long.
func functionsStayShort(t *tree) (problems []string, checked int) {
	for _, f := range t.files {
		if f.test {
			continue
		}
		eachFunction(f.ast, func(name string, n ast.Node, body *ast.BlockStmt) {
			checked++
			lines := t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
			if lines > maxFunctionLines {
				problems = append(problems, fmt.Sprintf("%s: %s has %d lines, and at most %d are allowed", t.at(n), name, lines, maxFunctionLines))
			}
			if depth := nesting(body); depth > maxNesting {
				problems = append(problems, fmt.Sprintf("%s: %s is nested %d deep, and at most %d is allowed", t.at(n), name, depth, maxNesting))
			}
		})
	}
	return problems, checked
}

// eachFunction visits the declared functions, and the literals of package
// variables.
func eachFunction(f *ast.File, visit func(name string, n ast.Node, body *ast.BlockStmt)) {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if d.Body != nil {
				visit(d.Name.Name, d, d.Body)
			}
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			literal, ok := n.(*ast.FuncLit)
			if ok {
				visit("a function literal", literal, literal.Body)
			}
			return !ok
		})
	}
}

// nesting counts blocks and function literals; an else is as deep as its if.
func nesting(body *ast.BlockStmt) int {
	deepest := 0
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		deepest = max(deepest, depth)
		ast.Inspect(n, func(child ast.Node) bool {
			if child == n {
				return true
			}
			switch child := child.(type) {
			case *ast.BlockStmt:
				walk(child, depth+1)
				return false
			}
			return true
		})
	}
	walk(body, 0)
	return deepest
}
