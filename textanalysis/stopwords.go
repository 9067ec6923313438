package textanalysis

import "strings"

// englishStop holds the function words of English, with the forms that are
// left when an apostrophe was dropped. It is never changed.
var englishStop = set(`
a an the this that these those some any each every either neither both all few
many much more most other another such same own no not nor none
i me my mine myself we us our ours ourselves you your yours yourself
yourselves he him his himself she her hers herself it its itself they them
their theirs themselves who whom whose which what whoever whatever
am is are was were be been being do does did doing done have has had having
can could may might must shall should will would ought
and or but if then else than so because as until while although though unless
whether since
of at by for with without about against between among into through during
before after above below to from up down in out on off over under again
further upon onto within toward towards via per
here there when where why how now just only also too very once ever
don doesn didn isn aren wasn weren hasn haven hadn couldn wouldn shouldn mustn
isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant couldnt wont
wouldnt shouldnt mustnt im ive id youre youve hes shes theyre weve thats whats
heres theres
`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
