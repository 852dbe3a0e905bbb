package openai

import (
	"errors"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// evidence returns what is known of a request that failed.
func evidence(x *wire.Exchange, err error) *taxonomy.Evidence {
	var inStream *ssestream.StreamError
	var stopped *stopError
	switch {
	case errors.As(err, &inStream):
		return streamError(x, inStream)
	case errors.As(err, &stopped) && x.Streams():
		return stopped.evidence(x)
	case x.Status >= http.StatusBadRequest:
		return x.Evidence(withoutRequest(x, err))
	}
	return x.Evidence(err)
}

// withoutRequest returns the SDK's error for a response with the status of a failure: without the
// request that the SDK keeps in it, whose headers have the key and whose body the conversation, and
// also where the SDK makes none because the body is no JSON.
func withoutRequest(x *wire.Exchange, err error) *sdk.Error {
	var bare sdk.Error
	if of := (*sdk.Error)(nil); errors.As(err, &of) {
		bare = *of
	}
	bare.StatusCode = x.Status
	bare.Request, bare.Response = x.Bare()
	return &bare
}

// streamError is an error in a stream that began well.
func streamError(x *wire.Exchange, err *ssestream.StreamError) *taxonomy.Evidence {
	data := x.Mask.Bytes(err.Event.Data)
	return named(x.InStream(data, &ssestream.StreamError{
		Message: x.Mask.Text(err.Message), Event: ssestream.Event{Type: err.Event.Type, Data: data},
	}))
}

// named gives a failure of which the server says neither type nor code nor status the type of a
// stream that went wrong.
func named(ev *taxonomy.Evidence) *taxonomy.Evidence {
	if ev.Type == "" && ev.Code == "" && ev.Status == 0 {
		ev.Type = wire.TypeStream
	}
	return ev
}

// stopError is a stream that was read to its end and has no answer.
type stopError struct {
	// reason is why the model stopped, in the server's words; empty if the server does not say.
	reason string
	// kind is the type of the evidence.
	kind string
	text string
	// odd is the last event that was no part of an answer. Some servers say so what failed.
	odd string
}

// Error says why.
func (e *stopError) Error() string { return e.text }

func (e *stopError) evidence(x *wire.Exchange) *taxonomy.Evidence {
	if e.odd != "" {
		return named(x.InStream([]byte(e.odd), e.masked(x.Mask)))
	}
	ev := x.InStream(nil, e.masked(x.Mask))
	ev.Type, ev.Text = e.kind, e.text
	if e.reason == "" {
		return ev
	}
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	ev.Attributes["finish_reason"] = x.Mask.Text(e.reason)
	return ev
}

func (e *stopError) masked(m wire.Mask) *stopError {
	return &stopError{reason: m.Text(e.reason), kind: e.kind, text: e.text}
}
