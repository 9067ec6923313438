// Package bench measures how fast the program is, on notes that look like
// those of a real project.
//
// [Generator] makes notes and questions: the same seed gives the same on every
// machine, with the uneven word frequencies of real ones. [Measure] fills a
// scratch repository with them, starts the program as a host would, and times
// what a client waits for; beside it the same lobe in this process, and the
// least that a durable file costs, so that a busy machine does not look like a
// slow program.
package bench
