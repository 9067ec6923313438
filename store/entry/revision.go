package entry

import "time"

// Op is what a revision did.
type Op string

// What a revision can do to an entry.
const (
	OpCreate  Op = "create"  // the first state
	OpReplace Op = "replace" // the text was never right: same id, new text
	OpAppend  Op = "append"  // text added at the end
	OpEdit    Op = "edit"    // fields changed
	OpConfirm Op = "confirm" // seen again, or checked
	OpRetract Op = "retract" // a tombstone: the head goes, the history stays
	OpRestore Op = "restore" // back from a tombstone
	OpAdopt   Op = "adopt"   // an edit from outside, written down
	OpErase   Op = "erase"   // a tombstone without content; the history is gone too

	OpLate      Op = "late"      // text that an editor wrote into a file which had been replaced: beside the line, never believed
	OpSupersede Op = "supersede" // another entry took its place: it held until then
	OpUndo      Op = "undo"      // an earlier state again; without a head, a tombstone
	OpMove      Op = "move"      // another path and nothing else; without a head, a tombstone: it went to another lobe
	OpArchive   Op = "archive"   // out of the present, and kept
	OpBlank     Op = "blank"     // stands where a state was whose content was erased: nothing is known of it
)

// Revision is one immutable state of an entry: an envelope with the facts of
// the writing, and the head's exact bytes.
type Revision struct {
	ID       string
	Parents  []string  // keys (see [Revision.Key]) of the states it follows
	Recorded time.Time // when we learned it, UTC, to the nanosecond
	Actor    string    // who wrote: an MCP client and its version, "cli", "outside", ...
	Session  string
	Role     string // "user" or "assistant"; "" when not told
	Op       Op
	Reason   string
	Change   string // joins the revisions that one call wrote
	Path     string // of the head, slash-separated, relative to the lobe
	MovedTo  string // of a tombstone with OpMove: the lobe that it went to
	Hint     string // for an edit from outside: who it may have been
	Head     []byte // the head's exact bytes; nil for a tombstone

	// Instead are keys of states in whose place this one stands, the first of
	// them first: their text was masked, or of a blank erased. They do not
	// count, wherever they turn up.
	Instead []string
	Was     Op        // of a blank: what the erased state had done
	Erased  time.Time // of a blank: when it was erased, UTC
	Eraser  string    // of a blank: by whom

	// later holds the header lines of a newer version, so that the revision
	// that was read keeps its bytes, and with them its key; newOp says that the
	// op is one of a newer version.
	later []laterLine
	newOp bool
}

// laterLine is a header line with a key that this version does not know.
// It stands before the known key with this index.
type laterLine struct {
	before int
	line   string
}

// Gone tells whether the revision is a tombstone. What a newer version calls
// by a name that is not known here is an edit, or a tombstone when it has no head.
func (r Revision) Gone() bool {
	switch {
	case r.Op == OpRetract || r.Op == OpErase || r.Op == OpBlank:
		return true
	case r.Op == OpMove || r.Op == OpUndo || r.newOp:
		return len(r.Head) == 0
	}
	return false
}
