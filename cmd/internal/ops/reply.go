package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"memory-mcp/crash"
	"memory-mcp/lobes"
)

// common are the arguments that every operation takes.
type common struct {
	Format    string `json:"format" enum:"text|json" words:"format" hide:"1"`
	MaxTokens int    `json:"maxTokens" doc:"2000"`
}

// quiet are the same arguments where the schema is kept short.
type quiet struct {
	Format    string `json:"format" enum:"text|json" words:"format" hide:"1"`
	MaxTokens int    `json:"maxTokens" doc:"size of the answer (2000)" hide:"1"`
}

// Reply is an answer, for a model or a person as text and for a program as
// JSON.
type Reply struct {
	// AsJSON tells that the caller asked for JSON.
	AsJSON bool
	// Tokens is the budget that the caller asked for, within the bounds.
	Tokens int

	guide  guide
	answer answer
	notes  []string
}

// Text is the answer in words, within the budget.
func (r Reply) Text() string {
	p := newPage(r.guide, r.Tokens)
	duplicate(r.answer).text(p)
	for _, n := range r.notes {
		p.line("Note: %s.", n)
	}
	return masked(p.String())
}

// JSON is the answer as a structure, within the budget: what is left out is
// counted in it.
func (r Reply) JSON() ([]byte, error) {
	a := duplicate(r.answer)
	for {
		b, err := encode(a)
		if err != nil || tokens(string(b)) <= float64(r.Tokens) || !a.shrink() {
			return b, err
		}
	}
}

// duplicate is the answer to be cut to a size: what is dropped from it is not
// dropped from the original.
func duplicate(a answer) answer {
	original := reflect.ValueOf(a).Elem()
	c := reflect.New(original.Type())
	c.Elem().Set(original)
	return c.Interface().(answer)
}

func encode(a answer) ([]byte, error) {
	tidy(reflect.ValueOf(a))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// tidy makes an answer fit for a program: every list that is missing becomes
// an empty one, so that nobody meets null where a list is promised, and every
// text is looked at once more for secrets.
func tidy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			tidy(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tidy(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			tidy(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		tidyMap(v)
	case reflect.String:
		if v.CanSet() && v.Len() >= shortestSecret {
			v.SetString(safe(v.String()))
		}
	}
}

// tidyMap looks at the keys and the values of a map. Counts whose keys have
// become the same are added up.
func tidyMap(v reflect.Value) {
	if !v.CanSet() || v.Type().Key().Kind() != reflect.String {
		return
	}
	clean := reflect.MakeMapWithSize(v.Type(), v.Len())
	for k, value := range v.Seq2() {
		key, fresh := reflect.New(k.Type()).Elem(), reflect.New(value.Type()).Elem()
		key.Set(k)
		fresh.Set(value)
		tidy(key)
		tidy(fresh)
		if was := clean.MapIndex(key); was.IsValid() && fresh.CanInt() {
			fresh.SetInt(fresh.Int() + was.Int())
		}
		clean.SetMapIndex(key, fresh)
	}
	v.Set(clean)
}

// shortestSecret is the length below which no text can hold a secret.
const shortestSecret = 12

// Call runs the operation with the name on arguments as they came. Beside a
// Fault the Reply only tells whether JSON was asked for.
func Call(ctx context.Context, env *Env, name string, raw json.RawMessage) (Reply, *Fault) {
	o, ok := Find(name)
	if !ok {
		return Reply{}, env.Explain(&UnknownOpError{Name: name, Known: names(env.facts().Listed(false))})
	}
	if o.Effect.Writes() && env.facts().ReadOnly {
		return Reply{}, env.Explain(&lobes.ReadOnlyError{Verb: o.Name})
	}
	r, err := o.run(ctx, env, raw)
	if err != nil {
		return Reply{AsJSON: r.AsJSON}, env.Explain(err)
	}
	return r, nil
}

func (o Op) run(ctx context.Context, env *Env, raw json.RawMessage) (Reply, error) {
	good, err := o.Repair(raw)
	if err != nil {
		return Reply{}, withExample(err, o)
	}
	args, err := json.Marshal(good.Values)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Tokens: DefaultTokens, notes: good.Notes}
	if n, ok := good.Values["maxTokens"].(int); ok && n > 0 {
		r.Tokens = min(max(n, minTokens), MaxTokens)
	}
	r.AsJSON = good.Values["format"] == "json"
	lobe, _ := good.Values["lobe"].(string)
	err = env.guard(crash.Doing{Op: o.Name, Lobe: lobe, Phase: "running", Writes: o.Effect.Writes()}, func() error {
		r.answer, err = o.handle(ctx, env, args)
		return err
	})
	if err != nil {
		return r, &failedCall{withExample(err, o), o}
	}
	r.guide = env.guide(env.broken(ctx))
	return r, nil
}

// broken tells whether the lobes are degraded or in safe mode.
func (e *Env) broken(ctx context.Context) bool {
	m, err := e.Current(ctx)
	return err != nil || m.Mode() != lobes.Running
}

// withExample gives an argument's error the example of its operation.
func withExample(err error, o Op) error {
	var bad *ArgumentError
	if errors.As(err, &bad) && bad.Op == "" {
		bad.Op = o.Name
	}
	return err
}

func names(all []Op) []string {
	found := make([]string, len(all))
	for i, o := range all {
		found[i] = o.Name
	}
	return found
}

// UnknownOpError says that no operation has the name.
type UnknownOpError struct {
	Name  string
	Known []string
}

func (e *UnknownOpError) Error() string {
	return "no tool is named " + quote(cut(e.Name, 60)) + " (there are " + strings.Join(e.Known, ", ") + ")"
}
