package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What the stage's lobe knows before an agent comes: one memory that the first
// prompt is about, and so many others that a briefing cannot hold them all.
const (
	recalled = "The barcode scanner drops the thirteenth digit of parcel codes; read them twice and compare."
	related  = "Why does the barcode scanner drop a digit of the parcel codes? STORE-NOW"
	decided  = "We decided to keep all parcel timestamps in UTC, because the night shift crosses midnight."
)

// play is the whole of it.
func (s *stage) play() {
	before := s.snapshot()
	copied := filepath.Join(s.home, ".memory-mcp", "bin", "memory-mcp")
	s.must(s.program, "setup", "--yes")
	s.must(copied, "uninstall", "--yes")
	s.compare(before, s.snapshot(), "setup and uninstall")
	s.must(s.program, "setup", "--yes")
	after := s.snapshot()
	s.fill(copied)
	s.lists()
	s.recalls()
	s.keepsSilent()
	s.sweeps(copied)
	s.nothingRuns()
	s.must(copied, "uninstall", "--yes")
	s.restored(before, after)
}

func (s *stage) compare(want, got map[string]string, when string) {
	s.t.Helper()
	for name, text := range want {
		if now, there := got[name]; !there || now != text {
			s.t.Errorf("after %s %s (there: %v) is\n%s\nand was\n%s", when, name, there, now, text)
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			s.t.Errorf("after %s there is %s", when, name)
		}
	}
}

// fill stores what is to be recalled, and much else that is newer and comes
// first in a briefing.
func (s *stage) fill(program string) {
	s.must(program, "store", recalled, "--topic", "general")
	for i := range 40 {
		topic := []string{"general", "gotchas"}[i%2]
		s.write(fmt.Sprintf("parcels/.git/memory/%s/depot-%02d.md", topic, i), fmt.Sprintf(
			"---\ntopic: %s\ntrust: user\ncreated: %s\n---\n# Depot %d and its lorry\n\nDepot %d sends gardening tools by its own lorry at %d o'clock in the morning.\n",
			topic, time.Now().UTC().Format(time.RFC3339), i, i, i%12+1))
	}
	if brief := s.must(program, "context", "--max-tokens", "600"); strings.Contains(brief, "thirteenth") || !strings.Contains(brief, "Depot") {
		s.t.Fatalf("the briefing holds what a prompt should bring:\n%s", brief)
	}
}

// lists: the host's own command knows the server.
func (s *stage) lists() {
	out := s.must(filepath.Join(s.bin, s.host.bin), s.host.list...)
	if !strings.Contains(out, "memory") {
		s.t.Errorf("the server is not listed:\n%s", out)
	}
}

// ask puts a prompt to the agent and gives what its model was asked.
func (s *stage) ask(prompt string) []string {
	s.t.Helper()
	s.model.forget()
	start := time.Now()
	out := s.must(filepath.Join(s.bin, s.host.bin), s.host.prompt(prompt)...)
	s.t.Logf("%s answered in %v", s.host.id, time.Since(start).Round(time.Millisecond))
	asked := s.model.requests()
	if len(asked) == 0 {
		s.t.Fatalf("the model was never asked:\n%s", out)
	}
	return asked
}

// recalls: the model sees the tools, the briefing and the memory that the
// prompt is about, and what it stores is on the disk.
func (s *stage) recalls() {
	asked := s.ask(related)
	if !strings.Contains(asked[0], "Depot") {
		// A hook gives up rather than keep a person waiting, as on a machine
		// that is busy with something else. It does so once, or it is broken.
		s.t.Logf("no hook answered in time, so the prompt is put again: %s", s.journal())
		asked = s.ask(related)
	}
	first := asked[0]
	if tools := toolsOf(first); len(tools) < 5 {
		s.t.Errorf("the model sees the tools %q", tools)
	}
	if !strings.Contains(first, "Depot") {
		s.t.Error("the model does not see the briefing")
	}
	if !strings.Contains(first, "thirteenth digit") {
		s.t.Error("the model does not see the memory that the prompt is about")
	}
	if s.stored("203 dpi") == "" {
		s.t.Errorf("the tool call stored nothing; the last request was\n%.3000s", asked[len(asked)-1])
	}
	if s.t.Failed() {
		s.t.Logf("the first request was\n%.6000s\nthe hooks say\n%s", first, s.journal())
	}
}

// journal is what the hooks wrote down about what went wrong.
func (s *stage) journal() string {
	text, err := os.ReadFile(filepath.Join(s.home, ".memory-mcp", "hooks.log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// keepsSilent: a prompt about something else brings no memory. What it decides
// is a memory when the conversation is over.
func (s *stage) keepsSilent() {
	if first := s.ask(decided)[0]; strings.Contains(first, "thirteenth digit") || strings.Contains(first, "203 dpi are") {
		s.t.Error("a prompt about something else brought a memory")
	}
}

// sweeps: what was decided in a conversation is a memory after its end.
func (s *stage) sweeps(program string) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		if at := s.stored("night shift crosses midnight"); at != "" {
			text, err := os.ReadFile(at)
			if err != nil || !strings.Contains(string(text), "status: candidate") {
				s.t.Errorf("what was swept is no candidate (%v):\n%s", err, text)
			}
			return
		}
	}
	s.t.Errorf("the decision was not kept; there are\n%s", s.must(program, "query", "timestamps"))
}

// stored is the file of the memory that holds a text.
func (s *stage) stored(text string) (found string) {
	names, err := filepath.Glob(filepath.Join(s.repo, ".git", "memory", "*", "*.md"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), text) {
			found = name
		}
	}
	return found
}

// nothingRuns: no process of ours is left when the host is gone.
func (s *stage) nothingRuns() {
	var left []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		left = nil
		all, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			s.t.Fatal(err)
		}
		for _, link := range all {
			if exe, err := os.Readlink(link); err == nil && strings.HasPrefix(exe, s.top) {
				left = append(left, link+" "+exe)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	s.t.Errorf("still running: %q", left)
}

// restored: every file that setup wrote is what it was, or, where the host
// rewrote it meanwhile, holds nothing of ours.
func (s *stage) restored(before, after map[string]string) {
	now := s.snapshot()
	for name, text := range after {
		was, there := before[name]
		switch {
		case text == was && there:
		case slices.Contains(s.host.touches, name):
			if strings.Contains(now[name], "memory-mcp") {
				s.t.Errorf("%s still holds something of ours:\n%s", name, now[name])
			}
		default:
			if got, still := now[name]; still != there || got != was {
				s.t.Errorf("%s (there: %v) is\n%s\nand was\n%s", name, still, got, was)
			}
		}
	}
}
