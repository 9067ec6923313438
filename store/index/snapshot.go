package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
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
//	3: of the documents nothing; tags, sessions and marks, so that no document
//	   need be asked for; numbers of a fixed width
//	4: what documents are listed by
//	5: how many informative stems a document has
const snapshotMagic = "memory-mcp index\x05"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumSize is the size of the checksum at the end.
const sumSize = 4

// Save writes the index as one snapshot, but for the documents with the given
// keys: what it was made from is named at its head, and a checksum of all is
// at its end. The documents themselves are not in it: it returns their keys, in
// the order in which [Load] wants them again. Equal indexes built in one go give
// equal bytes.
func (x *Index) Save(w io.Writer, without ...string) ([]string, error) {
	s := x.merge(x.without(without).parts)
	data := []byte(snapshotMagic)
	data = appendText(data, x.analyzer.Fingerprint())
	data = s.appendTo(data)
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("save index: %w", err)
	}
	keys := make([]string, len(s.docs))
	for i := range s.docs {
		keys[i] = s.docs[i].Key
	}
	return keys, nil
}

// without is the state less some documents; the index stays as it is.
func (x *Index) without(keys []string) *state {
	if len(keys) == 0 {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.countDead()
		return x.current.Load()
	}
	f := x.Fork(nil, keys)
	f.countDead()
	return f.current.Load()
}

// Load reads what [Index.Save] wrote. The documents are given in the order that
// Save told; again is as for [Over], and when it is nil their Refs are the
// documents, each a *[Doc]. The index keeps parts of data, which must not be
// changed afterwards. It answers as an index that was built from the same
// documents.
func Load(data []byte, a *textanalysis.Analyzer, docs []Kept, again func(ref any) Doc) (*Index, error) {
	n := len(data) - sumSize
	if n < len(snapshotMagic) || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return nil, fmt.Errorf("%w: the head is another one", ErrSnapshot)
	}
	if crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, fmt.Errorf("%w: the sum does not match", ErrSnapshot)
	}
	r := &decoder{data: data[:n], text: unsafe.String(unsafe.SliceData(data), n), at: len(snapshotMagic)}
	if made := r.string(); made != a.Fingerprint() {
		return nil, fmt.Errorf("%w: made with the word rules %q, not %q", ErrSnapshot, made, a.Fingerprint())
	}
	s, order := r.segment(docs)
	if r.err == nil && r.at != len(r.data) {
		r.fail("bytes are left over")
	}
	if r.err != nil {
		return nil, r.err
	}
	s.again = again
	x := Over(a, again)
	if len(s.docs) > 0 {
		x.takeOver(s, order)
	}
	return x, nil
}

// takeOver makes one segment the whole index. It knows no document by its key
// before somebody asks. The documents of sessions are in order.
func (x *Index) takeOver(s *segment, order []uint32) {
	e := x.edit()
	e.parts = []part{{seg: s}}
	for _, l := range s.length {
		e.sum.title += int64(l.title)
		e.sum.body += int64(l.body)
	}
	next := e.state()
	e.linkWhole(next, order)
	x.current.Store(next)
	x.partial = &partly{sessions: len(s.names)}
}

func appendNumber(data []byte, n int) []byte { return binary.AppendUvarint(data, uint64(n)) }

func appendText[T string | []byte](data []byte, text T) []byte {
	return append(appendNumber(data, len(text)), text...)
}

func appendNumbers(data []byte, numbers []uint32) []byte {
	data = appendNumber(data, len(numbers))
	for _, n := range numbers {
		data = binary.LittleEndian.AppendUint32(data, n)
	}
	return data
}

func appendSums(data []byte, sums []uint64) []byte {
	data = appendNumber(data, len(sums))
	for _, n := range sums {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	return data
}

// appendTexts writes the lengths of texts, and then these as one.
func appendTexts(data []byte, texts []string) []byte {
	data = appendNumber(data, len(texts))
	for _, t := range texts {
		data = appendNumber(data, len(t))
	}
	for _, t := range texts {
		data = append(data, t...)
	}
	return data
}

// appendLists writes lists of documents by name.
func appendLists(data []byte, lists map[string][]uint32) []byte {
	names := slices.Sorted(maps.Keys(lists))
	data = appendTexts(data, names)
	for _, name := range names {
		data = appendNumbers(data, lists[name])
	}
	return data
}

func (s *segment) appendTo(data []byte) []byte {
	data = appendNumber(data, len(s.docs))
	data = appendTexts(data, s.stems.names)
	data = appendTexts(data, s.words.names)
	for _, list := range [][]uint32{s.df, s.stemOf, s.signatures, s.wordDocs, s.starts, s.forwardStarts, s.skipStarts, s.session, s.widths} {
		data = appendNumbers(data, list)
	}
	data = appendText(data, s.postings)
	data = appendText(data, s.forward)
	for _, k := range s.skips {
		data = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(data, k.doc), k.at)
	}
	for i, l := range s.length {
		data = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(data, l.title), l.body)
		data = binary.AppendVarint(data, int64(s.seqs[i]))
	}
	for _, o := range s.orders {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(o.Rank))
		data = binary.LittleEndian.AppendUint64(data, uint64(o.Moment))
	}
	data = appendText(data, s.states)
	data = appendSums(data, s.plain)
	data = appendSums(data, s.marks.sums)
	data = appendNumbers(data, s.marks.docs)
	for _, lists := range []map[string][]uint32{s.tags, s.subjects, s.topics} {
		data = appendLists(data, lists)
	}
	data = appendTexts(data, s.names)
	return appendNumbers(data, s.inOrder())
}
