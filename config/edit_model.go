package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// ModelRoles are the keys of the block "models" that name a model.
func ModelRoles() []string { return []string{"embedding", "rerank", "generation", "speech"} }

// UseModel writes into the configuration file which model of this machine is
// used for a role, one of [ModelRoles], and changes no other byte, like
// [AddLobe]. It gives the name that stood there. An empty name means none. A
// role that a server has, whose address and key a person wrote down, is an
// [Error].
func UseModel(path, role, name string) (before string, err error) {
	if !slices.Contains(ModelRoles(), role) {
		return "", fmt.Errorf("use a model for %q: there is no such role", role)
	}
	err = edit(path, func(t *text) error {
		before, err = t.useModel(role, name)
		return err
	})
	var wrong *Error
	if err != nil && !errors.As(err, &wrong) { // which names the file
		err = fmt.Errorf("use %q for %s in %s: %w", name, role, path, err)
	}
	return before, err
}

func (t *text) useModel(role, name string) (before string, err error) {
	models, err := t.block("models", `"models": {"embedding": "qwen3-embedding"}`)
	if err != nil {
		return "", err
	}
	m := named(models, role)
	if m == nil {
		appendMember(models, member(role, hujson.String(name)), t.newline, 2)
		return "", nil
	}
	at := &m.Value
	if block, ok := at.Value.(*hujson.Object); ok {
		if named(block, "url") != nil || named(block, "key") != nil {
			return "", &Error{Problem{File: t.path, Line: lineOf(t.bytes, m.Name.StartOffset), Key: "models." + role,
				What: "it names a server", Remedy: "take that block out first, with the key that stands in it"}, nil}
		}
		inner := named(block, "model")
		if inner == nil {
			appendMember(block, member("model", hujson.String(name)), t.newline, 3)
			return "", nil
		}
		at = &inner.Value
	}
	if old, ok := at.Value.(hujson.Literal); ok && old.Kind() == '"' {
		before = old.String()
	}
	at.Value = hujson.String(name)
	return before, nil
}
