package app

import "testing"

func TestGarbageIsBounded(t *testing.T) {
	for live := uint64(0); live < 4<<30; live += 7 << 20 {
		percent := percentOf(live)
		spare := live * uint64(percent) / 100
		if percent < leastPercent || percent > mostPercent || percent < mostPercent && spare > max(spareBytes, live/4) {
			t.Fatalf("of %d bytes that live, %d %% may be garbage", live, percent)
		}
	}
	if percentOf(1<<20) != mostPercent || percentOf(4<<30) != leastPercent {
		t.Fatal("a small and a large heap are bounded alike")
	}
	if live, _ := held(); live > 1<<40 {
		t.Fatalf("%d bytes live", live)
	}
}
