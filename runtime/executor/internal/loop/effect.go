package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Env is everything outside of the loop: this process, or a workflow engine. Its results are plain
// data. It does not panic or retain its arguments.
type Env interface {
	// Do carries out an effect.
	Do(e Effect) Outcome
	// Classify classifies a failure that the loop itself found.
	Classify(ev taxonomy.Evidence) Failure
	Now() time.Time
	// Sleep reports whether the run was cancelled meanwhile.
	Sleep(d time.Duration) (cancelled bool)
	Cancelled() bool
	// Save makes the state durable before it returns. An engine that records a history does
	// nothing.
	Save(s *State)
	Emit(e Event)
}

// The operations, as rules of taxonomies name them.
const (
	OpLoadConfig = "load_config"
	OpPrepare    = "prepare"
	OpLock       = "lock"
	OpResume     = "resume"
	OpAvailable  = "available"
	OpDetect     = "detect_changes"
	OpScope      = "scope"
	OpAsk        = "ask"
	OpSave       = "save"
	OpRevert     = "revert"
	OpBudget     = "budget"
	OpCall       = "call"
	OpValidate   = "validate_" // followed by the phase
	OpCommit     = "commit"
	OpDeliver    = "deliver"
	OpPush       = "push"
	OpPR         = "pr"
	OpFile       = "file_task"
	OpNotify     = "notify"

	// These effects report their failures as other operations, or not at all.
	OpRecover = "recover" // as the operation that failed
	OpPause   = "pause"   // ignored
	OpForward = "forward" // as a warning
)

// The sources of evidence of the executor itself.
const (
	SourceConfig    = "config"
	SourceExecutor  = "executor"
	SourceGit       = "git"
	SourceScope     = "scope"
	SourceBudget    = "budget"
	SourceValidator = "validator"
	SourceNotify    = "notify"
)

// Effect is an operation with everything that any operation needs, as plain data.
type Effect struct {
	Do Operation `json:"do"`
	// Source is the source of its evidence.
	Source string `json:"source"`
	// Limit is the time limit of the effect; 0 is no limit.
	Limit time.Duration `json:"limit,omitempty"`
	// Graced effects are also carried out after a cancellation, until the grace ends.
	Graced    bool   `json:"graced,omitempty"`
	Run       string `json:"run"`
	Iteration int    `json:"iteration,omitempty"`
	Tier      int    `json:"tier,omitempty"`
}

// Op returns the name of the operation.
func (e *Effect) Op() string {
	_, op, _ := nameOf(e.Do)
	return op
}

// Paths returns the paths that the operation is about.
func (e *Effect) Paths() Paths {
	if about, ok := e.Do.(interface{ paths() Paths }); ok {
		return about.paths()
	}
	return nil
}

type effectData Effect

// MarshalJSON returns an object with the type and the input of the operation.
func (e Effect) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type string `json:"type"`
		effectData
	}{reflect.TypeOf(e.Do).Name(), effectData(e)})
}

// UnmarshalJSON decodes the result of MarshalJSON.
func (e *Effect) UnmarshalJSON(b []byte) error {
	v := struct {
		Type string          `json:"type"`
		Do   json.RawMessage `json:"do"`
		*effectData
	}{effectData: (*effectData)(e)}
	err := json.Unmarshal(b, &v)
	if err == nil {
		e.Do, err = decodeOperation(v.Type, v.Do)
	}
	return err
}

// Outcome is the outcome of an effect.
type Outcome struct {
	// Failure is nil after success.
	Failure *Failure `json:"failure,omitempty"`
	// Cancelled reports that the run was cancelled, or its grace is over; then nothing failed.
	Cancelled bool          `json:"cancelled,omitempty"`
	Took      time.Duration `json:"took,omitempty"`
	Warnings  []string      `json:"warnings,omitempty"`
	// Saved is the ref of changes that were saved, even if the operation failed after that.
	Saved string `json:"saved,omitempty"`
	// Result is the result of the operation, or what encoding/json decodes for it.
	Result any `json:"result,omitempty"`
}

