package providertest_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestExamples(t *testing.T) {
	examples, err := providertest.Examples([]byte(`errgen: 1
package: payerr
doc: What can go wrong with payments.
sources: {stripe: The payment service.}
fallback: {code: PAYMENT_FAILED}
categories:
  payment:
    doc: A payment failed.
    fields:
      wait: {type: duration, from: retry_after, doc: How long to wait.}
      status: {type: int, from: status, doc: The status.}
      at: {type: time, from: reset_at, doc: When to come back.}
      files: {type: strings, from: files, doc: Receipts.}
      kind: {enum: [CARD, CASH], from: type, doc: How it was paid.}
    codes:
      PAYMENT_FAILED:
        doc: Nothing more is known.
        message: payment failed
        examples: [{text: something new}]
      PAYMENT_LIMIT:
        doc: Too many payments.
        message: too many payments
        retryable: true
        reaction: {action: retry, honor_retry_after: true}
        detect: [{source: stripe, status: 429}]
        examples:
          - source: stripe
            status: 429
            type: CARD
            retry_after: 30s
            reset_at: '2026-03-01T12:00:00Z'
            files: [a, b]
            want: {retryable: true, context: {wait: 30s, status: 429, at: '2026-03-01T12:00:00Z', files: [a, b], kind: CARD}}
        not_examples: [{source: stripe, status: 500}]
      PAYMENT_TIMEOUT:
        doc: Too slow.
        message: too slow
        detect: [{is: context.DeadlineExceeded}]
        examples: [{is: context.DeadlineExceeded}]
`))
	require.NoError(t, err)
	require.Len(t, examples, 4)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	assert.Equal(
		t, providertest.Example{Code: "PAYMENT_FAILED", Place: 1, Evidence: taxonomy.Evidence{Text: "something new"}},
		examples[0])
	assert.Equal(t, providertest.Example{
		Code: "PAYMENT_LIMIT", Place: 1,
		Evidence: taxonomy.Evidence{Source: "stripe", Status: 429, Type: "CARD",
			RetryAfter: taxonomy.Some(30 * time.Second), ResetAt: at, Files: []string{"a", "b"}},
		Want: providertest.Want{Retryable: taxonomy.Some(true), Context: map[string]any{
			"wait": 30 * time.Second, "status": int64(429), "at": at, "files": []string{"a", "b"}, "kind": "CARD",
		}},
	}, examples[1])
	assert.True(t, examples[2].Not)
	assert.ErrorIs(t, examples[3].Evidence.Err, context.DeadlineExceeded)
}

func TestExamplesOfAFaultyTaxonomy(t *testing.T) {
	_, err := providertest.Examples([]byte("errgen: 1\npackage: x\ncategoriez: {}\n"))
	assert.ErrorContains(t, err, "read the taxonomy's examples: ")
	assert.ErrorContains(t, err, "line 3: ")
}

func TestWhatNoServerDoes(t *testing.T) {
	for _, ev := range []taxonomy.Evidence{
		{},
		{Op: "available", Text: "no key"},
		{Status: 500, Code: "E1"},
		{Status: 200},
		{ExitCode: taxonomy.Some(1)},
		{Signal: "SIGKILL"},
		{Errno: "EACCES"},
		{Errno: "ETIMEDOUT", Type: "timeout"},
		{Type: "not_found"},
		{Type: "timeout", Attributes: map[string]string{"iteration": "3"}},
		{Type: "command_blocked"},
		{Err: fs.ErrPermission},
		{Type: "timeout", Err: &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}},
		{Files: []string{"a"}, Status: 500},
	} {
		_, ok := providertest.AnthropicReply(ev)
		assert.False(t, ok, "%+v", ev)
	}
}

func TestWhatAServerDoes(t *testing.T) {
	for _, c := range []struct {
		ev     taxonomy.Evidence
		status int
		end    providertest.End
		body   string
	}{
		{taxonomy.Evidence{Status: 529, Type: "overloaded_error", Text: "busy"}, 529, providertest.EndWhole,
			`"type":"overloaded_error"`},
		{taxonomy.Evidence{Status: 403, Attributes: map[string]string{"ratelimit-remaining": "0"}}, 403,
			providertest.EndWhole, ""},
		{taxonomy.Evidence{Type: "timeout"}, 0, providertest.EndNever, ""},
		{taxonomy.Evidence{Err: context.DeadlineExceeded}, 0, providertest.EndNever, ""},
		{taxonomy.Evidence{Type: "network"}, 0, providertest.EndReset, ""},
		{taxonomy.Evidence{Errno: "ECONNRESET"}, 0, providertest.EndReset, ""},
		{taxonomy.Evidence{Err: io.ErrUnexpectedEOF}, 0, providertest.EndEarly, ""},
		{taxonomy.Evidence{Err: errors.Join(&net.OpError{Op: "dial"})}, 0, providertest.EndReset, ""},
	} {
		r, ok := providertest.AnthropicReply(c.ev)
		require.True(t, ok, "%+v", c.ev)
		assert.Equal(t, c.status, r.Status)
		assert.Equal(t, c.end, r.End)
		assert.Contains(t, r.Body, c.body)
		for name, value := range c.ev.Attributes {
			assert.Equal(t, value, r.Header.Get("X-"+name))
		}
	}
}
