package detect

import (
	"bytes"
	"io"
	"net/http"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// ofResponse fills ev from a response.
func ofResponse(ev *taxonomy.Evidence, r *http.Response) {
	ofHead(ev, r)
	ofBody(ev, r)
}

// ofHead fills ev from a response without its body.
func ofHead(ev *taxonomy.Evidence, r *http.Response) {
	f := filler{ev: ev}
	f.head(r)
}

// head fills status, headers and, where the request is known, the host that was asked.
func (f *filler) head(r *http.Response) {
	f.status(r.StatusCode, leastStatus)
	f.header(r.Header)
	if r.Request != nil && r.Request.URL != nil {
		f.attribute("host", r.Request.URL.Hostname())
	}
}

// ofBody fills ev from the body of a response, and puts back what it read. A body that is
// compressed is not looked at.
func ofBody(ev *taxonomy.Evidence, r *http.Response) {
	if r.Body == nil || r.Body == http.NoBody || r.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return
	}
	Body(ev, peek(r))
}

// peek returns the first MiB of the body, which can be read again. It waits for as long as the body
// does.
func peek(r *http.Response) []byte {
	body := r.Body
	rest := io.Reader(body)
	var read bytes.Buffer
	err := io.ErrUnexpectedEOF // of a Read that panics
	try(func() { _, err = io.CopyN(&read, &impatient{reader: body}, maxBody) })
	if err != nil {
		rest = failing{err}
	}
	b := read.Bytes()
	r.Body = &replayed{Reader: io.MultiReader(bytes.NewReader(b), rest), Closer: body}
	return b
}

// replayed is a body of which something was read and put back.
type replayed struct {
	io.Reader
	io.Closer
}

// failing is the end of a body: every Read fails in the same way.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// maxEmptyReads is how often in a row a body may return nothing and no error.
const maxEmptyReads = 100

// impatient is a reader that gives up on one that has stopped to return anything.
type impatient struct {
	reader io.Reader
	empty  int
}

// Read reads; [io.ErrNoProgress] after too many times in a row without a byte and without an error.
func (r *impatient) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	switch {
	case n != 0 || err != nil || len(p) == 0:
		r.empty = 0
	case r.empty == maxEmptyReads:
		return 0, io.ErrNoProgress
	default:
		r.empty++
	}
	return n, err
}
