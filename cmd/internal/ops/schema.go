package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// The kinds of a parameter.
const (
	kindText    = "string"
	kindWhole   = "integer"
	kindNumber  = "number"
	kindSwitch  = "boolean"
	kindTexts   = "texts"
	kindObjects = "objects"
)

// param is one argument of an operation, read from a field's tags.
type param struct {
	name  string
	kind  string
	doc   string
	enum  []string
	words string // the table of other words for the values of enum
	hide  bool   // accepted, and not in the schema
	whole bool   // commas in a text belong to it
	mute  bool   // enum is accepted, and not in the schema
	keep  bool   // an empty text means itself, not absence
	free  bool   // a person's or a model's own words: nothing in them is syntax
	one   bool   // a list whose schema says string: one, or several with commas
	must  bool
	items []param // of objects
}

// paramsOf reads the fields of an argument struct. A field of a kind that the
// schemas do not have is a fault of the program.
func paramsOf(t reflect.Type, op string) []param {
	var all []param
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			all = append(all, paramsOf(f.Type, op)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := param{
			name: name,
			doc:  f.Tag.Get("doc"),
			hide: f.Tag.Get("hide") != "",
			mute: f.Tag.Get("mute") != "",
			keep: f.Tag.Get("keep") != "",
			must: f.Tag.Get("must") != "",
			free: f.Tag.Get("free") != "",
			one:  f.Tag.Get("one") != "",
		}
		p.words = f.Tag.Get("words")
		p.whole = f.Tag.Get("list") == "whole"
		if enum := f.Tag.Get("enum"); enum != "" {
			p.enum = strings.Split(enum, "|")
		}
		p.kind = kindOf(f.Type)
		if p.kind == "" || p.name == "" {
			panic(fmt.Sprintf("argument %s of %s has no name or a type without a schema: %s", f.Name, op, f.Type))
		}
		if p.kind == kindObjects {
			p.items = paramsOf(f.Type.Elem(), op)
		}
		all = append(all, p)
	}
	return all
}

func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return kindText
	case reflect.Int:
		return kindWhole
	case reflect.Float64:
		return kindNumber
	case reflect.Bool:
		return kindSwitch
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.String:
			return kindTexts
		case reflect.Struct:
			return kindObjects
		}
	}
	return ""
}

// Schema is the JSON schema of the arguments: one plain object, one type for
// each property, nothing that a host could stumble over. It does not say that
// there are no other properties: some hosts hold a call against the schema
// before they pass it on, and would refuse the other names of an argument and
// the arguments that are not listed.
func (o Op) Schema() json.RawMessage {
	var b bytes.Buffer
	writeObject(&b, o.params)
	return b.Bytes()
}

func writeObject(b *bytes.Buffer, params []param) {
	b.WriteString(`{"type":"object","properties":{`)
	var must []string
	first := true
	for _, p := range params {
		if p.hide {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(quote(p.name) + ":")
		writeParam(b, p)
		if p.must {
			must = append(must, quote(p.name))
		}
	}
	b.WriteByte('}')
	if len(must) > 0 {
		b.WriteString(`,"required":[` + strings.Join(must, ",") + `]`)
	}
	b.WriteByte('}')
}

func writeParam(b *bytes.Buffer, p param) {
	switch {
	case p.kind == kindTexts && p.one:
		b.WriteString(`{"type":"string"`)
	case p.kind == kindTexts:
		b.WriteString(`{"type":"array","items":{"type":"string"`)
		writeEnum(b, p)
		b.WriteByte('}')
	case p.kind == kindObjects:
		b.WriteString(`{"type":"array","items":`)
		writeObject(b, p.items)
	default:
		b.WriteString(`{"type":` + quote(p.kind))
		writeEnum(b, p)
	}
	if p.doc != "" {
		b.WriteString(`,"description":` + quote(p.doc))
	}
	b.WriteByte('}')
}

func writeEnum(b *bytes.Buffer, p param) {
	if len(p.enum) == 0 || p.mute {
		return
	}
	b.WriteString(`,"enum":[`)
	for i, v := range p.enum {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(v))
	}
	b.WriteByte(']')
}

// quote is s as JSON text, without the escapes that only web pages need.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
