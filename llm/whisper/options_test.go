package whisper_test

import (
	"testing"

	"memory-mcp/llm/whisper"
)

func TestNames(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ada/.memory-mcp/models/ggml-base.bin": "whisper-base",
		"/m/ggml-small.en-q5_1.bin":                  "whisper-small.en-q5_1",
		"/m/my ear":                                  "my ear",
	} {
		if name := (whisper.Options{Model: path}).Name(); name != want {
			t.Errorf("%s is called %q and not %q", path, name, want)
		}
	}
}
