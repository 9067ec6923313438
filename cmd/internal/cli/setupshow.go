package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"memory-mcp/cmd/internal/app"
	"memory-mcp/cmd/internal/install"
)

// showSetUp tells what was read and which agents are here, and shows every
// file that would change.
func (e *env) showSetUp(ctx context.Context, a *app.App, done setUp, diffs bool) error {
	t := e.terminal
	if r := done.Bootstrap; r != nil {
		var b strings.Builder
		fmt.Fprintf(&b, "%s lobe %s: %s stored, %d unchanged\n", t.green("Read"), r.Lobe,
			counted(len(r.Stored), "memory", "memories"), r.Unchanged)
		for _, w := range r.Warnings {
			b.WriteString(t.yellow(printable(strings.TrimSpace(w))) + "\n")
		}
		if err := e.say(b.String() + "\n"); err != nil {
			return err
		}
		err := e.call(ctx, a, request{op: "memory_context", args: map[string]any{}, pretty: e.showBriefing, always: true})
		if err != nil {
			return err
		}
		if err := e.say("\n"); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, n := range done.Notes {
		b.WriteString(t.yellow("note: ") + printable(n) + "\n\n")
	}
	b.WriteString(t.bold("Files") + "\n")
	for _, name := range slices.Sorted(maps.Keys(done.Folders)) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, e.short(done.Folders[name]))
	}
	fmt.Fprintf(&b, "  %-12s %s%s\n", "settings", e.short(done.Config), missing(done.Config))
	copied := ""
	if done.Installed {
		copied = " (a copy: this build would not stay where it is)"
	}
	fmt.Fprintf(&b, "  %-12s %s%s\n\n", "program", e.short(done.Command), copied)
	b.WriteString(e.hostsText(done.outcome))
	if diffs {
		b.WriteString(e.diffText(done.outcome))
	}
	return e.say(b.String())
}

// missing says that a file is not there yet.
func missing(path string) string {
	if path == "" || exists(path) {
		return ""
	}
	return " (optional, not there yet)"
}

// short is a path for a person to read: below the home it begins with ~.
func (e *env) short(path string) string {
	if e.Home == "" || len(e.Home) < 2 {
		return path
	}
	for _, separator := range []string{"/", `\`} {
		if rest, below := strings.CutPrefix(path, e.Home+separator); below {
			return "~" + separator + rest
		}
	}
	return path
}

// hostsText is one line for each agent, what is wrong with it below.
func (e *env) hostsText(o outcome) string {
	t := e.terminal
	var b strings.Builder
	b.WriteString(t.bold("Agents") + "\n")
	if len(o.Hosts) == 0 {
		b.WriteString("  none was found here; \"" + Name + " setup --print\" shows what to paste into their settings\n")
	}
	width := 0
	for _, h := range o.Hosts {
		width = max(width, displayWidth(h.Name))
	}
	for _, h := range o.Hosts {
		state := ""
		switch h.Status {
		case "unchanged":
			state = t.green("up to date")
		case "skipped":
			state = t.yellow("no file is written for it")
		case "failed":
			state = t.red("needs a look")
		default:
			state = strings.Join(h.What, ", ")
		}
		b.WriteString("  " + h.Name + strings.Repeat(" ", width-displayWidth(h.Name)+2) + state + "\n")
		for _, n := range h.Notes {
			if !strings.Contains(b.String(), printable(n)) {
				b.WriteString("    " + printable(n) + "\n")
			}
		}
		for _, err := range h.Errors {
			b.WriteString("    " + t.red(printable(err)) + "\n")
		}
		if h.Paste != "" {
			b.WriteString("    to paste it yourself: " + Name + " setup --print --host " + h.ID + "\n")
		}
	}
	return b.String()
}

// diffText shows each file that would change. The texts that are the same for
// several agents are shown once.
func (e *env) diffText(o outcome) string {
	t := e.terminal
	var b strings.Builder
	shown := map[string]string{}
	for _, c := range o.Changes {
		if c.Diff == "" {
			continue
		}
		b.WriteString("\n")
		if c.Kind == "removed" {
			b.WriteString(t.bold("removed "+printable(c.Path)) + "\n  it holds nothing but what setup wrote\n")
			continue
		}
		_, body, _ := strings.Cut(c.Diff, "\n@@")
		if first, again := shown[body]; again {
			b.WriteString(t.bold(c.Kind+" "+printable(c.Path)) + "\n  the same as " + printable(first) + "\n")
			continue
		}
		shown[body] = c.Path
		for line := range strings.SplitAfterSeq(c.Diff, "\n") {
			b.WriteString(e.diffLine(line))
		}
		if !strings.HasSuffix(c.Diff, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (e *env) diffLine(line string) string {
	text, nl := strings.CutSuffix(line, "\n")
	text = printable(text)
	switch {
	case strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "+++ "):
		text = e.terminal.bold(text)
	case strings.HasPrefix(text, "@@"):
		text = e.terminal.cyan(text)
	case strings.HasPrefix(text, "+"):
		text = e.terminal.green(text)
	case strings.HasPrefix(text, "-"):
		text = e.terminal.red(text)
	}
	if nl {
		text += "\n"
	}
	return text
}

// notDoneText closes a run that changed no file of an agent.
func (e *env) notDoneText(j job, o setupOptions) string {
	if j.idle() {
		return "\nNothing is to be changed.\n"
	}
	verb, does := "setup", "writes "+j.files()
	if j.plan.Removal() {
		verb, does = "uninstall", "takes it back from "+j.files()
	}
	return fmt.Sprintf("\n%s No file of an agent was changed. This %s:\n  %s %s%s --yes\n",
		e.terminal.yellow("Nothing done yet."), does, e.self(j.program), verb, o.line())
}

// self is how a person starts this program: by its name where a shell finds
// it, else by the path of the one that is registered.
func (e *env) self(program string) string {
	for _, dir := range filepath.SplitList(e.Getenv("PATH")) {
		if at := filepath.Join(dir, Name); filepath.IsAbs(dir) && exists(at) {
			return Name
		}
	}
	path := either(program, e.Executable)
	if path == "" {
		return Name
	}
	if short := e.short(path); !strings.ContainsAny(short, " '\"()&$`\\") {
		return short
	}
	return quote(path)
}

