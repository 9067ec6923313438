package textanalysis

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Signal is a reason to look twice at a text: which family of signs fired,
// how heavy it is, the words that did it, and what that means to a person.
type Signal struct {
	Family string
	Weight Severity
	Text   string
	Phrase string
}

// InstructionSignals finds text that speaks to the model instead of about the
// project: it addresses the model or its rules, names tool calls, or asks to
// hide or to send something. Plain imperatives ("Never commit to main") are what
// conventions are made of and are no signal. Zero-width signs, full-width and
// look-alike letters, spaced-out letters, digits for letters and Base64 do not
// hide a phrase.
func InstructionSignals(text string) []Signal {
	var found []Signal
	seen := map[string]bool{}
	for _, view := range instructionViews(text) {
		for _, signal := range instructionPatterns().find(view, view) {
			if !seen[signal.Family] {
				seen[signal.Family] = true
				found = append(found, signal)
			}
		}
	}
	return found
}

// gap stands between the words of a phrase: anything but letters, or nothing,
// so that a phrase without its spaces is found too.
const gap = `[^a-z0-9]{0,6}`

// phrases makes an expression of phrases written with spaces; "~" allows up to
// four words between.
func phrases(list ...string) string {
	for i, p := range list {
		p = strings.ReplaceAll(p, " ~ ", `[^a-z0-9](?:[\w'’-]{1,20}[^\w]{1,3}){0,4}?`)
		list[i] = strings.ReplaceAll(p, " ", gap)
	}
	return `(?:^|[^a-z])(?:` + strings.Join(list, "|") + `)`
}

