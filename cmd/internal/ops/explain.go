package ops

import (
	"errors"
	"fmt"
	"strings"

	"memory-mcp/lobes"
	"memory-mcp/store/entry"
	"memory-mcp/textanalysis"
)

// Explain turns an error into what a front door tells. It knows every closed
// error of the packages below; any other is told as it is.
func (e *Env) Explain(err error) *Fault {
	g := e.guide(isBroken(err))
	for _, known := range []func(guide, error) *Fault{
		ofArguments, ofRouting, ofTexts, ofPast, ofIDs, ofStorage, ofFiles, ofSystem,
	} {
		if f := known(g, err); f != nil {
			f.Message, f.Hint = safe(f.Message), safe(f.Hint)
			return f
		}
	}
	return &Fault{
		Code: "failed", Message: safe(err.Error()), Hint: "Nothing else is known about this failure. What is wrong with the memory: " + g.diagnose(),
		Exit: ExitFailure, HTTP: 500,
	}
}

func isBroken(err error) bool {
	var degraded *lobes.DegradedError
	var safe *lobes.SafeModeError
	return errors.As(err, &degraded) || errors.As(err, &safe)
}

func ofArguments(g guide, err error) *Fault {
	var bad *ArgumentError
	if errors.As(err, &bad) {
		hint := ""
		if len(bad.Near) > 0 {
			hint = "Nearest: " + strings.Join(bad.Near, ", ") + ". "
		}
		return &Fault{"bad_argument", bad.Error(), hint + "A call that works: " + g.exampleFor(bad), ExitUsage, 400}
	}
	var unknown *UnknownOpError
	if errors.As(err, &unknown) {
		near := textanalysis.Nearest(strings.ToLower(unknown.Name), unknown.Known, 3)
		if len(near) == 0 {
			near = []string{"memory_context"}
			if g.profile == Verbs {
				near = []string{"recall"}
			}
		}
		return &Fault{"unknown_tool", unknown.Error(), "Nearest: " + strings.Join(near, ", ") + ". For example: " + g.example(near[0]), ExitUsage, 404}
	}
	return nil
}

// exampleFor is a call that works with the argument that did not.
func (g guide) exampleFor(bad *ArgumentError) string {
	then := arg{"asOf", "2026-06-09"}
	switch bad.Name {
	case "asOf", "at", "validAt":
		if g.shell {
			return line("asof", "2026-06-09", "deploys")
		}
		return g.search(false, "deploys", then)
	case "token":
		return g.forget(arg{"action", "delete"}, arg{"session", "s-42"})
	case "since", "until":
		if bad.Op == "memory_correct" {
			return g.forget(arg{"action", "delete"}, arg{"since", "yesterday"})
		}
		return g.history(askDiff, arg{"since", "2 weeks ago"})
	case "validFrom":
		return g.correct("arch-3f7a2b1c", "supersede", "the text that holds now", arg{"validFrom", "2026-06-01"})
	case "toLobe":
		return g.correct("arch-3f7a2b1c", "move", "", arg{"toTopic", "decisions"})
	}
	return g.example(bad.Op)
}

// example is a call that works: of the operation itself, or of one that the
// reader is offered for the same end.
func (g guide) example(name string) string {
	o, ok := Find(name)
	switch {
	case !ok:
		return g.brief()
	case g.lists(o.Name):
		return o.example
	case o.Effect == Rewrites:
		return g.correct("arch-3f7a2b1c", "replace", "the new text")
	case o.Effect == Adds:
		return g.store("uploads must go through the queue, direct ones lose events", "gotchas")
	}
	return g.search(true, "add retry to the upload client")
}

