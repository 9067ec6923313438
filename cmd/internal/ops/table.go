package ops

import "sync"

// All are the operations, in the order in which they are listed.
func All() []Op { return table() }

// table is made when it is first asked for: a command that calls no operation
// does not pay for the schemas.
var table = sync.OnceValue(func() []Op {
	return []Op{
		contextOp(),
		queryOp(),
		storeOp(),
		correctOp(),
		historyOp(),
		bootstrapOp(),
		recordOp(),
		feedbackOp(),
		briefOp(),
		recallOp(),
		areaOp("gotchas", "gotchas", "Call before you touch an area of the code: its known traps."),
		areaOp("conventions", "conventions", "Call before you write code: how this project does things."),
		learnOp("gotcha", "gotchas", "Call when something bit you or nearly did: a trap that others should know."),
		learnOp("convention", "conventions", "Call when you see how this project does things: naming, patterns, style."),
		learnOp("learn", "", "Call when you learn anything else that a later session should know."),
		preferOp(),
		fixOp(),
		checkpointOp(),
		listLobesOp(),
		statsOp(),
		diagnoseOp(),
	}
})