var instructionPatterns = sync.OnceValue(func() *textPatterns {
	const (
		forget = `(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|drop|skip|discard|do not follow|don['’]?t follow|stop following|do not obey|pay no attention to)`
		which  = `(?: (?:all|any|every|each|the|your|my|these|those|of|other|previously|previous|prior|above|earlier|preceding|existing|original|initial|given|current|system|safety|developer|content|ethical|and|or))`
		rules  = `(?:instructions?|prompts?|guidelines|directives|system messages?|programming|training|safeguards|guardrails|directions you|rules you|messages above|context above)`
		zhAll  = `(?:之前|先前|以上|上面|前面|此前|所有|全部|一切|系统|原有|原来|你的|先前的|已有)`
	)
	p := func(family, phrase, cues, expr string) textPattern {
		return textPattern{family, High, phrase, strings.Fields(cues), false, expr, lazyExpr(expr)}
	}
	return newTextPatterns([]textPattern{
		p("override", "asks the model to set its instructions aside", "ignor disregard forget overrid bypass drop skip discard follow obey attention instruction guideline rules", phrases(
			forget+which+`{1,5} `+rules,
			forget+which+`{0,3} (?:previous|prior|above|earlier|preceding|system|original|safety)`+which+`{0,2} (?:rules|commands|text|content|policies|restrictions|limits)`,
			`forget (?:everything|all) (?:you|above|before|that)`, `(?:forget|ignore) (?:everything|all) (?:you (?:were|have been|know)|above)`,
			`new (?:system )?instructions? (?:for|to) (?:the )?(?:assistant|model|ai|you)`, `(?:your|the) (?:previous|prior|earlier|original) (?:instructions|rules|guidelines) (?:are|were|no longer)`,
			`instructions (?:above|before this) (?:are|were) (?:void|obsolete|fake|wrong)`)),
		p("override", "asks the model to set its instructions aside", "忽略 无视 忘记 忘掉 不要遵守 不要理会 不再遵守 抛开 跳过 违反 覆盖 绕过 解除 之前 以上 上面 先前", `(?:忽略|无视|忘记|忘掉|不要遵守|不要理会|不再遵守|抛开|跳过|违反|覆盖|绕过|解除)(?:掉|了|你)?(?:`+zhAll+`的?){1,4}(?:指令|指示|提示词?|规则|限制|约束|设定|要求|内容|对话|命令)|(?:之前|以上|上面|先前)的?(?:指令|指示|提示|规则|设定)(?:全部|都|均|已经?)?(?:作废|无效|失效|取消)`),
		p("role", "tells the model who it is now", "you pretend mode dear attention hey hello note important message instruction notice reminder reading processing reads parsing model llm", phrases(
			`you are now (?:an?|the|in|no|free|called|dan|going|my|acting|operating|unrestricted|un|jailbroken|\w{1,20}(?:bot|gpt|ai))`, `from now on,? you (?:are|will|must|should|shall|act|have|can|do)`, `you (?:are|must act as|will act as) (?:an? )?(?:ai|language model|large language model|llm|chatbot|assistant)`, `(?:act|behave|respond|answer|roleplay) as (?:if you|though you|an? (?:unrestricted|uncensored|unfiltered|evil|jailbroken|different ai|ai|language model))`,
			`pretend (?:to be|that you|you are|you have)`, `(?:enter|enable|activate|switch to) (?:developer mode and|god mode|dan mode|jailbreak|unrestricted mode)`, `(?:you have|you['’]re) no (?:restrictions|rules|limits|guidelines|filters)`, `(?:dear|attention|hey|hello|note to|message to|important) (?:ai|assistant|claude|chatgpt|gpt|copilot|gemini|llm|language model|agent)s? ?[:,!]`, `(?:note|message|instructions?|notice|reminder) (?:to|for) (?:the |any |all )?(?:ai (?:assistant|agent|model)s?|llms?|language models?|assistant|claude|chatgpt|gpt ?4?|copilot|cursor agent) (?:reading|processing|that|who|:)`, `(?:llms?|(?:ai|llm|language|coding) (?:assistant|agent|model)s?) (?:reading|processing|parsing|who reads?|that reads?) this`, `if you are an? (?:ai|llm|language model|assistant|agent|bot)`, `as an? (?:ai|llm|(?:ai )?language model)(?: (?:assistant|model|agent))?,? you`)),
		p("role", "tells the model who it is now", "你现在 从现在 从此刻 从今 你不再是 假装 扮演 进入 你没有 你不受 致 给 告诉 如果你是 作为", `(?:你现在(?:是|起|开始|将|已)|从(?:现在|此刻|今)(?:起|开始)[，,]?你|从今以后[，,]?你|你不再是|假装(?:你|自己)|扮演(?:一个|一名)?(?:没有|不受|无|黑客|邪恶|另一)|进入(?:开发者|越狱|管理员|上帝|调试|无限制)模式|你(?:没有|不受)(?:任何)?(?:限制|约束|规则)|(?:致|给|告诉)(?:所有|任何)?(?:AI|ai|人工智能|大模型|语言模型)(?:助手|模型|代理)?[：:,，]|如果你是(?:一个)?(?:ai|人工智能|语言模型|大模型|助手)|作为(?:一个)?(?:ai|人工智能|语言模型|大模型)(?:助手|模型)?[，,]?你)`),
		p("system-prompt", "asks for or rewrites the model's own rules", "system prompt instruction rules guidelines above inst <|", phrases(
			`(?:reveal|print|show|repeat|output|leak|disclose|display|tell me|give me|recite|dump|share|write out|summari[sz]e|expose) ~ (?:system|hidden|initial|developer|secret|original) (?:prompt|message|instructions?)`, `(?:reveal|print|show|repeat|output|leak|disclose|recite|what (?:are|is)) your (?:system )?(?:prompt|instructions|rules|guidelines)`, `(?:new|updated?|replacement|real|true|actual) system (?:prompt|message) ?[:=]`, `(?:begin|end|start|override|replace|update|change|ignore|modify|rewrite) (?:of )?(?:the |your |my )?system (?:prompt|message|instructions?)`, `your system (?:prompt|message|instructions?)`, `system override ?[:\]]`, `repeat (?:the |all ){0,2}(?:words|text|everything) above`)+`|(?:^|\n)\W{0,6}system (?:prompt|message) ?[:=\]]|(?:^|\n)\s{0,8}(?:#{1,6}\s{0,4})?(?:\[system\]|<\s{0,4}system\s{0,4}>|system\s{0,4}:\s{0,4}you)|<\|[a-z_]{1,30}\|>|\[/?inst\]|<<sys>>|</?system[-_]reminder`),
		p("system-prompt", "asks for or rewrites the model's own rules", "系统 初始 隐藏 内部 开发者 你的 重复", `(?:输出|打印|显示|泄露|透露|告诉我|重复|公开|复述|展示|说出|给出)[^。\n]{0,8}(?:系统|初始|隐藏|内部|开发者)的?(?:提示词?|指令|消息|设定)|你的(?:系统)?(?:提示词|系统提示|初始指令|系统指令)|(?:新的?|更新后的|真正的)系统(?:提示词?|指令|消息)|系统(?:提示词?|指令)[：:]\s{0,3}你|重复(?:以上|上面)的?(?:所有)?(?:内容|文字)`),
		p("tool-call", "names a tool call for the model to make", "memory_ mcp__ tool function without approve confirmation permission approval command script code before when after user invoke", phrases(
			`(?:call|invoke|use|run|trigger|execute) (?:the )?(?:memory_\w{1,30}|mcp__\w{1,60}|[a-z]{1,30}_[\w-]{1,40} tool) (?:tool )?(?:to |and |with |on |for |now|immediately)`, `(?:call|invoke) (?:the )?(?:tool|function) [a-z]{1,30}_\w{1,40}`, `(?:call|invoke) memory_\w{1,30}`, `without (?:asking|confirmation from|permission from|approval from) (?:the )?user`, `(?:auto ?approve|approve) (?:all|every|any) (?:tool|command|request)s?`, `do not ask (?:the user|for (?:user )?(?:confirmation|permission|approval))`, `(?:run|execute) (?:this|the following|these) (?:shell |bash |terminal )?(?:command|script|code)s? (?:immediately|now|first|silently|before (?:answering|responding|replying|anything))`, `(?:before|when|whenever|after) (?:you (?:answer|respond|reply)|answering|responding|replying),? (?:always |first |you must |please ){0,4}(?:run|execute|call|invoke|send|fetch|read|open|visit|include|append|upload)`)+`|<\s{0,4}/?\s{0,4}(?:antml:)?(?:function_calls|invoke|tool_use|tool_call)\b|"(?:tool_calls|function_call)"\s{0,4}:`),
		p("tool-call", "names a tool call for the model to make", "调用 使用 执行 运行 用户 回答 回复 响应", `(?:调用|使用|执行|运行)(?:名为)?\s{0,3}(?:memory_\w{1,30}|mcp__\w{1,60}|[\w-]{2,30}\s{0,3}工具)[^。\n]{0,12}(?:删除|发送|上传|读取|清空|并)|(?:无需|不用|不要|不必|别)(?:经过|征求|询问|征得|等待)?(?:用户)(?:的)?(?:同意|确认|许可|批准)|(?:立即|马上|直接|静默|悄悄)(?:地)?(?:执行|运行)(?:以下|下面|这条|此|如下)(?:命令|脚本|代码)|(?:回答|回复|响应)(?:之前|前|用户前)[，,]?(?:请|先|必须|务必){0,4}(?:执行|运行|调用|发送|读取|上传)`),
		p("hide", "asks to keep something from the person", "user human operator anyone developer owner hide conceal keep instruction message note prompt memory text rule secretly covertly silently quietly", phrases(
			`(?:do not|don['’]?t|never|must not|without) (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)) ~ (?:the user|to the user|the human|the operator|to anyone|the owner)(?: |[.,!]|$)`, `(?:do not|don['’]?t|never) let the (?:user|human|developer|owner) (?:know|see|notice|find out)`, `(?:hide|conceal|keep) (?:this|it|that|these|everything) (?:instruction|message|secret|hidden|from (?:the )?(?:user|human|developer|operator|owner|reviewer)s?)`, `(?:hide|conceal) (?:this|the|these|your) ~ from (?:the )?(?:user|human|operator|owner|reviewer)s?`, `(?:do not|don['’]?t|never) (?:mention|reveal|acknowledge|disclose|repeat) (?:this|these|that) (?:instructions?|messages?|notes?|prompts?|memory|text|rules?)`, `(?:secretly|covertly|silently|quietly) (?:send|copy|upload|forward|add|insert|delete|exfiltrate|transmit|email|include|run|execute|install|modify)`, `without the user(?:['’]s)? (?:knowing|knowledge|noticing|consent|seeing)`)),
		p("hide", "asks to keep something from the person", "告诉 告知 通知 透露 提醒 提示 展示 泄露 知道 发现 看到 察觉 隐瞒 保密 隐藏 悄悄 偷偷 暗中 秘密 静默 提及 承认", `(?:不要|不得|别|切勿|不能|禁止|无需)(?:把这(?:件事|个|些)?|将此|让)?(?:告诉|告知|通知|透露给?|提醒|提示|展示给|泄露给)(?:给)?(?:用户|使用者|人类|开发者|任何人|主人)|(?:不要|别|不能|勿)让(?:用户|使用者|人类|开发者|任何人)(?:知道|发现|看到|察觉)|(?:对|向)(?:用户|使用者|人类)(?:隐瞒|保密|隐藏)|(?:悄悄|偷偷|暗中|秘密|静默)(?:地)?(?:发送|上传|复制|删除|执行|转发|安装|修改|读取|运行|添加|插入|把|将)|不要(?:提及|透露|承认|泄露)(?:这|此|本)(?:条|段|些)?(?:指令|消息|提示|内容)`),
		p("send", "asks to send data away", "send post upload forward email transmit exfiltrat leak submit copy curl pipe append add include embed put encode wget fetch", phrases(
			`(?:send|post|upload|forward|email|transmit|exfiltrate|leak|submit|copy|curl|pipe) ~ (?:api keys?|secrets?|credentials?|passwords?|tokens?|env(?:ironment)? (?:variables?|file)|\.?env|private keys?|ssh keys?|conversation|chat history|source code|\.ssh|id_rsa|memories|memory contents|user data|file contents?|contents? of)[^\n]{0,60}(?:to|at|via|into|onto) (?:https?|ftp|[\w.-]{1,60}@|[\w-]{1,60}\.(?:com|net|io|org|xyz|ru|cn|evil|site|top)|my server|this (?:url|address|server|endpoint|email)|the (?:following|attacker)|an? (?:external|remote))`, `exfiltrat(?:e|ing) `, `(?:append|add|include|embed|put|encode) ~ (?:api keys?|secrets?|credentials?|passwords?|tokens?|conversation|env(?:ironment)? variables?|user data) (?:to|in|into|as) ~ (?:url|link|image|query|request|header)`, `(?:curl|wget|fetch) [^\n]{0,80}\| ?(?:ba|z)?sh`, `(?:send|post|upload|forward|transmit|email) (?:it|them|this|everything|all of it|the result|the results|the output|all files|the conversation|a copy) to (?:https?|ftp|[\w.-]{1,60}@|attacker|evil|my server)`)),
		p("send", "asks to send data away", "发送 上传 转发 提交 泄露 外传 发 传 寄", `(?:发送|上传|转发|提交|泄露|外传|发|传|邮寄|寄)[^。\n]{0,24}(?:密钥|密码|凭证|令牌|环境变量|私钥|对话|聊天记录|源代码|源码|记忆|用户数据|\.env|文件内容)[^。\n]{0,16}(?:到|至|给|往)[^。\n]{0,8}(?:http|邮箱|外部|我的|服务器|[\w.-]{1,60}@|[\w-]{1,60}\.(?:com|net|io|cn))|(?:把|将)[^。\n]{0,24}(?:密钥|密码|凭证|令牌|环境变量|私钥|对话|聊天记录|源代码|源码|记忆|用户数据|\.env|文件|内容|结果)[^。\n]{0,16}(?:发送|上传|转发|提交|发|传|外传)(?:到|至|给|往)[^。\n]{0,8}(?:http|邮箱|外部|我的|攻击|指定|[\w.-]{1,60}@|[\w-]{1,60}\.(?:com|net|io|cn))`),
	})
})

