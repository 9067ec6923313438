package textanalysis

import (
	"regexp"
	"sync"
)

// ruleWords stand in sentences that prescribe.
var ruleWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:when|once|if|whenever|unless|until|every|each|must|should|always|never|may|can|cannot|at most|limit|maximum|more than|fewer than|over|per|because)\b|必须|需要|应当?|不得|禁止|要求|务必|不要|如果|每次|每个|才能|超过|最多|上限|之前|以后|后才`)
})

// An eventFamily is a family of patterns that share weight and phrase.
type eventFamily struct {
	name   string
	weight Severity
	phrase string
	report bool // a sentence that states a rule does not count
	en, zh string
}

var durabilityPatterns = sync.OnceValue(func() *textPatterns {
	var list []textPattern
	for _, f := range append(heavyFamilies(), lightFamilies()...) {
		for _, language := range []string{f.en, f.zh} {
			if language == "" {
				continue
			}
			for _, expr := range alternatives(language) {
				list = append(list, textPattern{f.name, f.weight, f.phrase, cuesOf(expr), f.report, expr, lazyExpr(expr)})
			}
		}
	}
	return newTextPatterns(list)
})

// environmentDetails are the signs of one machine: an address, a port, a process, a home, a commit.
func environmentDetails() []func() *regexp.Regexp { return environmentExprs }

var environmentExprs = []func() *regexp.Regexp{
	lazyRegexp(`\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d{2,5}\b`),
	lazyRegexp(`\bport \d{4,5}\b`),
	lazyRegexp(`\bpid:? ?\d{2,7}\b`),
	lazyRegexp(`(?:/home/|/users/|c:\\users\\)[\w.-]+`),
	lazyRegexp(`\b[0-9a-f]{40}\b`),
}

func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func heavyFamilies() []eventFamily {
	const bug = `(?:bugs?|issues?|errors?|crash(?:es)?|problems?|failures?|regressions?|leaks?|races?|race conditions?|deadlocks?|tickets?|panics?|exceptions?|flakes?|warnings?|tests?|build|pipeline)`
	return []eventFamily{
		{"temporal", High, "ties the statement to now or to this session", false,
			`\b(?:in|during|for|of|from) (?:this|our|my|the current) (?:session|conversation|chat|run|sitting)\b|^\s{0,8}this session\b|\bright now\b|\bat (?:the|this) moment\b|\bas of (?:now|today|this writing|this (?:morning|week|session)|yesterday|\d{4}-\d\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d)|\bfor the time being\b|\bfor now(?:[ ,.;:!\n]|$)|\bearlier today\b|\blater today\b|\btoday,? (?:i|we)\b|\b(?:i|we) [^.\n]{1,60}\b(?:today|tonight|tomorrow|yesterday)\b|\b(?:broke|failed|merged|deployed|happened|added|changed|started|stopped|since|fixed|released) (?:[\w'-]{1,20} ){0,5}(?:yesterday|today|this (?:morning|afternoon|week)|last (?:night|week))\b|\b(?:todo|fixme)\b:?[^\n]{0,80}\b(?:tomorrow|next week|later|tonight)\b|(?:^|\n)next steps? (?:is|are) to (?:merge|push|fix|finish|open|rebase|land|review|deploy)\b|\byesterday,? (?:i|we|the)\b|\bthis (?:morning|afternoon|evening)\b|\blast night\b|\bjust now\b|\bcurrently (?:failing|broken|working on|investigating|debugging|blocked|down|in progress|on branch|on the branch|editing|implementing|testing|trying|stuck|waiting|looking|refactoring|migrating|red|fails|crashes|reviewing|writing|fixing)\b|\bcurrent (?:task|status|state|focus|sprint|progress|branch|step|blocker)(?: is\b| was\b| ?:)|\b(?:last updated|updated|created|written|recorded|dated)(?: on| at)?:? \d{4}-\d\d-\d\d|\bat the time of writing\b|\b(?:i|we|i've|we've|you|has|have|was) just (?:finished|added|fixed|merged|pushed|updated|changed|implemented|committed|deployed|noticed|discovered|found|ran|released|created|removed|renamed|refactored|been)\b|(?:^|\n)just (?:finished|added|fixed|merged|pushed|updated|changed|implemented|committed|deployed|noticed|ran|released)\b`,
			`本次(?:会话|对话|任务|运行|修改|提交|更新|改动)|这次(?:会话|对话|任务|修改|改动|提交)|当前(?:会话|对话|任务)(?:中|里|是|：|:|我)|(?:目前|现在|当前|此刻|眼下|暂时)(?:我们?)?(?:正在|还在|仍在|仍未|仍然(?:未|在|无法|失败|报错)|还没|还有|卡在|无法|跑不|报错|失败|卡住|阻塞|先用|先不|有\d)|今天(?:我们?|正在|已|下午|上午|早上|晚上|刚|把|修|完成|发现|在|开始|又)|昨天|刚刚|刚才|今早|今晚|明天(?:再|要|会|继续|需)|(?:我们?|还|仍)正在(?:修复|修改|调试|排查|处理|实现|编写|重构|开发|测试|写)|(?:下周|后天|等会儿?|稍后|回头)(?:再|要|会|继续|需|修复|修|处理|看|做|改|写)|当前分支(?:的|上)?[^。\n]{0,12}(?:失败|报错|没有?通过)|(?:测试|构建|编译)还没有?(?:通过|完成|修好)|截至(?:目前|今天|现在|\d)|(?:更新|创建|记录)(?:时间|日期|于)[：: ]{0,2}\d{4}`},
		{"fixed-bug", High, "tells that something was fixed, which the repository's history already says", true,
			`\b` + bug + `(?: [\w#/.'-]{1,30}){0,6} (?:was|were|has been|have been|got|(?:is|are) (?:now|finally|already))(?: now| finally| already| just)? (?:fixed|resolved|patched|solved|gone|closed|addressed)\b|(?:^|\n|: |[.!] )(?:fixed|resolved|patched|solved|repaired|hotfixed) (?:the|a|an|by|several|two|three|all|this|that|it|` + bug + `|#\d|[\w-]{1,20} ` + bug + `)\b|\b(?:i|we|i've|we've)(?: have)?(?: just| finally| now| already)? (?:fixed|patched|repaired|solved)\b|\b(?:no longer|stopped) (?:fail|crash|break|throw|hang|leak|reproduc|error|tim)(?:s|es|e|ing|ping)?\b|\b(?:works|working|passes|passing|builds|compiles|green) (?:again|now)(?:[.,!;\n ]|$)|\b(?:now|finally) (?:works|passes|passing|builds|compiles|working|green)\b|\b(?:broke|stopped working|started failing|began failing|started crashing) (?:after|when|since|with|because)\b|\b(?:closes|closed|fixes|fixed|resolves|resolved) (?:issue |bug |ticket |gh-|pr )?#\d|\bfalse alarm\b|\bturned out to be (?:a |an |the |my |just )?(?:typo|stale|false|user error|missing|wrong|cach|mis)|\broot cause (?:was|turned out)\b|\bthe (?:bug|crash|issue|regression|failure) (?:came from|was caused by)\b`,
			`(?:已经?|刚|终于|成功|现已)(?:被|经)?(?:修复|解决|修好|修正|搞定)(?:了|[^的时后之]|$)|(?:问题|错误|bug|缺陷|故障|报错|崩溃|漏洞)(?:已经?|现已|都|全部)(?:得到|被)?(?:修复|解决|修好|消失)(?:了|。|，|！|\n|$)|(?:修复|解决|修好|搞定)了|不再(?:报错|崩溃|失败|复现)|(?:能|可以)正常(?:工作|运行|使用|编译)了|恢复正常(?:了|。|$)|(?:原因|根因)(?:已)?(?:找到|查明|定位)|误报(?:了|，|。|$)|关闭了?(?:issue|问题) ?#?\d`},
		{"completed-task", High, "reports finished work rather than what holds", true,
			`(?:^|\n|: )(?:[-*] )?(?:completed|finished|done with|implemented|added|created|wrote|refactored|migrated|updated|renamed|upgraded|converted|cleaned up|set up|moved|extracted|introduced|deployed) (?:the|a|an|all|new|support|tests?|unit|integration|missing|some|several|two|three|both|our|my|\d+)\b|(?:^|\n|: )(?:[-*] )?(?:completed|finished|implemented|refactored|wrote|added) [\w/ -]{3,50}(?: to | for | in | with | and |[.!\n]|$)|\bi(?:'ve| have)?(?: just| now| successfully| already| also)? (?:added|implemented|completed|finished|refactored|created|wrote|updated|migrated|renamed|removed|ran|pushed|committed|merged|deployed|moved|tested|verified|changed|replaced|upgraded|installed|set up|cleaned)\b|\bwe(?:'ve| have)?(?: just| now| successfully| already| also)? (?:added|implemented|completed|finished|ran|pushed|committed|tested|verified|wrote|refactored)\b|\b(?:was|were|has been|have been|all|i|we|\n|^) ?successfully [a-z]{2,20}(?:ed|t)\b|(?:^|\n)successfully [a-z]{2,20}\b|\b(?:has|have) (?:now |just |already |all )?been (?:completed|implemented|finished|done|refactored|updated|tested|verified|written)\b|\ball (?:\d+ )?(?:[\w-]{1,20} ){0,3}(?:tests?|checks?|specs?|cases|suites?)(?: are| were| have)?(?: now)? (?:passing|passed|green|verified)\b|\ball \d+ (?:[\w-]{1,20} ){0,2}(?:tests?|checks?|specs?) pass\b|\b(?:all )?(?:tests?|checks|suite|ci)(?: is| are)? now (?:pass|passes|green)\b|\b\d+ tests? (?:passed|passing|failed|failing)\b|\b\d+(?: of |/)\d+ (?:tests|tasks|files|items|steps|checks)\b|\b(?:task|work|migration|refactor(?:ing)?|implementation|step \d+|phase \d+|milestone|setup|feature)(?: is| was| are| now){0,2} (?:complete|completed|done|finished)(?:[.!,;\n]|$)|(?:^|\n)(?:all )?done[.:!]|✅`,
			`(?:已经?|全部|均已|都已|刚刚?|成功)(?:地)?(?:完成|实现|添加|新增|重构|迁移|更新|提交|合并|部署|上线|创建|删除|写完|改完)(?:了|[^的时后之]|$)|(?:完成|实现|添加|新增|重构|更新|提交|合并|部署|修改|创建|写|升级|迁移|改)了|(?:所有|全部)(?:的)?(?:单元|集成)?(?:测试|用例|检查)(?:都|均|全部|已经?|现在)?(?:已)?(?:通过|跑通)(?:了|。|，|\n|$)|\d+ ?个(?:测试|用例)(?:全部|都|均)?(?:通过|失败)|(?:任务|工作|迁移|重构|开发|改造)(?:已经?|全部)?(?:完成|结束)(?:了|。|！|\n|$)`},
		{"diff-stats", High, "counts a change's lines or files", true,
			`(?:^|[ (\n])\+\d+(?: ?[,/] ?| )[-−]\d+\b|\b\d+ (?:insertions?|deletions?|additions?)\b|\b\d+ lines? (?:added|removed|changed|deleted)\b|\b(?:changed|modified|touched|updated|created|added|deleted|edited) \d+ (?:[\w-]{1,15} )?(?:files?|lines?|tests?|docs?|functions?|modules?|endpoints?)\b|\b\d+ (?:new )?(?:files?|tests?|docs?) (?:were |was |have been )?(?:changed|modified|added|updated|created|deleted|touched)\b|\b\d+ new (?:files?|tests?|docs)\b|\btotal(?:s|ing|ling)?(?: of)?:? \d+ lines\b`,
			`(?:修改|新增|删除|改动|更新|添加|变更)了?(?:共)? ?\d+ ?(?:个文件|行|个测试|个函数|个用例)|共 ?\d+ ?行|\d+ ?个文件(?:被)?(?:修改|改动|变更|更新)`},
		{"stack-trace", High, "is a stack trace or a log of one run", false,
			`\bat [\w$.<>/]{2,120}\([\w$.-]{1,60}\.(?:java|kt|scala|js|ts|tsx|jsx|mjs|cs|go):\d+|\bfile "[^"\n]{1,200}", line \d+|traceback \(most recent call last\)|\bcaused by: [\w.$]{3,120}(?:exception|error)|(?:^|\n)\s{0,12}at [^\n]{3,160}:\d+:\d+|\bgoroutine \d+ \[|\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d[.,\d]{0,10}z? [^\n]{0,40}(?:error|warn|info|debug|fatal)|\bpanic: [^\n]{1,120}\n|\bthread '[^'\n]{1,40}' panicked at`, ""},
	}
}

