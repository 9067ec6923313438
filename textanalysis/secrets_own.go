package textanalysis

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// preciseSecretRules are the secrets that gitleaks' rules leave out because they
// look at source code: passwords in connection strings, headers, keys whose form
// has changed since, private keys that were cut off.
func preciseSecretRules() []secretRule {
	return []secretRule{
		own("password in url", "url-password", `(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@?#'"<>]{0,80}:([^\s/'"<>]{3,120})@[\w\[.-]`, isURLPassword, "://"),
		own("private key", "private-key-open", `-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----(?:\s*[A-Za-z-]{3,20}: [^\n]{1,80})*(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{20,})+(?:\s+[A-Za-z0-9+/]{1,19}={1,2})?`, nil, "private key"),
		own("authorization header", "bearer-token", `(?i)\bbearer[ \t]{1,3}([\w~+/.=-]{20,})`, isRandomToken, "bearer"),
		own("authorization header", "basic-credentials", `(?i)\bbasic[ \t]{1,3}([a-z0-9+/]{12,500}={0,2})`, isBasicCredentials, "basic"),
		own("json web token", "jwt-any", `\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})`, nil, "eyj"),
		own("api key", "sk-key", `\b((?:sk|rk|pk)-(?:ant-|or-|proj-|svcacct-|lf-)?[A-Za-z0-9_-]{28,220})`, isRandomToken, "sk-", "rk-", "pk-"),
		own("api key", "vendor-key", `\b((?:gsk_|xai-|r8_|tvly-|fc-|jina_|nvapi-|csk-|pcsk_|sbp_|ctx7sk-|lsv2_pt_|e2b_|whsec_|rpa_)[A-Za-z0-9_-]{24,160})`, isRandomToken, "gsk_", "xai-", "r8_", "tvly-", "fc-", "jina_", "nvapi-", "csk-", "pcsk_", "sbp_", "ctx7sk-", "lsv2_pt_", "e2b_", "whsec_", "rpa_"),
		own("google oauth secret", "google-oauth", `\b(ya29\.[\w-]{30,1000}|GOCSPX-[\w-]{20,60}|1//0[\w-]{40,200})`, isRandomToken, "ya29.", "gocspx-", "1//0"),
		own("azure storage key", "azure-account-key", `(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,100}={0,2})`, isRandomToken, "accountkey=", "sharedaccesskey="),
		own("signed url", "signed-url", `(?i)[?&](?:sig|x-amz-signature|x-goog-signature)=([A-Za-z0-9%+/_-]{32,700})`, isRandomToken, "sig=", "signature="),
		own("discord webhook", "discord-webhook", `https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/(\d{15,22}/[\w-]{50,90})`, nil, "/api/webhooks/"),
		own("aws secret key", "aws-secret-key", `(?i)aws.{0,30}?(?:secret|key).{0,20}?[\s:='"`+"`"+`]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, isMixedToken, "aws"),
		own("aws secret key", "bare-aws-secret-key", `\b(?:AKIA|ASIA)[A-Z2-7]{16}\b[^A-Za-z0-9]{1,6}(?:\w{0,24}[\s:=]{1,4})?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, isMixedToken, "akia", "asia"),
	}
}

