package sound

import (
	"errors"
	"io"
	"iter"
	"math"
	"time"
)

// A Window is a stretch of a recording that a speech model hears at once.
type Window struct {
	At      time.Duration // where in the recording it begins
	Samples []float32     // valid until the next one comes
	Silent  bool          // nothing in it is loud enough to be speech
}

// How a recording is cut.
const (
	longest = 30 * Rate // a speech model hears so much at once
	search  = 6 * Rate  // the end of a window in which it may be cut
	hush    = Rate / 5  // how long it has to be quiet there
	moment  = Rate / 50 // how exactly that is looked for
	quiet   = 0.0003    // -70 dB, what a speech is louder than
	loud    = Rate / 10 // how long speech lasts at least
)

// Windows cuts what is left of the recording into windows of at most 30 s, each
// at the quietest place near its end, so that no word is cut in two where there
// is a pause. It ends with the error of the recording, if there is one.
func (r *Reader) Windows() iter.Seq2[Window, error] {
	return func(yield func(Window, error) bool) {
		buffer, have, given := make([]float32, longest), 0, int64(0)
		for {
			n, err := r.fillUp(buffer[have:])
			have += n
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Window{At: duration(given+int64(have), Rate)}, err)
				return
			}
			if have == 0 {
				return
			}
			size := have
			if err == nil {
				size = longest - search + quietest(buffer[longest-search:])
			}
			w := Window{At: duration(given, Rate), Samples: buffer[:size], Silent: silent(buffer[:size])}
			if !yield(w, nil) {
				return
			}
			have = copy(buffer, buffer[size:have])
			given += int64(size)
		}
	}
}

// fillUp reads until p is full or the recording ends.
func (r *Reader) fillUp(p []float32) (int, error) {
	n := 0
	for n < len(p) {
		more, err := r.Read(p[n:])
		n += more
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// quietest is the middle of the quietest stretch; of equal ones the last.
func quietest(samples []float32) int {
	best, least := len(samples), math.Inf(1)
	for i := 0; i+hush <= len(samples); i += moment {
		if e := energy(samples[i : i+hush]); e <= least {
			best, least = i+hush/2, e
		}
	}
	return best
}

// silent tells whether there is nothing that could be speech.
func silent(samples []float32) bool {
	for len(samples) > 0 {
		part := samples[:min(loud, len(samples))]
		if energy(part) > quiet*quiet*float64(len(part)) {
			return false
		}
		samples = samples[len(part):]
	}
	return true
}

func energy(samples []float32) float64 {
	sum := 0.0
	for _, x := range samples {
		sum += float64(x) * float64(x)
	}
	return sum
}
