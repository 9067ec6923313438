// Package whisper turns speech into text with whisper.cpp.
//
// A [Transcriber] listens to a recording with a model file. whisper.cpp is a C
// library, so it is linked only with the build tag whisper; without it [New]
// gives [ErrNotBuilt], and nothing of it, nor of the decoders of sound, is in
// the program.
//
// The listening is done by a child process, which is this program again with
// the arguments that [Options] names, and calls [Listen]. A model file or a
// recording on which the library gives up ends the child and not its parent;
// the memory of the model is free afterwards; and the child ends when its
// parent does, however that happens, since it reads the parent's pipe.
package whisper
