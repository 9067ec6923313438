package textanalysis_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"memory-mcp/textanalysis"
)

// join builds a secret from parts, so that no scanner takes this file for a leak.
func join(parts ...string) string { return strings.Join(parts, "") }

// secretCases are values that must not survive. Each is put into the text
// at the sign "@@"; the text around it must stay.
func secretCases() []struct{ name, text, secret, kind string } {
	hex := "9f3a7c1e5b2d8046af1393bc7de25a0c"
	b64 := "kQ7vXz2LmN8pRt4WyB6cDf0GhJ3sKu5V"
	return []struct{ name, text, secret, kind string }{
		{"aws id", "The bucket uses @@ for uploads.", join("AKIA", "Q4ZLX7JT2MNB3VRC"), "aws access key"},
		{"aws secret", "aws_secret_access_key = @@\n", join("wJa1rXUtnFEMI/K7MDENG+bPx", "RfiCYzK9qL2mQ8s"), ""},
		{"github", "token: @@", join("ghp_", "a8Kd0sLq2mZx7Vb4Nc9Rt1Yw6Ue3Pi5Oj8Hg"), "github pat"},
		{"github fine", "Use @@ in CI.", join("github_pat_", "11ABCDEFG0", "aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0kP9lO8mN7nM6oL5pK4qJ3rI2sH1tG0uF9vE8wD7x12"), ""},
		{"gitlab", "CI uses @@ now", join("glpat-", "xK3mQ9vL2pR7tW5yB8cD"), "gitlab pat"},
		{"slack", "SLACK=@@", join("xoxb-", "1234567890", "12-1234567890987-", "AbCdEfGhIjKlMnOpQrStUvWx"), ""},
		{"stripe", "stripe key @@ is live", join("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"), ""},
		{"openai", "OPENAI_API_KEY=@@", join("sk-proj-", b64, b64, "a1"), ""},
		{"anthropic", "key @@ end", join("sk-ant-", "api03-", b64, "_", b64, "-AA"), ""},
		{"google", "maps key @@", join("AIza", "SyB7x2Kq9Lm4Vn8Rt1Wz5Yc3Hf6Jd0Gp_Qa"), "gcp api key"},
		{"jwt", "Header @@.", join("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"), "json web token"},
		{"postgres", "DATABASE_URL=postgres://app:@@@db.internal:5432/app", "k9Lm2vQx", "password in url"},
		{"redis", "redis://:@@@cache:6379/0", "s8Df!2kq", "password in url"},
		{"mongo", "mongodb+srv://svc:@@@cluster0.abcde.mongodb.net", "Tr0ub4dor&3", "password in url"},
		{"ado", "Server=db;User Id=app;Password=@@;Encrypt=yes", "aB3$kk9!q", "password"},
		{"env password", "DB_PASSWORD=@@", "Winter2024!", ""},
		{"yaml password", "password: \"@@\"", "Zx9!kLm#22qq", ""},
		{"spoken", "The staging password is @@ for everyone.", "Gr33n-Tr4in-77", "password"},
		{"chinese", "数据库密码是 @@，不要外传", "Kx9mQ2vL!z", "password"},
		{"chinese colon", "令牌：@@", "t0k9-Zq8Lm2Vx7", "password"},
		{"bearer", "Authorization: Bearer @@", join(b64, ".", hex), ""},
		{"basic", "Authorization: Basic @@", "YWRtaW46aDRja21lbm93", "authorization header"},
		{"azure", "AccountName=x;AccountKey=@@;", join(b64, b64, "AbCdEf1278901234567890", "=="), ""},
		{"npm", "//registry/:_authToken=@@", join("npm_", "a8Kd0sLq2mZx7Vb4Nc9Rt1Yw6Ue3Pi5Oj8Hg"), ""},
		{"private key", "key:\n@@\ndone", join("-----BEGIN RSA ", "PRIVATE KEY-----\n", b64, b64, "\n", b64, b64, "\n-----END RSA ", "PRIVATE KEY-----"), "private key"},
		{"private key cut off", "key:\n@@", join("-----BEGIN OPENSSH ", "PRIVATE KEY-----\n", b64, b64, "\n", b64, b64), "private key"},
		{"sendgrid", "mail @@ x", join("SG.", "kQ7vXz2LmN8pRt4WyB6cDf", ".", "0GhJ3sKu5VkQ7vXz2LmN8pRt4WyB6cDf0GhJ3sKu5V1"), ""},
		{"hugging face", "HF @@ x", join("hf_", "kQvXzLmNpRtWyBcDfGhJsKuVaSdFgHjKlZ"), ""},
		{"groq", "export GROQ_API_KEY=@@", join("gsk_", b64, "Zq8Lm2Vx7Kd0"), ""},
		{"webhook", "post to @@", join("https://hooks.", "slack.com/services/", "T01ABCD2EF3/B04GHIJ5KL6/aZ9bY8cX7dW6eV5fU4gT3hS2"), ""},
		{"telegram", "telegram_token = @@", join("110201543:AA", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsawB"), ""},
		{"spoken key", "Use API key `@@` for the sandbox", join("a8Kd0sLq2m", "Zx7Vb4Nc9R"), "api key"},
		{"hex secret", "secret_key_base: @@", hex + hex, "secret value"},
		{"mysql", "mysql -u root -p@@ app", "S3cretPw99", "password"},
		{"generic", "internal_api_key: @@", join("f9Qx7", "Lm2Vz8Kp4Rt6Wb1Ny3"), ""},
	}
}

func TestMaskSecretsHidesValues(t *testing.T) {
	for _, c := range secretCases() {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(c.text, "@@", c.secret, 1)
			masked, found := textanalysis.MaskSecrets(text)
			if strings.Contains(masked, c.secret) || len(found) == 0 {
				t.Fatalf("%q was left as %q", text, masked)
			}
			before, after, _ := strings.Cut(c.text, "@@")
			if c.kind != "" && found[0].Kind != c.kind {
				t.Errorf("kind is %q (rule %s), want %q", found[0].Kind, found[0].Rule, c.kind)
			}
			if c.kind != "" && (!strings.HasPrefix(masked, before) || !strings.HasSuffix(masked, after)) {
				t.Errorf("text around the secret changed: %q", masked)
			}
		})
	}
}