// wideSecretRules know a secret by the name or the sentence before it. Where a
// precise rule saw the same value, its name for it stands.
func wideSecretRules() []secretRule {
	rules := []secretRule{
		own("password", "connection-string-password", `(?i)\b(?:password|passwd|pwd)[ \t]{0,3}=[ \t]{0,3}['"]?([^\s;'",]{6,120})['"]?;`, isPassword, "password", "passwd", "pwd"),
		own("secret value", "assigned-secret", `(?i)(?:password|passwd|passphrase|pwd|secret|token|api_?key|access_?key)['"]?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3}(?:"([^"\s]{8,120})"|'([^'\s]{8,120})'|`+"`([^`\\s]{8,120})`"+`|([^\s"'`+"`"+`,;<>(){}\[\]]{8,120}))`, isPassword, "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key", "accesskey", "access_key"),
		own("api key", "spoken-key", `(?i)\b(?:api key|access key|secret key|token|secret|key)(?: is| was|:)?[ \t]{1,3}["'`+"`"+`]?([a-z0-9_+/=-]{16,120})`, isMixedCaseToken, "key", "token", "secret"),
		own("secret value", "secret-hex", `(?i)secret[\w-]{0,20}['"]?[ \t]{0,3}[=:][ \t]{0,3}['"]?([0-9a-f]{32,256})\b`, isRandomToken, "secret"),
		own("password", "mysql-password", `\bmysql(?:dump|admin)?\b[^\n]{0,80}? -p([^\s]{6,60})`, isPassword, "mysql"),
		own("password", "spoken-password", `(?i)(?:password|passphrase|passcode)(?: for [\w.@-]{1,40}| of [\w.@-]{1,40})? is[ \t]{1,3}["'`+"`"+`]?([^\s"'`+"`"+`,;<>]{6,120})`, isPassword, "password", "passphrase", "passcode"),
		own("password", "spoken-password-zh", `(?:密码|口令|密钥|令牌|私钥)(?:是|为|：|:|=|＝)[ \t]{0,3}["'`+"`"+`“「]?([\x21-\x7e]{6,120})`, isPassword, "密码", "口令", "密钥", "令牌", "私钥"),
	}
	public := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)public_?key|csrf|sha(?:1|256|512)\b`) })
	for i := range rules {
		rules[i].allow = []secretAllow{{target: "match", regexes: []func() *regexp.Regexp{public}}}
	}
	return rules
}

func own(kind, id, expr string, judge func(string) bool, keywords ...string) secretRule {
	return secretRule{id: id, kind: kind, keywords: keywords, compile: lazyExpr(expr), judge: judge}
}

// ruleJudge is a second opinion on rules that are too wide for prose.
func ruleJudge(id string) func(string) bool {
	switch id {
	case "generic-api-key":
		return isMixedToken
	case "sourcegraph-access-token", "vault-service-token", "twilio-api-key":
		return isRandomToken
	}
	return nil
}

type charClasses struct{ lower, upper, digit, sign, other int }

func classesOf(s string) (c charClasses) {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
			c.lower++
		case r >= 'A' && r <= 'Z':
			c.upper++
		case r >= '0' && r <= '9':
			c.digit++
		case r < 0x80:
			c.sign++
		default:
			c.other++
		}
	}
	return c
}

// isPassword tells a value that only a person or a generator made up from a
// name, a type, a path, a call or a word: it mixes letters with digits and does
// not read like code.
func isPassword(s string) bool {
	s = strings.TrimRight(s, ".,;:?)]}")
	c := classesOf(s)
	if len(s) < 6 || c.other > 0 || c.digit == 0 || c.lower+c.upper == 0 || looksLikeCode(s) {
		return false
	}
	kinds := 0
	for _, n := range []int{c.lower, c.upper, c.digit, c.sign} {
		if n > 0 {
			kinds++
		}
	}
	return !readsLikeName(s) && (kinds >= 3 && len(s) >= 8 || kinds >= 2 && len(s) >= 12 && shannon(s) > 3)
}

// looksLikeCode tells paths, calls, references, versions and URLs.
func looksLikeCode(s string) bool {
	if strings.ContainsAny(s, "(){}[]<>|\\") || strings.Contains(s, "://") || strings.Contains(s, "::") || strings.Contains(s, "->") {
		return true
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "--") || strings.HasPrefix(s, "sha") && strings.Contains(s, ":") || strings.HasPrefix(s, "$") {
		return true
	}
	return strings.Count(s, "/") > 0 && shannon(s) < 4 || isDotted(s)
}

// isDotted tells names such as process.env.API_KEY_2 and config.v2.Token.
func isDotted(s string) bool {
	parts := strings.Split(s, ".")
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		if part == "" || len(part) > 24 || unicode.IsDigit(rune(part[0])) && len(parts) < 3 || strings.Trim(part, nameBytes) != "" {
			return false
		}
	}
	return true
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// readsLikeName tells identifiers made of words: their parts are letters, or
// letters with a short number behind.
func readsLikeName(s string) bool {
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' || r == ':' || r == '@' }) {
		letters := strings.TrimRight(part, "0123456789")
		if len(part)-len(letters) > 4 && letters != "" || strings.ContainsAny(letters, "0123456789") {
			return false
		}
	}
	return true
}

// isURLPassword accepts short passwords too, since their place says what they
// are; the well-known ones of examples and of local set-ups are none.
func isURLPassword(s string) bool {
	c := classesOf(s)
	if strings.ContainsAny(s, "{}$<>*") || c.other > 0 {
		return false
	}
	return c.digit > 0 || c.sign > 0 || c.lower > 0 && c.upper > 0 || shannon(s) > 3.2
}

// isRandomToken tells a generated value from words joined by signs.
func isRandomToken(s string) bool {
	c := classesOf(s)
	return c.digit > 0 && c.lower+c.upper > 0 && shannon(s) > 3 && !readsLikeName(s) && !looksLikeCode(s) || c.digit == 0 && c.lower > 3 && c.upper > 3 && c.sign == 0 && len(s) >= 32 && shannon(s) > 4.2
}

// isMixedToken also refuses what is all of one kind, such as a commit's hash
// or a name in capitals.
func isMixedToken(s string) bool {
	c := classesOf(s)
	if isHex(s) && (len(s) == 40 || len(s) == 64) && c.upper == 0 {
		return false
	}
	return c.digit > 0 && c.lower+c.upper > 0 && !readsLikeName(s) && !looksLikeCode(s)
}

// isMixedCaseToken is for places where little else speaks for a secret.
func isMixedCaseToken(s string) bool {
	c := classesOf(s)
	return c.lower > 2 && c.upper > 2 && c.digit > 2 && isRandomToken(s) && !strings.Contains(s, "/") && !hasWords(s)
}

// hasWords tells names such as UserProfileCacheV2: over a third of their length
// is runs of three or more small letters, which random values rarely have.
func hasWords(s string) bool {
	total := 0
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(run) >= 3 {
			total += len(run)
		}
	}
	return total*100 > len(s)*36
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func isBasicCredentials(s string) bool {
	raw, err := base64.StdEncoding.DecodeString(s + strings.Repeat("=", (4-len(s)%4)%4))
	if err != nil {
		raw, err = base64.StdEncoding.DecodeString(s)
	}
	if err != nil {
		return false
	}
	user, password, ok := strings.Cut(string(raw), ":")
	return ok && user != "" && len(password) >= 3 && strings.IndexFunc(string(raw), func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// isPlaceholder tells values that stand for a secret: ${VAR}, <token>,
// your-api-key, xxxx, changeme, and the documented examples of the vendors.
func isPlaceholder(s string) bool {
	lowered := strings.ToLower(strings.Trim(s, `"'`+"`"))
	if lowered == "" || strings.ContainsAny(lowered[:1], "<$%*") || strings.HasPrefix(lowered, "{{") || strings.HasPrefix(lowered, "[") {
		return true
	}
	for _, word := range []string{"example", "placeholder", "changeme", "change-me", "change_me", "your-", "your_", "yourapi", "yourpass", "yourtoken", "redacted", "dummy", "xxxx", "****", "....", "…", "insert-", "insert_", "replace-", "replace_", "sample", "notasecret", "not-a-secret"} {
		if strings.Contains(lowered, word) {
			return true
		}
	}
	if len(s) < 20 && (strings.Contains(lowered, "abcdefgh") || strings.Contains(lowered, "123456789") || strings.Contains(lowered, "deadbeef")) {
		return true
	}
	for _, word := range []string{"password", "passwd", "pass", "secret", "token", "pwd", "postgres", "root", "admin", "guest", "user", "test", "mysecretpassword", "pass123", "password1", "password123", "p@ssw0rd", "foobar", "hunter2", "s3cret", "minioadmin", "12345678", "123456"} {
		if lowered == word {
			return true
		}
	}
	return fewDistinct(lowered)
}

// fewDistinct tells values like "aaaa-bbbb": at most three different letters or digits.
func fewDistinct(s string) bool {
	seen := map[rune]bool{}
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			seen[r] = true
		}
	}
	return len(seen) <= 3
}
