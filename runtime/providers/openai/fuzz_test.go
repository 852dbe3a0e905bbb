package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// canned answers every request in the same way.
type canned struct {
	status      int
	contentType string
	body        string
}

// RoundTrip answers.
func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: c.status, Header: http.Header{"Content-Type": {c.contentType}, "Retry-After": {c.contentType}},
		Body: io.NopCloser(strings.NewReader(c.body)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

func FuzzAnswers(f *testing.F) {
	f.Add(200, "text/event-stream",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: "+
			"[DONE]\n\n")
	f.Add(200, "text/event-stream",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-9,\"id\":\"1\","+
			"\"function\":{\"name\":\"list_files\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n")
	f.Add(200, "text/event-stream", "data: {\"error\":null}\n\n")
	f.Add(200, "text/event-stream", "event: error\ndata: {\"error\":{\"code\":429}}\n\n")
	f.Add(200, "text/html", "<title>x</title>")
	f.Add(429, "application/json", `{"error":{"type":"requests","code":1}}`)
	f.Add(500, "30", `{"error":[]}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		if status < 200 || status > 599 || status >= 300 && status < 400 {
			return
		}
		p, err := New(
			Options{Model: "m", Key: testKey, Turns: 2,
				Client:  &http.Client{Transport: canned{status, contentType, body}},
				Toolbox: toolbox.Options{ReadOnly: true}})
		require.NoError(t, err)
		answer, err := p.Call(t.Context(), executor.Request{Prompt: "x", Dir: dir})
		if err == nil {
			assert.Less(t, status, 300)
			return
		}
		var ev *taxonomy.Evidence
		require.True(t, errors.As(err, &ev), "%v", err)
		assert.Equal(t, DefaultName, ev.Source)
		assert.NotContains(t, everythingAbout(err), testKey)
		assert.Empty(t, answer.Failure)
		if status >= 400 {
			assert.Equal(t, status, ev.Status)
			return
		}
		assert.True(t, ev.Type != "" || ev.Code != "" || ev.Status != 0, "a failure has a name")
	})
}