// line are the options that a person gave, as they would be given again.
func (o setupOptions) line() string {
	var b strings.Builder
	if len(o.hosts) > 0 {
		b.WriteString(" --host " + strings.Join(o.hosts, ","))
	}
	if o.scope == string(install.Project) {
		b.WriteString(" --scope " + o.scope)
	}
	if o.noHooks {
		b.WriteString(" --no-hooks")
	}
	if o.readOnly {
		b.WriteString(" --read-only")
	}
	if o.command != "" {
		b.WriteString(" --command " + quote(o.command))
	}
	return b.String()
}

// doneText tells what became of each file and what is left to do.
func (e *env) doneText(o outcome, j job) string {
	t := e.terminal
	var b strings.Builder
	for _, c := range o.Changes {
		switch {
		case c.Error != "":
			b.WriteString(t.red("  failed   ") + printable(c.Error) + "\n")
		case c.Kind != "unchanged":
			fmt.Fprintf(&b, "  %-8s %s\n", c.Kind, e.short(c.Path))
			if c.Backup != "" {
				b.WriteString(t.faint("           as it was: "+e.short(c.Backup)) + "\n")
			}
		}
	}
	for _, path := range j.also {
		b.WriteString("  removed  " + e.short(path) + "\n")
	}
	text := "\n" + t.green("Done") + "\n" + b.String()
	if b.Len() == 0 {
		text = "\n" + t.green("Nothing is to be changed.") + "\n"
	}
	if j.plan.Removal() {
		for _, n := range o.Notes {
			text += printable(n) + "\n"
		}
		return text
	}
	next := ""
	for _, h := range o.Hosts {
		for _, n := range h.Next {
			next += "  " + h.Name + ": " + n + "\n"
		}
	}
	if next != "" {
		text += "\n" + t.bold("Left for you to do") + "\n" + next
	}
	if o.tail != "" {
		text += "\n" + o.tail + "\n"
	}
	self := e.self(j.program)
	return text + "\nTo check it all: " + self + " doctor\nTo take it back: " + self + " uninstall\n"
}
