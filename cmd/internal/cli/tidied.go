package cli

import (
	"fmt"
	"strings"

	"memory-mcp/lobes"
)

// tidiedText tells what was made of memories that were there; "" for nothing.
func tidiedText(d lobes.Tidied) string {
	var b strings.Builder
	for _, made := range []struct {
		what string
		all  []lobes.Stored
	}{{"summary", d.Summaries}, {"experience", d.Experiences}} {
		for _, s := range made.all {
			fmt.Fprintf(&b, "%s %s %q | lobe %s | %s | %s\n", made.what, s.ID, printable(s.Title), s.Lobe, s.Topic, s.Status)
		}
	}
	for _, aside := range []struct {
		what string
		ids  []string
	}{{"put before you", d.Review}, {"superseded by a newer value", d.Superseded}, {"waiting for a text", d.Waiting}} {
		if len(aside.ids) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", aside.what, strings.Join(aside.ids, ", "))
		}
	}
	if d.Declined+d.Failed > 0 {
		fmt.Fprintf(&b, "%s of memories not told as one: %d declined, %d given up\n", counted(d.Declined+d.Failed, "group", "groups"), d.Declined, d.Failed)
	}
	if d.Stopped != "" {
		fmt.Fprintf(&b, "not tidied: %s\n", printable(d.Stopped))
	}
	return b.String()
}
