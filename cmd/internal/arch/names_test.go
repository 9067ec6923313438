package arch_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// exportedAreDocumented wants a comment on each exported name and package. The
// methods by which a type fits a standard interface speak for themselves.
func exportedAreDocumented(t *tree) (problems []string, checked int) {
	for dir, files := range t.packages() {
		checked++
		if !slices.ContainsFunc(files, func(f *file) bool { return packageDoc(f.ast) }) {
			problems = append(problems, "package "+dir+" has no comment that begins with its name")
		}
		for _, f := range files {
			for _, d := range f.ast.Decls {
				for _, n := range undocumented(d) {
					problems = append(problems, fmt.Sprintf("%s: %s is exported and not documented", t.at(n), n.Name))
				}
			}
		}
	}
	return problems, checked
}

func packageDoc(f *ast.File) bool {
	text := f.Doc.Text()
	return strings.HasPrefix(text, "Package "+f.Name.Name+" ") || f.Name.Name == "main" && text != ""
}

func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && !selfEvident(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	}
	return nil
}

// selfEvident is true for methods of unexported types and of standard
// interfaces.
func selfEvident(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	base := d.Recv.List[0].Type
	for {
		switch x := base.(type) {
		case *ast.StarExpr:
			base = x.X
			continue
		case *ast.IndexExpr:
			base = x.X
			continue
		case *ast.IndexListExpr:
			base = x.X
			continue
		case *ast.Ident:
			standard := []string{"Error", "String", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "LogValue"}
			return !x.IsExported() || slices.Contains(standard, d.Name.Name)
		}
		return false
	}
}

func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var missing []*ast.Ident
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && spec.Doc == nil && d.Doc == nil {
				missing = append(missing, spec.Name)
			}
		case *ast.ValueSpec:
			if spec.Doc == nil && spec.Comment == nil && d.Doc == nil {
				missing = append(missing, exported(spec.Names)...)
			}
		}
	}
	return missing
}

func exported(names []*ast.Ident) []*ast.Ident {
	return slices.DeleteFunc(slices.Clone(names), func(n *ast.Ident) bool { return !n.IsExported() })
}

// noInit finds functions that run before main, and errors thrown away by name.
func noInit(t *tree) (problems []string, checked int) {
	for _, f := range t.files {
		checked++
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "init" {
				problems = append(problems, t.at(d)+": an init function")
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN && len(a.Lhs) == 1 && isName(a.Lhs[0], "_") && isName(a.Rhs[0], "err") {
				problems = append(problems, t.at(a)+": an error is thrown away")
			}
			return true
		})
	}
	return problems, checked
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// noChangingVariables finds package variables that are written to, whose
// address is taken by code that writes to such values, or that are made to
// change, such as a mutex.
func noChangingVariables(t *tree) (problems []string, checked int) {
	for dir, files := range t.packages() {
		p := resolve(t, dir, files)
		checked++
		for _, f := range files {
			problems = append(problems, madeToChange(t, f.ast)...)
			ast.Inspect(f.ast, func(n ast.Node) bool {
				for _, target := range p.written(n) {
					if id := root(target); id != nil && p.variables[p.info.Uses[id]] {
						problems = append(problems, fmt.Sprintf("%s: the package variable %s changes", t.at(n), id.Name))
					}
				}
				return true
			})
		}
	}
	return problems, checked
}

// resolved is a package whose names are tied to what they mean. What it
// imports is not loaded: that is enough to tell a package variable from a
// local one.
type resolved struct {
	info      *types.Info
	variables map[types.Object]bool
	changing  map[types.Type]bool // types whose values are written to in part
}

func resolve(t *tree, dir string, files []*file) *resolved {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	var parsed []*ast.File
	for _, f := range files {
		parsed = append(parsed, f.ast)
	}
	pkg, _ := conf.Check(dir, t.fset, parsed, info) // the missing imports are errors
	p := &resolved{info, map[types.Object]bool{}, map[types.Type]bool{}}
	for _, object := range info.Defs {
		if v, ok := object.(*types.Var); ok && v.Parent() == pkg.Scope() {
			p.variables[v] = true
		}
	}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			for _, target := range stores(n) {
				p.noteChange(target)
			}
			return true
		})
	}
	return p
}

// noteChange remembers the types of all that a target is a part of.
func (p *resolved) noteChange(target ast.Expr) {
	for target != nil {
		p.changing[p.named(target)] = true
		target = inner(target)
	}
}

// named is the type of an expression without its pointers.
func (p *resolved) named(e ast.Expr) types.Type {
	t := p.info.Types[e].Type
	if id, ok := e.(*ast.Ident); ok && t == nil {
		if object := p.info.Uses[id]; object != nil {
			t = object.Type()
		}
	}
	if pointer, ok := t.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// written are the expressions that a node writes to, or that it hands out by
// address where values of their type are written to.
func (p *resolved) written(n ast.Node) []ast.Expr {
	if address, ok := n.(*ast.UnaryExpr); ok && address.Op == token.AND {
		if _, isStruct := p.named(address.X).(*types.Named); isStruct && !p.changing[p.named(address.X)] {
			return nil // a row of a table, which everybody only reads
		}
		return []ast.Expr{address.X}
	}
	return stores(n)
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) {
	return nil, errors.New("imports are not loaded")
}

// stores are the expressions that a node writes to.
func stores(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.CallExpr:
		if len(n.Args) > 0 && (isName(n.Fun, "delete") || isName(n.Fun, "clear") || isName(n.Fun, "copy")) {
			return n.Args[:1]
		}
	}
	return nil
}

// root is the variable that an expression like a.b[c] belongs to.
func root(e ast.Expr) *ast.Ident {
	for e != nil {
		if id, ok := e.(*ast.Ident); ok {
			return id
		}
		e = inner(e)
	}
	return nil
}

// inner is what an expression is a part of, nil for a name.
func inner(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	case *ast.ParenExpr:
		return x.X
	}
	return nil
}

// madeToChange finds package variables that are a lock, a pool or an atomic
// value.
func madeToChange(t *tree, f *ast.File) (problems []string) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if s, ok := stateful(v); ok {
				problems = append(problems, fmt.Sprintf("%s: the package variable %s of type %s changes", t.at(v), v.Names[0].Name, s))
			}
		}
	}
	return problems
}

// stateful is true for a variable that is declared or made as a value of a
// type of sync or sync/atomic.
func stateful(v *ast.ValueSpec) (string, bool) {
	kinds := []ast.Expr{v.Type}
	for _, value := range v.Values {
		if address, ok := value.(*ast.UnaryExpr); ok {
			value = address.X
		}
		if literal, ok := value.(*ast.CompositeLit); ok {
			kinds = append(kinds, literal.Type)
		}
	}
	for _, kind := range kinds {
		if generic, ok := kind.(*ast.IndexExpr); ok {
			kind = generic.X
		}
		if s, ok := kind.(*ast.SelectorExpr); ok && (isName(s.X, "sync") || isName(s.X, "atomic")) {
			return types.ExprString(s), true
		}
	}
	return "", false
}
