package entry

import "strings"

// Differing is a header key whose value is not the same in two entries.
type Differing struct{ Key, Old, New string }

// Differ gives the keys that two entries state otherwise, in the order of a new
// file. Lists are told with commas between their items; keys that are not ours,
// title and body are not compared.
func Differ(a, b Entry) []Differing {
	a, b = Normal(a), Normal(b)
	var found []Differing
	for i := range keys {
		if old, now := keys[i].get(&a), keys[i].get(&b); !old.equal(now) {
			found = append(found, Differing{keys[i].name, old.said(), now.said()})
		}
	}
	return found
}

func (v value) said() string {
	if v.isList {
		return strings.Join(v.list, ", ")
	}
	return v.text
}
