package executor

import (
	"cmp"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// Uncategorized is the code that learners are told of a failure that has none.
const Uncategorized = "uncategorized"

// RetryOf is the failure of a call that another call is the retry of.
type RetryOf struct {
	Code string `json:"code"`
	// Policy is the one that bounds the tries; empty when the reaction has none.
	Policy string `json:"policy,omitempty"`
	// Attempt counts the calls of the series from 1, this one included.
	Attempt int `json:"attempt"`
}

// Outcome returns what became of a call that ended as a says at a time, as learners are told. What
// an entry does not say is empty: without a lane nobody knows whether the call was a retry.
func (s *Started) Outcome(a *Answered, at time.Time) retry.Outcome {
	o := retry.Outcome{At: at, Took: time.Duration(a.Took), Provider: s.Provider, Lane: s.Lane}
	if s.Lane != "" {
		o.Attempt = 1
	}
	if of := s.RetryOf; of != nil {
		o.After, o.Policy, o.Attempt = of.Code, of.Policy, of.Attempt
	}
	for _, w := range s.Waits {
		o.Wait += time.Duration(w.Took)
	}
	if a.Error != nil {
		o.Code = a.Error.learned()
	}
	return o
}

// learned returns the code that an error counts as: of one that the taxonomy does not know, what it
// was taken for.
func (e *ErrorRecord) learned() string { return cmp.Or(e.Understood, e.Code, Uncategorized) }

// learn tells the learners what became of a call that ended at a time. One that panics misses it,
// and keeps the others from none.
func (r *runner) learn(s *Started, a *Answered, at time.Time) {
	if len(r.cfg.Learners) == 0 {
		return
	}
	o := s.Outcome(a, at)
	for _, l := range r.cfg.Learners {
		teach(l, o)
	}
}

func teach(l retry.Learner, o retry.Outcome) {
	defer func() { _ = recover() }()
	l.Learn(o)
}

// retryOf returns what the next call is the retry of if it follows from the failure, or nil: what
// is learned is what calls come to, and of what else fails a call says nothing.
func (f *failure) retryOf() *RetryOf {
	if f == nil || f.op.name != opCall || !f.decision.repeats() {
		return nil
	}
	of := &RetryOf{Code: f.record.learned(), Attempt: f.decision.attempt + 1}
	if p := f.decision.policy; p != nil && p != &policyFree && p != &policyInPlace && p != &policyOnce {
		of.Policy = p.Name
	}
	return of
}

// learners returns those who learn, each once and without nil ones; what adapts policies is one of
// them.
func learners(given []retry.Learner, adaptive *retry.Adaptive) []retry.Learner {
	var all []retry.Learner
	if adaptive != nil {
		all = append(all, adaptive)
	}
	for _, l := range given {
		if own, ok := l.(*retry.Adaptive); l != nil && !(ok && own == adaptive) {
			all = append(all, l)
		}
	}
	return all
}
