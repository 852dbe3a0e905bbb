package report

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

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
