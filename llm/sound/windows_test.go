package sound_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memory-mcp/llm/sound"
)

// TestWindows cuts a recording with pauses: nothing is lost, no window is too
// long, and where there is a pause near the end, it is cut there.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		w := tone(1000, sound.Rate, 0)
		var pauses []int
		for i := range rapid.IntRange(1, 4).Draw(t, "parts") {
			speech := rapid.SampledFrom([]int{0, 7, 23, 24, 25, 26, 27, 28, 29}).Draw(t, "seconds") * sound.Rate
			for j := range speech + rapid.IntRange(1, sound.Rate).Draw(t, "samples") {
				b = w.sample(b, w.value(j+i, 0))
			}
			pauses = append(pauses, len(b)/2)
			b = append(b, make([]byte, 2*rapid.IntRange(sound.Rate, sound.Rate*2).Draw(t, "pause"))...)
		}
		r, err := sound.Open(bytes.NewReader(append(w.head(uint32(len(b))), b...)), 0)
		if err != nil {
			t.Fatal(err)
		}
		at, total := 0, len(b)/2
		for piece, err := range r.Windows() {
			if err != nil {
				t.Fatal(err)
			}
			if want := time.Duration(at) * time.Second / sound.Rate; piece.At != want {
				t.Fatalf("a window begins at %v and not at %v", piece.At, want)
			}
			if n := len(piece.Samples); n == 0 || n > 30*sound.Rate || n < 24*sound.Rate && at+n != total {
				t.Fatalf("a window has %d samples", n)
			}
			for i, x := range piece.Samples {
				if want := float32(int16(uint16(b[2*(at+i)])|uint16(b[2*(at+i)+1])<<8)) / (1 << 15); x != want {
					t.Fatalf("sample %d is %v and not %v", at+i, x, want)
				}
			}
			if end := at + len(piece.Samples); end != total && pauseWithin(pauses, at) && !inPause(pauses, end) {
				t.Fatalf("a window from %d is cut at %d, and not in one of the pauses at %v", at, end, pauses)
			}
			at += len(piece.Samples)
		}
		if at != total {
			t.Fatalf("%d samples of %d", at, total)
		}
	})
}

// pauseWithin tells whether there is a pause of a second in the part of a
// window where it may be cut.
func pauseWithin(pauses []int, from int) bool {
	for _, p := range pauses {
		if p >= from+24*sound.Rate && p+sound.Rate <= from+30*sound.Rate {
			return true
		}
	}
	return false
}

func inPause(pauses []int, at int) bool {
	for _, p := range pauses {
		if at >= p && at <= p+2*sound.Rate {
			return true
		}
	}
	return false
}

// TestSilence tells a pause from a whisper: noise far below speech is nothing
// that was said, a tone at a thousandth is.
func TestSilence(t *testing.T) {
	for _, row := range []struct {
		name   string
		sample func(i int) float64
		silent bool
	}{
		{"nothing", func(int) float64 { return 0 }, true},
		{"dither", func(i int) float64 { return float64(i%2) / (1 << 15) }, true},
		{"a faint tone", func(i int) float64 { return 0.001 * math.Sin(float64(i)) }, false},
		{"a short word", func(i int) float64 {
			if i > 8000 && i < 12000 {
				return 0.01 * math.Sin(float64(i))
			}
			return 0
		}, false},
	} {
		w := tone(1, sound.Rate, 0)
		b := w.head(2 * 30000)
		for i := range 30000 {
			b = w.sample(b, row.sample(i))
		}
		r, err := sound.Open(bytes.NewReader(b), 0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for piece, err := range r.Windows() {
			if n++; err != nil || piece.Silent != row.silent {
				t.Errorf("%s: silent is %v (%v)", row.name, piece.Silent, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d windows", row.name, n)
		}
	}
}

// TestWindowsTellWhatIsWrong: also what is empty has an error, and no window.
func TestWindowsTellWhatIsWrong(t *testing.T) {
	b := tone(1, sound.Rate, 0).file()
	r, err := sound.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range r.Windows() {
		if n++; !errors.Is(err, sound.ErrEmpty) {
			t.Errorf("%v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d windows", n)
	}
}

// endless is a recording that is never held as a whole.
type endless struct {
	head []byte
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.head) > 0 {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = byte(i)
	}
	e.left -= n
	return n, nil
}

// TestThreeHours needs no more memory than a few windows.
func TestThreeHours(t *testing.T) {
	const seconds = 3 * 60 * 60
	w := wave{tag: 1, bits: 8, rate: sound.Rate, tones: []float64{1}, frames: 0}
	r, err := sound.Open(&endless{w.head(seconds * sound.Rate), seconds * sound.Rate}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.Length() != seconds*time.Second {
		t.Errorf("%v long", r.Length())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var end time.Duration
	for piece, err := range r.Windows() {
		if err != nil {
			t.Fatal(err)
		}
		end = piece.At + time.Duration(len(piece.Samples))*time.Second/sound.Rate
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were taken", used)
	}
	if end != seconds*time.Second {
		t.Errorf("the last window ends at %v", end)
	}
}
