package sound

import (
	"encoding/binary"
	"io"

	"github.com/hajimehoshi/go-mp3"
)

// An mp3Source reads MP3. Its decoder gives two channels of 16 bits each,
// whatever there are, and an end in the middle of a frame as any other end.
type mp3Source struct {
	in     *mp3.Decoder
	buffer []byte
	out    []float32
}

func openMP3(r io.Reader) (source, error) {
	d, err := mp3.NewDecoder(r)
	if err != nil {
		return nil, err
	}
	return &mp3Source{in: d, buffer: make([]byte, 4*step), out: make([]float32, 2*step)}, nil
}

func (m *mp3Source) form() form { return form{rate: m.in.SampleRate(), channels: 2} }

func (m *mp3Source) next() ([]float32, error) {
	got, err := m.in.Read(m.buffer)
	got -= got % 4
	for i := 0; i < got; i += 2 {
		m.out[i/2] = float32(int16(binary.LittleEndian.Uint16(m.buffer[i:]))) / (1 << 15)
	}
	return m.out[:got/2], err
}