// maxInstructionText bounds how much of one text is looked at.
const maxInstructionText = 256 << 10

// instructionViews are the readings of a text in which a phrase may hide: as it
// is, with spaced-out letters joined, with digits read as letters, and what
// Base64 in it says.
func instructionViews(text string) []string {
	if len(text) > maxInstructionText {
		text = text[:maxInstructionText]
	}
	plain := plainView(text)
	views := []string{plain}
	add := func(view string) {
		if view != "" && view != plain {
			views = append(views, view)
		}
	}
	if hasSpacedLetters(plain) {
		add(spacedLetters().ReplaceAllStringFunc(plain, joinLetters))
	}
	if strings.IndexFunc(plain, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0 {
		add(hanSpaces().ReplaceAllString(plain, "$1"))
	}
	if strings.ContainsAny(plain, digitsForLetters) {
		add(strings.Map(letterOfDigit, plain))
	}
	if hasLongRun(text) {
		add(decodedView(text))
	}
	return views
}

// plainView is the text a person sees, in lower case, look-alikes replaced.
func plainView(text string) string {
	if isPlainText(text) {
		return lowerASCII(text)
	}
	text = norm.NFKC.String(stripInvisible(text))
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == '\u200c' || r == '\u200d' {
			return -1
		}
		return latinLookAlike(unicode.ToLower(r))
	}, norm.NFD.String(text))
}

