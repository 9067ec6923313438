package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tailscale/hujson"
)

// A LobeExistsError is an [AddLobe] for a name that the file has already.
type LobeExistsError struct {
	Path, Name string
	Line       int
}

// Error names the file and the line.
func (e *LobeExistsError) Error() string {
	return fmt.Sprintf("%s:%d: lobe %q is there already", e.Path, e.Line, e.Name)
}

// AddLobe writes one more lobe into the configuration file and changes no other
// byte of it: comments, order, line ends and a symbolic link stay. The file is
// created when there is none, and it is replaced whole or not at all. A budget
// of 0 is left to the default.
func AddLobe(path, name, root string, budgetMB float64) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("add lobe: %w", err)
	}
	if root == "" {
		return fmt.Errorf("add lobe %q: the root is empty", name)
	}
	if budgetMB != 0 && (budgetMB < minBudgetMB || budgetMB > maxBudgetMB) {
		return fmt.Errorf("add lobe %q: a budget of %v MB is not between %v and %v", name, budgetMB, minBudgetMB, maxBudgetMB)
	}
	target, err := linkTarget(path)
	if err != nil {
		return fmt.Errorf("add lobe %q: %w", name, err)
	}
	lobe := &hujson.Object{Members: []hujson.ObjectMember{member("root", hujson.String(root))}}
	if budgetMB != 0 {
		lobe.Members = append(lobe.Members, member("budgetMB", hujson.Float(budgetMB)))
		lobe.Members[1].Name.BeforeExtra = hujson.Extra(" ")
	}
	const attempts = 3
	for range attempts {
		err = editOnce(target, path, name, lobe)
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return fmt.Errorf("add lobe %q to %s: %w", name, path, err)
}

var errChanged = errors.New("the file changed while it was edited")

// editOnce reads, edits and replaces the file. It is errChanged when another
// program wrote the file in between.
func editOnce(target, path, name string, lobe *hujson.Object) error {
	old, err := readBytes(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("add lobe %q: %w", name, err)
	}
	existed := err == nil
	edited, err := insertLobe(old, path, name, lobe)
	if err != nil {
		return err
	}
	current, err := readBytes(target)
	if (err == nil) != existed || !bytes.Equal(current, old) {
		return errChanged
	}
	if err := replace(target, edited); err != nil {
		return fmt.Errorf("add lobe %q: %w", name, err)
	}
	return nil
}

// linkTarget follows a link, so that the link itself stays.
func linkTarget(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return target, err
}

// insertLobe returns the text with one more lobe.
func insertLobe(old []byte, path, name string, lobe *hujson.Object) ([]byte, error) {
	text, mark := bytes.CutPrefix(old, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	root, line, err := parse(text)
	if err != nil {
		return nil, &Error{Problem{File: path, Line: line, What: err.Error(), Remedy: "correct the file first"}, err}
	}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, &Error{Problem{File: path, Line: 1, What: shown(root) + " is not an object", Remedy: `write the file like {"lobes": {}}`}, nil}
	}
	lobes, err := lobesOf(top, text, path, newline)
	if err != nil {
		return nil, err
	}
	for _, m := range lobes.Members {
		if m.Name.Value.(hujson.Literal).String() == name {
			return nil, &LobeExistsError{path, name, lineOf(text, m.Name.StartOffset)}
		}
	}
	appendMember(lobes, member(name, lobe), newline, 2)
	packed := bytes.TrimSuffix(root.Pack(), []byte("\n")) // parse added it
	if mark {
		packed = append([]byte("\ufeff"), packed...)
	}
	return packed, nil
}

// lobesOf returns the object of lobes, a new one when there is none.
func lobesOf(top *hujson.Object, text []byte, path, newline string) (*hujson.Object, error) {
	for i := range top.Members {
		m := &top.Members[i]
		if m.Name.Value.(hujson.Literal).String() != "lobes" {
			continue
		}
		if m.Value.Value.Kind() == 'n' {
			m.Value.Value = &hujson.Object{}
		}
		lobes, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return nil, &Error{Problem{File: path, Line: lineOf(text, m.Value.StartOffset), Key: "lobes",
				What: shown(&m.Value) + " is not an object", Remedy: `write it like "lobes": {` + lobeExample + `}`}, nil}
		}
		return lobes, nil
	}
	lobes := &hujson.Object{}
	appendMember(top, member("lobes", lobes), newline, 1)
	return lobes, nil
}

func member(name string, value hujson.ValueTrimmed) hujson.ObjectMember {
	return hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
	}
}

// appendMember puts a member last. What stood before the closing brace, such
// as a comment behind the last member, stays before the new one.
func appendMember(object *hujson.Object, m hujson.ObjectMember, newline string, depth int) {
	indent := newline + indentation(object, depth)
	before, closing := []byte(object.AfterExtra), []byte(nil)
	if cut := bytes.LastIndexByte(before, '\n'); cut >= 0 && len(bytes.TrimSpace(before[cut:])) == 0 {
		closing = bytes.Clone(before[cut+1:])
		before = bytes.TrimRight(before[:cut+1], "\r\n")
	} else {
		before, closing = bytes.TrimRight(before, " \t"), bytes.Repeat([]byte("  "), depth-1)
	}
	m.Name.BeforeExtra = append(bytes.Clone(before), indent...)
	object.AfterExtra = append([]byte(newline), closing...)
	if n := len(object.Members); n > 0 && object.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the list ended in a comma, and goes on to do so
	}
	object.Members = append(object.Members, m)
}

// indentation is that of the object's members, two blanks for each level when
// there are none on a line of their own.
func indentation(object *hujson.Object, depth int) string {
	if n := len(object.Members); n > 0 {
		extra := object.Members[n-1].Name.BeforeExtra
		if cut := bytes.LastIndexByte(extra, '\n'); cut >= 0 && len(bytes.TrimSpace(extra[cut:])) == 0 {
			return string(extra[cut+1:])
		}
	}
	return string(bytes.Repeat([]byte("  "), depth))
}

// replace writes the file beside the old one and renames it over.
func replace(path string, content []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}
