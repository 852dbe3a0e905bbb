package api

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxPage bounds the bytes that are read of a response that is not a stream.
	maxPage = 1 << 20
	// maxStream bounds the bytes of a stream. A token takes about 150 bytes.
	maxStream = 64 << 20
	// maxEvent bounds the bytes of a line of a stream: SDKs keep several copies in memory.
	maxEvent = 4 << 20
	// maxAnswer bounds the bytes of one answer. The longest answers of models have about 1 MiB.
	maxAnswer = 4 << 20
)

var (
	errStreamTooLong = fmt.Errorf("the stream is longer than %d MiB", maxStream>>20)
	errEventTooLong  = fmt.Errorf("an event of the stream is longer than %d MiB", maxEvent>>20)
	errAnswerTooLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
)

// Exchange records one request and its response, and bounds the response. SDKs hide some failures,
// and read bodies of any length.
type Exchange struct {
	mask   mask
	status int // 0 without a response
	header http.Header
	host   string
	// connecting and connected report the progress of the transport. notSent reports that the
	// context had ended before the request was sent.
	connecting, connected, notSent atomic.Bool
	// stream is the body if it is a stream; otherwise it is nil.
	stream *boundedStream
	// page is the body if it is not a stream. broken is the error if it could not be read
	// completely.
	page   []byte
	broken error
	// answer counts the bytes of the answer.
	answer int
}

// Pass is the middleware that records the exchange. Both SDKs accept it.
func (x *Exchange) Pass(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	x.host = req.URL.Hostname()
	if err := req.Context().Err(); err != nil {
		x.notSent.Store(true)
		return nil, err
	}
	res, err := next(req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GetConn: func(string) { x.connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { x.connected.Store(true) },
	})))
	if err != nil {
		return res, err
	}
	x.status, x.header = res.StatusCode, res.Header
	if res.StatusCode < http.StatusMultipleChoices && mediaType(res.Header) == "text/event-stream" {
		x.stream = &boundedStream{body: res.Body, left: maxStream}
		res.Body = x.stream
		return res, nil
	}
	page, err := io.ReadAll(io.LimitReader(res.Body, maxPage+text.Margin+1))
	_ = res.Body.Close()
	if len(page) > maxPage {
		page = []byte(x.mask.head(string(page), maxPage))
	}
	x.page, x.broken = []byte(x.mask.text(string(page))), err
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(x.page)), int64(len(x.page))
	return res, nil
}

// Grow counts bytes of the answer. It fails if the answer is too long.
func (x *Exchange) Grow(n int) error {
	if x.answer += n; x.answer > maxAnswer {
		return errAnswerTooLong
	}
	return nil
}

// Size returns the number of counted bytes.
func (x *Exchange) Size() int { return x.answer }

// unused reports whether the service certainly did no work: it answered with the status of a
// failure, or did not get the request. If the connection broke after the request was sent, the
// service may have done work.
func (x *Exchange) unused() bool {
	if x.status != 0 {
		return x.status >= http.StatusMultipleChoices
	}
	return x.notSent.Load() || x.connecting.Load() && !x.connected.Load()
}

func mediaType(h http.Header) string {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t
}

// boundedStream is a stream that fails when it, or one of its lines, becomes too long.
type boundedStream struct {
	body       io.ReadCloser
	left, line int
	// broken is the error if the connection could not be read to its end.
	broken error
}

// Read implements [io.Reader].
func (b *boundedStream) Read(p []byte) (int, error) {
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
func (b *boundedStream) Close() error { return b.body.Close() }
