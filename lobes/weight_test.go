package lobes_test

import (
	"math"
	"testing"
	"time"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
)

func TestDecay(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		days                       int
		halfLife, confidence, want float64
	}{
		{0, 30, 0.5, 1}, {30, 30, 0, 0.5}, {60, 30, 0.5, 0.5}, {100, 30, 0.7, 0.5}, {200, 30, 0.85, 0.5},
		{5000, 30, 1, 1}, {60, 0, 0.5, 1}, {-3, 30, 0.5, 1}, {120, 60, 0.5, 0.5},
		{1095, 30, .7, .5}, {1095, 30, 0, .5}, {60, 30, 0, .5},
	} {
		got := lobes.Decay(time.Duration(c.days)*day, c.halfLife, c.confidence, false)
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("after %d days of half-life %g at confidence %g: %g, want %g", c.days, c.halfLife, c.confidence, got, c.want)
		}
	}
}

// What happened once fades further.
func TestDecayOfWhatPasses(t *testing.T) {
	for days, want := range map[int]float64{0: 1, 30: .5, 60: .25, 1095: .25} {
		if got := lobes.Decay(time.Duration(days)*24*time.Hour, 30, 0, true); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %d days: %g, want %g", days, got, want)
		}
	}
}

func TestUseAndBranchMoveAHit(t *testing.T) {
	one := 1.0
	e := entry.Entry{Topic: "general", Confidence: &one}
	for _, c := range []struct {
		uses      int
		elsewhere bool
		want      float64
	}{{0, false, 1}, {1, false, 1.1}, {7, false, 1.3}, {0, true, 0.8}} {
		got, why := lobes.WeighUsed(e, c.uses, c.elsewhere)
		if math.Abs(got-c.want) > 1e-9 || (c.want != 1) != (len(why) == 1) {
			t.Errorf("%d uses, elsewhere %t: %g (%v), want %g", c.uses, c.elsewhere, got, why, c.want)
		}
	}
}

func TestAskingByIDCountsAsUse(t *testing.T) {
	w := newWorld(t, nil, "app")
	id := w.stored(lobes.Target{}, lobes.Note{Topic: "gotchas", Text: "The winch jams in frost."}).ID
	score := func() float64 { return w.recall(lobes.Target{}, lobes.Query{Text: "winch frost"}).Results[0].Score }
	before := score()
	w.recall(lobes.Target{}, lobes.Query{IDs: []string{id}})
	if after := score(); math.Abs(after/before-1.1) > 1e-9 {
		t.Errorf("a use moved the score from %g to %g, want a tenth more", before, after)
	}
}
