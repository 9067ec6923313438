package index

import (
	"strconv"
	"strings"
	"time"
)

// A Doc is what the index knows of one entry.
type Doc struct {
	// Key names the entry in the index; applying a Doc replaces the one with
	// the same key.
	Key string
	// ID and Topic are the entry's own, for the caller.
	ID, Topic string
	// Title and Body are its text.
	Title, Body string
	// Tags are compared whole by a filter, and count as title words.
	Tags []string
	// Files are paths that the entry cites.
	Files []string
	// Fields are further texts of the entry: problem, solution, concepts.
	Fields []string
	// Subject is compared whole by a filter, and counts as title words.
	Subject string
	// Speaker said or wrote the text; counts as a title word.
	Speaker string
	// Session and Seq give the entry its neighbours: entries of one session
	// lend each other their words, the nearest three on each side.
	Session string
	Seq     int
	// Group is for the caller.
	Group string
	// Date is when the entry was made, for questions about time.
	Date time.Time
	// Ref is the caller's own value of the entry, handed back with it.
	Ref any
	// Order is for the caller, who may list many entries by it.
	Order Order
	// Marks are numbers under which [Index.Marked] finds the entry again.
	Marks []uint64
	// Plain says that the caller keeps the entry whatever a usual query asks:
	// see [Query.KeepsPlain].
	Plain bool
}

// Order is what the caller lists an entry by.
type Order struct {
	Rank   float64
	Moment int64
}

// Field bits and counts of one posting, packed into a byte: how often a word
// stands in the body (up to 15) and in the title (up to 3), and whether it
// stands among the cited files or the words of the date.
const (
	bodyMask   = 0x0F
	titleShift = 4
	titleMask  = 0x30
	textMask   = titleMask | bodyMask
	fileBit    = 0x40
	dateBit    = 0x80
)

// zone is the part of a Doc in which a word stands.
type zone uint8

const (
	zoneTitle zone = iota // title, tags, subject, speaker
	zoneBody              // body and further fields
	zoneFiles
	zoneDate
)

// texts calls yield for each text of the document with its zone.
func (d *Doc) texts(yield func(zone, string)) {
	yield(zoneTitle, d.Title)
	for _, t := range d.Tags {
		yield(zoneTitle, t)
	}
	if d.Subject != "" {
		yield(zoneTitle, d.Subject)
	}
	if d.Speaker != "" {
		yield(zoneTitle, d.Speaker)
	}
	yield(zoneBody, d.Body)
	for _, f := range d.Fields {
		yield(zoneBody, f)
	}
	for _, f := range d.Files {
		yield(zoneFiles, f)
	}
	if !d.Date.IsZero() {
		yield(zoneDate, dateWords(d.Date))
	}
}

// dateWords are the words by which a question may name the day.
func dateWords(t time.Time) string {
	year, month, day := t.Date()
	return strconv.Itoa(day) + " " + month.String() + " " + strconv.Itoa(year)
}

// tagName is the form in which tags and subjects are compared.
func tagName(tag string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.TrimPrefix(tag, "#")), " "))
}
