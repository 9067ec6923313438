package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// sealWord opens the last line of a file that is wholly ours; after it stands
// the hash of all lines before, so that a change by hand is seen.
const sealWord = "memory-mcp setup "

// seal closes a text with a line that says whose it is, as a comment of the
// file's language.
func seal(text, open, end string) []byte {
	text = strings.TrimRight(text, "\n") + "\n"
	if strings.HasPrefix(open, "<") {
		text += "\n" // in Markdown a paragraph of its own
	}
	return []byte(text + open + sealWord + sum(text) + end + "\n")
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:8])
}

// sealed tells whether a file is ours, and whether it is as we wrote it.
func sealed(b []byte) (ours, whole bool) {
	text, last := b, []byte(nil)
	if i := bytes.LastIndexByte(bytes.TrimRight(b, "\n"), '\n'); i >= 0 {
		text, last = b[:i+1], b[i+1:]
	}
	_, after, found := strings.Cut(string(last), sealWord)
	if !found {
		return bytes.Contains(b, []byte(sealWord)), false
	}
	return true, strings.HasPrefix(after, sum(string(text))) && bytes.HasSuffix(b, []byte("\n"))
}

// addWhole writes a file of ours, over an older one of ours only.
func addWhole(old, text []byte) ([]byte, error) {
	if old == nil {
		return text, nil
	}
	ours, whole := sealed(old)
	if !whole {
		return nil, &ForeignFileError{Edited: ours}
	}
	return text, nil
}

// removeWhole ends a file that is ours and as we wrote it; any other stays.
func removeWhole(old []byte) ([]byte, error) {
	switch ours, whole := sealed(old); {
	case whole:
		return nil, nil
	case ours:
		return nil, &ForeignFileError{Edited: true}
	}
	return old, nil
}
