package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Effect is what an operation does to memories.
type Effect int

// The effects, in the order of how much they can change.
const (
	Reads    Effect = iota // changes nothing
	Adds                   // adds or confirms memories
	Rewrites               // changes or removes memories; their history stays
	Forgets                // removes content for good
)

// String names the effect.
func (e Effect) String() string {
	return [...]string{"reads", "adds", "rewrites", "forgets"}[e]
}

// Writes tells whether the effect changes anything on disk.
func (e Effect) Writes() bool { return e != Reads }

// Profile names the set of operations that are offered. All others but those
// that write in a read-only process can still be called.
type Profile string

// The profiles.
const (
	Default Profile = ""      // few tools, each with many arguments
	Verbs   Profile = "verbs" // many short verbs with few arguments
	Full    Profile = "full"  // everything
)

// ParseProfile reads a profile's name. What is not known is [Default], and
// not ok.
func ParseProfile(name string) (p Profile, ok bool) {
	switch fold(name) {
	case "", "default", "standard":
		return Default, true
	case "verbs":
		return Verbs, true
	case "full", "all":
		return Full, true
	}
	return Default, false
}

// Op is one operation. It is made by [New] only.
type Op struct {
	Name   string
	Title  string // a few words for a person
	Doc    string // the first sentence says when to call it
	Effect Effect
	// Idempotent tells that calling twice is calling once.
	Idempotent bool

	listed    []Profile
	care      bool // also listed while something is broken
	generates bool // listed by default only where a model for generation is configured
	bare      string
	params    []param
	aliases   map[string]string
	example   string
	handle    func(ctx context.Context, env *Env, args []byte) (answer, error)
}

// answer is what a handler gives: a structure for JSON that can also be said
// in words.
type answer interface {
	// text writes the answer, what matters most first.
	text(p *page)
	// shrink drops the least important part for an answer that is too long,
	// and tells whether there was something to drop.
	shrink() bool
}

// New makes an operation from its handler. The schema follows from the fields
// of In: their json names, and the tags doc, enum, mute, hide, list and keep.
func New[In any, Out answer](o Op, handle func(context.Context, *Env, In) (Out, error)) Op {
	o.params = paramsOf(reflect.TypeFor[In](), o.Name)
	o.handle = func(ctx context.Context, env *Env, args []byte) (answer, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, fmt.Errorf("read the arguments of %s: %w", o.Name, err)
		}
		return handle(ctx, env, in)
	}
	return o
}

// Find gives the operation with the name, read without regard for case,
// hyphens, and the prefixes that hosts put before names.
func Find(name string) (Op, bool) {
	want := toolName(name)
	for _, o := range All() {
		if toolName(o.Name) == want {
			return o, true
		}
	}
	for _, o := range All() {
		if toolName(o.Name) == "memory"+want {
			return o, true
		}
	}
	return Op{}, false
}

// Listed are the operations that the caller is offered, in a fixed order.
// broken tells that the lobes are degraded or in safe mode.
func (f Facts) Listed(broken bool) []Op {
	var found []Op
	for _, o := range All() {
		if f.ReadOnly && o.Effect.Writes() || o.generates && !f.Generates && f.Profile != Full {
			continue
		}
		if f.Profile == Full || slices.Contains(o.listed, f.Profile) || broken && o.care {
			found = append(found, o)
		}
	}
	return found
}

// Callable are the operations that a call may name.
func (f Facts) Callable() []Op {
	var found []Op
	for _, o := range All() {
		if !f.ReadOnly || !o.Effect.Writes() {
			found = append(found, o)
		}
	}
	return found
}

// Hints tell a host what an operation may do, so that it can decide whether to
// ask a person first. They follow from the effect.
type Hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Hints are those of the operation. Nothing here reaches beyond this machine.
// A rewrite counts as destructive though its history stays: the present changes.
func (o Op) Hints() Hints {
	return Hints{ReadOnly: !o.Effect.Writes(), Destructive: o.Effect == Rewrites || o.Effect == Forgets, Idempotent: o.Idempotent}
}
