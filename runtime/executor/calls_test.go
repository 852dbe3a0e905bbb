package executor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestCalls(t *testing.T) {
	talk := func(w *world) { w.cfg.Continue = true }
	said := func(session string) step { return step{answer: Answer{Text: "hm", Session: session}} }
	sessions := func(w *world) []string {
		var out []string
		for _, c := range w.provider.calls {
			out = append(out, c.Session)
		}
		return out
	}
	var late sync.WaitGroup
	ended := make(chan struct{})
	tellAll(t, []story{
		{name: "again within the iteration", steps: []step{breaks("repeat"), done("a")}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 1, r.Iterations)
				assert.Equal(t, 2, r.Calls)
				assert.Equal(t, Duration(time.Second), r.Waited)
				assert.Zero(t, r.Counted)
			}},
		{name: "given up within the iteration", steps: []step{breaks("repeat"), breaks("repeat"), done("a")},
			want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 2, r.Iterations)
			}},
		{name: "every call counts",
			steps: []step{{answer: Answer{Usage: usage(1, 0.5)}, err: fails("repeat")},
				{answer: Answer{Signal: SignalDone, Usage: usage(2, 0.25)}}}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) { assert.Equal(t, usage(3, 0.75), r.Usage) }},
		{name: "a conversation", steps: []step{said("s1"), said("s2"), done()}, change: talk, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"", "s1", "s2"}, sessions(w))
				assert.NotContains(t, w.provider.prompts()[1], "Do it.")
			}},
		{name: "a conversation whose name looks like a secret",
			steps: []step{said("s1"), said("sk-ant-api03-" + strings.Repeat("a1B2", 20)), done()}, change: talk,
			want:  EndCompleted,
			check: func(t *testing.T, w *world, r *Result) { assert.Equal(t, []string{"", "s1", ""}, sessions(w)) }},
		{name: "no conversation unless wanted", steps: []step{said("s1"), done()}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"", ""}, sessions(w))
			}},
		{name: "a conversation that fails without a category",
			steps: []step{said("s1"), breaks("nothing known"), done()}, change: talk, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"", "s1", ""}, sessions(w))
				assert.Equal(t, 2, r.Iterations)
				assert.Zero(t, r.Counted)
			}},
		{name: "once", steps: []step{said("s1"), breaks("nothing known"), breaks("nothing known"), done()},
			change: talk, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, 1, r.Counted)
				assert.Equal(t, 3, r.Iterations)
			}},
		{name: "a conversation that fails with one goes on", steps: []step{said("s1"), breaks("again"), done()},
			change: talk, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"", "s1", "s1"}, sessions(w))
				assert.Equal(t, 3, r.Iterations)
			}},
		{name: "feedback goes out once", steps: []step{breaks("correct"), works(), done()}, want: EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Contains(t, w.provider.prompts()[1], fenceOpen)
				assert.NotContains(t, w.provider.prompts()[2], fenceOpen)
			}},
		{name: "undelivered feedback stays", steps: []step{breaks("correct"), breaks("wait"), done()},
			want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
				assert.Contains(t, w.provider.prompts()[2], fenceOpen)
			}},
		{name: "a budget that allows nothing more", steps: []step{done()}, want: EndFatal,
			change: func(w *world) { w.cfg.Budget = budget{fails("stop")} },
			check: func(t *testing.T, w *world, r *Result) {
				assert.Empty(t, w.provider.calls)
				assert.Equal(t, opBudget, r.Errors[0].Op)
			}},
		{name: "a panic of the provider",
			steps: []step{{do: func(context.Context, Request) (Answer, error) { panic("oh") }}, done()},
			want:  EndCompleted,
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "panic", r.Errors[0].Code)
				assert.Contains(t, r.Errors[0].Message, "oh")
			}},
		{name: "a panic of the prompt", steps: []step{done()}, want: EndMaxFailures,
			change: func(w *world) { w.cfg.Prompt = func(PromptInput) string { panic("oh") } }},
		{name: "a panic of the classifier", steps: []step{breaks("stop"), done()}, want: EndCompleted,
			change: func(w *world) {
				w.cfg.Classify = panicking{}.classify
			}, check: func(
				t *testing.T, w *world, r *Result) {
				assert.Equal(t, "uncategorized", r.Errors[0].Reaction)
			}},
		{name: "a panic of the observer", steps: []step{done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Observer = panicking{} }},
		{name: "a panic of the name", steps: []step{done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Provider = nameless{w.provider} }},
		{name: "a late word is not heard", steps: []step{{do: func(_ context.Context, q Request) (Answer, error) {
			late.Go(func() { <-ended; q.Progress("late"); _ = q.Started(Process{}) })
			return Answer{Signal: SignalDone}, nil
		}}}, want: EndCompleted, check: func(t *testing.T, w *world, r *Result) {
			close(ended)
			late.Wait()
			assert.NotContains(t, w.events.kinds(), Progressed)
		}},
		{name: "an error that panics", steps: []step{{err: panickingError{}}, done()}, want: EndCompleted},
		{name: "side operations change nothing", steps: []step{done()}, want: EndCompleted,
			change: func(w *world) { w.cfg.Filer, w.cfg.Notifier = panicking{}, panicking{} },
			check:  func(t *testing.T, w *world, r *Result) { assert.Len(t, r.Warnings, 2) }},
	})
}

func usage(tokens int64, cost float64) Usage {
	return Usage{InputTokens: taxonomy.Some(tokens), CostUSD: taxonomy.Some(cost)}
}