func latinLookAlike(r rune) rune {
	const from, to = "асеорхуіјѕԁһԛԝьαερουικντ", "aceopxyijsdhqwbaepouiknt"
	if i := strings.IndexRune(from, r); i >= 0 {
		return rune(to[utf8.RuneCountInString(from[:i])])
	}
	return r
}

// digitsForLetters are what is written for o, i, e, a, s, t, a, s, i, l.
const digitsForLetters = "013457@$!|"

func letterOfDigit(r rune) rune {
	if r >= 0x80 || r >= 'a' && r <= 'z' || r == ' ' {
		return r
	}
	if i := strings.IndexByte(digitsForLetters, byte(r)); i >= 0 {
		return rune("oieastasil"[i])
	}
	return r
}

// hasSpacedLetters reports whether four letters may stand by themselves one
// after the other, as spacedLetters wants them.
func hasSpacedLetters(text string) bool {
	row, gap := 0, 0 // letters so far, signs since the last one
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
			if gap == 0 || gap > 3 {
				row = 0
			}
			gap = 0
			if row++; row >= 4 {
				return true
			}
		case strings.IndexByte(" ._*-/|+", c) >= 0:
			gap++
		default:
			row, gap = 0, 0
		}
	}
	return false
}

// shortestBase64 is how many signs base64Run wants.
const shortestBase64 = 24

func hasLongRun(text string) bool {
	run := 0
	for i := range len(text) {
		c := text[i]
		if c != '+' && c != '/' && (!isNameByte(c) || c == '.' || c == '-' || c == '_') {
			run = 0
		} else if run++; run >= shortestBase64 {
			return true
		}
	}
	return false
}

var spacedLetters = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b[a-z](?:[ ._*\-/|+]{1,3}[a-z]\b){3,}`)
})

var hanSpaces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\p{Han})[ \t._*\-|/·]{1,3}`) })

func joinLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, s)
}

var base64Run = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/]{24,}={0,2}`) })

func decodedView(text string) string {
	var out []string
	for _, run := range base64Run().FindAllString(text, 32) {
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(run, "="))
		if err == nil && utf8.Valid(raw) {
			out = append(out, plainView(string(raw)))
		}
	}
	return strings.Join(out, "\n")
}
