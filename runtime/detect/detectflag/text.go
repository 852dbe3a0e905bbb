package detectflag

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// MaxText is how many bytes [ReadEnd] keeps: more than detect.Body does, which masks what a cut
	// may have split as long as it sees what is before it.
	MaxText = 1<<20 + 64<<10
	// maxInput is where reading stops, for what has no end.
	maxInput = 1 << 28
)

// Piped reports whether somebody hands something in: it is false for a terminal, where a person
// would have to know that the program waits, and for a closed input.
func Piped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice == 0
}

// ReadEnd returns the last [MaxText] bytes of what is piped in, and nothing when nobody hands
// anything in. It holds no more than twice as many.
func ReadEnd(in io.Reader) ([]byte, error) {
	if !Piped(in) {
		return nil, nil
	}
	buf := make([]byte, 0, 64<<10)
	in = io.LimitReader(in, maxInput)
	for {
		if len(buf) == 2*MaxText {
			buf = buf[:copy(buf, buf[MaxText:])]
		}
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(2*cap(buf), 2*MaxText))
			copy(grown, buf)
			buf = grown
		}
		n, err := in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf[max(0, len(buf)-MaxText):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Said fills ev from what was said. An error body as APIs send it in JSON tells its type, code and
// message, too; what a process prints that ends well is no such body. Words such as "retry after 30
// seconds" count where nothing says better.
func Said(ev *taxonomy.Evidence, said []byte) {
	if code, exited := ev.ExitCode.Get(); exited && code == 0 {
		ev.Text = string(said)
		return
	}
	detect.Body(ev, said)
	if ev.Text == strings.TrimSpace(string(said)) {
		ev.Text = string(said) // how far a line is indented can matter
	}
	if wait, ok := detect.RetryHint(ev.Text); ok && ev.RetryAfter.IsZero() && ev.ResetAt.IsZero() {
		ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Some(wait), true
	}
}
