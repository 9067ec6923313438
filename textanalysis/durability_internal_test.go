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

// A rule file that says more than the reader knows must not be half understood.
func TestRuleReaderIsStrict(t *testing.T) {
	_, rules, err := readGitleaks("[[rules]]\nid = \"x\"\nregex = '''a'''\nkeywords = [\"aa\", \"bb\"]\n")
	if err != nil || len(rules) != 1 || rules[0].id != "x" || len(rules[0].keywords) != 2 {
		t.Fatalf("got %+v, %v", rules, err)
	}
	for _, bad := range []string{"[[rules]]\nskipReport = true\n", "[[rules]]\nnovel = \"x\"\n", "nonsense\n", "[[rules]]\nkeywords = [\n", "[[rules]]\nid = '''x\n", "[[rules]]\nid = \"x\" y\n", "[[other]]\n"} {
		if _, _, err := readGitleaks(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
