package sound

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mewkiz/flac"
)

// A flacSource reads FLAC. What is not sound in it, as pictures, is skipped.
type flacSource struct {
	stream *flac.Stream
	of     form
	out    []float32
}

func openFLAC(r io.Reader) (source, error) {
	s, err := flac.New(r)
	if err != nil {
		return nil, err
	}
	return &flacSource{stream: s, of: form{
		rate: int(s.Info.SampleRate), channels: int(s.Info.NChannels),
		frames: int64(s.Info.NSamples), // of 36 bits
	}}, nil
}

func (f *flacSource) form() form { return f.of }

func (f *flacSource) next() ([]float32, error) {
	block, err := f.stream.ParseNext()
	if err != nil {
		return nil, err
	}
	if n := len(block.Subframes); n != f.of.channels {
		return nil, fmt.Errorf("a block has %d channels and not %d", n, f.of.channels)
	}
	if rate := int(block.SampleRate); rate != 0 && rate != f.of.rate {
		return nil, fmt.Errorf("a block has %d samples a second and not %d", rate, f.of.rate)
	}
	bits := int(block.BitsPerSample)
	if bits == 0 {
		bits = int(f.stream.Info.BitsPerSample)
	}
	if bits < 4 || bits > 32 {
		return nil, errors.New("a block does not say how its samples are written")
	}
	scale := float32(1 / math.Exp2(float64(bits-1)))
	f.out = f.out[:0]
	for i := range block.Subframes[0].Samples {
		for _, channel := range block.Subframes {
			f.out = append(f.out, float32(channel.Samples[i])*scale)
		}
	}
	return f.out, nil
}
