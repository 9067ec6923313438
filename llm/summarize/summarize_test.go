package summarize_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"memory-mcp/llm"
	"memory-mcp/llm/summarize"
)

type asker struct {
	text  string
	err   error
	asked []llm.Question
}

func (a *asker) Ask(_ context.Context, q llm.Question) (llm.Reply, error) {
	a.asked = append(a.asked, q)
	return llm.Reply{Text: a.text, Model: "m", Tokens: 5}, a.err
}

func group() []summarize.Member {
	return []summarize.Member{
		{Text: "Retries of `fetch` use a pause of 2 s.", Source: "a"},
		{Text: "Uploads are tried again\nafter 2 s.", Source: "b"},
		{Text: "The mirror is asked twice.", Source: "b", Conditions: []string{"os: linux"}},
	}
}

const good = `{"declined":false,"title":"Retries","sentences":[
{"text":"What fails is tried again after 2 s.","quotes":[{"member":1,"words":"a pause of 2 s"},{"member":2,"words":"tried again after 2 s."}]},
{"text":"The mirror is asked twice.","quotes":[{"member":3,"words":"asked twice"}]}]}`

func TestWrite(t *testing.T) {
	a := &asker{text: good}
	got, err := summarize.Write(t.Context(), a, summarize.Experience, group())
	if err != nil || got.Title != "Retries" || got.Body != "What fails is tried again after 2 s.\n\nThe mirror is asked twice." || len(got.Quotes) != 3 || got.Model != "m" {
		t.Errorf("%+v, %v", got, err)
	}
	if q := a.asked[0]; !json.Valid(q.Schema) || !strings.Contains(q.User, "holds under: os: linux") || !strings.Contains(q.System, "attempts") {
		t.Errorf("asked %+v", q)
	}
}

func TestUnfounded(t *testing.T) {
	for name, change := range map[string][2]string{
		"an invented quote":        {`"asked twice"`, `"asked thrice"`},
		"a quote of another":       {`"member":3`, `"member":1`},
		"a member that is none":    {`"member":3`, `"member":4`},
		"an empty quote":           {`"asked twice"`, `" "`},
		"no quote":                 {`[{"member":3,"words":"asked twice"}]`, `[]`},
		"an invented number":       {"after 2 s.\"", "after 3 s.\""},
		"an invented name":         {"The mirror", "The mirror_host"},
		"another language":         {"What fails is tried again after 2 s.\"", "失败的请求会在 2 s 之后再次尝试，上传也是如此，这样更稳妥。\""},
		"no title":                 {"Retries", ""},
		"a member that is not old": {`,{"member":2,"words":"tried again after 2 s."}`, ""},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%s changes nothing", name)
		}
		if name == "another language" {
			text = strings.Replace(text, "The mirror is asked twice.\"", "镜像会被询问两次，中间没有任何停顿。\"", 1)
		}
		var unfounded *summarize.UnfoundedError
		if got, err := summarize.Write(t.Context(), &asker{text: text}, summarize.Summary, group()); !errors.As(err, &unfounded) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	var declined *summarize.DeclinedError
	a := &asker{text: `{"declined":true,"title":"","sentences":[]}`}
	if _, err := summarize.Write(t.Context(), a, summarize.Summary, group()); !errors.As(err, &declined) {
		t.Errorf("a model that declines: %v", err)
	}
	broken := &llm.StatusError{Status: 500}
	if _, err := summarize.Write(t.Context(), &asker{err: broken}, summarize.Summary, group()); !errors.Is(err, broken) {
		t.Errorf("a model that is broken: %v", err)
	}
	var answer *llm.AnswerError
	if _, err := summarize.Write(t.Context(), &asker{text: `{"sentences":1}`}, summarize.Summary, group()); !errors.As(err, &answer) {
		t.Errorf("another shape: %v", err)
	}
}

func TestGroups(t *testing.T) {
	long := group()
	long[1].Text = strings.Repeat("字", 6001)
	empty := group()
	empty[2].Text = ""
	one := group()
	one[0].Source = "b"
	for name, members := range map[string][]summarize.Member{
		"two": group()[:2], "seven": append(append(group(), group()...), group()[0]), "a long one": long, "an empty one": empty, "one source": one,
	} {
		a := &asker{text: good}
		var none *summarize.GroupError
		if _, err := summarize.Write(t.Context(), a, summarize.Summary, members); !errors.As(err, &none) || len(a.asked) != 0 {
			t.Errorf("%s: %v after %d questions", name, err, len(a.asked))
		}
	}
}
