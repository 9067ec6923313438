package extract

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"memory-mcp/llm"
)

// A source is material that candidates are held against, with its white space
// as single blanks.
type source string

func newSource(text string) source { return source(joined(text)) }

func joined(text string) string { return strings.Join(strings.Fields(text), " ") }

// check brings a candidate into its one form, or tells why it is none.
func (s source) check(c Candidate, role string) (Candidate, string) {
	c.Title, c.Text = joined(c.Title), strings.TrimSpace(c.Text)
	c.Quote = joined(c.Quote)
	c.Tags, c.Conditions = trimmed(c.Tags), trimmed(c.Conditions)
	if !c.shaped() {
		return c, BadShape
	}
	if !strings.Contains(string(s), c.Quote) {
		return c, NoQuote
	}
	// The title and the conditions are told as well as the text.
	all := strings.Join(append([]string{c.Title, c.Text}, c.Conditions...), "\n")
	if llm.Invented(all, string(s)) != "" {
		return c, InventedName
	}
	if !llm.SameTongue(c.Text, string(s)) {
		return c, OtherTongue
	}
	if c.Scope == "global" && (c.Kind == "episode" || role != "user" || !everywhere(c.Quote)) {
		c.Scope = "project"
	}
	return c, ""
}

func (c Candidate) shaped() bool {
	within := func(text string, most int) bool {
		return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.ContainsRune(text, 0)
	}
	return within(c.Title, maxTitle) && within(c.Text, maxText) && within(c.Quote, maxQuote) &&
		slices.Contains([]string{"fact", "decision", "preference", "episode"}, c.Kind) &&
		slices.Contains([]string{"project", "global"}, c.Scope) &&
		slices.Contains([]string{"reusable", "task_detail"}, c.Durability) &&
		c.Confidence >= 0 && c.Confidence <= 1 && !math.IsNaN(c.Confidence)
}

func trimmed(list []string) []string {
	kept := []string{}
	for _, s := range list {
		if s = joined(s); s != "" && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// everywherePattern is how a person says that something holds for all projects.
var everywherePattern = regexp.MustCompile(`(?i)\b(all|every|each|any)\b.{0,20}\b(projects?|repos?|repositor(y|ies)|codebases?)\b|` +
	`\b(across|between) (my )?projects\b|\beverywhere\b|\bin general\b|` +
	`\bI (always|never|generally|usually) (want|prefer|use|like|write)\b|` +
	`所有项目|每个项目|任何项目|各个项目|跨项目|所有仓库|每个仓库|无论哪个项目|我(一向|总是|一直|从来|通常)`)

func everywhere(quote string) bool { return everywherePattern.MatchString(quote) }