func lightFamilies() []eventFamily {
	return []eventFamily{
		{"task-language", Medium, "reads like a task still to be done", false,
			`\b(?:i|we|still) need to\b|\bneeds? to be (?:done|fixed|finished|written|checked)\b|\b(?:todo|fixme|wip):|\bnext steps?\b|\b(?:i|we)(?:'re| are)? plan(?:ning)? to\b|\bwill do\b|\bshould do\b|\bblocked on\b|\b(?:remaining|open) (?:items|work|tasks|issues)? ?:`,
			`待办(?:事项)?[：:]|下一步|接下来(?:要|需要|会|准备)|还没(?:有)?(?:做|写|完成|测)|尚未(?:完成|实现|测试)|计划(?:在|于|明天|下周)|需要继续`},
		{"investigation", Medium, "describes a search that is not over", false,
			`\blooking into\b|\bdebugging (?:the|why|a|this)\b|\btrying to (?:find|figure|understand|reproduce)\b|\b(?:cannot|can't|could not|couldn't) reproduce\b|\bnot sure why\b|\bis flaky\b|\badded (?:some |more )?logging\b|\binvestigating\b`,
			`正在(?:排查|调查|调试|分析|定位)|无法复现|复现不了|不清楚(?:为什么|原因)`},
		{"uncertainty", Medium, "is a guess", false,
			`\bi think\b|\bmaybe\b|\bprobably\b|\bseems?\b|\bhypothes[ie]s\b|\bunverified\b|\bto be determined\b|\btbd\b|\bperhaps\b|\bi guess\b|\bnot sure\b|\bmight be (?:a|the|due|because)\b`,
			`可能(?:是|因为|由于|跟|和|与)|大概|也许|似乎|好像|估计(?:是|要)|不确定|应该是因为|猜测|怀疑是`},
		{"self-correction", Medium, "takes back what was said before", false,
			`\bnever ?mind\b|\bon second thought\b|\bi was wrong\b|\bscratch that\b|\bcorrection:`, `更正[：:]|我错了|之前说错|算了[，。]`},
		{"shipped", Medium, "reports a delivery", true,
			`\b(?:was|were|has been|have been|got) (?:deployed|merged|shipped|released) (?:to|into|in|as|with)\b|\breleased as v?\d`, `已(?:经)?(?:部署|发布|上线|合并)到`},
		{"pending-decision", Medium, "waits for a decision", false,
			`\bunder review\b|\bevaluating whether\b|\bnot yet (?:merged|decided|approved|clear)\b|\bundecided\b`, `待定|待确认|评审中|讨论中|尚未决定`},
		{"meeting-reference", Low, "leans on a talk that the reader cannot look up", false,
			`\bas discussed\b|\bper (?:our|my) (?:call|chat|meeting|discussion|conversation)\b|\b(?:someone|he|she|they|\w+ed) mentioned that\b|\bin the meeting\b`, `会上(?:说|讨论|决定|提到)|会议(?:中|上)(?:讨论|决定|提到)|开会(?:时|说|讨论)`},
		{"version-pinned", Low, "is tied to one version", false,
			`\bv?\d+\.\d+(?:\.\d+)? (?:introduced|broke)\b|\b(?:introduced|broke|broken|regression) (?:in|by|with|since) [\w ]{0,20}v?\d+\.\d+`, `\d+\.\d+ ?(?:版本)?(?:引入|回归)`},
		{"metrics-change", Low, "reports one measurement", false,
			`\b(?:rose|dropped|fell|grew|went(?: up| down)?|improved|reduced|increased|decreased) (?:[\w-]{1,20} ){0,4}(?:from [\d.,]+ ?\S{0,6} to|by [\d.,]+)`, `从 ?[\d.]+ ?\S{0,8}(?:降|升|提|减|增)(?:低|高|到|至|少|加)`},
		{"bundling", Low, "holds several facts in one", false,
			`(?:^|[.!?\n] ?)(?:also,|(?:additionally|furthermore|separately)\b)`, `(?:^|[。！？\n])(?:此外|另外|同时，)`},
	}
}
