package lobes

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A Transcriber turns what was spoken in a file of sound into text.
type Transcriber interface {
	// Name is the model that listens.
	Name() string
	// Transcribe listens to a file, which may take as long as the speech does.
	// What was heard comes in order; nothing was said in a silence, and that is
	// no error. progress, nil for nobody, hears how much of the sound is done
	// and how much there is. An [UnheardError] says that the file is at fault,
	// an [UnaskedError] that the model is.
	Transcribe(ctx context.Context, path string, progress func(done, total time.Duration)) ([]Spoken, error)
}

// A Spoken is a piece of speech, and when in the recording it was said.
type Spoken struct {
	From time.Duration `json:"from"`
	To   time.Duration `json:"to"`
	Text string        `json:"text"`
}

// A NoTranscriberError says that speech cannot be turned into text here.
type NoTranscriberError struct{ Why error }

func (e *NoTranscriberError) Error() string {
	return fmt.Sprintf("speech cannot be turned into text: %v", e.Why)
}

// Unwrap gives the cause.
func (e *NoTranscriberError) Unwrap() error { return e.Why }

// An UnheardError says that a recording cannot be listened to.
type UnheardError struct {
	Path string
	Why  string
}

func (e *UnheardError) Error() string {
	return fmt.Sprintf("listen to %q: %s", e.Path, e.Why)
}

// SpokenText is the text of what was spoken, a line each.
func SpokenText(spoken []Spoken) string {
	lines := make([]string, 0, len(spoken))
	for _, s := range spoken {
		if text := strings.TrimSpace(s.Text); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

// spokenIn are the pieces whose words stand in a text: of the others something
// was left out, because it is not to be kept.
func spokenIn(spoken []Spoken, text string) []Spoken {
	var kept []Spoken
	text = strings.Join(strings.Fields(text), " ")
	for _, s := range spoken {
		if s.Text = strings.Join(strings.Fields(s.Text), " "); s.Text != "" && strings.Contains(text, s.Text) {
			kept = append(kept, s)
		}
	}
	return kept
}

// SpokenAt is when a quote of the recording was begun to be said, whatever
// white space stands in it. A quote that was not said has no time.
func SpokenAt(spoken []Spoken, quote string) (time.Duration, bool) {
	quote = strings.Join(strings.Fields(quote), " ")
	at := -1
	if quote != "" {
		at = strings.Index(strings.Join(strings.Fields(SpokenText(spoken)), " "), quote)
	}
	if at < 0 {
		return 0, false
	}
	end := 0 // of the pieces so far
	for _, s := range spoken {
		words := strings.Join(strings.Fields(s.Text), " ")
		if words == "" {
			continue
		}
		if end += len(words) + 1; at < end {
			return s.From, true
		}
	}
	return 0, false
}

// TimeCode writes a time in a recording: hours, minutes and seconds.
func TimeCode(at time.Duration) string {
	s := int64(max(at, 0) / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// AtTime names a place in a recording as the source of a memory.
func AtTime(file string, at time.Duration) string { return file + "#" + TimeCode(at) }
