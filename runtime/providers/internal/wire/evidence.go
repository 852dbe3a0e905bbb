package wire

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The types of failures to which the server gives none.
const (
	TypeNetwork = "network" // no response, or one that broke off
	TypeStream  = "stream"  // a response that cannot be read, or is not whole
	TypeTimeout = "timeout"
)

// Evidence returns what is known of a request that failed with err, which neither has the key nor
// leads to it. Source, op and credential are left to the caller.
func (x *Exchange) Evidence(err error) *taxonomy.Evidence {
	var ev taxonomy.Evidence
	switch {
	case x.Status >= http.StatusMultipleChoices:
		ev = x.refusal(err)
	case x.Status != 0 && x.stream == nil:
		ev = x.noStream(err)
	case x.Status != 0:
		ev = x.brokenStream(err)
	default:
		ev = noResponse(err)
	}
	x.finish(&ev)
	return &ev
}

// InStream returns what is known of a failure that the server reports within a stream that began
// well, in the words of its event. It has no status: that of the response is of no importance then.
func (x *Exchange) InStream(event []byte, err error) *taxonomy.Evidence {
	ev := taxonomy.Evidence{Err: err}
	detect.Body(&ev, x.Mask.Bytes(event))
	detect.Header(&ev, x.Header)
	x.finish(&ev)
	return &ev
}

// finish adds what every kind of failure has, and takes out the key.
func (x *Exchange) finish(ev *taxonomy.Evidence) {
	if ev.RetryAfter.IsZero() && ev.ResetAt.IsZero() {
		if wait, ok := detect.RetryHint(ev.Text); ok {
			ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Some(wait), true
		}
	}
	attribute(ev, "host", x.Host)
	attribute(ev, "request_id", ev.Attributes["request-id"])
	x.Mask.Evidence(ev)
}

// refusal is a response with the status of a failure.
func (x *Exchange) refusal(err error) taxonomy.Evidence {
	ev := taxonomy.Evidence{Status: x.Status, Err: join(err, x.broken)}
	detect.Header(&ev, x.Header)
	x.body(&ev)
	if ev.Text == "" {
		ev.Text = http.StatusText(x.Status)
	}
	return ev
}

// noStream is a response that says it succeeded and is not what was asked for: a page of a gateway,
// or an object that says what failed.
func (x *Exchange) noStream(err error) taxonomy.Evidence {
	ev := taxonomy.Evidence{Err: join(err, x.broken)}
	detect.Header(&ev, x.Header)
	x.body(&ev)
	if ev.Type == "" && ev.Code == "" && ev.Status == 0 {
		ev.Type = TypeStream
	}
	if ev.Text == "" {
		ev.Text = "the server did not answer with a stream"
	}
	return ev
}

// brokenStream is a stream that ended too early, or that cannot be read.
func (x *Exchange) brokenStream(err error) taxonomy.Evidence {
	ev := taxonomy.Evidence{Text: err.Error(), Type: TypeStream, Err: err}
	detect.Header(&ev, x.Header)
	if x.stream.broken == nil {
		return ev
	}
	of := detect.Of(x.stream.broken)
	ev.Type, ev.Errno = of.Type, of.Errno
	if ev.Type == "" {
		ev.Type = TypeNetwork
	}
	return ev
}

// noResponse is a request that got no response: its server was not found, refused, or is not who it
// says.
func noResponse(err error) taxonomy.Evidence {
	ev := detect.Of(err)
	if inner := (*url.Error)(nil); errors.As(err, &inner) && inner.Err != nil {
		ev.Text = inner.Err.Error() // without the address, which can hold a secret
		ev.Err = &url.Error{Op: inner.Op, URL: bareURL(inner.URL), Err: inner.Err}
	}
	if ev.Type == "" {
		ev.Type = TypeNetwork
	}
	return ev
}

// bareURL returns scheme and host of a URL.
func bareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// body fills what ev lacks from the page.
func (x *Exchange) body(ev *taxonomy.Evidence) {
	if mediaType(x.Header) == "text/html" {
		ev.Text = pageText(x.page)
		return
	}
	detect.Body(ev, x.page)
}

func attribute(ev *taxonomy.Evidence, name, value string) {
	if value == "" || ev.Attributes[name] != "" {
		return
	}
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	ev.Attributes[name] = value
}

// join returns an error and one that came after it, if there is one.
func join(err, next error) error {
	switch {
	case next == nil:
		return err
	case err == nil:
		return next
	}
	return errors.Join(err, next)
}
