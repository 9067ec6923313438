package textanalysis

import "testing"

// Every pattern must have a cue, or it never runs; every expression must compile.
func TestPatternsHaveCues(t *testing.T) {
	for _, set := range []*textPatterns{durabilityPatterns(), instructionPatterns()} {
		for _, p := range set.list {
			if len(p.cues) == 0 {
				t.Errorf("a pattern of %q has no cue: %s", p.family, p.compile().re)
			}
			if p.compile().re.MatchString("") {
				t.Errorf("a pattern of %q matches nothing: %s", p.family, p.compile().re)
			}
		}
	}
	for _, r := range loadSecretRules().rules {
		if len(r.keywords) == 0 || r.compile().re == nil {
			t.Errorf("rule %q has no keyword", r.id)
		}
	}
}