type budget struct{ err error }

func (b budget) Allow(context.Context, Bill) error { return b.err }

type panicking struct{}

//lint:ignore ST1008 it is a Classifier
func (panicking) classify(error, string, string) (error, string) { panic("oh") }

func (panicking) Observe(Event)                         { panic("oh") }
func (panicking) File(context.Context, *Result) error   { panic("oh") }
func (panicking) Notify(context.Context, *Result) error { panic("oh") }

type nameless struct{ *fakeProvider }

func (nameless) Name() string { panic("oh") }

type panickingError struct{}

func (panickingError) Error() string { panic("oh") }
func (panickingError) Unwrap() error { panic("oh") }

func TestFreshAndReducedSessions(t *testing.T) {
	table := map[string]taxonomy.Reaction{
		"fresh":   {Action: taxonomy.Retry, Session: taxonomy.SessionFresh, Policy: three},
		"reduced": {Action: taxonomy.Retry, Session: taxonomy.SessionReduced},
	}
	first := step{answer: Answer{Session: "s"}}
	w := newWorld(table, first, breaks("fresh"), step{answer: Answer{Session: "s2"}}, breaks("reduced"), done())
	w.cfg.Continue = true
	r := w.run(t)
	require.Equal(t, EndCompleted, r.EndReason)
	var got []any
	for _, c := range w.provider.calls {
		got = append(got, c.Iteration, c.Session, c.Reduced)
	}
	assert.Equal(t, []any{1, "", false, 2, "s", false, 2, "", false, 3, "s2", false, 4, "", true}, got)
	assert.Equal(t, Duration(time.Second), r.Waited, "the second call obeys the reaction")
}

func TestRevertBeforeAnotherCall(t *testing.T) {
	w := newWorld(
		map[string]taxonomy.Reaction{"mess": {Action: taxonomy.RetryOperation, Revert: taxonomy.RevertIteration,
			Policy: three}}, breaks("mess", "x"), done("a"))
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []string{"a"}, r.CommittedFiles)
	assert.NotContains(t, w.tree.files, "x")
	assert.Len(t, r.SavedRefs, 1)
}

func TestTiers(t *testing.T) {
	tiers := []taxonomy.Tier{{Name: "low"}, {Name: "high"}, {Name: "person", Person: true}}
	m := tableOf(map[string]taxonomy.Reaction{"up": {Action: taxonomy.Escalate, CountFailure: true}}, tiers...)
	w := worldOf(m, breaks("up"))
	high := &fakeProvider{name: "high-provider", steps: []step{breaks("up")}}
	w.cfg.Provider, w.cfg.Tiers = nil, map[string]Provider{"low": w.provider, "high": high}
	r := w.run(t)
	assert.Equal(t, EndBlocked, r.EndReason, "a person's tier blocks")
	assert.Equal(t, 2, r.Counted)
	assert.Len(t, w.provider.calls, 1)
	assert.Len(t, high.calls, 1)

	delete(w.cfg.Tiers, "high")
	w.tables.taxonomy.Tiers = tiers[:2]
	w.cfg.Tiers = map[string]Provider{"low": w.provider}
	assert.Equal(t, EndLadderUsedUp, w.run(t).EndReason)
}

// strategist runs strategies: each returns the next error.
type strategist struct {
	errs []error
	seen []taxonomy.RecoveryRequest
}

func (s *strategist) Recover(_ context.Context, f taxonomy.RecoveryRequest) error {
	s.seen = append(s.seen, f)
	if len(s.errs) == 0 {
		return nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

func TestRecover(t *testing.T) {
	mend := taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "mend", Policy: three, CountFailure: true,
		Then: &taxonomy.Reaction{Action: taxonomy.Block}}
	here := mend
	here.Resume = taxonomy.ResumeOperation
	table := map[string]taxonomy.Reaction{"mend": mend, "here": here, "again": {Action: taxonomy.Retry}}
	tests := []struct {
		name       string
		steps      []step
		errs       []error
		want       EndReason
		iterations int
		tries      int
	}{
		{"then the iteration again", []step{breaks("mend"), done()}, nil, EndCompleted, 2, 1},
		{"then the operation again", []step{breaks("here"), done()}, nil, EndCompleted, 1, 1},
		{"used up", []step{breaks("mend")}, nil, EndMaxFailures, 3, 2},
		{"in place used up", []step{breaks("here")}, nil, EndRetriesUsedUp, 1, 2},
		{"a strategy that fails", []step{breaks("mend")}, []error{errors.New("no")}, EndRetriesUsedUp, 1, 1},
		{"a strategy that fails in place", []step{breaks("here")}, []error{errors.New("no")}, EndRetriesUsedUp, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(table, tt.steps...)
			s := &strategist{errs: tt.errs}
			w.cfg.Recoverer = s
			r := w.run(t)
			assert.Equal(t, tt.want, r.EndReason)
			assert.Equal(t, tt.iterations, r.Iterations)
			assert.Len(t, s.seen, tt.tries)
			assert.Equal(t, "mend", s.seen[0].Reaction.Strategy)
			assert.Equal(t, 1, s.seen[0].Attempt)
		})
	}
}

// waits is a step that goes on until its context ends.
func waits(writes ...string) step {
	s := works(writes...)
	s.do = func(ctx context.Context, _ Request) (Answer, error) {
		<-ctx.Done()
		return Answer{}, &taxonomy.Evidence{Source: "fake", Op: "call", Signal: "SIGKILL"}
	}
	return s
}
