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
	lobe := &hujson.Object{Members: []hujson.ObjectMember{member("root", hujson.String(root))}}
	if budgetMB != 0 {
		lobe.Members = append(lobe.Members, member("budgetMB", hujson.Float(budgetMB)))
		lobe.Members[1].Name.BeforeExtra = hujson.Extra(" ")
	}
	err := edit(path, func(t *text) error { return t.insertLobe(name, lobe) })
	var wrong *Error
	var taken *LobeExistsError
	if err == nil || errors.As(err, &wrong) || errors.As(err, &taken) {
		return err // which names the file
	}
	return fmt.Errorf("add lobe %q to %s: %w", name, path, err)
}

// A text is a configuration file that is being edited.
type text struct {
	path    string
	bytes   []byte // without the byte order mark
	newline string
	top     *hujson.Object
}

var errChanged = errors.New("the file changed while it was edited")

// edit changes the file at a path, a few times when another program writes it
// meanwhile.
func edit(path string, change func(*text) error) error {
	target, err := linkTarget(path)
	if err != nil {
		return err
	}
	const attempts = 3
	for range attempts {
		err = editOnce(target, path, change)
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return err
}

// editOnce reads, edits and replaces the file. It is errChanged when another
// program wrote the file in between.
func editOnce(target, path string, change func(*text) error) error {
	old, err := readBytes(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	existed := err == nil
	edited, err := changed(old, path, change)
	if err != nil {
		return err
	}
	current, err := readBytes(target)
	if (err == nil) != existed || !bytes.Equal(current, old) {
		return errChanged
	}
	return replace(target, edited)
}

// linkTarget follows a link, so that the link itself stays.
func linkTarget(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return target, err
}

// changed returns the bytes of the file after a change of its top object.
func changed(old []byte, path string, change func(*text) error) ([]byte, error) {
	plain, mark := bytes.CutPrefix(old, []byte("\ufeff"))
	if len(bytes.TrimSpace(plain)) == 0 {
		plain = []byte("{}\n")
	}
	t := &text{path: path, bytes: plain, newline: "\n"}
	if bytes.Contains(plain, []byte("\r\n")) {
		t.newline = "\r\n"
	}
	root, line, err := parse(plain)
	if err != nil {
		return nil, &Error{Problem{File: path, Line: line, What: err.Error(), Remedy: "correct the file first"}, err}
	}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, &Error{Problem{File: path, Line: 1, What: shown(root) + " is not an object", Remedy: `write the file like {"lobes": {}}`}, nil}
	}
	t.top = top
	if err := change(t); err != nil {
		return nil, err
	}
	packed := bytes.TrimSuffix(root.Pack(), []byte("\n")) // parse added it
	if mark {
		packed = append([]byte("\ufeff"), packed...)
	}
	return packed, nil
}

// insertLobe adds one more lobe.
func (t *text) insertLobe(name string, lobe *hujson.Object) error {
	lobes, err := t.block("lobes", `"lobes": {`+lobeExample+`}`)
	if err != nil {
		return err
	}
	if m := named(lobes, name); m != nil {
		return &LobeExistsError{t.path, name, lineOf(t.bytes, m.Name.StartOffset)}
	}
	appendMember(lobes, member(name, lobe), t.newline, 2)
	return nil
}

// block returns the object of a key of the top, a new one when there is none.
func (t *text) block(key, example string) (*hujson.Object, error) {
	m := named(t.top, key)
	if m == nil {
		block := &hujson.Object{}
		appendMember(t.top, member(key, block), t.newline, 1)
		return block, nil
	}
	if m.Value.Value.Kind() == 'n' {
		m.Value.Value = &hujson.Object{}
	}
	block, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return nil, &Error{Problem{File: t.path, Line: lineOf(t.bytes, m.Value.StartOffset), Key: key,
			What: shown(&m.Value) + " is not an object", Remedy: "write it like " + example}, nil}
	}
	return block, nil
}

// named is the member of an object with a name, nil when there is none.
func named(object *hujson.Object, name string) *hujson.ObjectMember {
	for i := range object.Members {
		if m := &object.Members[i]; m.Name.Value.(hujson.Literal).String() == name {
			return m
		}
	}
	return nil
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
