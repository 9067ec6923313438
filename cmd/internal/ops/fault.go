package ops

// Fault is an error as a front door tells it: what went wrong, and what to do.
type Fault struct {
	Code    string `json:"code"` // one word, stable
	Message string `json:"message"`
	Hint    string `json:"hint"` // the next call to make, ready; "" when there is none
	Exit    int    `json:"-"`    // status of a command
	HTTP    int    `json:"-"`    // status of a web answer
}

// Error is the message with its hint.
func (f *Fault) Error() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "\n" + f.Hint
}

// The exit statuses of commands.
const (
	ExitOK       = 0
	ExitFailure  = 1 // the work could not be done
	ExitUsage    = 2 // the command line or an argument is wrong
	ExitNotFound = 3 // an id, lobe or file that was named is not there
	ExitRefused  = 4 // refused for a reason that the caller can change
	ExitBusy     = 5 // somebody else is at it; try again
)
