package llm_test

import (
	"testing"

	"memory-mcp/llm"
)

// A part of a name is another name: what a model cuts off is invented as well
// as what it adds.
func TestNamesStandWhole(t *testing.T) {
	const source = "Port 8080 (16ms, v1.21.3), state in /srv/invoice/state.db, see AppState.Run and user_id_hash. 端口9090号; utf8mb4 since 2.5."
	for text, invented := range map[string]string{
		"It listens on 80.":                 "80",
		"It listens on 8080.":               "",
		"It takes 16 ms.":                   "",
		"It takes 6 ms.":                    "6",
		"Since v1.21.3.":                    "",
		"Since v1.21":                       "v1.21",
		"Since 1.21.3":                      "",
		"Since 1.21":                        "1.21",
		"Since 21.3":                        "21.3",
		"It needs 2.5.":                     "",
		"It needs 2":                        "2",
		"In /srv/invoice/state":             "srv/invoice/state",
		"In /srv/invoice/state.db.":         "",
		"In /srv/invoice":                   "",
		"In state.db":                       "",
		"In tate.db":                        "tate.db",
		"AppState runs":                     "",
		"PpState runs":                      "PpState",
		"user_id":                           "user_id",
		"`user_id_hash`":                    "",
		"utf8":                              "utf8",
		"端口是9090":                           "",
		"It is `Port`, and `Por` is it not": "Por",
	} {
		if got := llm.Invented(text, source); got != invented {
			t.Errorf("%q: %q is invented, want %q", text, got, invented)
		}
	}
}
