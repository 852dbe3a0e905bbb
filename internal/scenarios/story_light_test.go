package scenarios_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// speaker is a provider that says one thing after the other, and repeats the last: a string is an
// answer, an error an error, an executor.Answer itself, and a func is called.
type speaker struct {
	says    []any
	prompts []string
	// missing is what Available returns.
	missing error
}

// Name returns the name of a provider that rules know.
func (*speaker) Name() string { return "anthropic-api" }

func (p *speaker) Available(context.Context) error { return p.missing }

func (p *speaker) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	p.prompts = append(p.prompts, req.Prompt)
	switch said := p.says[min(len(p.prompts), len(p.says))-1].(type) {
	case string:
		return executor.Answer{Text: said}, nil
	case executor.Answer:
		return said, nil
	case func(context.Context) (executor.Answer, error):
		return said(ctx)
	case error:
		return executor.Answer{}, said
	}
	return executor.Answer{}, nil
}

// light is a story without a repository, for decisions alone.
type light struct {
	t     *testing.T
	cfg   executor.Config
	p     *speaker
	clock *jumpingClock
	seen  *witness
}

func newLight(t *testing.T, says ...any) *light {
	l := &light{t: t, p: &speaker{says: says}, seen: &witness{},
		clock: &jumpingClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	l.cfg = executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: l.p, Clock: l.clock, Observer: l.seen,
		Limits: executor.Limits{Failures: 3, Iterations: 10, Iteration: time.Minute},
	}
	return l
}

func (l *light) run() *executor.Result {
	l.t.Helper()
	e, err := executor.New(l.cfg)
	require.NoError(l.t, err)
	r := e.Run(l.t.Context(), executor.Task{ID: "task-42", Prompt: thePrompt})
	require.Equal(l.t, r.EndReason.Status(), r.Status)
	return r
}

// overridden changes the story's table, as a run's configuration would.
func (l *light) overridden(text string) *light {
	l.t.Helper()
	var o taxonomy.Overrides
	require.NoError(l.t, json.Unmarshal([]byte(text), &o))
	table, err := l.cfg.Table.Override(o)
	require.NoError(l.t, err)
	l.cfg.Table = table
	return l
}

// answered is evidence of an answer with a status.
func answered(code int) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: code}
}

// timedOut is evidence of a call that took too long.
func timedOut() *taxonomy.Evidence {
	return &taxonomy.Evidence{
		Source: "anthropic-api", Op: "call", Type: "timeout",
		Attributes: map[string]string{"iteration": "1", "timeout_ms": "1000"},
	}
}