// resultOf returns the result of an operation. If the outcome has none, it is zero. It panics if
// another version of the program has made the outcome.
func resultOf[T any](o *Outcome) (result T) {
	if r, ok := o.Result.(T); ok || o.Result == nil {
		return r
	}
	b, err := json.Marshal(o.Result)
	if err == nil {
		err = json.Unmarshal(b, &result)
	}
	if err != nil {
		panic(fmt.Sprintf("executor: the result of an operation is not a %T: %v", result, err))
	}
	return result
}

// Call describes a call that is about to be made to the parts of an executor.Admission.
type Call struct {
	Run      string `json:"run"`
	Task     string `json:"task"`
	Provider string `json:"provider"`
	// Lane is the provider and its credential.
	Lane string `json:"lane,omitempty"`
	Tier int    `json:"tier"`
	// Iteration is the iteration in which the call would be made. It counts from 1.
	Iteration int       `json:"iteration"`
	Now       time.Time `json:"now"`
	// InPlace reports that the iteration is open already.
	InPlace bool `json:"inPlace,omitempty"`
	// OverBudget reports that the budget refused the call, and the reaction was to continue.
	OverBudget bool `json:"overBudget,omitempty"`
	// RetryOf is the failure that the call retries; nil for a first call.
	RetryOf *RetryOf `json:"retryOf,omitempty"`
	// Attempt is the cost of the iteration so far, Total the cost of the run with this iteration.
	Attempt Spending `json:"attempt"`
	Total   Spending `json:"total"`
}

// RetryOf is the failure that a call retries.
type RetryOf struct {
	Code   string           `json:"code"`
	Policy *taxonomy.Policy `json:"policy,omitempty"`
	// Attempt is the number of this call in the series, from 1.
	Attempt int           `json:"attempt"`
	Wait    time.Duration `json:"wait,omitempty"`
	// Charged reports that the call asked for admission before, which charged the shared retry budget.
	Charged bool `json:"charged,omitempty"`
}

// Host carries out the effects of runs in a process. It turns errors, deadlines and panics into
// plain data. It serves several runs concurrently if its collaborators do.
type Host interface {
	// Do carries out an effect. It does not panic. A failure after ctx ended is reported as a
	// cancellation.
	Do(ctx context.Context, e Effect) Outcome
	// Fail classifies an error and returns it as data, with its chain of reactions.
	Fail(err error, source, op string) Failure
	// Attach opens the working tree of a run, if this process does not have it open. An environment
	// in which several processes carry out the effects of one run calls it before an effect. It makes
	// no working tree.
	Attach(ctx context.Context, run string) error
	// Release unlocks the working tree of a run. If the run is completed and all changes are
	// checked, it also removes everything that was stored for the run, except saved attempts. After a
	// dry run it removes what the dry run stored.
	Release(s *State) error
	// Observe passes an event of a run to the observer.
	Observe(s *State, e Event)
	// Result returns the result of a state. Its Err is an error of the host's taxonomy.
	Result(s *State) *Result
}

// Hooks are the callbacks of an effect to its run. Each may be nil.
type Hooks struct {
	// Emit receives the events of the effect, such as the progress of a call.
	Emit func(Event)
	// Started receives each process that the effect starts. If it returns an error, the process is
	// ended.
	Started func(Running) error
}

// WithHooks returns a context for [Host].Do.
func WithHooks(ctx context.Context, emit func(Event), started func(Running) error) context.Context {
	return context.WithValue(ctx, hooksKey{}, Hooks{Emit: emit, Started: started})
}

// HooksOf returns the callbacks of a context.
func HooksOf(ctx context.Context) Hooks {
	h, _ := ctx.Value(hooksKey{}).(Hooks)
	return h
}

type hooksKey struct{}
