package sound_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"memory-mcp/llm/sound"
)

// TestFormats reads the same two tones from each format: 1,000 Hz on the left
// and 3,000 Hz on the right, or a half of each on the only channel.
func TestFormats(t *testing.T) {
	type want struct {
		format   string
		low, top float64
		seconds  float64
	}
	both := func(format string) want { return want{format, 0.25, 0.25, 0.6} }
	files := map[string]want{
		"tones.flac": both("FLAC"), "mono24.flac": both("FLAC"), "tones.mp3": both("MP3"), "mono.mp3": both("MP3"),
		"tones.ogg": {"Ogg Vorbis", 0.25, 0.25, 4.8}, "tones.opus": {"Ogg Opus", 0.25, 0.25, 2.4}, "voice.opus": {"Ogg Opus", 0.5, 0, 2.4},
	}
	for name, want := range files {
		b, err := os.ReadFile(filepath.Join("testdata", "tones", name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := sound.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		samples, err := rest(r)
		if err != nil || r.Format() != want.format || r.Cut() {
			t.Errorf("%s: %q, %v, cut %v", name, r.Format(), err, r.Cut())
		}
		if long := r.Length().Seconds(); long < want.seconds*0.97 || long > want.seconds+0.1 || math.Abs(long-float64(len(samples))/sound.Rate) > 0.001 {
			t.Errorf("%s: %v s long, with %d samples", name, long, len(samples))
		}
		low, top := loudness(samples, 1000), loudness(samples, 3000)
		if !near(low, want.low, 0.1) || math.Abs(top-want.top) > 0.03 {
			t.Errorf("%s: 1,000 Hz have %.3f and 3,000 Hz %.3f", name, low, top)
		}
		for _, other := range []float64{500, 1500, 2000, 6000} {
			if l := loudness(samples, other); l > 0.01 {
				t.Errorf("%s: %v Hz have %.3f", name, other, l)
			}
		}
	}
}

// TestWAV reads every way of writing samples, with one channel and with more.
func TestWAV(t *testing.T) {
	for _, form := range []struct {
		tag, bits int
		off       float64
	}{{1, 8, 0.02}, {1, 16, 0.01}, {1, 24, 0.01}, {1, 32, 0.01}, {3, 32, 0.01}, {3, 64, 0.01}} {
		for _, extensible := range []bool{false, true} {
			for more, tones := range [][]float64{{1000}, {1000, 3000}, {1000, 3000, 500, 500, 500, 2000}} {
				w := wave{tag: form.tag, bits: form.bits, extensible: extensible, more: more, rate: 16000, tones: tones, frames: 8001}
				samples := all(t, w.file())
				if len(samples) != w.frames {
					t.Errorf("%+v: %d samples", w, len(samples))
				}
				if l := loudness(samples, 1000); !near(l, 0.5/float64(len(tones)), form.off) {
					t.Errorf("%+v: 1,000 Hz have %.3f", w, l)
				}
				if l := loudness(samples, 700); l > 0.002 {
					t.Errorf("%+v: 700 Hz have %.4f", w, l)
				}
			}
		}
	}
}

// TestRates plays tones at many rates. What 16 kHz can hold keeps its pitch and
// its loudness; what lies above 8 kHz is gone, and not folded down.
func TestRates(t *testing.T) {
	for _, rate := range []int{8000, 11025, 12000, 16000, 22050, 22051, 32000, 44100, 48000, 88200, 96000, 192000, 384000} {
		seconds := 1
		for _, hertz := range []float64{100, 1000, 3000, 5000, 7000} {
			if hertz > float64(rate)*0.42 {
				continue
			}
			samples := all(t, tone(hertz, rate, seconds*rate).file())
			if len(samples) != seconds*sound.Rate {
				t.Errorf("%d Hz: %d samples of %d s", rate, len(samples), seconds)
			}
			if l := loudness(samples, hertz); !near(l, 0.5, 0.01) {
				t.Errorf("%d Hz: a tone of %v Hz has %.4f", rate, hertz, l)
			}
			if l := loudness(samples, hertz*rateOff(rate)); hertz > 100 && l > 0.002 {
				t.Errorf("%d Hz: a tone of %v Hz is heard %v times as high", rate, hertz, rateOff(rate))
			}
		}
		for _, hertz := range []float64{8010, 9000, 10000, 12000, 15000, 20000, 23000, 47000} {
			if hertz >= float64(rate)/2 {
				continue
			}
			samples := all(t, tone(hertz, rate, rate).file())
			if e := loudest(samples[2000 : len(samples)-2000]); e > 0.5*2e-4 {
				t.Errorf("%d Hz: of a tone of %v Hz %.5f is left", rate, hertz, e)
			}
		}
	}
}

// rateOff is by how much a tone is too high where a rate is not looked at.
func rateOff(rate int) float64 {
	if rate == sound.Rate {
		return 2
	}
	return sound.Rate / float64(rate)
}

func loudest(samples []float32) float64 {
	most := 0.0
	for _, x := range samples {
		most = max(most, math.Abs(float64(x)))
	}
	return most
}

// TestSteps reads a recording in many ways: by single bytes, and with any size
// of what is asked for. It is the same recording.
func TestSteps(t *testing.T) {
	for _, rate := range []int{16000, 44100, 8000} {
		b := wave{tag: 1, bits: 16, rate: rate, tones: []float64{440, 1000}, frames: rate / 3}.file()
		want := all(t, b)
		for _, size := range []int{1, 7, 100000} {
			r, err := sound.Open(iotest.OneByteReader(bytes.NewReader(b)), 0)
			if err != nil {
				t.Fatal(err)
			}
			var have []float32
			for buffer := make([]float32, size); err == nil; {
				var n int
				n, err = r.Read(buffer)
				have = append(have, buffer[:n]...)
			}
			if err != io.EOF || len(have) != len(want) {
				t.Fatalf("%d samples and not %d: %v", len(have), len(want), err)
			}
			for i := range want {
				if have[i] != want[i] {
					t.Fatalf("%d Hz: sample %d is %v and not %v", rate, i, have[i], want[i])
				}
			}
		}
	}
}

// TestBadHeads names what is wrong.
func TestBadHeads(t *testing.T) {
	good := tone(1000, 16000, 100)
	change := func(at int, with ...byte) []byte {
		b := good.file()
		copy(b[at:], with)
		return b
	}
	// The chunk to be skipped ends at 24, the description starts at 32.
	long := change(16, 0xff, 0xff, 0xff, 0x7f)
	picture := append([]byte("fLaC\x00\x00\x00\x22\x10\x00\x10\x00\x00\x00\x00\x00\x00\x00\x0a\xc4\x42\xf0"), make([]byte, 20)...)
	picture = append(picture, "\x06\xff\xff\xff\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00"...)
	picture = append(append(picture, make([]byte, 16)...), "\xff\xff\xff\xf0abcd"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, row := range map[string]struct {
		file []byte
		want string
	}{
		"no bytes":                    {nil, sound.ErrEmpty.Error()},
		"a text":                      {[]byte("# Notes\n\nNothing to be heard."), sound.ErrUnknown.Error()},
		"a picture":                   {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), sound.ErrUnknown.Error()},
		"another RIFF":                {[]byte("RIFF\x00\x00\x00\x00AVI LIST"), sound.ErrUnknown.Error()},
		"Ogg with a film":             {[]byte("OggS\x00\x02" + strings.Repeat("\x00", 22) + "\x80theora"), sound.ErrUnknown.Error()},
		"an end in the head":          {good.file()[:30], "read WAV: it ends within its header"},
		"no samples after the head":   {good.file()[:48], "read WAV: it ends within its header"},
		"a chunk of 2 GB":             {long, "read WAV: it ends within its header"},
		"samples first":               {[]byte("RIFF\x00\x00\x00\x00WAVEdata\x04\x00\x00\x00abcd"), "read WAV: its samples come before their description"},
		"a short description":         {[]byte("RIFF\x00\x00\x00\x00WAVEfmt \x02\x00\x00\x00\x01\x00"), "read WAV: its samples are described in 2 bytes"},
		"µ-law":                       {change(32, 7, 0), "read WAV: its samples are written in form 7 with 16 bits"},
		"12 bits":                     {change(46, 12), "read WAV: its samples are written in form 1 with 12 bits"},
		"floats of 16 bits":           {change(32, 3, 0), "read WAV: its samples are written in form 3 with 16 bits"},
		"no channels":                 {change(34, 0, 0), "read WAV: its header says 0 channels"},
		"60,000 channels":             {change(34, 0x60, 0xea), "read WAV: its header says 60000 channels"},
		"no rate":                     {change(36, 0, 0, 0, 0), "read WAV: its header says 0 samples a second"},
		"a rate of 4 GHz":             {change(36, 0xff, 0xff, 0xff, 0xff), "read WAV: its header says 2147483647 samples a second"},
		"frames of a wrong size":      {change(44, 3), "read WAV: its header says 3 bytes for 1 channels of 16 bits"},
		"FLAC that ends in its head":  {[]byte("fLaC\x00\x00\x00\x22"), "read FLAC: it ends within its header"},
		"FLAC without a description":  {append([]byte("fLaC\x81\x00\x00\x22"), make([]byte, 40)...), "read FLAC: "},
		"FLAC with a picture of 4 GB": {picture, "read FLAC: it ends within its header"},
		"MP3 of nothing but its mark": {[]byte{0xff, 0xfb, 0x90, 0x64}, "read MP3: "},
		"Vorbis that ends":            {[]byte("OggS\x00\x02" + strings.Repeat("\x00", 20) + "\x01\x1e\x01vorbis"), "read Ogg Vorbis: "},
		"Opus that ends":              {[]byte("OggS\x00\x02" + strings.Repeat("\x00", 20) + "\x01\x13OpusHead"), "read Ogg Opus: "},
	} {
		_, err := sound.Open(bytes.NewReader(row.file), int64(len(row.file)))
		if err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: %v, and not %q", name, err, row.want)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes were taken for recordings that are none", used)
	}
}

// TestAWrongLength reads what there is, whatever the header says.
func TestAWrongLength(t *testing.T) {
	w := tone(1000, 16000, 8000)
	body := w.file()[len(w.head(0)):]
	for name, row := range map[string]struct {
		size   uint32
		body   []byte
		frames int
		cut    bool
		err    error
	}{
		"right":                         {16000, body, 8000, false, nil},
		"with a chunk behind it":        {16000, append(body[:16000:16000], "LIST\x04\x00\x00\x00abcd"...), 8000, false, nil},
		"streamed":                      {0xffffffff, body, 8000, false, nil},
		"streamed, by another program":  {0, body, 8000, false, nil},
		"cut":                           {16000, body[:10001], 5000, true, nil},
		"four hours too long":           {0x7ffff000, body, 8000, true, nil},
		"cut before the first":          {16000, body[:1], 0, false, sound.ErrEmpty},
		"0 s":                           {0, nil, 0, false, sound.ErrEmpty},
		"nothing was written":           {16000, nil, 0, false, sound.ErrEmpty},
		"shorter than what is there":    {8000, body, 4000, false, nil},
		"no whole number of its frames": {7999, body, 3999, false, nil},
	} {
		b := append(w.head(row.size), row.body...)
		r, err := sound.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if long := r.Length(); long > time.Minute {
			t.Errorf("%s: %v long before it is read", name, long)
		}
		samples, err := rest(r)
		if len(samples) != row.frames || !errors.Is(err, row.err) || row.err == nil && r.Cut() != row.cut {
			t.Errorf("%s: %d samples, cut %v, %v", name, len(samples), r.Cut(), err)
		}
		if want := time.Duration(row.frames) * time.Second / 16000; r.Length() != want {
			t.Errorf("%s: %v long and not %v", name, r.Length(), want)
		}
	}
}

// TestCutFiles cuts the end off each recording: what came before is read.
func TestCutFiles(t *testing.T) {
	names, err := filepath.Glob("testdata/tones/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no recordings (%v)", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole := len(all(t, b))
		b = b[:len(b)*4/5] // the first page of each Ogg file is whole
		samples := all(t, b)
		if len(samples) == 0 || len(samples) > whole {
			t.Errorf("%s: %d samples of %d", name, len(samples), whole)
		}
		if l := loudness(samples, 1000); len(samples) > 4000 && l < 0.2 {
			t.Errorf("%s: 1,000 Hz have %.3f", name, l)
		}
	}
}

// TestBrokenInTheMiddle tells where a recording is broken.
func TestBrokenInTheMiddle(t *testing.T) {
	b, err := os.ReadFile("testdata/tones/tones.flac")
	if err != nil {
		t.Fatal(err)
	}
	for i := len(b) / 2; i < len(b)/2+3000; i++ {
		b[i] = 0
	}
	r, err := sound.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := rest(r)
	var broken *sound.FormatError
	if !errors.As(err, &broken) || broken.At <= 0 || len(samples) == 0 || !strings.Contains(err.Error(), "broken after ") {
		t.Errorf("%d samples, %v", len(samples), err)
	}
}

// FuzzOpen reads anything: it ends, with samples that are numbers or with an
// error.
func FuzzOpen(f *testing.F) {
	names, err := filepath.Glob("testdata/tones/*")
	if err != nil || len(names) == 0 {
		f.Fatalf("no recordings (%v)", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 8000)])
	}
	for _, w := range []wave{
		tone(1000, 16000, 50), tone(1000, 44100, 50),
		{tag: 3, bits: 32, rate: 8000, tones: []float64{1000, 3000}, frames: 20, extensible: true},
		{tag: 3, bits: 64, rate: 384000, tones: []float64{1000}, frames: 20},
		{tag: 1, bits: 24, rate: 16000, tones: []float64{1, 2, 3, 4, 5, 6}, frames: 20},
	} {
		f.Add(w.file())
		f.Add(append(w.head(0xffffffff), make([]byte, 100)...))
	}
	nan := tone(1000, 16000, 2)
	nan.tag, nan.bits = 3, 32
	f.Add(append(nan.head(8), "\x00\x00\xc0\x7f\x00\x00\x80\x7f"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := sound.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		buffer := make([]float32, 4096)
		for n := 0; err == nil; {
			n, err = r.Read(buffer)
			for _, x := range buffer[:n] {
				if x-x != 0 {
					t.Fatalf("a sample is %v", x)
				}
			}
			if n == 0 && err == nil {
				t.Fatal("a read gave nothing")
			}
		}
		if r.Length() < 0 || err == io.EOF && r.Length() == 0 {
			t.Fatalf("%v long: %v", r.Length(), err)
		}
	})
}
