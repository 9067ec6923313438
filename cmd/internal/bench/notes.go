package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Note is one made-up memory.
type Note struct {
	Topic, Title, Text string
	Tags, Sources      []string
}

// A Generator makes notes and questions. It is not safe for concurrent use.
type Generator struct {
	r *rand.Rand
	n int
}

// New returns the generator of a seed.
func New(seed uint64) *Generator {
	return &Generator{r: rand.New(rand.NewPCG(seed, 0x6d656d6f72790a))}
}

// Note makes the next note. No two have the same title.
func (g *Generator) Note() Note {
	g.n++
	component, verb := g.common(components()), g.pick(verbs())
	symbol := g.symbol(component)
	n := Note{
		Topic:   g.common(topics()),
		Title:   fmt.Sprintf("%s %s %s (%s)", capital(component), verb, g.pick(objects()), symbol),
		Tags:    []string{component},
		Sources: []string{g.path(component)},
	}
	if g.r.IntN(3) == 0 {
		n.Tags = append(n.Tags, g.pick(technologies()))
	}
	n.Text = g.text(component, symbol)
	return n
}

// Question asks in plain words for something that notes may hold.
func (g *Generator) Question() string {
	component := g.common(components())
	switch g.r.IntN(4) {
	case 0:
		return fmt.Sprintf("why does the %s %s %s", component, g.pick(verbs()), g.pick(objects()))
	case 1:
		return fmt.Sprintf("%s %s", g.symbol(component), g.pick(consequences()))
	case 2:
		return fmt.Sprintf("change how %s handles %s with %s", component, g.pick(objects()), g.pick(technologies()))
	}
	return fmt.Sprintf("%s %s", g.pick(chinese()), component)
}

func (g *Generator) text(component, symbol string) string {
	sentences := []string{
		fmt.Sprintf("The %s %s %s; %s.", component, g.pick(verbs()), g.pick(objects()), g.pick(consequences())),
		fmt.Sprintf("`%s` in `%s` is the place to change it.", symbol, g.path(component)),
		fmt.Sprintf("Use %s %d.%d or newer, since older ones %s.", g.pick(technologies()), 1+g.r.IntN(9), g.r.IntN(30), g.pick(consequences())),
		fmt.Sprintf("Before a release, check that the %s still %s %s.", g.common(components()), g.pick(verbs()), g.pick(objects())),
		fmt.Sprintf("%s: %s.", g.pick(chinese()), g.pick(chinese())),
		fmt.Sprintf("The tests of %s need `%s_MODE=%s`.", component, strings.ToUpper(component), g.pick(technologies())),
	}
	g.r.Shuffle(len(sentences)-1, func(i, j int) { sentences[i+1], sentences[j+1] = sentences[j+1], sentences[i+1] })
	text := strings.Join(sentences[:2+g.r.IntN(4)], " ")
	if g.r.IntN(4) == 0 {
		text += fmt.Sprintf("\n\n- %s\n- %s", capital(g.pick(consequences())), capital(g.pick(consequences())))
	}
	return text
}

// symbol is an identifier, unique by its number.
func (g *Generator) symbol(component string) string {
	action := g.pick([]string{"load", "flush", "retry", "merge", "encode", "resolve", "watch", "drain", "sign", "route"})
	if g.r.IntN(2) == 0 {
		return fmt.Sprintf("%s%s%d", action, capital(component), g.n)
	}
	return fmt.Sprintf("%s_%s_%d", component, action, g.n)
}

func (g *Generator) path(component string) string {
	return fmt.Sprintf("internal/%s/%s.go", component, g.pick([]string{"client", "server", "queue", "codec", "store", "config"}))
}

func (g *Generator) pick(words []string) string { return words[g.r.IntN(len(words))] }

// common prefers the first words: each is about as frequent as its place
// allows.
func (g *Generator) common(words []string) string {
	at := g.r.Float64()
	return words[int(at*at*at*float64(len(words)))]
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
