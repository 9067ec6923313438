package sound

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// wav reads the samples of a WAV file.
type wav struct {
	of     form
	in     io.Reader
	decode func(b []byte) float32
	bytes  int   // of a sample
	left   int64 // bytes; negative when only the end of the file tells
	buffer []byte
	out    []float32
}

// How samples are written, by the tag in the header.
const (
	tagPCM        = 1
	tagFloat      = 3
	tagExtensible = 0xfffe
)

// step is how many frames are decoded at once.
const step = 4096

// wavOpen is the length of what was still being written, or streamed, when the
// header was made: only the end of the file tells.
const wavOpen = math.MaxUint32

// openWAV reads a header up to the samples.
func openWAV(r io.Reader) (source, error) {
	var riff [12]byte
	if _, err := io.ReadFull(r, riff[:]); err != nil {
		return nil, err
	}
	var w *wav
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, err
		}
		name, size := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		switch {
		case name == "data" && w == nil:
			return nil, errors.New("its samples come before their description")
		case name == "data":
			return w.samples(r, size), nil
		case name == "fmt ":
			b := make([]byte, min(size, 40))
			if _, err := io.ReadFull(r, b); err != nil {
				return nil, err
			}
			var err error
			if w, err = describe(b); err != nil {
				return nil, err
			}
			size += size&1 - int64(len(b))
		default:
			size += size & 1 // chunks start at even places
		}
		if _, err := io.CopyN(io.Discard, r, size); err != nil {
			return nil, err
		}
	}
}

// samples begins to read them. A length that cannot be true is none.
func (w *wav) samples(r io.Reader, size int64) *wav {
	w.in, w.left = r, size
	frame := w.of.bytes
	w.buffer, w.out = make([]byte, step*frame), make([]float32, step*w.of.channels)
	if size >= wavOpen-frame || size == 0 {
		w.left = -1
		return w
	}
	w.of.frames = size / frame
	w.left = w.of.frames * frame
	return w
}

// describe reads the description of samples.
func describe(b []byte) (*wav, error) {
	if len(b) < 16 {
		return nil, fmt.Errorf("its samples are described in %d bytes", len(b))
	}
	tag, bits := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[14:]))
	w := &wav{of: form{
		channels: int(binary.LittleEndian.Uint16(b[2:])),
		rate:     int(min(binary.LittleEndian.Uint32(b[4:]), math.MaxInt32)),
	}}
	if tag == tagExtensible {
		if len(b) < 40 {
			return nil, fmt.Errorf("its extended description has %d bytes", len(b))
		}
		tag = binary.LittleEndian.Uint16(b[24:]) // the first field of a longer name
	}
	if w.decode = decoder(tag, bits); w.decode == nil {
		return nil, fmt.Errorf("its samples are written in form %d with %d bits, and not as whole numbers of 8, 16, 24 or 32 bits or floats", tag, bits)
	}
	w.bytes = bits / 8
	if err := w.of.check(); err != nil {
		return nil, err
	}
	align := int(binary.LittleEndian.Uint16(b[12:]))
	if align != w.bytes*w.of.channels {
		return nil, fmt.Errorf("its header says %d bytes for %d channels of %d bits", align, w.of.channels, bits)
	}
	w.of.bytes = int64(align)
	return w, nil
}

// decoder reads a sample of a form, nil for one that is not known.
func decoder(tag uint16, bits int) func(b []byte) float32 {
	switch {
	case tag == tagPCM && bits == 8:
		return func(b []byte) float32 { return (float32(b[0]) - 128) / 128 }
	case tag == tagPCM && bits == 16:
		return func(b []byte) float32 { return float32(int16(binary.LittleEndian.Uint16(b))) / (1 << 15) }
	case tag == tagPCM && bits == 24:
		return func(b []byte) float32 {
			return float32(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)>>8) / (1 << 23)
		}
	case tag == tagPCM && bits == 32:
		return func(b []byte) float32 { return float32(int32(binary.LittleEndian.Uint32(b))) / (1 << 31) }
	case tag == tagFloat && bits == 32:
		return func(b []byte) float32 { return within(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))) }
	case tag == tagFloat && bits == 64:
		return func(b []byte) float32 { return within(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	}
	return nil
}

// within keeps a float that a file holds between the bounds of sound.
func within(x float64) float32 { return float32(max(-1, min(1, x))) }

func (w *wav) form() form { return w.of }

func (w *wav) next() ([]float32, error) {
	if w.left == 0 {
		return nil, io.EOF
	}
	want := len(w.buffer)
	if w.left > 0 {
		want = int(min(int64(want), w.left))
	}
	got, err := io.ReadFull(w.in, w.buffer[:want])
	n := got / int(w.of.bytes) * w.of.channels
	for i := range n {
		w.out[i] = w.decode(w.buffer[i*w.bytes:])
	}
	switch {
	case err == nil && w.left > 0:
		w.left -= int64(got)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		if err = io.EOF; w.left > 0 {
			err = errCut
		}
	}
	return w.out[:n], err
}
