package textanalysis

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A LastingKind says why a sentence may be worth keeping.
type LastingKind string

// The kinds, those that only a person can state first.
const (
	Instruction LastingKind = "instruction" // how to work from now on
	Preference  LastingKind = "preference"  // what the person likes
	Correcting  LastingKind = "correction"  // what was wrong, and what holds
	Deciding    LastingKind = "decision"    // what was settled
	Cause       LastingKind = "cause"       // why something failed
)

// A Lasting is a sentence of a conversation that seems to hold beyond it.
type Lasting struct {
	Kind LastingKind
	Text string // the sentence, word for word
	// Claim is what it says, without the words by which it was known. It is
	// Text where those belong to what is said.
	Claim string
	At    int // where it begins in the text, in bytes
}

// LastingSentences finds sentences that seem to hold beyond the conversation
// they were said in: instructions, preferences, corrections, decisions and root
// causes. Only a person's words instruct, prefer and correct. Code, quoted
// lines, questions, and what speaks of the moment are left out. English and
// Chinese are understood. At most the first 64 KiB of the text are looked at.
func LastingSentences(text string, person bool) []Lasting {
	const most = 64 << 10
	if len(text) > most {
		text = text[:most]
	}
	var found []Lasting
	if !person && !mayHoldClaims(text) {
		return nil
	}
	for s := range prose(text) {
		lowered := strings.ReplaceAll(lowerASCII(s.Text), "’", "'")
		if !sentenceLike(s.Text) || passing().MatchString(lowered) || asks(lowered) {
			continue
		}
		for _, p := range lastingPatterns() {
			if p.person && !person {
				continue
			}
			if at := p.expr.FindStringIndex(lowered); at != nil {
				s.Kind, s.Claim = p.kind, s.Text
				if p.cut {
					s.Claim = claimAfter(s.Text, at[1])
				}
				found = append(found, s)
				break
			}
		}
	}
	return found
}

// mayHoldClaims tells whether a text has any of the words without which an
// agent neither settles nor explains anything. Most of what agents say is passed
// over by it.
func mayHoldClaims(text string) bool {
	lowered := strings.ReplaceAll(lowerASCII(text), "’", "'")
	for _, cue := range claimCues() {
		if strings.Contains(lowered, cue) {
			return true
		}
	}
	return false
}

func claimCues() []string {
	return []string{
		"root cause", "real ", "actual ", "underlying ", "out that", "because", "caused by", "the reason", "decision", "decided", "agreed",
		"settled on", "chose", "picked", "let's ", "lets ", "let us ", "we'll ", "we will ", "we're going ", "we are going ",
		"原因", "根因", "问题", "因为", "导致", "决定", "我们", "就用", "敲定", "统一",
	}
}

// claimAfter is what follows the cue, or the whole where that is too little.
func claimAfter(s string, at int) string {
	if at > len(s) {
		return s
	}
	claim := strings.TrimLeftFunc(s[at:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":,，：*_-—–", r) })
	claim = strings.TrimPrefix(claim, "that ")
	if !sentenceLike(claim) {
		return s
	}
	first, size := utf8.DecodeRuneInString(claim)
	return string(unicode.ToUpper(first)) + claim[size:]
}

// The bounds of a sentence that is looked at, in characters.
const (
	shortestLasting = 12
	longestLasting  = 400
)

func sentenceLike(s string) bool {
	letters, signs, words := 0, 0, len(strings.Fields(s))
	for _, r := range s {
		switch {
		case isHan(r):
			signs++
		case unicode.IsLetter(r):
			letters++
		}
	}
	n := utf8.RuneCountInString(s)
	return n <= longestLasting && (signs >= 5 || n >= shortestLasting && words >= 3 && letters*2 > n)
}

func isHan(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// asks tells whether a sentence is a question or only an offer.
func asks(lowered string) bool {
	return strings.HasSuffix(lowered, "?") || strings.HasSuffix(lowered, "？") || offering().MatchString(lowered)
}

var offering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:should|shall|could|can|would|do|does|did|is|are|what|why|how|when|where|which|who) (?:i|we|you|it|the|this|that|there)\b|\b(?:would you like|do you want|let me know|if you (?:want|prefer|like)|i(?:'ll| will| can|'m going to) (?:now|then|start|begin|look|check|try|go|first))\b|^(?:if|suppose|maybe|perhaps)\b|吗$|是否|要不要`)
})

// passing are the signs that a sentence speaks of the moment.
var passing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:for now|right now|this time|just this once|just once|for the moment|for the time being|today|tomorrow|tonight|yesterday|in this (?:pr|commit|session|branch|turn|chat|conversation|message)|at the moment|not yet|before you (?:start|begin|continue)|when you(?:'re| are) done)\b|\byet[.!]?$|这次|这回|暂时|先不|先别|今天|明天|刚才|本次|目前`)
})

type lastingPattern struct {
	kind   LastingKind
	person bool
	cut    bool // what was said follows the cue
	expr   *regexp.Regexp
}

