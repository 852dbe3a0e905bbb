package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxBody is how much of standard input is kept, in bytes: of what is longer the end, which rules search. It is more
	// than detect.Body keeps, which masks what a cut may have split as long as it sees what is before it.
	maxBody = 1<<20 + 64<<10
	// maxInput is where reading stops, for what has no end.
	maxInput = 1 << 28
)

// readText fills evidence from what was said: the flag's text, or standard input if it is neither a terminal nor in use
// for the taxonomy. An error body as APIs send it fills what else it tells, and so does a hint how long to wait.
func (s *session) readText(ev *taxonomy.Evidence, o *options) error {
	if o.text != nil {
		said(ev, []byte(*o.text))
		return nil
	}
	if s.Stdin == nil || o.taxonomy == stdinArg || !piped(s.Stdin) {
		return nil
	}
	body, err := readEnd(s.Stdin)
	if err != nil {
		return fmt.Errorf("read text from standard input: %w", err)
	}
	said(ev, body)
	return nil
}

func said(ev *taxonomy.Evidence, text []byte) {
	detect.Body(ev, text)
	if d, ok := detect.RetryHint(ev.Text); ok && ev.RetryAfter.IsZero() && ev.ResetAt.IsZero() {
		ev.RetryAfter = taxonomy.Some(d)
	}
}

// piped reports whether somebody hands something in: it is false for a terminal, where a person would have to know
// that the command waits, and for a closed input.
func piped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice == 0
}

// readEnd returns the last maxBody bytes of what is read.
func readEnd(in io.Reader) ([]byte, error) {
	buf := make([]byte, 0, 64<<10)
	in = io.LimitReader(in, maxInput)
	for {
		if len(buf) == 2*maxBody {
			buf = buf[:copy(buf, buf[maxBody:])]
		}
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(2*cap(buf), 2*maxBody))
			copy(grown, buf)
			buf = grown
		}
		n, err := in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf[max(0, len(buf)-maxBody):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
