package index

import (
	"cmp"
	"slices"
)

// A Tag is one that entries carry, and how many do.
type Tag struct {
	Name string
	Docs int
}

// Tags returns the tags of all documents, the most frequent first. They are
// counted once for each state of the index; the list is not to be changed.
func (x *Index) Tags() []Tag { return x.current.Load().tags() }

func (s *state) countTags() []Tag {
	counts := make(map[string]int)
	for i := range s.parts {
		p := &s.parts[i]
		for tag, docs := range p.seg.tags {
			counts[tag] += len(docs) - p.lessTags[tag]
		}
	}
	tags := make([]Tag, 0, len(counts))
	for name, n := range counts {
		if n > 0 {
			tags = append(tags, Tag{name, n})
		}
	}
	slices.SortFunc(tags, func(a, b Tag) int { return cmp.Or(cmp.Compare(b.Docs, a.Docs), cmp.Compare(a.Name, b.Name)) })
	return tags
}

// tagNames are the tags of a document in the form in which they are compared,
// each once.
func (d *Doc) tagNames() []string {
	names := make([]string, 0, len(d.Tags))
	for _, t := range d.Tags {
		if name := tagName(t); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
