package entry

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Parsed is an entry with the form of its file.
type Parsed struct {
	Entry
	Form Form
}

// Parse reads a file without regard to its path: what the file does not state
// is empty. Every error wraps [ErrMalformed]; the entry is then zero.
func Parse(b []byte) (Entry, error) {
	p, err := parse(string(b))
	if err != nil {
		return Entry{}, err
	}
	return p.Entry, nil
}

// ParseFile reads the file at a slash-separated path relative to the lobe. What
// the file does not state follows from the path: id, topic and title; created
// is then the time of the last modification.
//
// The error of a malformed file is a [*SyntaxError]. The answer is usable all
// the same: it has the id that a file without a header would have, and the whole text
// as its body.
func ParseFile(path string, modified time.Time, b []byte) (Parsed, error) {
	text := string(b)
	p, err := parse(text)
	if err != nil {
		return fallback(path, modified, text), err
	}
	complete(&p, path, modified)
	return p, nil
}

// complete adds what the path says and the file does not.
func complete(p *Parsed, path string, modified time.Time) {
	if p.Created.IsZero() {
		p.Created = normalTime(modified)
	}
	if p.ID != "" && p.Topic != "" && p.Title != "" {
		return
	}
	place := placeOf(path)
	if p.ID == "" {
		p.ID = place.id
	}
	if p.Topic == "" {
		p.Topic = place.topic
	}
	if p.Title == "" {
		p.Title = cmp.Or(place.title, p.ID)
	}
	if p.Form == Plain {
		p.Branch = place.branch
	}
}

// fallback is what a malformed file is searched as.
func fallback(path string, modified time.Time, text string) Parsed {
	text = strings.ToValidUTF8(text, "\ufffd")
	p := Parsed{Entry: Entry{Body: normalBody(strings.TrimPrefix(text, byteOrderMark))}}
	for rest := p.Body; rest != "" && p.Title == ""; {
		var line string
		line, rest = cutLine(rest)
		p.Title, _ = headingText(line)
	}
	complete(&p, path, modified)
	return p
}

func parse(text string) (Parsed, error) {
	if !utf8.ValidString(text) {
		line := 1 + strings.Count(text[:firstInvalid(text)], "\n")
		return Parsed{}, &SyntaxError{Line: line, What: "text that is not UTF-8", Value: lineAt(text, line),
			Remedy: "save the file as UTF-8"}
	}
	l, err := split(text)
	if err != nil {
		return Parsed{}, err
	}
	p := Parsed{Form: l.form}
	titleText, err := l.readKeys(&p.Entry)
	if err != nil {
		return Parsed{}, err
	}
	p.Body = normalBody(l.text[l.rest:])
	switch {
	case l.title >= 0:
		p.Title = l.name
	case titleText != "":
		p.Title = normalTitle(titleText)
	default:
		p.Title = firstHeading(p.Body)
	}
	return p, nil
}

func firstInvalid(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return len(s)
}

func lineAt(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	return cutBytes(strings.ToValidUTF8(lines[n-1], "\ufffd"), 80)
}

// readKeys decodes the header into e, and gives the title key's text.
func (l *layout) readKeys(e *Entry) (string, error) {
	var seen [len(keys) + 1]bool
	titled := Entry{}
	extra := map[string]bool{}
	for i := range l.blocks {
		b := &l.blocks[i]
		at := keyIndex(b.name)
		if at < 0 {
			if extra[b.name] {
				return "", b.syntaxError("a key that occurs twice", b.name, "keep one of the lines")
			}
			extra[b.name] = true
			l.readExtra(e, b)
			continue
		}
		k := keyAt(at)
		if seen[at] {
			return "", b.syntaxError("a key that occurs twice", b.name, "keep one of the lines")
		}
		seen[at] = true
		v, err := l.decode(b)
		if err != nil {
			return "", b.syntaxError("a key that cannot be decoded: "+err.Error(), b.text[0], "write it as \"key: value\" or \"key: [a, b]\"")
		}
		into := e
		if k == &titleKey {
			into = &titled
		}
		if err := k.set(into, v); err != nil {
			return "", b.syntaxError("a value that is not allowed: "+err.Error(), b.text[0], remedyFor(k, err))
		}
	}
	return titled.Title, l.checkBullets(e)
}

func (b *block) syntaxError(what, value, remedy string) error {
	return &SyntaxError{Line: b.line + 1, What: what, Value: value, Remedy: remedy, key: b.name}
}

func (l *layout) decode(b *block) (value, error) {
	if l.form == Bullets {
		_, text, _ := bulletOf(b.text[0])
		if k := keyNamed(b.name); k != nil && k.list {
			return value{text: text}, nil
		}
		return bulletValue(text), nil
	}
	return b.decode()
}

// readExtra keeps a key that we do not know, as lines of a front matter.
func (l *layout) readExtra(e *Entry, b *block) {
	lines := b.text
	if l.form == Bullets {
		_, text, _ := bulletOf(b.text[0])
		lines = []string{b.name + ": " + yamlText(text, false)}
	}
	e.Extra = append(e.Extra, Field{Key: b.name, Lines: lines})
}

func (l *layout) checkBullets(e *Entry) error {
	if l.form != Bullets {
		return nil
	}
	for _, miss := range []struct{ key, value string }{{"id", e.ID}, {"topic", e.Topic}} {
		if miss.value == "" {
			return &SyntaxError{Line: l.title + 2, What: "a header without " + miss.key, Value: l.name,
				Remedy: "add a line \"- **" + miss.key + "**: …\" below the title", key: miss.key}
		}
	}
	return nil
}

// remedyFor says what may stand under a key.
func remedyFor(k *key, err error) string {
	var word *WordError
	var topic *TopicError
	switch {
	case errors.As(err, &word):
		return wordRemedy(word.Near, word.Known)
	case errors.As(err, &topic):
		return wordRemedy(topic.Near, topic.Known)
	}
	switch k.field(new(Entry)).(type) {
	case *[]string:
		return "write a list: [a, b]"
	case **float64:
		return "write a number from 0 to 1"
	case *time.Time:
		return "write a time such as 2026-02-18T12:00:00Z, or a date"
	}
	if k.name == "id" {
		return "use letters, digits, \".\", \"_\" and \"-\" only, or remove the line"
	}
	return "write one text, in quotes if need be"
}

func wordRemedy(near string, known []string) string {
	if near != "" {
		return fmt.Sprintf("write %q", near)
	}
	return "write one of " + strings.Join(known, ", ")
}
