package cli

import "golang.org/x/sys/windows"

// enableColour turns the console's escape sequences on, and tells whether it
// has them.
func enableColour(stream any) bool {
	f, ok := stream.(fileDescriptor)
	if !ok {
		return false
	}
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
