package report

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A retry counts for the reaction that led to it; what is pending counts as tried, here as in the
// recovery rate.
func TestOutcomes(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	fix := occurrence("c", "low", "m")
	fix.Reaction, fix.Action = "fix", "recover"
	for _, o := range []*Occurrence{withRecovery(fix, 1, true), withRecovery(fix, 1, false), withRecovery(fix, 1),
		withRecovery(fix, 1), fix} {
		o.ID = NewID()
		r.Report(o)
	}
	wait := occurrence("c", "low", "m")
	wait.Reaction, wait.Action = "wait", "retry_operation"
	r.Report(wait)
	r.Retried(Retry{"wait", "retry_operation", 2, true})
	r.Retried(Retry{"wait", "retry_operation", 1, false})
	r.Retried(Retry{"wait", "retry_operation", 0, true})
	r.Retried(Retry{"another", "retry", 1, true})
	r.Retried(Retry{Attempts: 1, Succeeded: true})
	outcomes := r.Outcomes()
	assert.Equal(t, []ReactionOutcome{
		{Reaction: "fix", Action: "recover", Count: 5, Recovered: 1, Failed: 1, Pending: 2},
		{Reaction: "wait", Action: "retry_operation", Count: 1, SuccessfulRetries: 1, FailedRetries: 1},
		{Reaction: "another", Action: "retry", SuccessfulRetries: 1},
	}, outcomes)
	assert.Equal(t, 4, outcomes[0].Tried())
	assert.Equal(t, 1, outcomes[0].Helped())
	assert.Equal(t, 2, outcomes[1].Tried())
	assert.Equal(t, 1, outcomes[1].Helped())
	m := r.Metrics()
	assert.Equal(t, 4, m.RecoveryAttempts)
	assert.Equal(t, []int{5, 3, 1}, []int{m.RetryAttempts, m.SuccessfulRetries, m.FailedRetries})
	r.Update(withRecovery(fix, 1, true))
	r.Update(&Occurrence{ID: r.All()[2].ID, Recovery: &Recovery{Attempts: 1, Successful: new(bool)}})
	assert.Equal(t, []int{2, 2, 1}, []int{r.Outcomes()[0].Recovered, r.Outcomes()[0].Failed, r.Outcomes()[0].Pending})
}

// A retry is told of with the reaction before the last try.
func TestObserverTellsTheReactionOfRetries(t *testing.T) {
	sink := &notebook{}
	watch := Observer(ObserverOptions{Table: errs.Table, Sink: sink})
	taken := func(name string, a taxonomy.Action) {
		watch.Observe(executor.Event{
			Kind: executor.ReactionTaken, Err: errors.New("e"), Op: "call", Reaction: taxonomy.Reaction{Name: name},
			Action: a,
		})
		watch.Observe(executor.Event{Kind: executor.CallStarted})
	}
	taken("wait", taxonomy.RetryOperation)
	taken("wait_longer", taxonomy.RetryOperation)
	watch.Observe(executor.Event{Kind: executor.IterationEnded})
	taken("wait", taxonomy.RetryOperation)
	taken("stop", taxonomy.Abort)
	assert.Equal(t, []Retry{
		{"wait_longer", "retry_operation", 2, true},
		{"wait", "retry_operation", 1, false},
	}, sink.retries)
	assert.Equal(t, "retry_operation", sink.reported[0].Action)
}

// hanging is a sink that takes its time for what has a text.
type hanging struct {
	Reporter
	text        string
	began, ends chan struct{}
}

func (h *hanging) Report(o *Occurrence) {
	if o.Message == h.text {
		close(h.began)
		<-h.ends
	}
}

// A run whose sink hangs holds no other run up.
func TestObserverOfRunsThatDoNotWait(t *testing.T) {
	sink := &hanging{text: "slow", began: make(chan struct{}), ends: make(chan struct{})}
	watch := Observer(ObserverOptions{Table: errs.Table, Sink: sink})
	see := func(run, text string) {
		watch.Observe(executor.Event{Kind: executor.ReactionTaken, Run: run, Err: errors.New(text)})
		watch.Observe(executor.Event{Kind: executor.RunEnded, Run: run})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		see("a", "slow")
	}()
	<-sink.began
	see("b", "fast")
	close(sink.ends)
	<-done
	assert.Empty(t, watch.(*observer).runs)
}
