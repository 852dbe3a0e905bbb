package main

import (
	"errors"
	"io"
	"os"
)

// textLimit is how many bytes of the end of a text are kept: more than the rules search.
const textLimit = 64 << 10

// piped returns f, or nil where a person would have to type what is read from it.
func piped(f *os.File) io.Reader {
	info, err := f.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	return f
}

// tail reads all of r and returns its last n bytes; it holds no more than three times as many. A nil r is empty.
func tail(r io.Reader, n int) (string, error) {
	if r == nil {
		return "", nil
	}
	kept, chunk := make([]byte, 0, 2*n), make([]byte, n)
	for {
		m, err := r.Read(chunk)
		if len(kept)+m > cap(kept) {
			kept = append(kept[:0], kept[len(kept)-n:]...)
		}
		kept = append(kept, chunk[:m]...)
		if errors.Is(err, io.EOF) {
			return string(kept[max(0, len(kept)-n):]), nil
		}
		if err != nil {
			return "", err
		}
	}
}
