package executor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestConfigProblems(t *testing.T) {
	tests := []struct {
		name string
		set  func(c *Config)
		want string // in the error; empty means no error
	}{
		{"complete", func(c *Config) {}, ""},
		{"no table", func(c *Config) { c.Table = taxonomy.Table{} }, "Table is missing"},
		{"no classifier", func(c *Config) { c.Classify = nil }, "Classify is missing"},
		{"no provider", func(c *Config) { c.Provider, c.Tiers = nil, nil }, "Provider is missing"},
		{"a setup needs no provider", func(c *Config) {
			c.Provider, c.Tiers, c.Setup = nil, nil, func(context.Context) error { return nil }
		}, ""},
		{"a store without Decode", func(c *Config) { c.Decode = nil }, "a Store requires Decode"},
		{"delivery without a workspace", func(c *Config) { c.Workspace = nil }, "Deliver requires a Workspace"},
		{"an unknown delivery", func(c *Config) { c.Deliver = 9 }, "Deliver: 9 is unknown"},
		{"a negative limit", func(c *Config) { c.Limits.Run = -1 }, "Limits.Run: -1 is negative"},
		{"an unknown tier", func(c *Config) { c.Tiers["low"] = c.Provider }, `the taxonomy has no tier "low"`},
		{"several problems", func(c *Config) { c.Classify, c.Limits.Failures = nil, -2 },
			"Limits.Failures: -2 is negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := newSimulation(done()).config(tablesOf(reactions()), &memStore{})
			tt.set(&cfg)
			_, err := New(cfg)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestLimitDefaults(t *testing.T) {
	l := withDefaults(Limits{Attempts: 7, Run: Unlimited})
	assert.Equal(t, Limits{
		Iterations: 50, Failures: 3, Attempts: 7, Iteration: 10 * time.Minute, Run: Unlimited,
		Grace: 30 * time.Second, Feedback: 16 << 10,
	}, l)
	assert.EqualValues(t, Unlimited, withDefaults(Limits{}).Attempts)
}

func TestMarkers(t *testing.T) {
	tests := []struct {
		name     string
		markers  Markers
		answer   Answer
		err      error
		coded    bool
		signal   Signal
		question string
	}{
		{name: "nothing", answer: Answer{Text: "more to do"}},
		{name: "done", answer: Answer{Text: "well\n  TASK COMPLETE \n"}, signal: SignalDone},
		{name: "done within a line", answer: Answer{Text: "not TASK COMPLETE yet"}},
		{name: "blocked", answer: Answer{Text: "BLOCKED"}, signal: SignalBlocked},
		{name: "blocked with a question", answer: Answer{Text: "BLOCKED: which?"}, signal: SignalBlocked,
			question: "which?"},
		{name: "a longer word", answer: Answer{Text: "BLOCKEDISH: which?"}},
		{name: "blocked before done", answer: Answer{Text: "TASK COMPLETE\nBLOCKED: x"}, signal: SignalBlocked,
			question: "x"},
		{name: "by the provider", answer: Answer{Signal: SignalBlocked, Question: "why?"}, signal: SignalBlocked,
			question: "why?"},
		{name: "own markers", markers: Markers{Done: "END"}, answer: Answer{Text: "END"}, signal: SignalDone},
		{name: "off", markers: Markers{Off: true}, answer: Answer{Text: "TASK COMPLETE"}},
		{name: "a failure is never done", answer: Answer{Text: "TASK COMPLETE"}, err: loop.PlainFailure("oh")},
		{name: "a failure can be blocked", answer: Answer{Failure: "BLOCKED: key?"}, err: loop.PlainFailure("x"),
			signal: SignalBlocked, question: "key?"},
		{name: "an error of the taxonomy", answer: Answer{Text: "BLOCKED"}, err: assert.AnError, coded: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			signal, question := signalOf(tt.answer, withDefaultMarkers(tt.markers), tt.err, tt.coded)
			assert.Equal(t, tt.signal, signal)
			assert.Equal(t, tt.question, question)
		})
	}
}

// TestBusy refuses a second run of an executor that has a working tree.
func TestBusy(t *testing.T) {
	w := newSimulation(done("a"))
	cfg := w.config(tablesOf(reactions()), nil)
	var e *Executor
	var second *Result
	cfg.Setup = func(ctx context.Context) error {
		if second == nil {
			second = &Result{}
			second = e.Run(ctx, aTask)
		}
		return nil
	}
	e, err := New(cfg)
	require.NoError(t, err)
	assert.Equal(t, EndCompleted, e.Run(t.Context(), aTask).EndReason)
	assert.Equal(t, EndFatal, second.EndReason)
	assert.Equal(t, loop.OpLock, second.Errors[0].Op)
	assert.Equal(t, EndCompleted, e.Run(t.Context(), aTask).EndReason)
}
