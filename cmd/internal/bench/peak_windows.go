package bench

import "os"

// peakMemory is the most memory in bytes that an ended process held. Windows
// does not tell it of a process that ended.
func peakMemory(*os.ProcessState) int64 { return 0 }
