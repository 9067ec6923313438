package textanalysis

import "strings"

// functionSigns say little about what a Chinese text is about: particles,
// pronouns, prepositions, question words. Never changed.
var functionSigns = runes("的了是在有和与及或被把将对从到以其该此之于而也都就还又等个这那哪谁吗呢吧啊么什怎何为几多少些它他她我你您们请并则且若如可能会要让使给向由因所着过得地很最更")

// functionPairs are words of two signs that do the same. Never changed.
var functionPairs = set(`什么 怎么 怎样 如何 为何 为什 是否 哪些 哪个 哪里 哪一 多少 几个 可以 能够 需要 应该 应当 已经 进行 以及
以下 如下 没有 不是 就是 还是 或者 并且 而且 但是 因为 所以 如果 虽然 通过 关于 对于 由于 其中 之后 之前 时候 称为 被称 名叫 叫做
一个 一种 这个 那个 这些 那些 我们 你们 他们 自己`)

func runes(text string) map[rune]bool {
	m := make(map[rune]bool)
	for _, r := range text {
		m[r] = true
	}
	return m
}

// FunctionSigns is the share of a sign or a pair of signs that says little
// about what a text is about: 0, 1/2 or 1.
func FunctionSigns(signs string) float64 {
	if functionPairs[signs] {
		return 1
	}
	all, function := 0, 0
	for _, r := range signs {
		all++
		if functionSigns[r] {
			function++
		}
	}
	return float64(function) / float64(max(all, 1))
}

// commitKinds are the words that open the subject of a commit by the common
// convention. Never changed.
var commitKinds = set(`feat fix chore docs doc refactor perf test tests build ci style revert wip release bugfix enhancement change`)

// CommitKind returns the length of the word that opens a text as the subject
// of a commit, "fix: …" or "feat(scope)!: …"; zero when none does.
func CommitKind(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' })
	if n <= 0 || !commitKinds[strings.ToLower(text[:n])] {
		return 0
	}
	rest := text[n:]
	if strings.HasPrefix(rest, "(") {
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return 0
		}
		rest = rest[end+1:]
	}
	if strings.HasPrefix(strings.TrimPrefix(rest, "!"), ":") {
		return n
	}
	return 0
}
