// Package sidecar keeps a helper program running while it is needed.
//
// A [Supervisor] starts the program at its first use, lends its address,
// starts it again when it dies, and stops it when nobody has used it for a
// while. [Supervisor.Borrow] never waits: until the program answers, the caller
// does without it. [Start] runs one process in such a way that it dies with
// us; [Shared] makes all processes of a machine use the same one.
//
// What it promises: when [Supervisor.Run] returns the process is gone, with
// all that it started, also when it does not heed a request to end. A program
// that fails three times in a row stays off. The package knows no model and no
// protocol.
package sidecar
