package imports

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/lobes"
)

// A node is a line of the reference server's file: an entity or a relation.
type node struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	Relation     string   `json:"relationType"`
}

// graph reads the knowledge graph of the reference memory server: each entity
// is one memory, with what is observed of it and how it hangs together with
// others.
func (b *Batch) graph(path, text string) {
	name := filepath.Base(path)
	var entities []string
	byName := map[string]*node{}
	var relations []node
	line := 0
	for l := range strings.SplitSeq(text, "\n") {
		line++
		if strings.TrimSpace(l) == "" {
			continue
		}
		var n node
		where := fmt.Sprintf("%s:%d", name, line)
		if err := json.Unmarshal([]byte(l), &n); err != nil {
			b.skip(where, "it is no line of JSON: %v", err)
			continue
		}
		switch {
		case n.Type == "entity" && n.Name != "":
			if old := byName[n.Name]; old != nil { // some servers write a second line
				old.Observations = append(old.Observations, n.Observations...)
				continue
			}
			entities = append(entities, n.Name)
			byName[n.Name] = &n
		case n.Type == "relation" && n.From != "" && n.To != "":
			relations = append(relations, n)
		default:
			b.skip(where, "it is neither an entity nor a relation")
		}
	}
	for _, r := range relations {
		from := byName[r.From]
		if from == nil {
			b.skip(name, "the relation %q of %q, which is not there", r.Relation, r.From)
			continue
		}
		from.Observations = append(from.Observations, strings.Join([]string{r.From, strings.ReplaceAll(r.Relation, "_", " "), r.To}, " "))
	}
	for _, of := range entities {
		b.entity(name, byName[of])
	}
}

func (b *Batch) entity(file string, n *node) {
	var lines []string
	for _, o := range n.Observations {
		if o = strings.TrimSpace(o); o != "" && !slices.Contains(lines, o) {
			lines = append(lines, o)
		}
	}
	if len(lines) == 0 {
		b.skip(file, "nothing is observed of %q", n.Name)
		return
	}
	text := lines[0]
	if len(lines) > 1 {
		text = "- " + strings.Join(lines, "\n- ")
	}
	note := lobes.Note{Title: strings.ReplaceAll(n.Name, "_", " "), Text: text, Topic: "general", Tags: []string{"imported"}, References: []string{file}}
	if n.EntityType != "" {
		note.Tags = append(note.Tags, strings.ToLower(strings.Join(strings.Fields(n.EntityType), "-")))
	}
	if strings.EqualFold(n.EntityType, "preference") {
		note.Topic, note.Kind = "preferences", "preference"
	}
	b.add(file, "graph\x00"+n.Name, note)
}
