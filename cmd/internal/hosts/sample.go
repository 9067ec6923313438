package hosts

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed samples/*.jsonl
var samples embed.FS

// A Sample is an event as a host sends it, recorded from one or written after
// its documents.
type Sample struct {
	Name  string          `json:"name"`
	Says  bool            `json:"says"` // what is answered reaches the model
	Input json.RawMessage `json:"input"`
}

// Samples are the events of one host, none for a host without hooks. Words in
// double braces in them are replaced from the pairs, which are texts.
func Samples(id string, pairs map[string]string) ([]Sample, error) {
	text, err := samples.ReadFile("samples/" + id + ".jsonl")
	if err != nil {
		return nil, nil // it has none
	}
	var all []Sample
	for line := range bytes.Lines(text) {
		var s Sample
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("read the samples of %q: %w", id, err)
		}
		for name, value := range pairs {
			quoted, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			inside := string(quoted[1 : len(quoted)-1])
			s.Input = json.RawMessage(strings.ReplaceAll(string(s.Input), "{{"+name+"}}", inside))
		}
		all = append(all, s)
	}
	return all, nil
}