func ofRouting(g guide, err error) *Fault {
	var unknown *lobes.UnknownLobeError
	var several *lobes.AmbiguousError
	var none *lobes.NoLobeError
	var degraded *lobes.DegradedError
	var safe *lobes.SafeModeError
	var readOnly *lobes.ReadOnlyError
	switch {
	case errors.As(err, &unknown):
		hint := "Name one of these, or leave lobe out for the current project."
		if len(unknown.Near) > 0 {
			hint = fmt.Sprintf("Nearest: %s. Repeat the call with lobe: %s.", strings.Join(unknown.Near, ", "), quote(unknown.Near[0]))
		}
		return &Fault{"unknown_lobe", unknown.Error(), hint + " A lobe for another folder: " + g.newLobe(), ExitNotFound, 404}
	case errors.As(err, &several):
		return &Fault{"ambiguous_lobe", several.Error(), "Repeat the call with lobe: " + quoteAny(several.Candidates) + ".", ExitUsage, 409}
	case errors.As(err, &none):
		return &Fault{"no_lobe", none.Error(), "Repeat the call with lobe: " + quoteAny(none.Known) + ". A lobe for another folder: " + g.newLobe(), ExitNotFound, 404}
	case errors.As(err, &degraded):
		return &Fault{"degraded_lobe", degraded.Error(), strings.Join(append(degraded.Remedy, "All of it: "+g.diagnose()), ". "), ExitFailure, 503}
	case errors.As(err, &safe):
		return &Fault{"safe_mode", safe.Error(), "Only these answer until it is repaired: " + g.diagnose() + ", " + g.lobes(), ExitFailure, 503}
	case errors.As(err, &readOnly):
		return &Fault{"read_only", readOnly.Error(), "This process was started read-only. Reading works: " + g.brief() + ". A person can write at a shell: " + line("store", "TEXT"), ExitRefused, 403}
	}
	return nil
}

func (g guide) newLobe() string {
	return g.bootstrap(arg{"root", "/absolute/path"})
}

func quoteAny(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	if len(quoted) == 0 {
		return "(there is none yet)"
	}
	return strings.Join(quoted, " or ")
}

func ofTexts(g guide, err error) *Fault {
	var short *refused
	if errors.As(err, &short) {
		return ofRefusal(g, short.EphemeralError, short)
	}
	var bare *lobes.EphemeralError
	if errors.As(err, &bare) {
		return ofRefusal(g, bare, &refused{EphemeralError: bare, text: bare.Title})
	}
	var full *lobes.FullError
	if errors.As(err, &full) {
		hint := "Take away what is no longer needed: " + g.correct("ID", "delete", "") + "."
		if full.ConfigLine != "" {
			hint = fmt.Sprintf("A person can raise it in %s: %s. ", full.ConfigPath, full.ConfigLine) + hint
		}
		return &Fault{"full", full.Error(), hint, ExitRefused, 507}
	}
	var recalled *lobes.RecalledError
	if errors.As(err, &recalled) {
		return &Fault{"recalled", recalled.Error(), "Record what is new alone. What is remembered: " + g.search(true, "what it is about"), ExitRefused, 422}
	}
	var declined *lobes.DeclinedError
	var unfounded *lobes.UnfoundedError
	if errors.As(err, &declined) || errors.As(err, &unfounded) {
		return &Fault{"not_told", err.Error(), "The memories stay as they are. How the model is: " + g.diagnose(), ExitRefused, 422}
	}
	var unasked *lobes.UnaskedError
	if errors.As(err, &unasked) {
		return &Fault{"model_unasked", unasked.Error(), "What was recorded goes on waiting. How the model is: " + g.diagnose(), ExitFailure, 503}
	}
	if f := ofSpeech(g, err); f != nil {
		return f
	}
	var text *lobes.TextError
	if errors.As(err, &text) {
		return &Fault{"bad_text", text.Error(), ofText(g, text), ExitUsage, 400}
	}
	var value *lobes.ValueError
	if errors.As(err, &value) {
		return &Fault{"bad_value", value.Error(), nearest(value.Near, value.Allowed), ExitUsage, 400}
	}
	var topic *entry.TopicError
	if errors.As(err, &topic) {
		return &Fault{"unknown_topic", topic.Error(), g.repeatTopic(argument(err, "topic", "scope", "toTopic"), either(topic.Near, "general")), ExitUsage, 400}
	}
	var word *entry.WordError
	if errors.As(err, &word) {
		return &Fault{"bad_value", word.Error(), nearest([]string{word.Near}, word.Known), ExitUsage, 400}
	}
	return nil
}

