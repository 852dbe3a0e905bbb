package anthropic

import (
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// evidence returns what is known of a request that failed.
func evidence(x *wire.Exchange, err error) *taxonomy.Evidence {
	var stopped *stopError
	if errors.As(err, &stopped) {
		return stopped.evidence(x)
	}
	var refused *sdk.Error
	if !errors.As(err, &refused) {
		return x.Evidence(err)
	}
	bare := withoutRequest(x, refused)
	if x.Streams() {
		return x.InStream([]byte(refused.RawJSON()), bare)
	}
	return x.Evidence(bare)
}

// withoutRequest returns the SDK's error without the request that it keeps, whose headers have the
// key and whose body the conversation.
func withoutRequest(x *wire.Exchange, err *sdk.Error) *sdk.Error {
	bare := *err
	bare.Request, bare.Response = x.Bare()
	return &bare
}

// stopError is a message that stopped before it was finished.
type stopError struct {
	reason, text string
}

// Error says why.
func (e *stopError) Error() string { return e.text }

// evidence has the reason as the type, in the service's own words.
func (e *stopError) evidence(x *wire.Exchange) *taxonomy.Evidence {
	ev := x.InStream(nil, e)
	ev.Type, ev.Text = e.reason, e.text
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	ev.Attributes["stop_reason"] = e.reason
	x.Mask.Evidence(ev)
	return ev
}
