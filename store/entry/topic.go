package entry

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	recentWork = "recent-work"
	general    = "general"
	modules    = "modules"
)

// TopicInfo says how the entries of one topic are treated.
type TopicInfo struct {
	Name      string  // "modules" for every "modules/NAME"
	Prefix    string  // of the ids of new entries
	Boost     float64 // weight in ranking
	StaleDays int     // age at which an entry is to be checked; 0 is never
	Trust     Trust   // of a write that states none
	Global    bool    // a store by hand goes to the global lobe
}

var topicTable = [...]TopicInfo{
	{"user", "user", 2.0, 0, User, true},
	{"preferences", "pref", 1.8, 0, User, true},
	{"gotchas", "gotcha", 1.5, 0, User, false},
	{"decisions", "dec", 1.2, 0, AgentInferred, false},
	{"architecture", "arch", 1.0, 30, AgentInferred, false},
	{"conventions", "conv", 1.2, 30, AgentInferred, false},
	{modules, "mod", 1.1, 30, AgentInferred, false},
	{recentWork, "recent", 0.9, 30, AgentInferred, false},
	{general, "mem", 1.0, 30, AgentInferred, false},
}

// Topics lists the topics in the order of the briefing. "modules/NAME" stands
// for every module.
func Topics() []string {
	names := make([]string, len(topicTable))
	for i, t := range topicTable {
		names[i] = t.Name
		if t.Name == modules {
			names[i] = "modules/NAME"
		}
	}
	return names
}

// InfoOf says how entries of a topic are treated. A text that is no topic is
// treated as "general".
func InfoOf(topic string) TopicInfo {
	if IsModule(topic) {
		topic = modules
	}
	for _, t := range topicTable {
		if t.Name == topic {
			return t
		}
	}
	return topicTable[len(topicTable)-1]
}

// IsModule tells whether a topic is one of "modules/NAME".
func IsModule(topic string) bool {
	return len(topic) > len("modules/") && strings.HasPrefix(topic, "modules/")
}

// ParseTopic reads a topic: one of [Topics] in any case, or "modules/NAME",
// whose NAME cannot lead out of its folder. The error is a [*TopicError].
func ParseTopic(s string) (string, error) {
	topic := fold(strings.TrimSpace(s))
	if isFixedTopic(topic) {
		return topic, nil
	}
	if IsModule(topic) && validModule(topic[len("modules/"):]) {
		return topic, nil
	}
	known := Topics()
	near := nearest(topic, known)
	for i, t := range topicTable {
		if near == "" && strings.HasPrefix(topic, t.Prefix) || t.Name == modules && strings.HasPrefix(topic, "module") {
			near = known[i]
		}
	}
	return "", &TopicError{Given: s, Near: near, Known: known}
}

func isFixedTopic(s string) bool {
	return s != modules && slices.ContainsFunc(topicTable[:], func(t TopicInfo) bool { return t.Name == s })
}

func validModule(name string) bool {
	for seg := range strings.SplitSeq(name, "/") {
		if strings.Trim(seg, ".") == "" || strings.TrimSpace(seg) != seg || len(seg) > maxSegment {
			return false
		}
		for _, r := range seg {
			if !isNameRune(r) && r != ' ' {
				return false
			}
		}
	}
	return len(name) <= 200
}

// fold is the form in which names are compared: NFC, case-folded.
func fold(s string) string {
	if isPlainLower(s) {
		return s
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
}

func isPlainLower(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
