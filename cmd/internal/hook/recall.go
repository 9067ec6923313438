package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"memory-mcp/lobes"
	"memory-mcp/textanalysis"
)

// mostPrompt is how many bytes of a prompt are looked at.
const mostPrompt = 8 << 10

// recall tells what surely bears on a prompt and was not told before.
func (h *Hook) recall(ctx context.Context, e Event) (Answer, error) {
	var parts []string
	var errs []error
	if e.Host == opencode {
		// Its sessions have no moment of their own at which to be briefed.
		brief, err := h.greet(ctx, e)
		if brief.Context != "" {
			parts = append(parts, brief.Context)
		}
		errs = append(errs, err)
	}
	found, err := h.found(ctx, e)
	errs = append(errs, err)
	if found != "" {
		parts = append(parts, found)
	}
	return Answer{Context: strings.Join(parts, "\n\n")}, errors.Join(errs...)
}

func (h *Hook) found(ctx context.Context, e Event) (string, error) {
	text := within(e.Text, mostPrompt)
	if trivial(text) {
		return "", nil
	}
	in, err := h.Set.Inject(ctx, h.Target, lobes.Query{Text: text, Subject: h.Subject, Limit: lobes.MaxInjected, Excerpt: lobes.MaxExcerpt})
	if err != nil || len(in.Results) == 0 {
		return "", err
	}
	l, err := h.ledger(e)
	if err != nil {
		return "", err
	}
	if l == nil {
		answer, shown := recalled(in.Results)
		return answer, h.count(e, answer, shown)
	}
	var answer string
	var shown []lobes.Shown
	err = l.Update(ctx, func(p *lobes.LedgerPage) {
		var fresh []lobes.Result
		for _, r := range in.Results {
			if !p.Told(lobes.Shown{Lobe: r.Lobe, ID: r.Entry.ID}) {
				fresh = append(fresh, r)
			}
		}
		answer, shown = recalled(fresh)
		for _, m := range shown {
			p.Tell(m)
		}
	})
	if err != nil {
		return "", err // better silent than the same again and again
	}
	if answer == "" {
		return "", nil
	}
	return answer, h.count(e, answer, shown)
}

// recalled writes memories as far as the budget lasts.
func recalled(results []lobes.Result) (text string, shown []lobes.Shown) {
	room := float64(RecallTokens)
	var blocks []string
	for _, r := range results {
		if len(blocks) == lobes.DefaultInjected {
			break
		}
		block := block(r, lobes.MaxExcerpt)
		if tokens(block) > room {
			block = shortBlock(r, room)
		}
		if block == "" {
			break
		}
		room -= tokens(block) + lineTokens
		blocks = append(blocks, block)
		shown = append(shown, lobes.Shown{Lobe: r.Lobe, ID: r.Entry.ID})
	}
	return strings.Join(blocks, "\n"), shown
}

// shortBlock is a memory with as much of its text as there is room for; empty
// when that would be next to nothing.
func shortBlock(r lobes.Result, room float64) string {
	for n := lobes.MaxExcerpt / 2; n >= 60; n /= 2 {
		if b := block(r, n); tokens(b) <= room {
			return b
		}
	}
	return ""
}

func block(r lobes.Result, most int) string {
	label := fmt.Sprintf("%s, lobe %s, %s", r.Entry.ID, r.Lobe, mark(r))
	return textanalysis.Fence(label, told(r.Entry.Title, r.Excerpt, most, "\n"))
}

// trivial tells whether a prompt only answers, thanks or says to go on, or is
// a command of the host. What it is about was said before.
func trivial(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "/") && !strings.ContainsAny(text, " \n") {
		return true
	}
	said := 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		if !filler(word) {
			said++
		}
		if said > 0 {
			return false
		}
	}
	return true
}

// filler are words that say nothing about what a prompt is about.
func filler(word string) bool {
	switch word {
	case "yes", "y", "yep", "yeah", "no", "n", "nope", "ok", "okay", "k", "sure", "fine", "good", "great", "nice", "perfect", "cool",
		"thanks", "thank", "thx", "ty", "you", "please", "pls", "continue", "go", "on", "ahead", "proceed", "next", "more", "again",
		"retry", "try", "do", "it", "that", "this", "the", "a", "and", "then", "now", "just", "keep", "going", "carry", "lgtm", "done",
		"stop", "wait", "hi", "hello", "hey", "right", "correct", "exactly", "agreed", "looks", "sounds", "is", "so", "well", "all",
		"1", "2", "3", "4", "5", "option", "first", "second", "one", "both", "ship", "resume", "with", "to", "me", "i", "what", "else",
		"继续", "好", "好的", "可以", "是", "是的", "对", "对的", "不", "不是", "不用", "嗯", "行", "谢谢", "多谢", "下一步", "接着", "请继续", "继续吧", "好了",
		"да", "нет", "хорошо", "ладно", "спасибо", "продолжай", "дальше", "はい", "いいえ", "続けて", "ありがとう", "네", "아니요", "계속":
		return true
	}
	return false
}
