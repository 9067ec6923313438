package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// ErrVectors says that bytes are not vectors of this model and size. The
// remedy is always to make them again.
var ErrVectors = errors.New("no usable vectors")

// A file of vectors is a head and then records, which are only ever added:
//
//	head    "memory-mcp vectors 1\n", dimensions as four bytes (little end
//	        first), SHA-256 of the model's name
//	record  key (16 bytes), a byte for each dimension, CRC-32C of both
//
// A record that was cut, or that is damaged, ends what is read.
const vectorsMagic = "memory-mcp vectors 1\n"

const vectorsHead = len(vectorsMagic) + 4 + sha256.Size

// Head is how a file of these vectors begins. Model names all that the numbers
// depend on.
func (v *Vectors) Head(model string) []byte {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.head(model)
}

func (v *Vectors) head(model string) []byte {
	head := binary.LittleEndian.AppendUint32([]byte(vectorsMagic), uint32(v.dimensions))
	sum := sha256.Sum256([]byte(model))
	return append(head, sum[:]...)
}

// Record is the vector of a text as a file holds it; nil when it has none.
func (v *Vectors) Record(key TextKey) []byte {
	v.mu.RLock()
	defer v.mu.RUnlock()
	row, ok := v.rows[key]
	if !ok {
		return nil
	}
	record := make([]byte, 0, v.record())
	record = append(record, key[:]...)
	for _, x := range v.data[row*v.dimensions : (row+1)*v.dimensions] {
		record = append(record, byte(x))
	}
	return binary.LittleEndian.AppendUint32(record, vectorSum(record))
}

// record is the size of one.
func (v *Vectors) record() int { return len(TextKey{}) + v.dimensions + 4 }

func vectorSum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// Read takes in the records of a file of the model, and tells how many bytes
// of it are whole: from there on the next record is to be written, and read
// later. An error wraps [ErrVectors].
func (v *Vectors) Read(file []byte, model string) (int, error) {
	if err := v.open(file, model); err != nil {
		return 0, err
	}
	return vectorsHead + v.Add(file[vectorsHead:]), nil
}

// mostDimensions is more than any model's vectors have.
const mostDimensions = 1 << 16

// open reads the head of a file, and takes the number of dimensions from it
// when any will do.
func (v *Vectors) open(file []byte, model string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(file) < vectorsHead {
		return ErrVectors
	}
	known := v.dimensions
	if known == 0 {
		v.dimensions = int(min(binary.LittleEndian.Uint32(file[len(vectorsMagic):]), mostDimensions))
	}
	if v.dimensions == 0 || !bytes.HasPrefix(file, v.head(model)) {
		v.dimensions = known
		return ErrVectors
	}
	return nil
}

// Add takes in records that follow those which were read, and tells how many
// bytes of them are whole.
func (v *Vectors) Add(records []byte) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	size, at := v.record(), 0
	for ; len(records)-at >= size; at += size {
		one := records[at : at+size]
		body := one[:size-4]
		if vectorSum(body) != binary.LittleEndian.Uint32(one[size-4:]) {
			break
		}
		row := make([]int8, v.dimensions)
		for i, x := range body[len(TextKey{}):] {
			row[i] = int8(x)
		}
		if unit := unitOf(row); unit <= 1 {
			v.put(TextKey(body[:len(TextKey{})]), row, unit)
		}
	}
	return at
}
