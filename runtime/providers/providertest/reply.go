package providertest

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
)

// fixtures are raw responses of the services, and scripts of the program.
//
//go:embed fixtures
var fixtures embed.FS

// Reply is the response of a server to one request. The zero Reply is an empty response of status
// 200. A Reply can be used several times, because a Server does not change it.
type Reply struct {
	// Status is the HTTP status; 0 is 200.
	Status int
	// Header are the headers. Without a Content-Type, the body determines it.
	Header http.Header
	// Body is sent first.
	Body string
	// Filler is the number of bytes that are sent after the body, without a line end.
	Filler int64
	// End is how the response ends.
	End End
	// Repeat answers each further request with this reply.
	Repeat bool
}

// End is how a response ends.
type End uint8

// The ends of a response.
const (
	// EndWhole ends the response regularly.
	EndWhole End = iota
	// EndEarly closes the connection in the middle of the body.
	EndEarly
	// EndReset resets the connection. If nothing was sent before, there is no response at all.
	EndReset
	// EndNever sends nothing more and keeps the connection until the client disconnects or the
	// server is closed.
	EndNever
)

// Fixture returns a raw response of this package, such as "anthropic/overloaded". It panics if the
// fixture does not exist; see [Fixtures].
func Fixture(name string) Reply {
	raw, err := fixtures.ReadFile("fixtures/" + name + ".http")
	if err == nil {
		var r Reply
		if r, err = ParseReply(raw); err == nil {
			return r
		}
	}
	panic(fmt.Sprintf("providertest: fixture %q: %v", name, err))
}

// Fixtures returns the names of the fixtures in a directory, sorted: "anthropic", "openai" and
// "gateway" have responses for [Fixture], "claude" has scripts for [CLIFixture].
func Fixtures(dir string) []string {
	entries, _ := fs.ReadDir(fixtures, "fixtures/"+dir) // an unknown directory has no fixtures
	names := make([]string, len(entries))
	for i, e := range entries {
		name, _, _ := strings.Cut(e.Name(), ".")
		names[i] = dir + "/" + name
	}
	return names
}

// ParseReply reads a raw HTTP response: a status line, headers, an empty line and the body. Lines
// may end with \n.
func ParseReply(raw []byte) (Reply, error) {
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil {
		return Reply{}, fmt.Errorf("parse response: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return Reply{}, fmt.Errorf("parse response: %w", err)
	}
	return Reply{Status: res.StatusCode, Header: res.Header, Body: string(body)}, nil
}

// Stream returns a response of server-sent events with these data.
func Stream(data ...string) Reply {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return Reply{Body: b.String()}.With("Content-Type", "text/event-stream; charset=utf-8")
}

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

// Always returns the reply as the response to every further request.
func (r Reply) Always() Reply {
	r.Repeat = true
	return r
}

// Hang returns a reply that never sends anything.
func Hang() Reply { return Reply{End: EndNever} }

// Reset returns a reply that resets the connection without a response.
func Reset() Reply { return Reply{End: EndReset} }

// empty reports whether nothing at all is sent.
func (r *Reply) empty() bool {
	return r.Status == 0 && len(r.Header) == 0 && r.Body == "" && r.Filler == 0
}

// object is a JSON object.
type object map[string]any

func (o object) json() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // the objects of this package contain only values that marshal
	}
	return string(b)
}
