package providers_test

import (
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// FuzzResponses plays any response to both APIs. Each failure is evidence with a name, without the
// key.
func FuzzResponses(f *testing.F) {
	for _, dir := range []string{"anthropic", "openai", "gateway"} {
		for _, name := range pt.Fixtures(dir) {
			r := pt.Fixture(name)
			f.Add(r.Status, r.Header.Get("Content-Type"), r.Body)
		}
	}
	f.Add(200, "text/event-stream", pt.AnthropicTool("list_files", "{}").Body)
	f.Add(200, "text/event-stream", pt.OpenAITool("list_files", "{}").Body)
	f.Add(200, "text/event-stream", `data: {"choices":[{"delta":{"tool_calls":[{"index":-9,"id":"1"}]}}]}`+"\n\n")
	f.Add(200, "text/event-stream", "data: {\"error\":null}\n\n")
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		if status < 200 || status > 599 || status == 204 || status == 304 {
			return
		}
		if strings.ContainsFunc(contentType, unicode.IsControl) {
			return // net/http refuses such a response, so that it has no status
		}
		for _, provider := range apis {
			reply := pt.Reply{Status: status, Body: body}.With("Content-Type", contentType)
			s := open(t, provider, options{turns: 2, tools: toolbox.Options{ReadOnly: true}}, http200(reply).always())
			_, err := s.Call(context.Background(), request(t))
			if err == nil {
				assert.Less(t, status, 300)
				continue
			}
			ev := evidence(t, err)
			assert.Equal(t, provider, ev.Source)
			assert.NotContains(t, everything(err), key)
			assert.True(t, ev.Type != "" || ev.Code != "" || ev.Status != 0)
			if status >= 300 {
				assert.Equal(t, status, ev.Status)
			}
		}
	})
}
