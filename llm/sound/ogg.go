package sound

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/jfreymuth/oggvorbis"
	"github.com/pion/opus"
	"github.com/pion/opus/pkg/oggreader"
)

// A vorbisSource reads Ogg Vorbis.
type vorbisSource struct {
	in  *oggvorbis.Reader
	out []float32
}

func openVorbis(r io.Reader) (source, error) {
	in, err := oggvorbis.NewReader(r)
	if err != nil {
		return nil, err
	}
	s := &vorbisSource{in: in}
	if err := s.form().check(); err != nil {
		return nil, err
	}
	s.out = make([]float32, step*in.Channels())
	return s, nil
}

func (v *vorbisSource) form() form {
	return form{rate: v.in.SampleRate(), channels: v.in.Channels()}
}

func (v *vorbisSource) next() ([]float32, error) {
	n, err := v.in.Read(v.out)
	return v.out[:n], err
}

// An opusSource reads Ogg Opus. The decoder gives what is asked for, whatever
// rate was recorded.
type opusSource struct {
	in       *oggreader.OggReader
	decoder  opus.Decoder
	channels int
	skip     int // frames that come before the first of the recording
	out      []float32
}

// opusLongest is the longest packet in frames: 120 ms.
const opusLongest = Rate * 120 / 1000

func openOpus(r io.Reader) (source, error) {
	in, head, err := oggreader.NewWith(r)
	if err != nil {
		return nil, err
	}
	if head.ChannelMap != 0 || head.Channels < 1 || head.Channels > 2 {
		return nil, fmt.Errorf("it has %d channels in an order of its own", head.Channels)
	}
	s := &opusSource{in: in, channels: int(head.Channels), skip: int(head.PreSkip) * Rate / 48000}
	s.out = make([]float32, opusLongest*s.channels)
	s.decoder, err = opus.NewDecoderWithOutput(Rate, s.channels)
	return s, err
}

func (o *opusSource) form() form { return form{rate: Rate, channels: o.channels} }

func (o *opusSource) next() ([]float32, error) {
	packet, _, err := o.in.ParseNextPacket()
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(packet, []byte("OpusTags")) {
		return nil, nil
	}
	if len(packet) == 0 {
		return nil, errors.New("a packet is empty")
	}
	n, err := o.decoder.DecodeToFloat32(packet, o.out)
	if err != nil {
		return nil, err
	}
	skipped := min(n, o.skip)
	o.skip -= skipped
	return o.out[skipped*o.channels : n*o.channels], nil
}
