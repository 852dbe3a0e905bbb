package wire

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxPage bounds in bytes what is read of a response that is no stream.
	maxPage = 1 << 20
	// maxStream bounds in bytes what is read of a stream. A token takes about 150.
	maxStream = 64 << 20
	// maxEvent bounds in bytes a line of a stream: SDKs hold one in memory, several times.
	maxEvent = 4 << 20
)

// Why a stream is not read any further.
var (
	errStreamTooLong = fmt.Errorf("the stream is longer than %d MiB", maxStream>>20)
	errEventTooLong  = fmt.Errorf("an event of the stream is longer than %d MiB", maxEvent>>20)
)

// Exchange is what is known of one request and its response apart from what an SDK makes of them:
// SDKs say nothing of some failures, and read bodies of any length. It serves one request.
type Exchange struct {
	// Mask is the key of the request.
	Mask Mask
	// Status and Header are those of the response; 0 is no response.
	Status int
	Header http.Header
	// Host is the host that was asked.
	Host string

	method string
	reach  reach
	// stream is the body of a response that is one, nil for any other.
	stream *bounded
	// page is the body of a response that is no stream; broken is why it could not be read to its
	// end.
	page   []byte
	broken error
}

// Pass is a middleware of an SDK.
func (x *Exchange) Pass(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	x.Host, x.method = req.URL.Hostname(), req.Method
	if err := req.Context().Err(); err != nil {
		x.reach.at.Store(reachNothing)
		return nil, err
	}
	res, err := next(x.reach.follow(req))
	if err != nil {
		return res, err
	}
	x.Status, x.Header = res.StatusCode, res.Header
	if res.Body == nil {
		res.Body = http.NoBody
	}
	if res.StatusCode < http.StatusMultipleChoices && mediaType(res.Header) == "text/event-stream" {
		x.stream = &bounded{body: res.Body, left: maxStream}
		res.Body = x.stream
		return res, nil
	}
	x.read(res)
	return res, nil
}

// Streams reports whether the response is a stream of events.
func (x *Exchange) Streams() bool { return x.stream != nil }

// read takes the body of a response that is no stream, and gives the SDK a copy without the key.
func (x *Exchange) read(res *http.Response) {
	page, err := io.ReadAll(io.LimitReader(res.Body, maxPage+text.Margin+1))
	_ = res.Body.Close()
	if len(page) > maxPage {
		page = []byte(x.Mask.Head(string(page), maxPage))
	}
	x.page, x.broken = x.Mask.Bytes(page), err
	res.Body = io.NopCloser(bytes.NewReader(x.page))
	res.ContentLength = int64(len(x.page))
}

func mediaType(h http.Header) string {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t
}

// bounded is a stream that fails where it, or a line of it, becomes too long.
type bounded struct {
	body io.ReadCloser
	left int
	line int
	// broken is why the connection could not be read to its end.
	broken error
}

// Read reads.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if err != nil && err != io.EOF {
		b.broken = err
	}
	if b.left -= n; b.left < 0 {
		return 0, errStreamTooLong
	}
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		b.line = n - end - 1
	} else {
		b.line += n
	}
	if b.line > maxEvent {
		return 0, errEventTooLong
	}
	return n, err
}

// Close closes the stream.
func (b *bounded) Close() error { return b.body.Close() }
