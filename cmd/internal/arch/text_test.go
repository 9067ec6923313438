package arch_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// foreign are the words that belong to one machine or to the way in which the
// project was made. They are put together so that this file has none of them.
func foreign() map[string]*regexp.Regexp {
	hosts := []string{"proxy.golang" + ".org", "sum.golang" + ".org", "registry.npmjs" + ".org", "deb.debian" + ".org", "crates" + ".io", "pypi" + ".org"}
	for i := range hosts {
		hosts[i] = regexp.QuoteMeta(hosts[i])
	}
	return map[string]*regexp.Regexp{
		"a folder of one machine":     regexp.MustCompile("(^|[\\s\"'`(=:,])/" + "work(/|[\\s\"'`).,:]|$)"),
		"a folder beside the project": regexp.MustCompile(`\.\./` + `shared\b`),
		"a page that is not here":     regexp.MustCompile(`\b(DESIGN|STY` + `LE|RUL` + `INGS)(\.md\b| ?§| [0-9])|RUL` + `INGS|\buser-pain\b`),
		"a numbered task":             regexp.MustCompile(`(?i)\bissue [0-9]+\b`),
		"the host of a registry":      regexp.MustCompile(`(?i)(^|[^\w.-])(` + strings.Join(hosts, "|") + `)\b`),
	}
}

// textsStandAlone reads every text of the module but recorded fuzz inputs,
// which nobody wrote.
func textsStandAlone(t *tree) (problems []string, checked int) {
	words := foreign()
	for _, name := range sortedKeys(t.texts) {
		if strings.Contains(name, "testdata/fuzz/") || path.Base(name) == "go.sum" {
			continue
		}
		checked++
		for i, line := range strings.Split(string(t.texts[name]), "\n") {
			for _, what := range sortedKeys(words) {
				if found := words[what].FindString(line); found != "" {
					problems = append(problems, fmt.Sprintf("%s:%d: %q is %s", name, i+1, strings.TrimSpace(found), what))
				}
			}
		}
	}
	return problems, checked
}
