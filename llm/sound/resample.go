package sound

import "math"

// The low-pass filter: how many of its zeros lie on each side, how much of the
// band it leaves, and Kaiser's parameter for 80 dB.
const (
	zeros    = 48
	passband = 0.945 // its slope ends where the band does
	kaiser   = 7.857
	// mostPhases bounds the table of a rate that has little in common with
	// Rate: a sample is then off by less than a two-thousandth of its distance.
	mostPhases = 1024
)

// A resampler turns samples of one rate into samples of Rate, and removes what
// the lower of both rates cannot hold.
type resampler struct {
	rate   int
	phases int
	half   int         // samples that the filter reaches to each side
	filter [][]float32 // by phase, each of 2*half taps
	window []float32   // samples that are still needed
	first  int64       // the number of the first of them
	pushed int64       // samples so far
	made   int64       // samples so far
}

// newResampler computes the filter for a rate; it does nothing at Rate itself.
func newResampler(rate int) *resampler {
	r := &resampler{rate: rate}
	if rate == Rate {
		return r
	}
	r.phases = min(Rate/gcd(rate, Rate), mostPhases)
	scale := min(1, float64(Rate)/float64(rate)) * passband // of the band of what comes in
	r.half = int(math.Ceil(zeros / scale))
	for phase := range r.phases {
		r.filter = append(r.filter, taps(r.half, float64(phase)/float64(r.phases), scale))
	}
	// Before the first sample there is silence.
	r.window = make([]float32, r.half)
	r.first = -int64(r.half)
	return r
}

// taps are the factors of the samples around a place that lies a part of a
// sample behind the one in the middle.
func taps(half int, part, scale float64) []float32 {
	list, sum := make([]float64, 2*half), 0.0
	for i := range list {
		x := float64(i-half+1) - part
		list[i] = sinc(x*scale) * window(x/float64(half))
		sum += list[i]
	}
	out := make([]float32, len(list))
	for i, x := range list {
		out[i] = float32(x / sum) // a constant stays as it is
	}
	return out
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// window is Kaiser's, from -1 to 1.
func window(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(kaiser*math.Sqrt(1-x*x)) / bessel(kaiser)
}

// bessel is the modified Bessel function of the first kind and order 0.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= x / 2 / k * (x / 2 / k)
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// push takes samples and appends those that follow from them.
func (r *resampler) push(out, in []float32) []float32 {
	if r.filter == nil {
		return append(out, in...)
	}
	r.pushed += int64(len(in))
	r.window = append(r.window, in...)
	return r.make(out, math.MaxInt64)
}

// flush appends what follows from the end.
func (r *resampler) flush(out []float32) []float32 {
	if r.filter == nil {
		return out
	}
	r.window = append(r.window, make([]float32, 2*r.half)...)
	// As many samples as take the same time, the last one begun counts.
	return r.make(out, (r.pushed*Rate+int64(r.rate)-1)/int64(r.rate))
}

// make appends all samples, up to a number of them, whose surroundings are
// there.
func (r *resampler) make(out []float32, most int64) []float32 {
	for r.made < most {
		at, phase := r.place(r.made)
		from := at - int64(r.half) + 1 - r.first
		if from+int64(2*r.half) > int64(len(r.window)) {
			break
		}
		var sum float32
		near := r.window[from : from+int64(2*r.half)]
		for i, f := range r.filter[phase] {
			sum += f * near[i]
		}
		out = append(out, sum)
		r.made++
	}
	r.forget()
	return out
}

// place is the sample that comes before one of ours, and the part of the way
// to the next in phases.
func (r *resampler) place(made int64) (at int64, phase int) {
	at, rest := made*int64(r.rate)/Rate, made*int64(r.rate)%Rate
	phase = int((rest*int64(r.phases) + Rate/2) / Rate)
	if phase == r.phases {
		return at + 1, 0
	}
	return at, phase
}

// forget drops the samples that nothing needs any more.
func (r *resampler) forget() {
	at, _ := r.place(r.made)
	old := min(at-int64(r.half)+1-r.first, int64(len(r.window)))
	if old > 0 {
		r.window = r.window[:copy(r.window, r.window[old:])]
		r.first += old
	}
}
