package tiny

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The kinds of values and tensors in a GGUF file, version 3.
const (
	ggufU32    = 4
	ggufI32    = 5
	ggufF32    = 6
	ggufBool   = 7
	ggufString = 8
	ggufArray  = 9

	ggufAlign = 32
)

// gguf is a model file that is being made.
type gguf struct {
	keys, tensors int
	head          bytes.Buffer // keys and their values
	infos         bytes.Buffer // what each tensor is
	data          bytes.Buffer // the tensors' numbers
}

func little(to *bytes.Buffer, values ...any) {
	for _, v := range values {
		if err := binary.Write(to, binary.LittleEndian, v); err != nil {
			panic(fmt.Sprintf("%T has no fixed size", v))
		}
	}
}

func text(to *bytes.Buffer, s string) {
	little(to, uint64(len(s)))
	to.WriteString(s)
}

// set adds a key: a string, a bool, a uint32, a float32, or a list of strings
// or of int32.
func (g *gguf) set(key string, value any) {
	g.keys++
	text(&g.head, key)
	switch v := value.(type) {
	case string:
		little(&g.head, uint32(ggufString))
		text(&g.head, v)
	case bool:
		little(&g.head, uint32(ggufBool), v)
	case uint32:
		little(&g.head, uint32(ggufU32), v)
	case float32:
		little(&g.head, uint32(ggufF32), v)
	case []int32:
		little(&g.head, uint32(ggufArray), uint32(ggufI32), uint64(len(v)), v)
	case []string:
		little(&g.head, uint32(ggufArray), uint32(ggufString), uint64(len(v)))
		for _, s := range v {
			text(&g.head, s)
		}
	default:
		panic(fmt.Sprintf("%T is no value of GGUF", value))
	}
}

// tensor adds numbers, in rows of the first length of the shape.
func (g *gguf) tensor(name string, numbers []float32, shape ...int) {
	size := 1
	g.tensors++
	text(&g.infos, name)
	little(&g.infos, uint32(len(shape)))
	for _, n := range shape {
		little(&g.infos, uint64(n))
		size *= n
	}
	if size != len(numbers) {
		panic(fmt.Sprintf("tensor %s has %d numbers, not %v", name, len(numbers), shape))
	}
	little(&g.infos, uint32(0), uint64(g.data.Len()))
	little(&g.data, numbers)
	align(&g.data)
}

func align(b *bytes.Buffer) {
	b.Write(make([]byte, (ggufAlign-b.Len()%ggufAlign)%ggufAlign))
}

func (g *gguf) bytes() []byte {
	var all bytes.Buffer
	all.WriteString("GGUF")
	little(&all, uint32(3), uint64(g.tensors), uint64(g.keys))
	all.Write(g.head.Bytes())
	all.Write(g.infos.Bytes())
	align(&all)
	all.Write(g.data.Bytes())
	return all.Bytes()
}
