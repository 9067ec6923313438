//go:build whisper

package main_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"memory-mcp/llm/tiny"
)

// TestDictation runs the scripts of a program that listens, with a model that
// hears tones.
func TestDictation(t *testing.T) {
	model := tiny.Ear(2, tiny.Sentence("The tone of the gateway is "+tiny.Tone)...)
	runScripts(t, "dictation", func(work string) error {
		for name, b := range map[string][]byte{
			"ear.bin": model, "half.bin": model[:len(model)*9/10],
			"app/high.wav": tone(3000, 3), "app/long.wav": append(tone(300, 26), pause(3)...), "low.wav": tone(300, 1), "silence.wav": tone(0, 2),
			"app/empty.wav": tone(0, 0),
		} {
			path := filepath.Join(work, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				return err
			}
		}
		return nil
	})
}

const toneRate = 8000

// tone is a WAV file that may go on behind its end.
func tone(hertz, seconds float64) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\xff\xff\xff\xff")
	for i := range int(seconds * toneRate) {
		x := 16000 * math.Sin(2*math.Pi*hertz*float64(i)/toneRate)
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(x)))
	}
	return b
}

// pause is silence, and then a tone of 1,200 Hz for as long.
func pause(seconds float64) []byte {
	b := make([]byte, int(2*seconds*toneRate))
	return append(b, tone(1200, seconds)[len(tone(0, 0)):]...)
}
