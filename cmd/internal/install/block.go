package install

import (
	"bytes"
	"errors"
	"strings"
)

// The marks around what we put into a text file of the person's.
const (
	beginMark = "<!-- memory-mcp: begin -->"
	endMark   = "<!-- memory-mcp: end -->"
)

var errMarks = errors.New("the marks around our text are not one begin and one end")

// marked finds the block with its marks, -1 when there is none.
func marked(text []byte) (start, end int, err error) {
	start = bytes.Index(text, []byte(beginMark))
	stop := bytes.Index(text, []byte(endMark))
	switch {
	case start < 0 && stop < 0:
		return -1, -1, nil
	case start < 0 || stop < start,
		bytes.Count(text, []byte(beginMark)) > 1 || bytes.Count(text, []byte(endMark)) > 1:
		return -1, -1, errMarks
	}
	return start, stop + len(endMark), nil
}

// Block is the text that tells an agent about the memory, between its marks.
func Block() string { return beginMark + "\n" + strings.TrimSpace(blockText) + "\n" + endMark + "\n" }

// addBlock puts a text between marks at the end of a file, or in place of the
// one that is between them.
func addBlock(old []byte, text string) ([]byte, error) {
	start, end, err := marked(old)
	if err != nil {
		return nil, err
	}
	block := beginMark + "\n" + strings.TrimSpace(text) + "\n" + endMark
	block = strings.ReplaceAll(block, "\n", newline(old))
	if start < 0 {
		return appendBlock(old, block), nil
	}
	return append(append(bytes.Clone(old[:start]), block...), old[end:]...), nil
}

func removeBlock(old []byte) ([]byte, error) {
	start, end, err := marked(old)
	if err != nil || start < 0 {
		return old, err
	}
	return cutBlock(old, start, end), nil
}
