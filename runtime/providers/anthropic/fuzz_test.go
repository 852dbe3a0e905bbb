package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Whatever a server streams is an answer that can be sent back, or evidence that has a code.
func FuzzStream(f *testing.F) {
	for _, r := range []providertest.Reply{
		providertest.AnthropicText("hello"), providertest.AnthropicTool("read_file", `{"path":"a"`),
		providertest.AnthropicMalformed(),
		providertest.AnthropicStreamError("overloaded_error", "Overloaded"), providertest.AnthropicStop("refusal", ""),
	} {
		var b strings.Builder
		for _, e := range r.Events {
			b.WriteString("event: " + e.Name + "\ndata: " + e.Data + "\n\n")
		}
		f.Add(b.String())
	}
	f.Add("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":-1}\n\n")
	f.Add("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":9223372036854775807}\n\n")
	f.Add("event: message_start\ndata: null\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	f.Add("event: error\ndata: null\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		x := &wire.Exchange{}
		req := &http.Request{Method: http.MethodPost, URL: &url.URL{Scheme: "https", Host: "api"}}
		res, err := x.Pass(req, func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req,
				Body: io.NopCloser(strings.NewReader(body)),
			}, nil
		})
		require.NoError(t, err)
		r := &reply{}
		err = r.read(ssestream.NewStream[sdk.MessageStreamEventUnion](ssestream.NewDecoder(res), nil), func(string) {})
		said, _ := assistant(r)
		_, marshals := json.Marshal(said.Param)
		assert.NoError(t, marshals)
		if err == nil {
			return
		}
		ev := evidence(x, err)
		ev.Source, ev.Op = DefaultName, wire.OpCall
		assert.NotEmpty(t, taxonomy.CodeOf(errs.Classify(ev)), "%v", ev)
	})
}
