package cli

import (
	"github.com/schollz/progressbar/v3"
)

// bar tells a person at a terminal how far a long call is. The zero value
// tells nobody.
type bar struct {
	bar   *progressbar.ProgressBar
	total int
}

// progress makes a bar on standard error, if a terminal is there.
func (e *env) progress(quiet bool) *bar {
	t := terminalOf(e.Stderr, e.Getenv)
	if quiet || !t.is {
		return &bar{}
	}
	return &bar{bar: progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(e.Stderr), progressbar.OptionEnableColorCodes(t.colour),
		progressbar.OptionSetWidth(min(30, max(10, t.width/3))), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetDescription("reading the repository"), progressbar.OptionShowCount())}
}

// report moves the bar. What cannot be drawn is not worth an error.
func (b *bar) report(done, total int, what string) {
	if b.bar == nil {
		return
	}
	if total != b.total && total > 0 {
		b.total = total
		b.bar.ChangeMax(total)
	}
	b.bar.Describe(what)
	if err := b.bar.Set(done); err != nil {
		b.bar = nil
	}
}

func (b *bar) end() {
	if b.bar == nil {
		return
	}
	if err := b.bar.Finish(); err != nil {
		b.bar = nil
	}
}
