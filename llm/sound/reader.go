package sound

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// Rate is how many samples a second a Reader gives, in hertz.
const Rate = 16000

// A source decodes one format.
type source interface {
	// form is how its samples are to be taken.
	form() form
	// next gives some frames, valid until it is called again. It ends with
	// io.EOF, or with errCut when there should be more, and may give the last
	// frames with that.
	next() ([]float32, error)
}

// A form is how the samples of a source follow each other.
type form struct {
	rate     int   // frames a second
	channels int   // samples a frame, one after another
	frames   int64 // in all; 0 when that is not known
	bytes    int64 // of a frame in the file; 0 when they differ
}

// What is believed of a header.
const (
	leastRate    = 1000
	mostRate     = 768000
	mostChannels = 64
)

func (f form) check() error {
	switch {
	case f.rate < leastRate || f.rate > mostRate:
		return fmt.Errorf("its header says %d samples a second", f.rate)
	case f.channels < 1 || f.channels > mostChannels:
		return fmt.Errorf("its header says %d channels", f.channels)
	}
	return nil
}

// A Reader gives a recording as samples of one channel. It is not safe for
// concurrent use.
type Reader struct {
	format string
	src    source
	of     form
	in     *counter
	size   int64 // of the file, 0 when unknown

	mixed  []float32
	to16k  *resampler
	made   []float32 // resampled
	out    []float32 // the part of it that is not yet given
	frames int64     // read from the source
	cut    bool
	end    error
}

// A counter knows how much of a file was read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// Open reads the head of a recording of size bytes, 0 when that is not known.
func Open(r io.Reader, size int64) (*Reader, error) {
	in := &counter{Reader: r}
	buffered := bufio.NewReaderSize(in, 64<<10)
	head, err := buffered.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) == 0 {
		return nil, ErrEmpty
	}
	name, open := sniff(head)
	if open == nil {
		return nil, ErrUnknown
	}
	// Only reading: a decoder that could seek would look for the end first.
	src, err := guarded(func() (source, error) { return open(struct{ io.Reader }{buffered}) })
	if err == nil {
		err = src.form().check()
	}
	if err != nil {
		return nil, &FormatError{Format: name, Err: whole(err)}
	}
	f := src.form()
	if size > 0 && f.bytes > 0 && f.frames > size/f.bytes {
		f.frames = 0 // more than the file can hold
	}
	return &Reader{format: name, src: src, of: f, in: in, size: size, to16k: newResampler(f.rate)}, nil
}

// whole says in words that a header ends too early.
func whole(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends within its header")
	}
	return err
}

// sniffed is how many bytes tell a format.
const sniffed = 64

// sniff knows a format by its first bytes. RF64 is WAV that may be long.
func sniff(head []byte) (string, func(io.Reader) (source, error)) {
	at := func(i int, what string) bool {
		return len(head) >= i && bytes.HasPrefix(head[i:], []byte(what))
	}
	switch {
	case (at(0, "RIFF") || at(0, "RF64")) && at(8, "WAVE"):
		return "WAV", openWAV
	case at(0, "fLaC"):
		return "FLAC", openFLAC
	case at(0, "OggS") && at(28, "OpusHead"):
		return "Ogg Opus", openOpus
	case at(0, "OggS") && at(28, "\x01vorbis"):
		return "Ogg Vorbis", openVorbis
	case at(0, "ID3") || len(head) > 1 && head[0] == 0xff && head[1]&0xe6 == 0xe2:
		return "MP3", openMP3 // the sync word of a frame of layer III
	}
	return "", nil
}

// guarded turns a panic of a decoder into an error: what it reads comes from
// anywhere, and a library may not have met it.
func guarded[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder gave up: %v", p)
		}
	}()
	return f()
}

// Format is the name of the recording's format.
func (r *Reader) Format() string { return r.format }

// Cut tells whether the recording ended before its end.
func (r *Reader) Cut() bool { return r.cut }

// Length is how long the recording is: as its header says where that can be
// true, else judged by the bytes that were read; 0 while it cannot be told.
func (r *Reader) Length() time.Duration {
	switch {
	case r.end != nil:
		return duration(r.frames, r.of.rate)
	case r.of.frames > 0 && !r.cut:
		return duration(r.of.frames, r.of.rate)
	case r.in.n > 0 && r.size > 0:
		return time.Duration(float64(duration(r.frames, r.of.rate)) * float64(max(r.size, r.in.n)) / float64(r.in.n))
	}
	return 0
}

// duration is how long so many frames take.
func duration(frames int64, rate int) time.Duration {
	s := frames / int64(rate)
	return time.Duration(s)*time.Second + time.Duration(frames%int64(rate))*time.Second/time.Duration(rate)
}

// Read fills p with samples, and gives io.EOF at the end of the recording. A
// recording without any gives ErrEmpty.
func (r *Reader) Read(p []float32) (int, error) {
	for len(r.out) == 0 {
		if r.end != nil {
			return 0, r.end
		}
		r.fill()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// fill takes one step of the source.
func (r *Reader) fill() {
	frames, err := guarded(r.src.next)
	r.mixed = mix(r.mixed[:0], frames, r.of.channels)
	r.frames += int64(len(r.mixed))
	r.made = r.to16k.push(r.made[:0], r.mixed)
	if err != nil {
		r.end = r.ended(err)
	}
	if r.end == io.EOF {
		r.made = r.to16k.flush(r.made)
	}
	r.out = r.made
}

// ended says how the recording ends with an error of its source. Where all of
// the file was read, the rest of it is missing: what there was counts.
func (r *Reader) ended(err error) error {
	r.cut = errors.Is(err, errCut) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case r.frames == 0 && (r.cut || errors.Is(err, io.EOF)):
		return ErrEmpty
	case r.cut:
		return io.EOF
	case errors.Is(err, io.EOF):
		r.cut = r.of.frames > 0 && r.frames < r.of.frames
		return io.EOF
	}
	return &FormatError{Format: r.format, At: duration(r.frames, r.of.rate), Err: err}
}

// mix appends the mean of the channels of each frame. What is no number would
// silence all that is near it, and is taken for silence itself.
func mix(out, frames []float32, channels int) []float32 {
	for ; len(frames) >= channels; frames = frames[channels:] {
		var sum float32
		for _, x := range frames[:channels] {
			sum += x
		}
		if sum-sum != 0 {
			sum = 0
		}
		out = append(out, sum/float32(channels))
	}
	return out
}
