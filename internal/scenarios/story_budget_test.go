package scenarios_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A request that a provider refuses costs nothing. The cost of an answer that breaks off is
// unknown.
func TestBudgetOfRefusedRequests(t *testing.T) {
	done := "TASK COMPLETE"
	anthropicDone := providertest.AnthropicMessage{Text: done, Input: 100_000, Output: 10_000}.Reply()
	openaiDone := providertest.OpenAIMessage{Text: done, Input: 100_000, Output: 10_000}.Reply()
	for _, tt := range []struct {
		name    string
		with    func(*testing.T, string, *http.Client) executor.Provider
		replies []providertest.Reply

		status executor.Status
		calls  int
		usd    float64
	}{
		{"anthropic, a rate limit", anthropicAt,
			[]providertest.Reply{providertest.Fixture("anthropic/rate_limit").With("Retry-After", "1"), anthropicDone},
			executor.StatusCompleted, 2,
			0.45},
		{"anthropic, overloaded", anthropicAt,
			[]providertest.Reply{providertest.Fixture("anthropic/overloaded"), anthropicDone},
			executor.StatusCompleted, 2, 0.45},
		{"anthropic, broken off", anthropicAt,
			[]providertest.Reply{providertest.Fixture("anthropic/truncated"), anthropicDone}, executor.StatusFailed, 1,
			0},
		{"openai, a rate limit", openaiAt,
			[]providertest.Reply{providertest.Fixture("openai/rate_limit").With("Retry-After", "1"), openaiDone},
			executor.StatusCompleted, 2, 0.45},
		{"openai, broken off", openaiAt, []providertest.Reply{providertest.Fixture("openai/truncated"), openaiDone},
			executor.StatusFailed, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
			require.NoError(t, err)
			defer func() { assert.NoError(t, store.Close()) }()
			limit := state.Limit{Amount: state.Amount{CostUSD: taxonomy.Some(1.0)}}
			require.NoError(t, store.SetBudget(t.Context(), state.ScopeTask, limit))
			server := providertest.NewServer(tt.replies...)
			defer server.Close()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			e, err := executor.New(executor.Config{
				Table: errs.Table, Classify: detect.Classifier(errs.Explain),
				Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
				Provider: tt.with(t, server.URL, &http.Client{Transport: transport}),
				Store:    store.RunStore(), Admission: executor.Admission{Budget: store.Budget(state.BudgetOptions{})},
				Clock: &jumpingClock{},
			})
			require.NoError(t, err)
			r := e.Run(t.Context(), executor.Task{Run: "r", ID: "t", Prompt: "work"})
			assert.Equal(t, tt.status, r.Status, "%+v", r.Errors)
			assert.Len(t, server.Requests(), tt.calls)
			assert.InDelta(t, tt.usd, r.Usage.CostUSD.Or(0), 1e-9)
			assert.Equal(t, tt.status != executor.StatusCompleted, r.UnknownCost == 1, "unknown cost")
		})
	}
}

func anthropicAt(t *testing.T, url string, client *http.Client) executor.Provider {
	t.Helper()
	p, err := anthropic.New(anthropic.Options{
		BaseURL: url, Key: "key-of-a-test", Model: "claude-sonnet-4-5", Client: client,
		Prices: &providers.Prices{Input: 3, Output: 15},
	})
	require.NoError(t, err)
	return p
}

func openaiAt(t *testing.T, url string, client *http.Client) executor.Provider {
	t.Helper()
	p, err := openai.New(openai.Options{
		BaseURL: url + "/v1", Key: "key-of-a-test", Model: "gpt-4.1", Client: client,
		Prices: &providers.Prices{Input: 3, Output: 15},
	})
	require.NoError(t, err)
	return p
}
