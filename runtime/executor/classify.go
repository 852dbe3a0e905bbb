package executor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Limits of stored texts, in bytes.
const (
	maxMessage = 4 << 10
	maxAnswer  = 16 << 10
	maxDetails = 64 << 10
	maxOthers  = 50
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
	Chain []Reaction `json:"chain,omitempty"`
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

	evidence *taxonomy.Evidence
}

// Reaction is a reaction of a chain. Its Then is nil, because the chain contains the successors.
type Reaction struct {
	taxonomy.Reaction
	// MaxRuns limits the runs of the strategy; 0 is no limit.
	MaxRuns int `json:",omitempty"`
	// Unavailable reports that there is no Recoverer for the strategy.
	Unavailable bool `json:",omitempty"`
}

// inPlace reports whether the reaction is a strategy after which only the operation is repeated.
func (r *Reaction) inPlace() bool {
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

// plainFailure is a failure that has only a text. The classifier does not get it.
type plainFailure string

func (p plainFailure) Error() string { return string(p) }

// ownError reports whether err contains an error of the taxonomy.
func (h *Host) ownError(err error) bool {
	if err == nil {
		return false
	}
	_, ok := taxonomy.First(err, h.cfg.Table.Taxonomy)
	return ok
}

// Fail classifies an error and returns it as data, with its chain of reactions. Each of several
// joined errors is classified. The first one whose reaction aborts or blocks is returned, with the
// others in Others.
func (h *Host) Fail(err error, source, op string) Failure {
	parts := split(err, 0)
	if len(parts) == 1 {
		return h.fail(err, source, op)
	}
	all := make([]Failure, 0, len(parts))
	for _, part := range parts[:min(len(parts), maxOthers)] {
		all = append(all, h.fail(part, source, op))
	}
	lead := max(0, slices.IndexFunc(all, func(f Failure) bool {
		return len(f.Chain) > 0 && (f.Chain[0].Action == taxonomy.Abort || f.Chain[0].Action == taxonomy.Block)
	}))
	f := all[lead]
	f.Others = slices.Delete(all, lead, lead+1)
	return f
}

// split returns the parts of an error of errors.Join or similar. Any other error is its only part.
func split(err error, depth int) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && depth < 4 {
		if _, coded := err.(taxonomy.Coded); !coded {
			var parts []error
			for _, part := range joined.Unwrap() {
				if part != nil {
					parts = append(parts, split(part, depth+1)...)
				}
			}
			if len(parts) > 0 {
				return parts
			}
		}
	}
	return []error{err}
}

// fail is Fail for an error that is not joined.
func (h *Host) fail(err error, source, op string) (f Failure) {
	f.Why = "an error of the taxonomy"
	if ev, ok := errtree.As[*taxonomy.Evidence](err); ok && ev != nil {
		f.evidence, f.Fingerprint = ev, ev.Fingerprint()
		f.Report = text.Tail(cmp.Or(ev.Text, ev.Output), maxAnswer)
	}
	classified := err
	var plain plainFailure
	if !errors.As(err, &plain) && !h.ownError(err) {
		thrown := contain(source, op, func() error {
			classified, f.Why = h.cfg.Classify(err, source, op)
			return nil
		})
		if thrown != nil || classified == nil {
			classified, f.Why = err, fmt.Sprintf("the classifier failed: %v", thrown)
		}
	} else if plain != "" {
		f.Why = "a failure without evidence"
	}
	f.err = classified
	f.Message, f.Why = text.Error(classified, maxMessage), text.Beginning(f.Why, maxMessage)
	f.Feedback = f.Message
	own, ok := taxonomy.First(classified, h.cfg.Table.Taxonomy)
	if ok {
		f.Categorized = true
		f.Code, f.Category = taxonomy.CodeOf(own), taxonomy.CategoryOf(own)
		f.Feedback = text.BothEnds(taxonomy.FeedbackOf(own), maxAnswer)
		h.context(&f, own, classified)
	}
	reaction := h.cfg.Table.Reaction(classified)
	f.Chain = h.chain(&reaction, &f)
	return f
}

// context copies the fields of a categorized error that the loop needs.
func (h *Host) context(f *Failure, own taxonomy.Coded, classified error) {
	hints := taxonomy.HintsOf(classified)
	f.RetryAfter, f.ResetAt, f.Credential, f.Files = hints.RetryAfter, hints.ResetAt, hints.Credential, hints.Files
	if f.evidence != nil && len(f.Files) == 0 {
		f.Files = f.evidence.Files
	}
	f.Files = slices.Clone(f.Files)
	if e, ok := own.(taxonomy.Error); ok {
		f.Details, f.Wire = maskedDetails(e.AppendContext(nil)), e.AppendJSON(nil)
		if len(f.Wire) > maxDetails {
			f.Wire = nil
		}
	}
}

// chain returns a reaction and its successors under the table's profile, as data.
func (h *Host) chain(r *taxonomy.Reaction, f *Failure) []Reaction {
	profile := h.cfg.Table.Overlay
	var chain []Reaction
	for _, r := range profile.Chain(r) {
		step := Reaction{Reaction: *r, Unavailable: r.Action == taxonomy.Recover && h.cfg.Recoverer == nil}
		step.Then, step.Policy = nil, profile.PolicyOf(r)
		if profile != nil && r.Action == taxonomy.Recover {
			step.MaxRuns = profile.Recovery.MaxAttempts
		}
		if a := h.cfg.Admission.Adaptive; a != nil && step.Policy != nil && f.Categorized {
			adapted := a.Policy(step.Policy, f.Code)
			step.Policy = &adapted
		}
		chain = append(chain, step)
	}
	return chain
}

// error returns the failure as a Go error. If it occurred in another process, that is its message.
func (f *Failure) error() error {
	switch {
	case f == nil:
		return nil
	case f.err != nil:
		return f.err
	}
	return plainFailure(f.Message)
}

// errorOf returns the failure as an error of the taxonomy. If the failure occurred in another
// process, its JSON is decoded.
func (h *Host) errorOf(f *Failure) error {
	if f.err == nil {
		if err := h.decode(f.Wire); err != nil {
			return err
		}
	}
	return f.error()
}

func (h *Host) decode(wire []byte) (decoded error) {
	if h.cfg.Decode == nil || len(wire) == 0 {
		return nil
	}
	ignorePanic(func() {
		if err, failed := h.cfg.Decode(wire); failed == nil {
			decoded = err
		}
	})
	return decoded
}
