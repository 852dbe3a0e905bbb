package loop

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Failure is a failure as plain data. The host classifies it, and the loop chooses the reaction.
type Failure struct {
	// ErrorRecord is the part that the state lists. The loop completes it; see Loop.record.
	ErrorRecord
	// Categorized reports that the failure has a code of the taxonomy.
	Categorized bool                        `json:"categorized"`
	Feedback    string                      `json:"feedback,omitempty"`
	Credential  string                      `json:"credential,omitempty"`
	RetryAfter  taxonomy.Opt[time.Duration] `json:"retryAfter,omitzero"`
	ResetAt     taxonomy.Opt[time.Time]     `json:"resetAt,omitzero"`
	// Chain is the reaction and its successors, with the profile and the adapted policies applied.
	// Their Then is nil.
	Chain []taxonomy.Reaction `json:"chain,omitempty"`
	// Others are further failures of the same operation, such as the other problems of a
	// configuration. They are recorded and change nothing.
	Others []Failure `json:"others,omitempty"`

	Decision Decision `json:"decision"`
	// Uncounted reports that the failure never counts, Reverted that no later inspection of the
	// iteration reverts for it.
	Uncounted bool `json:"uncounted,omitempty"`
	Reverted  bool `json:"reverted,omitempty"`
	// NotRepeatable reports that repeating the operation alone cannot help, because the failure is
	// a change that is not allowed, or a process died.
	NotRepeatable bool `json:"notRepeatable,omitempty"`
	// Causes are the failures whose reactions were being carried out.
	Causes []int `json:"causes,omitempty"`

	// Evidence is the classified evidence; nil if it is missing, or the failure occurred in another
	// process.
	Evidence *taxonomy.Evidence `json:"-"`
}

// inPlace reports whether the reaction is a strategy after which only the operation is repeated.
func inPlace(r *taxonomy.Reaction) bool {
	return r.Action == taxonomy.Recover && r.Agent.Resume == taxonomy.ResumeOperation
}

// retryOf describes the failure to the call that retries it.
func (f *Failure) retryOf() *RetryOf {
	if f == nil {
		return nil
	}
	d := &f.Decision
	return &RetryOf{Code: f.Code, Policy: d.Reaction.Policy, Attempt: d.Attempt + 1, Wait: d.Wait}
}

// label returns the reason of a wait after the failure; see [Wait].
func (f *Failure) label() string {
	if f.Code != "" {
		return f.Code
	}
	return "retry"
}

// unresolved reports whether the iteration is not clean because of the failure.
func (f *Failure) unresolved() bool { return !f.Retried && f.Decision.Action != taxonomy.Continue }

// allowsCompletion reports whether the work that remains after the failure's revert may be
// delivered.
func (f *Failure) allowsCompletion() bool {
	return f.Decision.Reaction.Agent.AcceptCompletion && f.Decision.Action != taxonomy.Abort &&
		f.Decision.Action != taxonomy.Block
}

// PlainFailure is a failure that has only a text. The classifier does not get it.
type PlainFailure string

func (p PlainFailure) Error() string { return string(p) }

// Cause returns the failure as a Go error. If it occurred in another process, that is its message.
func (f *Failure) Cause() error {
	switch {
	case f == nil:
		return nil
	case f.Err != nil:
		return f.Err
	}
	return PlainFailure(f.Message)
}

// BudgetPolicy returns the policy by which a breaker judges the failure: the first of the chain
// with a budget, or the first.
func (f *Failure) BudgetPolicy() *taxonomy.Policy {
	var first *taxonomy.Policy
	for i := range f.Chain {
		p := f.Chain[i].Policy
		if p != nil && p.Budget != nil {
			return p
		}
		if first == nil {
			first = p
		}
	}
	return first
}
