package wire

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// Bare returns the request and the response as far as an error may hold them: without the headers
// of the request, which have the key, and without its body, which has the conversation.
func (x *Exchange) Bare() (*http.Request, *http.Response) {
	req := &http.Request{
		Method: x.method, URL: &url.URL{Scheme: "https", Host: x.Host}, Host: x.Host, Header: http.Header{},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	header := x.Header.Clone()
	header.Del("Set-Cookie")
	for name, values := range header {
		for i, value := range values {
			header[name][i] = x.Mask.Text(value)
		}
	}
	return req, &http.Response{
		StatusCode: x.Status, Status: strconv.Itoa(x.Status) + " " + http.StatusText(x.Status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Request: req,
		Body: io.NopCloser(bytes.NewReader(x.page)), ContentLength: int64(len(x.page)),
	}
}
