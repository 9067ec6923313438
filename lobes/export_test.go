package lobes

import (
	"time"

	"memory-mcp/store/entry"
	"memory-mcp/store/index"
	"memory-mcp/textanalysis"
)

// What follows shows the pure parts to the tests.

// A Ground is a site of routing.
type Ground struct {
	Name, Root, Common string
	Shared             bool
}

// Spot is a path and the repository that it lies in.
type Spot struct{ Path, Common string }

// Choose is the decision of routing.
func Choose(places []Ground, paths, dirs, roots []Spot, has map[string]int, write bool) ([]string, error) {
	var sites []site
	for _, p := range places {
		sites = append(sites, site{p.Name, p.Root, p.Common, p.Shared})
	}
	sights := func(spots []Spot) (out []sight) {
		for _, s := range spots {
			out = append(out, sight{s.Path, s.Common})
		}
		return out
	}
	r := route{paths: sights(paths), dirs: sights(dirs), roots: sights(roots), has: func(s site) int { return has[s.name] }}
	return r.choose(sites, write)
}

// See tells in a word what the present shows of an entry.
func See(e entry.Entry, asked string, at time.Time) string {
	return [...]string{shown: "shown", held: "held", hidden: "hidden", notValid: "not valid"}[see(&e, asked, at)]
}

// HasStatus is the selection by status.
func HasStatus(e entry.Entry, asked string) bool { return hasStatus(&e, asked) }

// Weigh is the factor of an entry.
func Weigh(e entry.Entry, stale, boosts bool) (float64, []Reason) {
	return weighed(&e, standing{stale: stale}, boosts)
}

// HomeFirst orders scored hits; a name that begins with "home" is the current lobe's.
func HomeFirst(names []string, scores []float64, home string) []string {
	var hits []hit
	for i, n := range names {
		hits = append(hits, hit{reading: reading{lobe: &Lobe{name: n}}, score: scores[i]})
	}
	homeFirst(hits, home)
	var out []string
	for _, h := range hits {
		out = append(out, h.lobe.name)
	}
	return out
}

// JudgeFresh judges freshness by the files below a folder.
func JudgeFresh(b Behavior, e entry.Entry, now time.Time, root string) Fresh {
	return b.complete().judge(&e, now, newCitings(root, maxCitings))
}

// Pin pins the files that an entry cites.
func Pin(e entry.Entry, root string) []string { return pin(&e, root) }

// CitedFile is the file of a source.
func CitedFile(source string) string { return citedFile(source) }

// TopicFor is the derived topic.
func TopicFor(kind, text string) string { return topicFor(kind, text) }

// CallTime reads a time of a call.
func CallTime(text string, zone *time.Location, ends bool) (time.Time, error) {
	return callTime("t", text, zone, ends)
}

// Decay is what is left of a weight.
func Decay(age time.Duration, halfLife, confidence float64, passing bool) float64 {
	return standing{age: age, halfLife: halfLife, passing: passing}.decay(confidence)
}

// WeighUsed is the factor of an entry that was used, or lies on another branch.
func WeighUsed(e entry.Entry, uses int, elsewhere bool) (float64, []Reason) {
	return weighed(&e, standing{uses: uses, elsewhere: elsewhere}, true)
}

func weighed(e *entry.Entry, s standing, boosts bool) (float64, []Reason) {
	w := weighing{factor: 1, tell: true}
	w.weigh(e, s, boosts)
	return w.factor, w.reasons
}

// Weak tells whether a hit with these reasons is noise.
func Weak(question string, reasons []index.Reason, cover, least, strongest float64) bool {
	return hit{cover: cover, reasons: reasons}.weak(wordsOf(textanalysis.New(textanalysis.Options{}), question), least, strongest)
}
