package providertest

import (
	"net/http"
	"strconv"
	"strings"
)

// Reply is what a server answers one request with. The zero Reply is an empty answer of status 200.
// A Reply is not changed by being played, and may be played again.
type Reply struct {
	// Wait, unless nil, holds the answer back until it is closed, or the client has left.
	Wait <-chan struct{}
	// Status is the HTTP status; 0 is 200.
	Status int
	// Header are the response's headers. An answer with Events has the content type
	// text/event-stream, and one whose body begins like JSON or HTML has theirs, unless it is said
	// here.
	Header http.Header
	// Body is what is sent first.
	Body string
	// Events are sent after the body, each at once.
	Events []Event
	// Filler is how many bytes are sent after all that, as one line without an end.
	Filler int64
	// End is how the answer ends.
	End End
	// Repeat answers every further request with this reply.
	Repeat bool
}

// Event is a server-sent event.
type Event struct {
	// Name is the event's type; empty leaves the line out.
	Name string
	// Data is the event's data. Each line of it gets a line.
	Data string
}

// End is how an answer ends.
type End uint8

// The ends.
const (
	// EndWhole ends the answer as it should.
	EndWhole End = iota
	// EndEarly closes the connection in the middle of the body.
	EndEarly
	// EndReset resets the connection. With nothing sent before, there is no answer at all.
	EndReset
	// EndNever sends no more and keeps the connection, until the client leaves or the server is
	// closed.
	EndNever
)

// With returns the reply with a header set.
func (r Reply) With(name, value string) Reply {
	r.Header = r.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(name, value)
	return r
}

// Ending returns the reply with another end.
func (r Reply) Ending(e End) Reply {
	r.End = e
	return r
}

// After returns the reply, held back until wait is closed.
func (r Reply) After(wait <-chan struct{}) Reply {
	r.Wait = wait
	return r
}

// Always returns the reply as the answer to every further request.
func (r Reply) Always() Reply {
	r.Repeat = true
	return r
}

// Hang is a reply that never comes: the client must give up.
func Hang() Reply { return Reply{End: EndNever} }

// Reset is a connection that is reset in place of an answer.
func Reset() Reply { return Reply{End: EndReset} }

// GatewayHTML is what a gateway between the client and the service answers: a page for people.
func GatewayHTML(status int) Reply {
	title := strconv.Itoa(status) + " " + http.StatusText(status)
	return Reply{Status: status, Body: "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" +
		title +
		"</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"}
}

// ToolCall is a call of a tool that a model makes.
type ToolCall struct {
	// ID names the call; one is made up if it is empty.
	ID string
	// Name is the tool.
	Name string
	// Arguments are sent as they are. Broken JSON is sent broken.
	Arguments string
}

// contentType is the type of a reply's body.
func (r *Reply) contentType() string {
	switch body := strings.TrimSpace(r.Body); {
	case len(r.Events) > 0:
		return "text/event-stream; charset=utf-8"
	case strings.HasPrefix(body, "<"):
		return "text/html; charset=utf-8"
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// wire returns the event as it is sent.
func (e Event) wire() string {
	var b strings.Builder
	if e.Name != "" {
		b.WriteString("event: " + e.Name + "\n")
	}
	for line := range strings.SplitSeq(e.Data, "\n") {
		b.WriteString("data: " + line + "\n")
	}
	b.WriteString("\n")
	return b.String()
}
