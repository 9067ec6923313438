package cli

import (
	"github.com/spf13/cobra"
)

// searchOptions are what the searching commands take alike.
type searchOptions struct {
	lobe, scope, detail, branch, kind, status, subject string
	boosts, asOf, validAt                              string
	limit, offset, maxTokens, depth                    int
	minMatch                                           float64
	json                                               bool
}

func (o *searchOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.lobe, "lobe", "", `a lobe's name, several with commas, or "*" for all; the current project's when absent`)
	f.StringVar(&o.scope, "topic", "", "only this topic, or a prefix such as modules")
	f.StringVar(&o.scope, "scope", "", "the same as --topic")
	f.StringVar(&o.detail, "detail", "", "brief, standard or full")
	f.IntVar(&o.depth, "depth", 0, "1 brief lines, 2 texts, 3 texts and what hangs together with them")
	o.times(c)
	f.StringVar(&o.boosts, "boosts", "", "off ranks by relevance alone")
	f.StringVar(&o.branch, "branch", "", `of recent work; the current one when absent, "*" for all`)
	f.StringVar(&o.kind, "kind", "", "only this kind")
	f.StringVar(&o.subject, "subject", "", "only this subject")
	f.IntVarP(&o.limit, "limit", "n", 0, "at most so many (10, at most 50)")
	f.IntVar(&o.limit, "max-results", 0, "the same as --limit")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "size of the answer in tokens")
	f.Float64Var(&o.minMatch, "min-match", 0, "0 to 1: leave weaker hits out")
	f.BoolVar(&o.json, "json", false, "answer as JSON")
	hide(c, "scope")
	hide(c, "max-results")
}

// times are the options that ask for another time than now.
func (o *searchOptions) times(c *cobra.Command) {
	c.Flags().StringVar(&o.asOf, "as-of", "", "what was believed at this time, such as 2026-06-09 or \"last monday\"")
	c.Flags().StringVar(&o.validAt, "valid-at", "", "what held in the world at this time")
}

func (o *searchOptions) arguments() map[string]any {
	a := map[string]any{}
	set(a, "lobe", o.lobe)
	set(a, "scope", o.scope)
	set(a, "detail", o.detail)
	set(a, "depth", o.depth)
	set(a, "boosts", o.boosts)
	set(a, "asOf", o.asOf)
	set(a, "validAt", o.validAt)
	set(a, "branch", o.branch)
	set(a, "kind", o.kind)
	set(a, "status", o.status)
	set(a, "subject", o.subject)
	set(a, "maxResults", o.limit)
	set(a, "offset", o.offset)
	set(a, "maxTokens", o.maxTokens)
	set(a, "minMatch", o.minMatch)
	return a
}

// shown prints what was found, with the times that it speaks of.
func (o *searchOptions) shown(e *env) func([]byte) error {
	if o.asOf != "" || o.validAt != "" {
		return e.showThen
	}
	return e.showFound
}

// roomy gives an answer to a person or a program more room than one to a
// model, whose context costs.
func (o *searchOptions) roomy(e *env, args map[string]any) {
	if o.maxTokens == 0 && (o.json || e.terminal.is) {
		args["maxTokens"] = roomyTokens
	}
}

const roomyTokens = 20000

func newQuery(e *env) *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use:     "query [FILTER...]",
		Short:   "Search by words, topic or tag",
		GroupID: groupDaily,
		Long: `Search memories by words. Without a filter all are listed, newest first.

  a b        both           a|b      either        -a   without (after --)
  #tag       with this tag  =exact   this word     "a phrase"`,
		Example: `  memory-mcp query 'reducer sealed|swift' --topic conventions
  memory-mcp query '#build' -n 50 --json
  memory-mcp query -- 'cache -deprecated'`,
		RunE: func(c *cobra.Command, args []string) error {
			a := o.arguments()
			set(a, "filter", joined(args))
			if o.detail == "" && e.terminal.is {
				a["detail"] = "standard"
			}
			o.roomy(e, a)
			return e.run(c.Context(), request{op: "memory_query", args: a, json: o.json, pretty: o.shown(e)})
		},
	}
	o.flags(c)
	c.Flags().IntVar(&o.offset, "offset", 0, "skip so many")
	c.Flags().StringVar(&o.status, "status", "", `active, candidate, review, or "*"`)
	return c
}
