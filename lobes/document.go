package lobes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memory-mcp/store"
	"memory-mcp/store/entry"
	"memory-mcp/store/index"
)

// sessionSource begins a source that is a place in a session rather than in a
// file: "session:NAME#12" is its twelfth turn.
const sessionSource = "session:"

// documentAgain gives the index what it knows of the head that a ref of a view
// stands for.
func documentAgain(ref any) index.Doc {
	if r, ok := ref.(*store.Ref); ok {
		return document(r.Head())
	}
	return index.Doc{}
}

// refs are documents of which the index asks again.
func refs(changed []*store.Ref) []index.Doc {
	docs := make([]index.Doc, len(changed))
	for i, r := range changed {
		docs[i] = index.Doc{Key: r.Path(), Ref: r}
	}
	return docs
}

// document is what the index knows of a head. Entries of one session, and
// entries that rest on one file, are neighbours in the order of the places
// that they cite.
func document(h *store.Head) index.Doc {
	e := &h.Entry
	d := index.Doc{
		Key: h.Path, ID: e.ID, Topic: e.Topic, Title: e.Title, Body: e.Body,
		Tags: e.Tags, Subject: e.Subject, Date: e.Created, Plain: plain(h), Marks: marksOf(h), Order: orderOf(e),
		Files:  make([]string, 0, len(e.Sources)+len(e.References)+len(e.Files)),
		Fields: make([]string, 0, len(e.Concepts)+4),
	}
	for _, list := range [][]string{e.Sources, e.References, e.Files} {
		for _, source := range list {
			cite(&d, source)
		}
	}
	d.Fields = append(d.Fields, e.Concepts...)
	for _, text := range []string{e.Problem, e.Solution, e.Quote, strings.TrimPrefix(e.Topic, "modules/")} {
		if text != "" {
			d.Fields = append(d.Fields, text)
		}
	}
	return d
}

// orderOf is what entries are listed by: how certain they are, and since when.
func orderOf(e *entry.Entry) index.Order {
	return index.Order{Rank: e.Certainty(), Moment: since(e).UnixMicro()}
}

// byOrder puts the more certain entry first, the newer one among equals.
func byOrder(a, b index.Listed) int {
	if c := cmp.Or(cmp.Compare(b.Order.Rank, a.Order.Rank), cmp.Compare(b.Order.Moment, a.Order.Moment)); c != 0 {
		return c
	}
	return byAge(headAt(a.Ref), headAt(b.Ref))
}

// headOf is the head of a document.
func headOf(d *index.Doc) *store.Head { return headAt(d.Ref) }

// headAt is the head that the index handed back.
func headAt(ref any) *store.Head { return ref.(*store.Ref).Head() }

// cite adds a source to what the index knows. The first one with a place gives
// the entry its own among its neighbours.
func cite(d *index.Doc, source string) {
	if session, ok := strings.CutPrefix(strings.TrimSpace(source), sessionSource); ok {
		if d.Session == "" {
			d.Session, d.Seq = turnOf(session)
		}
		return
	}
	name, place := placeOf(source)
	if len(d.Files) == 0 && d.Session == "" {
		d.Seq = place
	}
	if !slices.Contains(d.Files, name) {
		d.Files = append(d.Files, name)
	}
}

// placeOf takes a source apart into what is cited and the line or turn in it,
// 0 when none is told.
func placeOf(source string) (name string, place int) {
	name = citedFile(source)
	rest := strings.TrimLeft(strings.TrimSpace(source)[len(name):], ":#L")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	place, err := strconv.Atoi(digits)
	if err != nil {
		return name, 0
	}
	return name, place
}

// turnOf takes the number of a turn off the name of a session.
func turnOf(session string) (name string, turn int) {
	name, number, found := strings.Cut(session, "#")
	turn, err := strconv.Atoi(number)
	if !found || err != nil {
		return name, 0
	}
	return name, turn
}