// repeatTopic proposes the same call with a topic that there is.
func (g guide) repeatTopic(name, topic string) string {
	if g.shell {
		return "Repeat the command with --" + map[string]string{"toTopic": "to-"}[name] + "topic " + shellWord(topic) + ", or without a topic."
	}
	return "Repeat the call with " + name + ": " + quote(topic) + ", or without a topic."
}

func nearest(near, known []string) string {
	if len(near) > 0 && near[0] != "" {
		return "Nearest: " + quote(near[0]) + "."
	}
	if len(known) > 0 {
		return "It is one of " + strings.Join(known, ", ") + "."
	}
	return "Repeat the call with another value, or without it."
}

// ofRefusal offers the two ways on: as recent work, which fades by itself, or
// as it is.
func ofRefusal(g guide, e *lobes.EphemeralError, r *refused) *Fault {
	text := r.text
	if tokens(text) > longestRepeated {
		text = cutTokens(text, longestRepeated) + "…"
	}
	var rest []arg
	if r.title != "" {
		rest = append(rest, arg{"title", r.title})
	}
	again := append(rest[:len(rest):len(rest)], arg{"durabilityDecision", "store-anyway"})
	hint := fmt.Sprintf("If it is of use only for some weeks: %s. If it will hold in six months: %s. Else reword it as the lasting insight.",
		g.store(text, "recent-work", rest...), g.store(text, "", again...))
	if r.several {
		hint += " Nothing of this call was stored: repeat it with the other entries."
	}
	return &Fault{"ephemeral", fmt.Sprintf("not stored (%s): %s", e.Severity, e.Error()), hint, ExitRefused, 422}
}

// longestRepeated is how much of a refused text, in tokens, the ready calls
// hold: the caller has the rest.
const longestRepeated = 150

func ofText(g guide, e *lobes.TextError) string {
	switch {
	case e.What == lobes.TextTooLong && e.Most == lobes.MaxMaterial:
		return "Record it in parts, each of at most 1 MiB."
	case e.What == lobes.TextTooLong:
		return "Store the insight, not the material: several short memories are found more easily than one long."
	case e.What == lobes.TextNotUTF8, e.What == lobes.TextNUL:
		return "Repeat the call with plain UTF-8 text."
	}
	return "A call that works: " + g.store("uploads must go through the queue, direct ones lose events", "gotchas")
}

func ofIDs(g guide, err error) *Fault {
	var unknown *lobes.UnknownIDError
	if !errors.As(err, &unknown) {
		return nil
	}
	f := &Fault{Code: "unknown_id", Message: unknown.Error(), Exit: ExitNotFound, HTTP: 404}
	switch {
	case !unknown.AsOf.IsZero():
		f.Hint = "How it came about: " + g.history(askWhy, arg{"id", unknown.ID})
	case len(unknown.Elsewhere) > 0:
		f.Hint = fmt.Sprintf("Lobe %s has it: repeat the call with lobe: %s.", unknown.Elsewhere[0], quote(unknown.Elsewhere[0]))
	case unknown.Erased:
		f.Hint = "Nothing is left of it, and its id is not used again. What is remembered: " + g.search(true, "what it was about")
	case !unknown.Gone.IsZero():
		f.Hint = "Its history stays. Put it back: " + g.correct(unknown.ID, "restore", "") + ". What it was: " + g.history(askWhy, arg{"id", unknown.ID})
	case len(unknown.Near) > 0:
		f.Hint = fmt.Sprintf("Nearest: %s. Read it: %s", strings.Join(unknown.Near, ", "), g.get(unknown.Near[0]))
	default:
		f.Hint = "Find its id: " + g.search(true, "what it is about") + ". In all lobes: " + g.search(false, "words of it", arg{"lobe", "*"})
	}
	return f
}
