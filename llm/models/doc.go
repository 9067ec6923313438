// Package models fetches model files and keeps them in one folder.
//
// [All] is the catalogue. A [Folder] lists what is there, fetches more from a
// [Source] (the hub, a mirror, a folder, or a file that a person brings) and
// removes. [Choose] picks the model that suits the memory of a machine.
// [Runtime] is the program that runs them, and an [Install] where it lies.
//
// What it promises: nothing is fetched unasked; a file is under its name only
// when it is whole and its checksum is right; a fetch that was interrupted goes
// on where it ended; room on the disk is looked at before anything is written.
package models
