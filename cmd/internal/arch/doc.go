// Package arch is the law of the house as a test: imports point down, files
// and functions stay short, what is exported is documented, and nothing that
// belongs to one machine stands in the text.
//
// It holds no code of the product. Its test reads every file of the module
// itself, so a changed file always runs it again, and it fails when it met
// nothing to check. A limit is raised, and a package is given its floor, in
// this folder, where a reviewer sees it.
package arch
