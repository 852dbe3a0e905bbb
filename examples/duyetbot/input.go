package main

import (
	"errors"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
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

// heard fills ev from what was said. An error body as APIs send it in JSON tells its type, code and message, too; what a
// process prints that ends well is no such body. Words such as "retry after 30 seconds" count where no flag says better.
func heard(ev *taxonomy.Evidence, said string) {
	if code, exited := ev.ExitCode.Get(); exited && code == 0 {
		ev.Text = said
		return
	}
	detect.Body(ev, []byte(said))
	if ev.Text == strings.TrimSpace(said) {
		ev.Text = said // how far a line is indented can matter
	}
	if wait, ok := detect.RetryHint(ev.Text); ok && ev.RetryAfter.IsZero() {
		ev.RetryAfter = taxonomy.Some(wait)
	}
}
