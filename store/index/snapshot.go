package index

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"memory-mcp/textanalysis"
)

// ErrSnapshot is wrapped by every error of [Load]: the bytes are not a whole
// snapshot of this version, made with the same rules for words. The remedy is
// always to build the index again.
var ErrSnapshot = errors.New("no usable index snapshot")

// snapshotMagic opens a snapshot; its last byte is the version, raised when the
// layout changes.
//
//	1: words, stems, postings, forward texts, documents
//	2: of the documents only the keys
const snapshotMagic = "memory-mcp index\x02"

// Save writes the index as one snapshot, but for the documents with the given
// keys: what it was made from is named at its head, and a SHA-256 sum of all is
// at its end. The documents themselves are not in it. Equal indexes built in
// one go give equal bytes.
func (x *Index) Save(w io.Writer, without ...string) error {
	s := x.merge(x.without(without).parts)
	data := []byte(snapshotMagic)
	data = appendText(data, x.analyzer.Fingerprint())
	data = s.appendTo(data)
	sum := sha256.Sum256(data)
	if _, err := w.Write(append(data, sum[:]...)); err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	return nil
}

// without is the state less some documents; the index stays as it is.
func (x *Index) without(keys []string) *state {
	if len(keys) == 0 {
		return x.current.Load()
	}
	f := x.Fork(nil, keys)
	f.countDead()
	return f.current.Load()
}

// Load reads what [Index.Save] wrote. known gives the documents by key, as they
// were put in. The index keeps parts of data, which must not be changed
// afterwards. It answers as an index that was built from the same documents.
func Load(data []byte, a *textanalysis.Analyzer, known func(key string) (Doc, bool)) (*Index, error) {
	n := len(data) - sha256.Size
	if n < len(snapshotMagic) || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return nil, fmt.Errorf("%w: the head is another one", ErrSnapshot)
	}
	if sum := sha256.Sum256(data[:n]); string(sum[:]) != string(data[n:]) {
		return nil, fmt.Errorf("%w: the sum does not match", ErrSnapshot)
	}
	r := &decoder{data: data[:n], text: unsafe.String(unsafe.SliceData(data), n), known: known, at: len(snapshotMagic)}
	if made := r.string(); made != a.Fingerprint() {
		return nil, fmt.Errorf("%w: made with the word rules %q, not %q", ErrSnapshot, made, a.Fingerprint())
	}
	s := r.segment()
	if r.err == nil && r.at != len(r.data) {
		r.fail("bytes are left over")
	}
	if r.err != nil {
		return nil, r.err
	}
	x := New(a)
	if len(s.docs) > 0 {
		e := x.edit()
		e.append(s)
		e.publish()
	}
	return x, nil
}

func appendNumber(data []byte, n int) []byte { return binary.AppendUvarint(data, uint64(n)) }

func appendText[T string | []byte](data []byte, text T) []byte {
	return append(appendNumber(data, len(text)), text...)
}

func appendNumbers(data []byte, numbers []uint32) []byte {
	data = appendNumber(data, len(numbers))
	for _, n := range numbers {
		data = binary.AppendUvarint(data, uint64(n))
	}
	return data
}

func appendTexts(data []byte, texts []string) []byte {
	data = appendNumber(data, len(texts))
	for _, t := range texts {
		data = appendText(data, t)
	}
	return data
}

// appendSteps writes numbers that never fall as the steps between them.
func appendSteps(data []byte, numbers []uint32) []byte {
	data = appendNumber(data, len(numbers))
	last := uint32(0)
	for _, n := range numbers {
		data = binary.AppendUvarint(data, uint64(n-last))
		last = n
	}
	return data
}

func (s *segment) appendTo(data []byte) []byte {
	data = appendTexts(data, s.stems.names)
	data = appendNumbers(data, s.df)
	data = appendTexts(data, s.words.names)
	data = appendNumbers(data, s.stemOf)
	data = appendNumbers(data, s.wordDocs)
	data = appendText(data, s.postings)
	data = appendSteps(data, s.starts)
	data = appendText(data, s.forward)
	data = appendSteps(data, s.forwardStarts)
	data = appendNumber(data, len(s.docs))
	for i := range s.docs {
		data = appendText(data, s.docs[i].Key)
		data = appendNumber(data, int(s.length[i].title))
		data = appendNumber(data, int(s.length[i].body))
	}
	return data
}
