package report

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// notebook is a sink that notes what it is told.
type notebook struct {
	reported, updated []*Occurrence
	retried           []string
	retries           []Retry
}

func (n *notebook) Report(o *Occurrence) { n.reported = append(n.reported, o.Clone()) }

func (n *notebook) Update(o *Occurrence) { n.updated = append(n.updated, o.Clone()) }

func (n *notebook) Retried(r Retry) {
	n.retried = append(n.retried, fmt.Sprint(r.Attempts, " ", r.Succeeded))
	n.retries = append(n.retries, r)
}

// provider fails with one error after another, and then answers.
type provider struct{ failures []error }

func (p *provider) Name() string { return "anthropic-api" }

func (p *provider) Available(context.Context) error { return nil }

func (p *provider) Call(context.Context, executor.Request) (executor.Answer, error) {
	if len(p.failures) == 0 {
		return executor.Answer{Signal: executor.SignalDone}, nil
	}
	err := p.failures[0]
	p.failures = p.failures[1:]
	return executor.Answer{}, err
}

// What an executor does is what the sink is told.
func TestObserverOfAnExecutor(t *testing.T) {
	limited := func() error {
		return &taxonomy.Evidence{Status: 529, Type: "overloaded_error", Text: "overloaded " + secret,
			Attributes: map[string]string{"url": "https://h/p"}}
	}
	forbidden := &taxonomy.Evidence{Status: 401, Type: "authentication_error", Text: "no"}
	for name, c := range map[string]struct {
		failures []error
		reported int
		retried  []string
	}{
		"nothing":     {nil, 0, nil},
		"succeeds":    {[]error{limited(), limited()}, 2, []string{"2 true"}},
		"is given up": {[]error{limited(), forbidden}, 2, []string{"1 false"}},
		"not retried": {[]error{forbidden}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sink := &notebook{}
			watch := Observer(ObserverOptions{Table: errs.Table, Sink: sink, Facts: func(e executor.Event) Facts {
				return Facts{Execution: &Execution{Mode: "test"}}
			}})
			x, err := executor.New(executor.Config{
				Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: &provider{c.failures},
				Clock: newClock(), Observer: watch,
			})
			require.NoError(t, err)
			result := x.Run(t.Context(), executor.Task{Run: "run-1", ID: "task-1", Prompt: "do it"})
			require.Len(t, sink.reported, c.reported, "%+v", result)
			assert.Equal(t, c.retried, sink.retried)
			assert.Empty(t, watch.(*observer).runs)
			if c.reported == 0 {
				return
			}
			o := sink.reported[0]
			assert.Equal(t, "anthropic-api", o.Source.Type)
			assert.Equal(t, "call", o.Source.Component)
			assert.Equal(t, &Execution{Mode: "test", TaskID: "task-1", Step: "call"}, o.Execution)
			assert.Equal(t, map[string]any{"run": "run-1", "iteration": 1.0}, o.Metadata)
			assert.Contains(t, []string{"529", "401"}, o.SourceCode)
			assert.NotEmpty(t, o.Code)
			assert.NotEmpty(t, o.Reaction)
			assert.NotEmpty(t, o.Action)
			assert.True(t, o.isClean())
		})
	}
}

func TestObserverOfRecoveries(t *testing.T) {
	sink := &notebook{}
	watch := Observer(ObserverOptions{Table: errs.Table, Sink: sink, ID: fixed("1")})
	failure, broken := error(errs.NewProviderRateLimit("p")), uncomparable{"x"}
	mend := taxonomy.Reaction{Name: "mend", Action: taxonomy.Recover, Strategy: "fix"}
	see := func(e executor.Event) {
		e.Run, e.At = "r", moment
		watch.Observe(e)
	}
	see(executor.Event{Kind: executor.ErrorClassified, Err: failure, Op: "call", Source: "p"})
	see(executor.Event{Kind: executor.ReactionTaken, Err: failure, Op: "call", Source: "p", Reaction: mend,
		Action: taxonomy.Recover})
	see(executor.Event{Kind: executor.Recovered, For: failure, Attempt: 1, MaxAttempts: 3, Text: "fix",
		Err: errors.New("failed")})
	// What follows the strategy that failed is a reaction to the same error.
	see(executor.Event{Kind: executor.ReactionTaken, Err: failure, Op: "call", Source: "p", Action: taxonomy.Abort})
	see(executor.Event{Kind: executor.ErrorClassified, Err: broken, Op: "save", Source: "git"})
	see(executor.Event{Kind: executor.ReactionTaken, Err: broken, Op: "save", Source: "git", Reaction: mend,
		Action: taxonomy.Recover})
	see(executor.Event{Kind: executor.Recovered, For: broken, Attempt: 2, Text: "fix"})
	see(executor.Event{Kind: executor.Recovered, For: errors.New("another"), Attempt: 2, Text: "fix"})
	see(executor.Event{Kind: executor.ErrorClassified, Err: failure, Op: "call"})
	see(executor.Event{Kind: executor.RunEnded})
	require.Len(t, sink.reported, 3, "one of them without a reaction")
	assert.Equal(t, "mend", sink.reported[0].Reaction)
	assert.Equal(t, "recover", sink.reported[0].Action)
	assert.Equal(t, moment.Truncate(1e6), sink.reported[0].At)
	require.Len(t, sink.updated, 2)
	no, yes := false, true
	assert.Equal(t, &Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "fix", Successful: &no}, sink.updated[0].Recovery)
	assert.Equal(t, &Recovery{Attempts: 2, Strategy: "fix", Successful: &yes}, sink.updated[1].Recovery)
	assert.Equal(t, "x", sink.updated[1].Message)
}

