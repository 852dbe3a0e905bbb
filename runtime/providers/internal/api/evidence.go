package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The types of failures to which the service gave no type.
const (
	typeNetwork = "network" // no response, or an interrupted one
	TypeStream  = "stream"  // a response that is invalid or incomplete
	typeTimeout = "timeout"
)

// StreamError reports a stream without a complete answer: the service reported a failure in it, or
// the model stopped early.
type StreamError struct {
	// Event is the event that reports the failure, as the service sent it. It may be empty.
	Event string
	// Type and Text are those of the evidence if Event is empty.
	Type, Text string
	// Attribute and Value are an attribute of the evidence: the service's reason for the stop.
	Attribute, Value string
	// Cut reports that the answer reached the limit of tokens.
	Cut bool
}

// Error returns the text.
func (e *StreamError) Error() string { return e.Text }

// stamp sets source, op and credential.
func (p *Provider[M]) stamp(op string, ev *taxonomy.Evidence) *taxonomy.Evidence {
	ev.Source, ev.Op, ev.Credential = p.options.Name, op, p.options.Credential
	return ev
}

// contextError returns the error of a call whose context ended. For a deadline it is evidence. For
// a cancellation it is the error of the context, which the executor does not classify.
func (p *Provider[M]) contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(cause, context.DeadlineExceeded):
		return p.stamp(opCall, &taxonomy.Evidence{
			Type: typeTimeout, Text: "no answer within the time limit", Err: context.DeadlineExceeded,
		})
	case errors.Is(cause, err):
		return fmt.Errorf("call of %s: %w", p.options.Name, cause)
	}
	return fmt.Errorf("call of %s: %w: %w", p.options.Name, err, cause)
}

// evidence returns the evidence of a request that failed with err. It contains neither the key nor
// the request. So it does not wrap errors of SDKs, which contain both.
func (x *Exchange) evidence(err error) *taxonomy.Evidence {
	var ev taxonomy.Evidence
	inStream, is := errors.AsType[*StreamError](err)
	switch {
	case x.status == 0:
		ev = noResponse(err)
	case x.stream == nil:
		ev = x.pageEvidence()
	case is:
		ev = inStream.evidence()
	default:
		ev = x.brokenStream(err)
	}
	detect.Header(&ev, x.header)
	detect.SetWait(&ev)
	attribute(&ev, "host", x.host)
	attribute(&ev, "request_id", ev.Attributes["request-id"])
	x.mask.evidence(&ev)
	return &ev
}

// pageEvidence returns the evidence of a response that is not a stream: a failure that the service
// reports, or a page of a gateway.
func (x *Exchange) pageEvidence() taxonomy.Evidence {
	ev := taxonomy.Evidence{Err: x.broken}
	fallback := "the server did not answer with a stream"
	if x.status >= http.StatusMultipleChoices {
		ev.Status, fallback = x.status, http.StatusText(x.status)
	}
	if mediaType(x.header) == "text/html" {
		ev.Text = pageText(x.page)
	} else {
		detect.Body(&ev, x.page)
	}
	if ev.Text == "" {
		ev.Text = fallback
	}
	setDefaultType(&ev)
	return ev
}

// evidence returns the evidence of a stream without a complete answer. It does not contain the
// status of the response, because that is the status of a success.
func (e *StreamError) evidence() taxonomy.Evidence {
	ev := taxonomy.Evidence{Type: e.Type, Text: e.Text, Err: e}
	if e.Event != "" {
		ev = taxonomy.Evidence{Err: e}
		detect.Body(&ev, []byte(e.Event))
	}
	setDefaultType(&ev)
	attribute(&ev, e.Attribute, e.Value)
	return ev
}

// brokenStream returns the evidence of a stream that was interrupted, or is invalid.
func (x *Exchange) brokenStream(err error) taxonomy.Evidence {
	ev := taxonomy.Evidence{Text: err.Error(), Type: TypeStream, Err: err}
	if x.stream.broken != nil {
		of := detect.Of(x.stream.broken)
		ev.Type, ev.Errno = of.Type, of.Errno
		if ev.Type == "" {
			ev.Type = typeNetwork
		}
	}
	return ev
}

// noResponse returns the evidence of a request without a response. The server was not found,
// refused the connection, or has an unknown certificate.
func noResponse(err error) taxonomy.Evidence {
	ev := detect.Of(err)
	if inner, is := errors.AsType[*url.Error](err); is && inner.Err != nil {
		ev.Text = inner.Err.Error() // without the address, which can contain a secret
		ev.Err = &url.Error{Op: inner.Op, Err: inner.Err}
	}
	if ev.Type == "" {
		ev.Type = typeNetwork
	}
	return ev
}

// setDefaultType sets the type of a failure that has neither a type nor a code nor a status.
func setDefaultType(ev *taxonomy.Evidence) {
	if ev.Type == "" && ev.Code == "" && ev.Status == 0 {
		ev.Type = TypeStream
	}
}

// attribute sets an attribute that has no value yet.
func attribute(ev *taxonomy.Evidence, name, value string) {
	if value != "" && ev.Attributes[name] == "" {
		ev.SetAttribute(name, value)
	}
}

var (
	titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	anyTag   = regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)|<[^>]*(?:>|$)`)
)

// pageText returns the title of an HTML page, or else its text.
func pageText(page []byte) string {
	page = bytes.ToValidUTF8(page[:min(len(page), 64<<10)], nil)
	words := func(b []byte) string {
		s := strings.Join(strings.Fields(html.UnescapeString(string(b))), " ")
		if len(s) > 512 {
			s = text.Head(s, 512)
		}
		return s
	}
	if m := titleTag.FindSubmatch(page); m != nil && words(m[1]) != "" {
		return words(m[1])
	}
	return words(anyTag.ReplaceAll(page, []byte(" ")))
}

// mask is a key. It is removed from texts, because servers and models may repeat it. A key of fewer
// than 8 bytes is not removed, because it can be a common word: local servers accept any key.
type mask string

// text returns s without the key.
func (m mask) text(s string) string {
	if len(m) < 8 {
		return s
	}
	return strings.ReplaceAll(s, string(m), taxonomy.Redacted)
}

// head returns the first n bytes of s, without the key and everything that looks like a secret.
func (m mask) head(s string, n int) string {
	return text.Mask(func(s string) string { return text.Masked(m.text(s)) }).Head(s, n)
}

// evidence removes the key from all texts that come from outside of this program.
func (m mask) evidence(ev *taxonomy.Evidence) {
	for _, s := range []*string{&ev.Type, &ev.Code, &ev.Text, &ev.Output} {
		*s = m.text(*s)
	}
	ev.Attributes = maps.Clone(ev.Attributes)
	for name, value := range ev.Attributes {
		ev.Attributes[name] = m.text(value)
	}
	for e := ev.Err; e != nil; e = errors.Unwrap(e) {
		// An error that repeats the key is replaced by its masked text.
		if s := fmt.Sprintf("%v %+v %#v", e, e, e); m.text(s) != s {
			ev.Err = errors.New(m.text(ev.Err.Error()))
			return
		}
	}
}

// fingerprint returns a name for the key of a server. The name does not reveal the key.
func fingerprint(name, server, key string) string {
	sum := sha256.Sum256([]byte("errgen credential\x00" + server + "\x00" + key))
	return name + ":" + hex.EncodeToString(sum[:6])
}
