package cli

import (
	"context"
	"fmt"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// gateOptions are what context takes to show what a hook would do.
type gateOptions struct{ on, explain bool }

// gated prints what would be shown unasked to a session whose prompt is the
// text: often nothing.
func (e *env) gated(ctx context.Context, o searchOptions, g gateOptions, text string) error {
	a := e.openFor(false, e.Dir)
	defer end(ctx, a, false)
	set, err := a.Current(ctx)
	if err != nil {
		return err
	}
	in, err := set.Inject(ctx, lobes.Target{Lobe: o.lobe, Dirs: []string{e.Dir}}, lobes.Query{
		Text: text, Subject: o.subject, Branch: o.branch, Limit: o.limit, NoBoosts: o.boosts == "off", Excerpt: lobes.MaxExcerpt,
	})
	if err != nil {
		return err
	}
	if g.explain {
		if _, err := fmt.Fprintln(e.Stderr, Name+": gate "+in.Gate.Why); err != nil {
			return err
		}
	}
	if o.json {
		return e.say(injectionJSON(in))
	}
	return e.say(injected(in))
}

// injected is the text that a session would be shown; empty for silence.
func injected(in lobes.Injection) string {
	var b strings.Builder
	for _, r := range in.Results {
		label := strings.Join([]string{r.Entry.ID, "lobe " + r.Lobe, "trust " + string(r.Entry.Trust)}, ", ")
		masked, _ := textanalysis.MaskSecrets(textanalysis.FenceSafe(r.Entry.Title + "\n\n" + r.Excerpt))
		b.WriteString(textanalysis.Fence(label, masked) + "\n")
	}
	return b.String()
}

func injectionJSON(in lobes.Injection) string {
	type told struct {
		ID      string  `json:"id"`
		Lobe    string  `json:"lobe"`
		Title   string  `json:"title"`
		Excerpt string  `json:"excerpt"`
		Score   float64 `json:"score"`
		Why     string  `json:"why"`
	}
	answer := struct {
		Lobes   []string   `json:"lobes"`
		Gate    lobes.Gate `json:"gate"`
		Results []told     `json:"results"`
	}{in.Lobes, in.Gate, []told{}}
	safe := func(s string) string {
		clean, _ := textanalysis.MaskSecrets(textanalysis.FenceSafe(s))
		return clean
	}
	for _, r := range in.Results {
		answer.Results = append(answer.Results, told{r.Entry.ID, r.Lobe, safe(r.Entry.Title), safe(r.Excerpt), r.Score, safe(r.Why)})
	}
	return compact(answer)
}
