package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A fakeModel answers as the makers of models do, over streams, and keeps what
// it was asked: the request that a real agent sends is what its model sees.
// It calls the tool memory_store once where a prompt asks for it with the word
// STORE-NOW, and answers one word otherwise.
type fakeModel struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // the bodies, in order
}

// storeText is what the fake stores.
const storeText = "The parcel labels are printed at 203 dpi, other resolutions are refused by the printer."

// storeNow makes the fake call the tool.
const storeNow = "STORE-NOW"

func newFakeModel(t *testing.T) *fakeModel {
	f := &fakeModel{}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

// requests are the questions that were put to the model, without those that
// a host asks for itself, as for a title: they bring no tools.
func (f *fakeModel) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, r := range f.asked {
		if strings.Contains(r, "memory_store") || strings.Contains(r, `"tools"`) {
			all = append(all, r)
		}
	}
	return all
}

// forget begins anew.
func (f *fakeModel) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = nil
}

func (f *fakeModel) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answers := map[string]func(io.Writer, string, *call){
		"/v1/messages": anthropic, "/v1/responses": responses, "/v1/chat/completions": chat,
	}
	answer := answers[r.URL.Path]
	if strings.Contains(r.URL.Path, "enerateContent") {
		answer = gemini
	}
	if r.Method != http.MethodPost || answer == nil {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[],"models":[],"input_tokens":1,"totalTokens":1}`)
		return
	}
	f.mu.Lock()
	f.asked = append(f.asked, string(body))
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	answer(w, "Understood.", wantedCall(string(body)))
}

// A call is a tool that the fake wants to be called.
type call struct {
	name, space string // the name, and the namespace where the protocol has one
	args        string // JSON
}

// wantedCall finds the tool in the request's list, unless it was called.
func wantedCall(body string) *call {
	called := strings.Contains(body, "call_fake") || strings.Contains(body, `"functionResponse"`)
	if !strings.Contains(body, storeNow) || called {
		return nil
	}
	var request struct{ Tools []any }
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		return nil
	}
	args, err := json.Marshal(map[string]string{"content": storeText})
	if err != nil {
		return nil
	}
	space, name := toolNamed(request.Tools, "")
	if name == "" {
		return nil
	}
	return &call{name, space, string(args)}
}

// toolNamed looks for the tool at any depth, and for the namespace around it.
func toolNamed(v any, space string) (string, string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if s, n := toolNamed(x, space); n != "" {
				return s, n
			}
		}
	case map[string]any:
		name, ok := v["name"].(string)
		if ok && regexp.MustCompile(`(^|_)memory_store$`).MatchString(name) {
			return space, name
		}
		if v["type"] == "namespace" {
			space = name
		}
		for _, key := range []string{"tools", "function", "functionDeclarations"} {
			if s, n := toolNamed(v[key], space); n != "" {
				return s, n
			}
		}
	}
	return "", ""
}

// event writes one event of a stream.
func event(w io.Writer, name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return
	}
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", b)
}

type object = map[string]any

func anthropic(w io.Writer, text string, c *call) {
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": "fake", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	event(w, "message_start", object{"type": "message_start", "message": message})
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text}, "end_turn"
	if c != nil {
		block = object{"type": "tool_use", "id": "toolu_call_fake", "name": c.name, "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": c.args}, "tool_use"
	}
	event(w, "content_block_start", object{"type": "content_block_start", "index": 0, "content_block": block})
	event(w, "content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	event(w, "content_block_stop", object{"type": "content_block_stop", "index": 0})
	event(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 2}})
	event(w, "message_stop", object{"type": "message_stop"})
}

func responses(w io.Writer, text string, c *call) {
	item := object{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}}}
	if c != nil {
		item = object{"type": "function_call", "id": "fc1", "call_id": "call_fake", "name": c.name, "arguments": c.args, "status": "completed"}
		if c.space != "" {
			item["namespace"] = c.space
		}
	}
	usage := object{"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2}
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "r1"}})
	event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(w, "response.completed", object{"type": "response.completed", "response": object{"id": "r1", "output": []any{item}, "usage": usage}})
}

func chat(w io.Writer, text string, c *call) {
	delta, reason := object{"role": "assistant", "content": text}, "stop"
	if c != nil {
		delta = object{"role": "assistant", "tool_calls": []any{object{"index": 0, "id": "call_fake", "type": "function", "function": object{"name": c.name, "arguments": c.args}}}}
		reason = "tool_calls"
	}
	chunk := func(delta object, reason any) object {
		return object{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": reason}}}
	}
	event(w, "", chunk(delta, nil))
	last := chunk(object{}, reason)
	last["usage"] = object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	event(w, "", last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func gemini(w io.Writer, text string, c *call) {
	part := object{"text": text}
	if c != nil {
		var args object
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			return
		}
		part = object{"functionCall": object{"name": c.name, "args": args}}
	}
	event(w, "", object{
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
}

// toolsOf are the names of our tools in a request.
func toolsOf(request string) []string {
	found := regexp.MustCompile(`memory_(?:context|query|store|correct|bootstrap|history)\b`).FindAllString(request, -1)
	slices.Sort(found)
	return slices.Compact(found)
}
