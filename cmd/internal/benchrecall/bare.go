package benchrecall

import (
	"fmt"

	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// Bare is an [Opener] that ranks by the index alone, one index a group, without
// files, boosts and the rest of the product.
func Bare(s Set) (Ranker, error) {
	docs := make(map[string][]index.Doc)
	for i, n := range s.Notes {
		docs[n.Group] = append(docs[n.Group], Doc(n, i))
	}
	r := make(bare)
	a := textanalysis.New(textanalysis.Options{})
	for group, d := range docs {
		r[group] = index.New(a)
		r[group].Apply(d, nil)
	}
	return r, nil
}

// Doc maps a note to an entry's own fields. The title of a note within a group
// is the one who spoke.
func Doc(n Note, order int) index.Doc {
	d := index.Doc{
		Key: n.ID, ID: n.ID, Title: n.Title, Body: n.Text, Tags: n.Tags,
		Session: n.Ctx, Seq: n.Seq, Group: n.Group, Date: ParseDate(n.Date),
	}
	if n.Group != "" {
		d.Speaker, d.Title = n.Title, ""
	}
	if n.Path != "" {
		d.Files, d.Seq = []string{n.Path}, order
	}
	return d
}

type bare map[string]*index.Index

// Rank searches by words, as an explicit recall does.
func (b bare) Rank(group, query string) (Answer, error) {
	x := b[group]
	if x == nil {
		return Answer{}, fmt.Errorf("no notes in group %q", group)
	}
	r := x.Search(index.Query{Text: query, Limit: depth})
	a := Answer{Gate: r.Gate()}
	for _, h := range r.Hits {
		a.IDs = append(a.IDs, h.Key)
	}
	return a, nil
}
