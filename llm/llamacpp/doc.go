// Package llamacpp runs llama.cpp's own server beside this program and asks it.
//
// A [Model] is one model file in one role. It is started at its first use, by
// one process of the machine, and lent as an [llm.Client]; while it is not
// ready the caller does without. [Find] looks for the program.
//
// What it promises: only this machine can ask the server, and only with a key
// that no command line shows; a program that answers in the server's place is
// not believed; when [Model.Run] returns the server is gone.
package llamacpp
