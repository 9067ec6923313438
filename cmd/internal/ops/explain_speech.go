package ops

import (
	"errors"

	"memory-mcp/llm/whisper"
	"memory-mcp/lobes"
)

func ofSpeech(g guide, err error) *Fault {
	var deaf *lobes.NoTranscriberError
	var unheard *lobes.UnheardError
	var path *lobes.SoundPathError
	switch {
	case errors.As(err, &deaf) && errors.Is(deaf, whisper.ErrNotBuilt):
		return &Fault{"no_transcriber", deaf.Error(), "Record the words as text. A person can build the program with it, with WHISPER set to the folder that holds the headers and libraries of whisper.cpp: " +
			whisper.BuildCommand, ExitFailure, 501}
	case errors.As(err, &deaf):
		return &Fault{"no_transcriber", deaf.Error(), "Record the words as text. A person can choose a model: " + line("models", "pull", "whisper-base") + ", then " + line("models", "use", "whisper-base") +
			". What is missing: " + g.diagnose(), ExitFailure, 501}
	case errors.As(err, &unheard):
		return &Fault{"unheard", unheard.Error(), "WAV, FLAC, MP3 and Ogg are read. Convert another recording first: ffmpeg -i FILE -ac 1 -ar 16000 note.wav", ExitRefused, 422}
	case errors.As(err, &path):
		return &Fault{"bad_audio", path.Error(), "Give the path of a recording inside the project. A person can record any file of theirs: " + line("record", "FILE"), ExitRefused, 422}
	}
	return nil
}