// uncomparable is an error that == panics for.
type uncomparable []string

func (u uncomparable) Error() string { return u[0] }

func TestObserverOfRetries(t *testing.T) {
	type event = executor.Event
	taken := func(op string, a taxonomy.Action) event {
		return event{Kind: executor.ReactionTaken, Err: errors.New("e"), Op: op, Action: a}
	}
	iteration, ended, call := event{Kind: executor.IterationStarted}, event{Kind: executor.IterationEnded},
		event{Kind: executor.CallStarted}
	over := event{Kind: executor.RunEnded}
	for name, c := range map[string]struct {
		events []event
		want   []string
	}{
		"in place": {[]event{iteration, call, taken("call", taxonomy.RetryOperation), call, ended, over},
			[]string{"1 true"}},
		"in place, given up": {[]event{iteration, call, taken("call", taxonomy.RetryOperation), call,
			taken("call", taxonomy.RetryOperation), call, taken("call", taxonomy.Abort), ended, over},
			[]string{"2 false"}},
		"iteration": {[]event{iteration, call, taken("call", taxonomy.Retry), ended, iteration, call, ended,
			over}, []string{"1 true"}},
		"no time for it": {[]event{iteration, call, taken("call", taxonomy.RetryOperation), ended, over}, nil},
		"cancelled": {[]event{iteration, call, taken("call", taxonomy.Retry), ended, iteration, call,
			taken("call", taxonomy.Retry), over}, []string{"1 false"}},
		"commit": {[]event{iteration, taken("commit", taxonomy.RetryOperation),
			{Kind: executor.Committed}, ended, over}, []string{"1 true"}},
		"push, two tries": {[]event{iteration, taken("push", taxonomy.RetryOperation),
			taken("push", taxonomy.RetryOperation), {Kind: executor.Pushed}, over}, []string{"2 true"}},
		"pr": {[]event{iteration, taken("pr", taxonomy.RetryOperation), {Kind: executor.PROpened},
			over}, []string{"1 true"}},
		"check": {[]event{iteration, taken("validate_pr", taxonomy.Retry), ended, iteration,
			{Kind: executor.Validated, Op: "validate_pr"}, ended, over}, []string{"1 true"}},
		"check fails again": {[]event{iteration, taken("v", taxonomy.Retry), ended, iteration,
			{Kind: executor.Validated, Op: "v", Err: errors.New("e")}, taken("v", taxonomy.Block), ended, over},
			[]string{"1 false"}},
		"never its turn": {[]event{iteration, taken("v", taxonomy.Retry), ended, iteration,
			taken("call", taxonomy.Abort), ended, over}, nil},
		"setup": {[]event{taken("prepare", taxonomy.RetryOperation), iteration, ended, over},
			[]string{"1 true"}},
		"two at once": {[]event{iteration, taken("save", taxonomy.RetryOperation),
			taken("call", taxonomy.Retry), ended, iteration, call, ended, over}, []string{"1 true", "1 true"}},
		"a strategy, no retry": {[]event{iteration, call, taken("call", taxonomy.Recover), call, ended, over}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sink := &notebook{}
			watch := Observer(ObserverOptions{Table: errs.Table, Sink: sink})
			for _, e := range c.events {
				watch.Observe(e)
			}
			assert.Equal(t, c.want, sink.retried)
		})
	}
}

// Runs that never end are forgotten; a sink that is missing, and facts that panic, do no harm.
func TestObserverIsBounded(t *testing.T) {
	sink := &notebook{}
	watch := Observer(
		ObserverOptions{Table: errs.Table, Sink: sink, Facts: func(executor.Event) Facts { panic("broken") }})
	for i := range 3 * maxRuns {
		for range 2 {
			watch.Observe(
				executor.Event{Kind: executor.ReactionTaken, Run: fmt.Sprint(i), Err: errors.New("e"),
					Action: taxonomy.Retry})
		}
	}
	assert.Len(t, watch.(*observer).runs, maxRuns)
	assert.Len(t, sink.reported, 6*maxRuns)
	for range 3 * maxWatched {
		watch.Observe(executor.Event{Kind: executor.ReactionTaken, Run: "r", Err: errors.New("e")})
	}
	assert.Len(t, watch.(*observer).runs["r"].watched, maxWatched)
	assert.NotPanics(t, func() {
		Observer(ObserverOptions{}).Observe(executor.Event{Kind: executor.ErrorClassified, Err: errors.New("e")})
	})
}
