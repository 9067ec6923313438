package store

import (
	"os"
	"path"
)

// readIn reads a file in an open folder.
func readIn(root *os.Root, _ *os.File, folder, name string, _ []byte) ([]byte, error) {
	return root.ReadFile(path.Join(folder, name))
}
