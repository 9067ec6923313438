package textanalysis

// Severity grades how surely a text is of the moment.
type Severity int

// The grades, lightest first.
const (
	None Severity = iota
	Low
	Medium
	High
)

// String is the grade as it is shown and stored.
func (s Severity) String() string {
	switch s {
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	}
	return "none"
}
