package bootstrap

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"memory-mcp/lobes/repo"
)

const (
	recentCommits = 5
	sampleCommits = 200 // how many show the convention
	fewestCommits = 8   // fewer show none
	stale         = 90 * 24 * time.Hour
)

// commits proposes the last commits as recent work of the branch, and how
// commit messages are written. Where history cannot be read there is nothing
// to tell.
func commits(p *project) []Proposal {
	if p.repo == nil {
		return nil
	}
	h, err := p.repo.History()
	if err != nil {
		return nil
	}
	defer h.Close()
	log, err := h.Log(sampleCommits)
	if err != nil || len(log) == 0 {
		return nil
	}
	var out []Proposal
	if branch, err := p.repo.Branch(); err == nil {
		out = append(out, recent(log, branch, p.now))
	}
	if body := convention(log); body != "" {
		out = append(out, Proposal{Topic: "conventions", Title: "Commit messages", Body: body, Tags: []string{"git"}})
	}
	return out
}

func recent(log []repo.Commit, branch repo.Branch, now time.Time) Proposal {
	name := branch.Name
	if name == "" {
		name = branch.Slug()
	}
	var b strings.Builder
	for _, c := range log[:min(len(log), recentCommits)] {
		fmt.Fprintf(&b, "- %s (%s)\n", clip(oneLine(c.Subject), 150), c.ID[:10])
	}
	if last := log[0].When; !now.IsZero() && now.Sub(last) > stale {
		fmt.Fprintf(&b, "\nThe newest of them is from %s.\n", last.UTC().Format("January 2006"))
	}
	return Proposal{Topic: "recent-work", Title: "Recent commits", Body: b.String(), Branch: name, Kind: "context", Tags: []string{"git"}}
}

var (
	conventional = expression(`^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([^)]*\))?!?: `)
	scoped       = expression(`^[A-Za-z0-9_./*{},-]+(?:, [A-Za-z0-9_./*{},-]+)*: `)
	ticketed     = expression(`^\[?([A-Z][A-Z0-9]+)-\d+`)
	emoji        = expression(`^(:[a-z0-9_+-]+:|[\x{2600}-\x{27BF}\x{1F300}-\x{1FAFF}])`)
)

// convention tells how the subjects of commits begin, if most begin alike.
func convention(log []repo.Commit) string {
	var subjects []string
	for _, c := range log {
		if c.Parents < 2 && !strings.HasPrefix(c.Subject, "Revert ") {
			subjects = append(subjects, c.Subject)
		}
	}
	if len(subjects) < fewestCommits {
		return ""
	}
	for _, form := range []struct {
		pattern *regexp.Regexp
		says    string
	}{
		{conventional(), "follow Conventional Commits (`type(scope): subject`)"},
		{ticketed(), "begin with the number of a ticket"},
		{emoji(), "begin with an emoji"},
		{scoped(), "begin with the part that is changed and a colon (`part: subject`)"},
	} {
		if how := share(subjects, form.pattern); how != "" {
			body := how + " subjects of commits " + form.says + "."
			if seen := prefixes(subjects, form.pattern); seen != "" {
				body += " Seen often: " + seen + "."
			}
			return body
		}
	}
	return ""
}

// share says how many fit, in words that hold for a while; "" for too few.
func share(subjects []string, pattern *regexp.Regexp) string {
	fit := 0
	for _, s := range subjects {
		if pattern.MatchString(s) {
			fit++
		}
	}
	switch {
	case fit*10 >= len(subjects)*9:
		return "Nearly all"
	case fit*10 >= len(subjects)*6:
		return "Most"
	}
	return ""
}

// prefixes are the beginnings seen in at least a twentieth of the subjects, in
// alphabetical order, so that a few more commits do not reorder them.
func prefixes(subjects []string, pattern *regexp.Regexp) string {
	counts := map[string]int{}
	for _, s := range subjects {
		m := pattern.FindStringSubmatch(s)
		switch {
		case m == nil:
		case len(m) > 1:
			counts[m[1]]++
		default:
			counts[strings.TrimSuffix(m[0], ": ")]++
		}
	}
	names := byCount(counts)
	names = slices.DeleteFunc(names, func(n string) bool { return counts[n]*20 < len(subjects) || counts[n] < 2 })
	names = firstOf(names, 8)
	slices.Sort(names)
	return strings.Join(quoted(names), ", ")
}
