package ops

import (
	"strings"
)

// texts makes a list of what was given: a list, a text that holds one, words
// with commas or on lines, or one value.
func (c coercion) texts(p param, v any) (any, error) {
	var found []string
	collect(&found, p, v, 0)
	kept := make([]string, 0, len(found))
	for _, s := range found {
		s = strings.TrimSpace(s)
		if s == "" || fold(s) == "null" {
			continue
		}
		kept = append(kept, s)
	}
	if len(kept) == 0 {
		return nil, nil
	}
	return kept, nil
}

func collect(found *[]string, p param, v any, depth int) {
	switch v := v.(type) {
	case string:
		if inner, ok := embedded(v); ok && depth < maxNesting {
			collect(found, p, inner, depth+1)
			return
		}
		if depth > 0 {
			*found = append(*found, v)
			return
		}
		*found = append(*found, splitList(p, v)...)
	case []any:
		for _, one := range v {
			if depth < maxNesting {
				collect(found, p, one, depth+1)
			}
		}
	case map[string]any:
		*found = append(*found, itemText(v))
	default:
		*found = append(*found, scalarText(v))
	}
}

// splitList splits at line ends and commas. The commas of free words and of
// an address belong to them.
func splitList(p param, s string) []string {
	s = unquoted(strings.TrimSpace(s))
	if p.whole || strings.Contains(s, "\n") {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(l), "- "), "* ")
		}
		return lines
	}
	if strings.Contains(s, "://") && !strings.Contains(s, ", ") {
		return []string{s}
	}
	return strings.Split(s, ",")
}

// itemText finds the text in an object that stands where a text was meant.
func itemText(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return scalarText(v)
	}
	for _, key := range []string{"text", "content", "value", "fact", "observation", "name", "path", "file", "id", "title", "uri", "url", "tag"} {
		if s, ok := m[key]; ok {
			if t := scalarText(s); t != "" {
				return t
			}
		}
	}
	return compact(m)
}

// objects makes a list of objects: of a list, of one object, of texts that
// hold either, or of plain texts.
func (c coercion) objects(p param, v any) (any, error) {
	switch w := v.(type) {
	case string:
		if inner, ok := embedded(w); ok {
			return c.objects(p, inner)
		}
		return c.objects(p, []any{w})
	case map[string]any:
		if len(w) == 1 {
			for key, inner := range w {
				if list, ok := inner.([]any); ok && fold(key) == fold(p.name) {
					return c.objects(p, list)
				}
			}
		}
		return c.objects(p, []any{w})
	case []any:
		all := make([]any, 0, len(w))
		for _, one := range w {
			o, err := c.entry(p, one)
			if err != nil {
				return nil, err
			}
			if len(o) > 0 {
				all = append(all, o)
			}
		}
		return all, nil
	}
	return nil, c.fail(v, `it should be a list such as [{"title":"…","content":"…"}]`)
}

// entry repairs one object of a list as the arguments of a call are repaired.
func (c coercion) entry(p param, v any) (map[string]any, error) {
	inner := Op{Name: c.op, params: p.items, bare: "content", aliases: aliases(ofFields, ofStore, map[string]string{"scope": "topic"})}
	r := Repaired{Values: map[string]any{}}
	named := inner.resolve(inner.object(v, 0), &r)
	for _, q := range p.items {
		given, ok := named[q.name]
		if !ok || q.absent(given) {
			continue
		}
		ic := coercion{op: c.op, name: c.name + "." + q.name, notes: c.notes}
		good, err := ic.value(q, given)
		if err != nil {
			return nil, err
		}
		if good != nil {
			r.Values[q.name] = good
		}
	}
	*c.notes = append(*c.notes, r.Notes...)
	return r.Values, nil
}
