package main

import (
	"errors"
	"io"
)

// textLimit is how many bytes of the end of the input are kept: more than the rules search.
const textLimit = 64 << 10

// tail reads all of r and returns its last n bytes. It holds no more than three times as many. A nil r is empty.
func tail(r io.Reader, n int) (string, error) {
	if r == nil {
		return "", nil
	}
	kept := make([]byte, 0, 2*n)
	chunk := make([]byte, n)
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
