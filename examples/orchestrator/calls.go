package main

import (
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// shortest is the shortest wait that is shown.
const shortest = 10 * time.Millisecond

// calls shows in the timeline what befalls a tier while it is called, and is none of the step's:
// that it has failed itself and is called again.
type calls struct {
	*desk
	lines *timeline
}

// Observe implements executor.Observer.
func (c *calls) Observe(e executor.Event) {
	step, tier := c.under()
	shown := escalate.Event{At: e.At, Step: step, Tier: tier}
	switch {
	case e.Kind == executor.ReactionTaken && (e.Action == taxonomy.Retry || e.Action == taxonomy.RetryOperation):
		shown.Kind, shown.Code, shown.Message = escalate.TierFailed, taxonomy.CodeOf(e.Err), e.Err.Error()
	case e.Kind == executor.Waiting && e.Until.Sub(e.At) >= shortest:
		shown.Kind, shown.Until, shown.Text = escalate.Waiting, e.Until, e.Text
	default:
		return
	}
	c.lines.Observe(shown)
}
