package whisper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// sizes are the head of a model file.
type sizes struct {
	Magic                                                   uint32
	Words, Hears, HearWidth, HearHeads, HearLayers          int32
	Says, SayWidth, SayHeads, SayLayers, Bands, WeightsType int32
}

const modelMagic = 0x67676d6c

// errNoModel says that a file is something else.
var errNoModel = errors.New("it is no speech model of whisper.cpp")

// Readable tells whether a file is a model by its head, and by its length as
// far as that tells: the library takes a file that ends before its first weight
// for a model, and hears nothing with it. An error is a *ModelError.
func Readable(path string) error {
	if err := looksWhole(path); err != nil {
		return &ModelError{path, cause(err).Error()}
	}
	return nil
}

func looksWhole(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	var s sizes
	if err := binary.Read(f, binary.LittleEndian, &s); err != nil || s.Magic != modelMagic {
		return errNoModel
	}
	const most = 1 << 20
	for _, n := range []int32{s.Words, s.Hears, s.HearWidth, s.HearHeads, s.HearLayers, s.Says, s.SayWidth, s.SayHeads, s.SayLayers, s.Bands} {
		if n < 1 || n > most {
			return errNoModel
		}
	}
	// The smallest weights take four bits, and each word has so many.
	if least := int64(s.Words) * int64(s.SayWidth) / 2; info.Size() < least {
		return fmt.Errorf("it is cut short: it has %d bytes, and needs more than %d", info.Size(), least)
	}
	return nil
}

// cause leaves out the path, which is told already.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
