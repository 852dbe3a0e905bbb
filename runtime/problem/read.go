package problem

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// maxBody bounds in bytes how much of a body is read.
const maxBody = 1 << 20

// Problem is a response that is not an error of a known taxonomy, such as that of a proxy or of
// another service. It is the cause of the error that [Read] returns for it. If the response is not
// a problem document, it has only a Title and a Status: those of the response.
type Problem struct {
	Type     string // "about:blank" if the document has none
	Title    string
	Status   int // of the document, otherwise of the response
	Detail   string
	Instance string
	// Extensions are the other members, by name.
	Extensions map[string]json.RawMessage
}

// Error returns the title and the detail, otherwise the status, with secrets masked.
func (p *Problem) Error() string {
	text := p.Title
	if p.Detail != "" && text != "" {
		text += ": "
	}
	if text += p.Detail; text == "" {
		text = "status " + strconv.Itoa(p.Status)
	}
	return gen.Printable(taxonomy.Redact(text))
}

// Read returns the error that a response carries, and nil if its status is below 400. The result is
//
//   - an error of the first table whose domain or code the problem document names: the type, code
//     and context of the error that the server gave to [Write]. A code that this table does not
//     have gives a *[taxonomy.Unknown];
//   - otherwise the error that the first table classifies the response as, by its status, headers
//     and body. Its cause is a *[Problem];
//   - without tables, a *[taxonomy.Evidence] with that cause.
//
// Read reads the first MiB of the body and does not close it; the body can still be read
// completely. A longer body is not read as a problem document. The request needs a context with a
// deadline, because reading takes as long as the server does.
func Read(resp *http.Response, tables ...taxonomy.Table) error {
	if resp.StatusCode < http.StatusBadRequest {
		return nil
	}
	members, typed := readDocument(resp, tables)
	if typed != nil {
		return typed
	}
	ev := detect.Of(resp)
	p := &Problem{Title: http.StatusText(resp.StatusCode), Status: resp.StatusCode}
	if members != nil {
		p = problemOf(members, resp.StatusCode)
		ev.Type = p.Type
	}
	ev.Err = p
	if len(tables) == 0 {
		return &ev
	}
	return tables[0].Classify(&ev)
}

// readDocument returns the members of the body if it is a problem document, and the error that they
// describe if it is one of the tables'.
func readDocument(resp *http.Response, tables []taxonomy.Table) (map[string]json.RawMessage, error) {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.Body == nil || media != ContentType && media != "application/json" {
		return nil, nil
	}
	body := resp.Body
	read, _ := io.ReadAll(io.LimitReader(body, maxBody+1)) // a truncated document is invalid
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), body), body}
	var members map[string]json.RawMessage
	if len(read) > maxBody || json.Unmarshal(read, &members) != nil {
		return nil, nil
	}
	if typed := typedOf(resp, members, tables); typed != nil || media == ContentType {
		return members, typed
	}
	return nil, nil
}

// typedOf returns the error of a table that the members describe, or nil.
func typedOf(resp *http.Response, members map[string]json.RawMessage, tables []taxonomy.Table) error {
	parts := wire.Parts{Context: members["context"], HTTP: resp.StatusCode}
	if !readMember(members, "code", &parts.Code) || !readMember(members, "retryable", &parts.Retryable) {
		return nil
	}
	readMember(members, "domain", &parts.Domain)
	readMember(members, "effect", &parts.Effect)
	readMember(members, "reaction", &parts.Reaction)
	readMember(members, "is", &parts.Is)
	readMember(members, "detail", &parts.Message)
	if resp.Header.Get("Retry-After") != "" {
		parts.RetryAfter = detect.Of(resp).RetryAfter
	}
	if table, ok := parts.Table(tables); ok {
		if e := parts.Error(table); e != nil {
			return e
		}
	}
	return nil
}

// readMember decodes a member, and reports whether it exists and has that type. By RFC 9457, a
// member of another type is ignored.
func readMember(members map[string]json.RawMessage, name string, to any) bool {
	raw := members[name]
	return len(raw) > 0 && string(raw) != "null" && json.Unmarshal(raw, to) == nil
}

func problemOf(members map[string]json.RawMessage, status int) *Problem {
	p := &Problem{Type: "about:blank", Status: status}
	for name, to := range map[string]any{
		"type": &p.Type, "title": &p.Title, "status": &p.Status, "detail": &p.Detail, "instance": &p.Instance,
	} {
		readMember(members, name, to)
		delete(members, name)
	}
	p.Extensions = members
	return p
}
