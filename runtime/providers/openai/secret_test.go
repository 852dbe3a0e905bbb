package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestKeyIsNeverShown(t *testing.T) {
	echo := "Incorrect key " + testKey + " given"
	body, _ := json.Marshal(
		map[string]any{"error": map[string]any{"message": echo, "type": testKey, "code": testKey, "param": testKey}})
	for _, c := range []struct {
		what  string
		reply pt.Reply
	}{
		{"in an error", pt.Reply{Status: 401, Body: string(body)}.With("X-Request-Id", testKey).
			With("Set-Cookie", testKey)},
		{"in a page", pt.Reply{Status: 401, Body: "<title>" + echo + "</title>"}},
		{"in words", pt.Reply{Status: 401, Body: echo}},
		{"in an error in the stream", stream(string(body))},
		{"in an event of another form", stream(`{"code":401,"message":"`+echo+`"}`, "[DONE]")},
		{"in an answer that is no stream", pt.Reply{Body: `{"message":"` + echo + `"}`}},
		{"in the reason of the end",
			pt.Reply{Events: []pt.Event{{Data: `{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`},
				{Data: `{"echo":"` + testKey + `"`}}}},
		{"in arguments", pt.OpenAITool("write_file", `{"path":"`+testKey)},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, p := served(t, nil, c.reply)
			_, err := p.Call(t.Context(), request(t))
			require.Error(t, err)
			assert.NotContains(t, everythingAbout(err), testKey)
			assert.NotContains(t, everythingAbout(errs.Classify(err)), testKey)
		})
	}
}

// everythingAbout returns all that an error lets be seen of it.
func everythingAbout(err error) string {
	var b strings.Builder
	logger := slog.New(slog.NewJSONHandler(&b, nil))
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%s %v %+v %#v %q\n", err, err, err, err, err)
		wire, _ := json.Marshal(err)
		b.Write(wire)
		logger.Error("failed", "err", err)
		if ev, ok := err.(*taxonomy.Evidence); ok {
			fields := *ev
			fields.Err = nil
			fmt.Fprintf(&b, "%q %q %q %q %q", fields.Type, fields.Code, fields.Text, fields.Credential,
				fields.Attributes)
		}
		var refused *sdk.Error
		if errors.As(err, &refused) {
			fmt.Fprintf(&b, "%q %q %q %q %q", refused.Message, refused.Type, refused.Code, refused.Param,
				refused.RawJSON())
			b.Write(refused.DumpRequest(true))
			b.Write(refused.DumpResponse(true))
		}
	}
	return b.String()
}

func TestErrorOfTheSDKIsKept(t *testing.T) {
	for _, c := range []struct {
		what  string
		reply pt.Reply
		code  string
	}{
		{"of an error", pt.OpenAIRateLimit("1"), "rate_limit_exceeded"},
		{"of a page, of which the SDK makes none", pt.GatewayHTML(502), ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, p := served(t, nil, c.reply)
			_, err := p.Call(t.Context(), request(t))
			var refused *sdk.Error
			require.ErrorAs(t, errs.Classify(err), &refused, "also below the error of the taxonomy")
			assert.Equal(t, c.reply.Status, refused.StatusCode)
			assert.Equal(t, c.code, refused.Code)
			assert.Nil(t, refused.Request.Body, "the conversation is not held by an error")
			assert.Empty(t, refused.Request.Header)
			assert.Contains(t, string(refused.DumpResponse(true)), strings.TrimSpace(c.reply.Body))
		})
	}
}

func TestAnswerDoesNotHaveTheKey(t *testing.T) {
	_, p := served(t, nil, pt.OpenAIText("I found "+testKey+" in .env."))
	var progress heard
	req := request(t)
	req.Progress = progress.add
	answer, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "I found [REDACTED] in .env.", answer.Text)
	assert.Equal(t, "I found [REDACTED] in .env.", progress.all())
}

func TestKeyIsNotPrinted(t *testing.T) {
	o := Options{Model: "m", Key: testKey}
	p, err := New(o)
	require.NoError(t, err)
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("made", "provider", p, "options", o)
	fmt.Fprintf(&b, "%v %+v %#v %v %+v %#v %q", p, p, p, o, o, o, o)
	assert.NotContains(t, b.String(), testKey)
	assert.Contains(t, b.String(), "openai-api, model m at https://api.openai.com/v1")
}

func TestMemoryIsBounded(t *testing.T) {
	const huge = 1 << 30
	for _, c := range []struct {
		what  string
		reply pt.Reply
		want  string
	}{
		{"an event without an end", pt.Reply{Events: pt.OpenAITruncated("I will").Events, Filler: huge},
			"an event of the stream is longer than"},
		{"an error without an end", pt.Reply{Status: 500, Body: "x", Filler: huge}, "xxx"},
		{"a page without an end", pt.Reply{Body: "<p>", Filler: huge}, "xxx"},
		{"an answer without an end", endless(), "answer is longer than 8 MiB"},
		{"calls without an end", manyCalls(), "answer has more than 128 tool calls"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, p := served(t, nil, c.reply)
			_, err := p.Call(t.Context(), request(t))
			ev := evidenceOf(t, err)
			assert.Contains(t, ev.Text, c.want)
			assert.LessOrEqual(t, len(ev.Text), 1<<20)
			assert.Equal(t, "PROVIDER_API_ERROR", taxonomy.CodeOf(errs.Classify(err)))
		})
	}
}

func endless() pt.Reply {
	chunk := pt.Event{Data: `{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 1<<20) + `"}}]}`}
	var r pt.Reply
	for range 2 * maxAnswer >> 20 {
		r.Events = append(r.Events, chunk)
	}
	return r
}

func manyCalls() pt.Reply {
	m := pt.OpenAIMessage{}
	for range maxCalls + 1 {
		m.Calls = append(m.Calls, pt.ToolCall{Name: "list_files"})
	}
	return m.Reply()
}
