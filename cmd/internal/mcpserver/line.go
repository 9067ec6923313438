package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// input is one line of the client.
type input struct {
	text    []byte // without its end; of a line that is too long, its beginning
	tooLong bool
	err     error // the last one
}

// read gives lines until the input ends or nobody wants them any more. A last
// line without an end is one, too.
func read(in *bufio.Reader, most int, lines chan<- input, done <-chan struct{}) {
	defer close(lines)
	for {
		l := readLine(in, most)
		if l.err != nil && len(l.text) > 0 {
			err := l.err
			l.err = nil
			if !send(lines, l, done) {
				return
			}
			l = input{err: err}
		}
		if !send(lines, l, done) || l.err != nil {
			return
		}
	}
}

func send(lines chan<- input, l input, done <-chan struct{}) bool {
	select {
	case lines <- l:
		return true
	case <-done:
		return false
	}
}

func readLine(in *bufio.Reader, most int) input {
	var l input
	for {
		part, err := in.ReadSlice('\n')
		if len(l.text)+len(part) > most {
			l.tooLong = true
			part = part[:max(0, min(len(part), most-len(l.text)))]
		}
		l.text = append(l.text, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.text = bytes.TrimSuffix(bytes.TrimSuffix(l.text, []byte("\n")), []byte("\r"))
		if err != nil {
			l.err = endOf(err)
		}
		return l
	}
}

// endOf makes the ways in which a pipe ends one.
func endOf(err error) error {
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.ErrUnexpectedEOF) || isClosed(err) {
		return io.EOF
	}
	return err
}

// idOf finds the id in the beginning of a message that is too long to be read,
// so that its sender gets an answer. It looks only at the message's own members.
func idOf(begin []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(begin))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		if key == "id" {
			return value
		}
	}
	return nil
}
