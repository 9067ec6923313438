package textanalysis_test

import (
	"strings"
	"testing"

	"memory-mcp/textanalysis"
)

func TestLastingSentences(t *testing.T) {
	tests := []struct {
		text   string
		person bool
		kind   textanalysis.LastingKind // "" for none
		claim  string                   // "" is the sentence
	}{
		{"Always run the linter before you commit.", true, textanalysis.Instruction, ""},
		{"From now on, answer in German.", true, textanalysis.Instruction, ""},
		{"please never force-push to main", true, textanalysis.Instruction, ""},
		{"Don't mock the database in this repo.", true, textanalysis.Instruction, ""},
		{"Remember that the staging key lives in the vault.", true, textanalysis.Instruction, "The staging key lives in the vault."},
		{"I prefer tabs over spaces in Go files.", true, textanalysis.Preference, ""},
		{"No, use pnpm instead of npm here.", true, textanalysis.Correcting, ""},
		{"that's wrong, the port is configured in deploy.yaml", true, textanalysis.Correcting, ""},
		{"We decided to keep the queue in Redis because it survives restarts.", true, textanalysis.Deciding, ""},
		{"We decided to keep the queue in Redis because it survives restarts.", false, textanalysis.Deciding, ""},
		{"Let's go with Postgres for the event store.", true, textanalysis.Deciding, ""},
		{"The root cause was that the pool closes idle connections after 60 seconds.", false, textanalysis.Cause, "The pool closes idle connections after 60 seconds."},
		{"**Root cause:** the parser drops the last line when it has no newline.", false, textanalysis.Cause, "The parser drops the last line when it has no newline."},
		{"以后提交前必须先跑测试。", true, textanalysis.Instruction, ""},
		{"根本原因是连接池在六十秒后关闭空闲连接。", false, textanalysis.Cause, "连接池在六十秒后关闭空闲连接。"},
		{"我们决定用 Postgres 存事件。", true, textanalysis.Deciding, ""},

		{"Always run the linter before you commit.", false, "", ""}, // an agent does not instruct
		{"Should we always run the linter before the commit?", true, "", ""},
		{"Fix the failing test in upload_test.go.", true, "", ""},
		{"Don't commit yet.", true, "", ""},
		{"For now never touch the migration folder.", true, "", ""},
		{"这次不要再改配置文件了。", true, "", ""},
		{"never mind", true, "", ""},
		{"> Always run the linter before you commit.", true, "", ""},
		{"```\nAlways run the linter before you commit.\n```", true, "", ""},
		{"I'll now check whether the queue is always used.", false, "", ""},
		{"", true, "", ""},
		{"\xff\xfe always use \x00 the thing", true, textanalysis.Instruction, ""},
	}
	for _, tt := range tests {
		found := textanalysis.LastingSentences(tt.text, tt.person)
		if tt.kind == "" {
			if len(found) > 0 {
				t.Errorf("%q gives %+v", tt.text, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Kind != tt.kind {
			t.Errorf("%q gives %+v, want one %s", tt.text, found, tt.kind)
			continue
		}
		if want := tt.claim; want != "" && found[0].Claim != want {
			t.Errorf("%q claims %q, want %q", tt.text, found[0].Claim, want)
		}
		if !strings.HasPrefix(tt.text[found[0].At:], found[0].Text) {
			t.Errorf("%q is not at %d of %q", found[0].Text, found[0].At, tt.text)
		}
	}
}