var lastingPatterns = sync.OnceValue(func() []lastingPattern {
	const acts = `(?:use|run|add|commit|push|write|call|put|make|ask|check|edit|touch|change|delete|remove|create|import|mock|skip|log|format|start|keep|include|update|deploy|merge|rebase|force|amend|reply|answer|speak|explain|assume|guess|install|modify|read|return|throw|name|test|rely|store|trust|generate|send|open|close|prefix|sign|squash|document|bump|pin|cache|retry|validate|wrap|hardcode|disable|enable|ignore|report|print|show|do|be|go)`
	all := []struct {
		kind   LastingKind
		person bool
		cut    bool
		expr   string
	}{
		{Cause, false, true, `\bthe (?:real |actual |underlying )?root cause (?:is|was|turned out to be)|\broot cause:|\bthe (?:real|actual|underlying) (?:problem|issue|reason|bug|cause|culprit) (?:is|was|turned out to be)|\b(?:it )?turn(?:s|ed) out (?:that )|根本原因(?:是|在于|：|:)|根因(?:是|在于|：|:)|问题(?:出)?在于|真正的(?:原因|问题)是`},
		{Cause, false, false, `\b(?:fail|hang|crash|break|leak|drop|lose|time)(?:s|es|ed)? (?:out )?because\b|\b(?:is|was|are|were) caused by\b|\bthe reason (?:it|this|that|they) [a-z ]{1,30} (?:is|was)\b|是因为|导致(?:了)?(?:失败|崩溃|超时|报错)`},
		{Deciding, false, true, `^(?:\W{0,4})decision\W{0,4}:|^决定[:：]`},
		{Instruction, true, true, `\b(?:please )?(?:remember|keep in mind|note for (?:the )?future|for future reference)\b(?: that| this)?\s*[:,]?`},
		{Instruction, true, false, `\b(?:from now on|from here on|going forward|in (?:the )?future|as a rule|in general,|without exception)\b|^(?:\W|please |and |also |but |so |just |note |important |again |ok |okay |btw )*(?:always|never)\b|\b(?:you|we|agents?|everyone|nobody) (?:should|must|need to|have to|may|can|do|don't|will|are) (?:always|never)\b|\b(?:always|never|don't ever|do not ever) ` + acts + `\b|\bwe (?:always|never|don't|do not) \w+|\bdon't forget to\b|\bmake sure (?:you |that you |to )?(?:always|never)\b|\bevery time (?:you|we)\b|\bwhenever (?:you|we)\b|\b(?:don't|do not|stop|avoid|no more)\b.{1,120}\b(?:again|any ?more|ever|in (?:this|our) (?:repo|repository|project|codebase|code))\b|\bin (?:this|our) (?:repo|repository|project|codebase),? (?:we|you|use|never|always|don't|do not|all|every|no)\b|以后(?:都|请|不要|别|要)?|今后|从现在(?:开始|起)|记住|记得(?:要|不要|别)?|务必|一律|总是|永远|绝不|绝对不|不要再|别再|每次(?:都)?(?:要|必须|先)|在这个(?:项目|仓库)`},
		{Preference, true, false, `\b(?:i|we) (?:strongly |really |much |generally |usually )?(?:prefer|dislike|hate)\b|\bi (?:don't|do not) like\b|\bmy preference\b|\bprefer \S+(?: \S+){0,3} (?:over|to|instead of|rather than)\b|\bi(?:'d| would) (?:rather|prefer)\b|我(?:更|比较)?喜欢|我偏好|我不喜欢|我更?倾向`},
		{Correcting, true, false, `^(?:no|nope|wrong|not quite|incorrect|that's not it|actually)[,.:;! —–-]+.*\b(?:use|uses|should|must|not|isn't|is|are|instead|rather|has|have|needs?|lives?|goes|belongs?)\b|\bthat(?:'s| is) (?:wrong|not right|incorrect|not how|not what|not where)\b.*|\b(?:use|uses|should be|should use|must be|call|put it in|belongs in)\b .{1,80}(?:, not | instead of | rather than |, never )|\bi (?:already )?(?:said|told you|meant|asked for)\b.{6,}|^(?:不对|错了|不是这样)|应该(?:是|用|放在).{1,40}(?:而不是|，?不是|不要)|不是.{1,30}(?:而是|，?是)`},
		{Deciding, false, false, `\b(?:let's|lets|let us) (?:go with|use|stick (?:with|to)|switch to|standardi[sz]e on|adopt|settle on)\b|\bwe(?:'ve| have)? (?:decided|agreed|settled on|chose|picked)\b|\bwe(?:'ll| will|'re going to| are going to) (?:use|go with|stick with|switch to|adopt|standardi[sz]e on|keep)\b|\b(?:i've|i have|i) decided\b|\bthe decision (?:is|was)\b|\bwe(?:'re| are) going with\b|我们(?:决定|约定|采用|改用|选用|选择了?)|决定(?:用|采用|使用|改用|不用|把|将)|就用|敲定|统一(?:用|使用|采用)`},
	}
	list := make([]lastingPattern, len(all))
	for i, p := range all {
		list[i] = lastingPattern{p.kind, p.person, p.cut, regexp.MustCompile(p.expr)}
	}
	return list
})
