package ops

import "strings"

// otherWords are other words for values, by the name of the table that a
// parameter's tag gives, folded.
var otherWords = map[string]map[string]string{
	// wild values are a scope or a branch without limits.
	"wild": {
		"all": "*", "everything": "*", "any": "*", "global": "*", "project": "*", "repo": "*", "workspace": "*",
		"every": "*", "full": "*", "complete": "*",
	},
	// lobes leaves alone what can be the name of a lobe.
	"lobes": {"all": "*", "everything": "*", "any": "*", "every": "*"},
	"action": {
		"remove": "delete", "retract": "delete", "forget": "delete", "drop": "delete",
		"purge": "erase", "wipe": "erase", "shred": "erase",
		"supercede": "supersede", "revise": "supersede", "outdated": "supersede", "changed": "supersede",
		"revert": "undo", "rollback": "undo", "undelete": "restore", "unarchive": "restore", "recover": "restore", "shelve": "archive",
		"rename": "edit", "relocate": "move", "refile": "move",
		"add": "append", "extend": "append", "update": "replace", "overwrite": "replace", "rewrite": "replace",
		"set": "edit", "modify": "edit", "patch": "edit", "retag": "edit",
		"touch": "confirm", "verify": "confirm", "keep": "confirm", "stillvalid": "confirm",
	},
	"verdict": {
		"good": "helpful", "useful": "helpful", "success": "helpful", "succeeded": "helpful", "worked": "helpful", "right": "helpful", "correct": "helpful", "yes": "helpful",
		"bad": "wrong", "false": "wrong", "incorrect": "wrong", "unhelpful": "wrong", "no": "wrong",
		"stale": "outdated", "obsolete": "outdated", "old": "outdated", "changed": "outdated",
		"failed": "counterexample", "failure": "counterexample", "counter": "counterexample",
	},
	"history": {
		"explain": "why", "provenance": "why", "chain": "why", "reason": "why", "origin": "why",
		"changes": "diff", "changed": "diff", "compare": "diff", "since": "diff", "difference": "diff", "whatchanged": "diff",
		"log": "timeline", "history": "timeline", "list": "timeline", "all": "timeline", "recent": "timeline",
		"at": "as_of", "then": "as_of", "past": "as_of", "believed": "as_of", "recall": "as_of", "query": "as_of", "timetravel": "as_of",
	},
	"detail": {
		"short": "brief", "low": "brief", "minimal": "brief", "summary": "brief", "1": "brief",
		"normal": "standard", "medium": "standard", "default": "standard", "2": "standard",
		"all": "full", "high": "full", "complete": "full", "long": "full", "verbose": "full", "3": "full",
	},
	"trust": {
		"inferred": "agent-inferred", "agent": "agent-inferred", "low": "agent-inferred",
		"confirmed": "agent-confirmed", "verified": "agent-confirmed", "high": "agent-confirmed",
		"human": "user", "person": "user",
	},
	"durability": {
		"true": "store-anyway", "yes": "store-anyway", "force": "store-anyway", "store": "store-anyway", "keep": "store-anyway",
		"anyway": "store-anyway", "false": "default", "no": "default", "review": "default",
	},
	"format": {"markdown": "text", "md": "text", "plain": "text", "structured": "json"},
}

// topics are the names that a topic word is compared with.
var topics = []string{"user", "preferences", "gotchas", "conventions", "architecture", "decisions", "general", "recent-work"}

// topicWord reads a topic as agents write it: in any case, as the singular, or
// with a space. What is no topic stays, for the error that names it.
func topicWord(s string) string {
	t := strings.Trim(strings.TrimSpace(s), "/")
	if t == "*" || t == "" {
		return t
	}
	for _, known := range topics {
		if f := fold(t); f == fold(known) || f+"s" == fold(known) {
			return known
		}
	}
	head, name, nested := strings.Cut(t, "/")
	if nested && (fold(head) == "module" || fold(head) == "modules") {
		return "modules/" + name
	}
	if fold(t) == "module" || fold(t) == "modules" {
		return "modules"
	}
	return t
}
