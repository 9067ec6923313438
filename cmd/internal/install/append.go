package install

import "bytes"

// newline is how the lines of a file end: as its first one does. One that ends
// in a lone return would do so with the first line that is added.
func newline(text []byte) string {
	i := bytes.IndexByte(text, '\n')
	if i < 0 {
		i = len(text)
	}
	if i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// appendBlock puts lines of ours, without the end of the last one, at the end
// of a file, after an empty line. How the last line ends tells whether the
// file's did, so that cutBlock can give back exactly what was there.
func appendBlock(old []byte, block string) []byte {
	nl := newline(old)
	switch {
	case old == nil:
		return []byte(block + nl)
	case bytes.HasSuffix(old, []byte(nl)):
		return append(bytes.Clone(old), nl+block+nl...)
	}
	return append(append([]byte{}, old...), nl+nl+block...)
}

// cutBlock takes out what stands between two positions, end being that of the
// block's last line without its end. A file that held nothing else is gone.
func cutBlock(text []byte, start, end int) []byte {
	nl := []byte(newline(text))
	before, after := text[:start], text[end:]
	rest, ended := bytes.CutPrefix(after, nl)
	switch {
	case len(before) == 0 && ended && len(rest) == 0:
		return nil
	case len(after) == 0:
		before, _ = bytes.CutSuffix(before, nl)
		before, _ = bytes.CutSuffix(before, nl)
	case ended:
		before, _ = bytes.CutSuffix(before, nl)
		after = rest
	}
	return append(append([]byte{}, before...), after...)
}
