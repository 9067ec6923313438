package sound_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"memory-mcp/llm/sound"
)

// A wave is a WAV file to be: each channel holds one tone of half the loudness.
type wave struct {
	tag, bits  int
	extensible bool
	more       int // bytes behind the description
	rate       int
	tones      []float64 // hertz, a channel each
	frames     int
}

// value is a sample of a channel.
func (w wave) value(frame, channel int) float64 {
	return 0.5 * math.Sin(2*math.Pi*w.tones[channel]*float64(frame)/float64(w.rate))
}

// sample appends a number as the wave writes it.
func (w wave) sample(b []byte, x float64) []byte {
	switch {
	case w.tag == 3 && w.bits == 32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	case w.tag == 3:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	case w.bits == 8:
		return append(b, byte(128+math.Round(x*127)))
	}
	n := uint32(int64(math.Round(x * (math.Exp2(float64(w.bits-1)) - 1))))
	return append(b, binary.LittleEndian.AppendUint32(nil, n)[:w.bits/8]...)
}

// head is all up to the samples, whose length is given.
func (w wave) head(size uint32) []byte {
	align := len(w.tones) * w.bits / 8
	tag := w.tag
	if w.extensible {
		tag = 0xfffe
	}
	f := binary.LittleEndian.AppendUint16(nil, uint16(tag))
	f = binary.LittleEndian.AppendUint16(f, uint16(len(w.tones)))
	f = binary.LittleEndian.AppendUint32(f, uint32(w.rate))
	f = binary.LittleEndian.AppendUint32(f, uint32(w.rate*align))
	f = binary.LittleEndian.AppendUint16(f, uint16(align))
	f = binary.LittleEndian.AppendUint16(f, uint16(w.bits))
	if w.extensible {
		f = append(f, 22, 0, byte(w.bits), 0, 0, 0, 0, 0, byte(w.tag), 0)
		f = append(f, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...)
	}
	f = append(f, make([]byte, w.more)...)
	b := chunk([]byte("RIFF\x00\x00\x00\x00WAVE"), "LIST", []byte("odd")) // a chunk to be skipped
	b = chunk(b, "fmt ", f)
	return binary.LittleEndian.AppendUint32(append(b, "data"...), size)
}

func chunk(b []byte, name string, content []byte) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, name...), uint32(len(content)))
	b = append(b, content...)
	return append(b, make([]byte, len(content)%2)...)
}

// file is the whole of it.
func (w wave) file() []byte {
	b := w.head(uint32(w.frames * len(w.tones) * w.bits / 8))
	for i := range w.frames {
		for c := range w.tones {
			b = w.sample(b, w.value(i, c))
		}
	}
	return b
}

// tone is a WAV file of 16 bits with one channel.
func tone(hertz float64, rate, frames int) wave {
	return wave{tag: 1, bits: 16, rate: rate, tones: []float64{hertz}, frames: frames}
}

// all reads a recording to its end.
func all(t testing.TB, b []byte) []float32 {
	t.Helper()
	r, err := sound.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := rest(r)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// rest reads what is left of a recording.
func rest(r *sound.Reader) (samples []float32, err error) {
	buffer := make([]float32, 1000)
	for {
		n, err := r.Read(buffer)
		samples = append(samples, buffer[:n]...)
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return samples, err
		}
	}
}

// loudness is how much of a tone there is in the middle of a recording: 1 for a
// full one. Other tones of whole tens of hertz have no say in it.
func loudness(samples []float32, hertz float64) float64 {
	n := sound.Rate / 10
	for 2*n <= len(samples)*3/4 {
		n *= 2
	}
	if n > len(samples) {
		return math.NaN()
	}
	middle := samples[(len(samples)-n)/2:][:n]
	var re, im float64
	for i, x := range middle {
		s, c := math.Sincos(2 * math.Pi * hertz * float64(i) / sound.Rate)
		re += float64(x) * c
		im += float64(x) * s
	}
	return 2 * math.Hypot(re, im) / float64(n)
}

// near tells whether a loudness is the one that was meant, but for a part.
func near(have, want, part float64) bool { return math.Abs(have-want) <= want*part }
