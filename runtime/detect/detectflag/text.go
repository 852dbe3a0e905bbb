package detectflag

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// MaxText is how many bytes [ReadTail] returns. It is more than detect.Body keeps, which masks
	// the secrets at a cut by the text before it.
	MaxText = 1<<20 + 64<<10
	// maxInput is how many bytes are read of an input without end.
	maxInput = 1 << 28
)

// IsPiped reports whether in is a file or a pipe. It is false for a terminal, where the program
// would wait for a person, and for a closed input.
func IsPiped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice == 0
}

// ReadTail returns the last [MaxText] bytes of a piped input, and nil for a terminal.
func ReadTail(in io.Reader) ([]byte, error) {
	if !IsPiped(in) {
		return nil, nil
	}
	var b bytes.Buffer
	in = io.LimitReader(in, maxInput)
	for {
		_, err := io.CopyN(&b, in, MaxText)
		b.Next(max(0, b.Len()-MaxText))
		if errors.Is(err, io.EOF) {
			return b.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// SetText fills ev from the text of a failure. The JSON of an API's error gives its type, code and
// message, too, unless the process exited with status 0. Words such as "retry after 30 seconds"
// give the wait if nothing else does.
func SetText(ev *taxonomy.Evidence, text []byte) {
	if code, exited := ev.ExitCode.Get(); exited && code == 0 {
		ev.Text = string(text)
		return
	}
	detect.Body(ev, text)
	if ev.Text == strings.TrimSpace(string(text)) {
		ev.Text = string(text) // the indentation of a line can matter
	}
	if wait, ok := detect.RetryHint(ev.Text); ok && ev.RetryAfter.IsZero() && ev.ResetAt.IsZero() {
		ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Some(wait), true
	}
}