func TestMaskSecretsLeavesMentionsAndPlaceholders(t *testing.T) {
	for _, line := range lines(t, "testdata/secrets_none.txt") {
		if masked, found := textanalysis.MaskSecrets(line); len(found) > 0 {
			t.Errorf("masked without need (%s): %q became %q", found[0].Rule, line, masked)
		}
	}
}

func TestMaskSecretsPositions(t *testing.T) {
	first, second := join("AKIA", "Q4ZLX7JT2MNB3VRC"), join("glpat-", "xK3mQ9vL2pR7tW5yB8cD")
	text := "日本 " + first + " und " + second + "!"
	masked, found := textanalysis.MaskSecrets(text)
	if len(found) != 2 || text[found[0].Start:found[0].End] != first || text[found[1].Start:found[1].End] != second {
		t.Fatalf("found %+v", found)
	}
	if want := "日本 [masked: aws access key] und [masked: gitlab pat]!"; masked != want {
		t.Errorf("got %q, want %q", masked, want)
	}
}

func FuzzMaskSecrets(f *testing.F) {
	for _, c := range secretCases() {
		f.Add(strings.Replace(c.text, "@@", c.secret, 1))
	}
	f.Add("[masked: aws access key] and [masked: ")
	f.Fuzz(func(t *testing.T, text string) {
		masked, found := textanalysis.MaskSecrets(text)
		again, more := textanalysis.MaskSecrets(masked)
		if again != masked || len(more) > 0 {
			t.Fatalf("masking twice differs: %q, then %q", masked, again)
		}
		if utf8.ValidString(text) && !utf8.ValidString(masked) {
			t.Fatalf("%q became invalid text %q", text, masked)
		}
		at := 0
		for _, s := range found {
			if s.Start < at || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("position %+v out of order in %d bytes", s, len(text))
			}
			at = s.End
		}
	})
}

func BenchmarkMaskSecrets(b *testing.B) {
	note := "The deploy job reads its token from the vault; never put a password into config.yaml. See docs/deploy.md."
	long := strings.Repeat(note+" The api key is in ${API_KEY}, authorisation happens at the access gateway.\n", 65536/180)
	for name, text := range map[string]string{"note": note, "64KiB": long, "64KiB of keywords": strings.Repeat("key=a1 token: curl -u eyJ sk-ab secret=Qz9 password: x AKIA ghp_ bearer twitter facebook ", 65536/88)} {
		b.Run(name, func(b *testing.B) {
			textanalysis.MaskSecrets(text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				textanalysis.MaskSecrets(text)
			}
		})
	}
}

// lines reads a corpus: one text a line, blank lines and lines that begin with
// "##" left out. A corpus without texts fails.
func lines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "##") {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s holds no text", name)
	}
	return out
}

func TestMaskSecretsFromManyGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for _, c := range secretCases() {
		wg.Go(func() {
			text := strings.Replace(c.text, "@@", c.secret, 1)
			if masked, _ := textanalysis.MaskSecrets(text); strings.Contains(masked, c.secret) {
				t.Errorf("%q was left as %q", text, masked)
			}
		})
	}
	wg.Wait()
}
