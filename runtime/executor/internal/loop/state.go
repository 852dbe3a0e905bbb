package loop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Version is the version of [State]'s JSON. A run with another version is refused.
const Version = 1

// State is the whole state of a run. It marshals to JSON and back without loss.
type State struct {
	Version int `json:"version"`
	// Saves counts the saves, so that a store can refuse an older state.
	Saves int    `json:"saves"`
	Task  Task   `json:"task"`
	Dir   string `json:"dir,omitempty"`
	// Word is random. The marks of calls derive from it.
	Word string `json:"word,omitempty"`
	// Step is the next step. Each step can be repeated.
	Step    Step      `json:"step"`
	Wait    Pending   `json:"wait,omitzero"`     // of StepWait
	Recover Recovery  `json:"recovery,omitzero"` // of StepRecover
	Iter    Iteration `json:"iteration"`
	// Crashes counts the processes that died in this iteration, except in its head and in waits.
	Crashes int `json:"crashes,omitempty"`
	// Processes are those that the current call, check or strategy has started.
	Processes []Running `json:"processes,omitempty"`

	// Now never goes back.
	Now      time.Time `json:"now"`
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended,omitzero"`
	Deadline time.Time `json:"deadline,omitzero"`
	Seed     uint64    `json:"seed"` // of jitter

	Trees
	// OnBranch counts the commits that were delivered to a branch.
	OnBranch int `json:"onBranch,omitempty"`
	// Uncommitted are allowed changes without a commit. Unchecked are changes that were neither
	// allowed nor reverted. Both are bounded.
	Uncommitted Paths    `json:"uncommitted,omitempty"`
	Unchecked   Paths    `json:"unchecked,omitempty"`
	Approved    Paths    `json:"approved,omitempty"`
	Denied      []string `json:"denied,omitempty"` // fingerprints of sets of changes

	Streaks    map[string]retry.State `json:"streaks,omitempty"`
	Recoveries map[string]int         `json:"recoveries,omitempty"`
	Feedback   []Feedback             `json:"feedback,omitempty"`
	Tier       int                    `json:"tier"`
	Available  []int                  `json:"available,omitempty"` // tiers that were found available
	Session    string                 `json:"session,omitempty"`
	Reduced    bool                   `json:"reduced,omitempty"`
	Retried    *Failure               `json:"retried,omitempty"` // the next call is its retry
	LastError  *ErrorRecord           `json:"lastError,omitempty"`
	Spent      Spending               `json:"spent"`
	// Answers are the answers of persons, each after its question. Reopened is the number of
	// iterations before the run was reopened last. ByHand requests a check of the unchanged tree.
	Answers  []string `json:"answers,omitempty"`
	Reopened int      `json:"reopened,omitempty"`
	ByHand   bool     `json:"byHand,omitempty"`

	End  EndReason `json:"end,omitempty"`
	Refs []string  `json:"refs,omitempty"` // bounded
	History
}

// History is the part of a run's state that its [Result] contains too. Its lists are bounded: if
// there are many entries, they are the first and the last ones.
type History struct {
	// EndsRun reports that the reaction that ended the task ends all other tasks, too.
	EndsRun bool `json:"endsRun,omitempty"`
	// Resumed reports that an earlier process of the run died.
	Resumed bool `json:"resumed,omitempty"`
	// Errors are the errors in order. ErrorCount counts all errors.
	Errors     []ErrorRecord `json:"errors,omitempty"`
	ErrorCount int           `json:"errorCount"`
	// Failures counts the failures in a row, Counted all failures that counted.
	Failures int `json:"failures"`
	Counted  int `json:"counted"`
	// Waits are the waits between iterations and calls.
	Waits  []Wait            `json:"waits,omitempty"`
	Waited taxonomy.Duration `json:"waited"`
	// Reactions counts the reactions by name.
	Reactions map[string]int `json:"reactions,omitempty"`
	Commits   []CommitDone   `json:"commits,omitempty"`
	// Branch is the branch of the person's repository that has the commits. It is empty if there are
	// none, or the branch that the person has checked out has them.
	Branch      string `json:"branch,omitempty"`
	Pushed      bool   `json:"pushed,omitempty"`
	PullRequest string `json:"pullRequest,omitempty"`
	// Text is the provider's last answer, bounded; after a dry run the prompt.
	Text string `json:"text,omitempty"`
	// Question is the question for a person if the run is blocked.
	Question string `json:"question,omitempty"`
	// Warnings are problems that did not change the outcome.
	Warnings []string `json:"warnings,omitempty"`
}

// RunInfo describes a run in a [Store].
type RunInfo struct {
	Run       string    `json:"run"`
	Task      string    `json:"task"`
	Title     string    `json:"title,omitempty"`
	Dir       string    `json:"dir,omitempty"`
	Step      Step      `json:"step"`
	End       EndReason `json:"end,omitempty"`
	Iteration int       `json:"iteration"`
	Updated   time.Time `json:"updated"`
	Question  string    `json:"question,omitempty"`
	// Uncommitted are the changes that the run left in the working tree.
	Uncommitted Paths `json:"uncommitted,omitempty"`
}

// Info describes the run.
func (s *State) Info() RunInfo {
	return RunInfo{
		Run: s.Task.Run, Task: s.Task.ID, Title: s.Task.Title, Dir: s.Dir, Step: s.Step, End: s.End,
		Iteration: s.Iter.Number, Updated: s.Now, Question: s.Question, Uncommitted: s.Uncommitted,
	}
}

// Iteration is the open iteration. After its end, a summary remains until the next one begins.
type Iteration struct {
	Number int       `json:"number"`
	Open   bool      `json:"open,omitempty"`
	Began  time.Time `json:"began,omitzero"`
	Ends   time.Time `json:"ends,omitzero"` // deadline of its calls
	Calls  int       `json:"calls,omitempty"`
	Spent  Spending  `json:"spent,omitzero"`
	// Provider is the provider of the last call, Changed the changes found last, bounded.
	Provider string `json:"provider,omitempty"`
	Changed  Paths  `json:"changed,omitempty"`
	Sent     int    `json:"sent,omitempty"`    // feedback in the prompt
	Session  string `json:"session,omitempty"` // the conversation that the call continued

	Answered   bool      `json:"answered,omitempty"`
	Signal     Signal    `json:"signal,omitempty"`
	Question   string    `json:"question,omitempty"`
	Blocked    bool      `json:"blocked,omitempty"`
	Fresh      bool      `json:"fresh,omitempty"`      // a failed call was repeated in a new conversation
	OverBudget bool      `json:"overBudget,omitempty"` // the reaction to a refused budget was to continue
	Failures   []Failure `json:"failures,omitempty"`

	Interrupted bool `json:"interrupted,omitempty"` // a process died during the call
	Cancelled   bool `json:"cancelled,omitempty"`
	Completed   bool `json:"completed,omitempty"`
	Clean       bool `json:"clean,omitempty"` // answered, without an unresolved failure

	// Checked is the checked tree with the accepted changes.
	Checked Tree `json:"checked,omitempty"`
	Inspection
	DeliveryState
}

// Inspection is the last inspection of an iteration's changes.
type Inspection struct {
	Then       Step     `json:"then,omitempty"`       // the step after it
	Found      Tree     `json:"found,omitempty"`      // the tree that it found
	Count      int      `json:"count,omitempty"`      // differences from the checked tree
	Bad        []Judged `json:"bad,omitempty"`        // changes that are not allowed, bounded
	More       int      `json:"more,omitempty"`       // number of further changes that are not allowed
	Named      Paths    `json:"named,omitempty"`      // the paths that its failures name
	Causes     []int    `json:"causes,omitempty"`     // the failures that the revert is for
	Revert     Paths    `json:"revert,omitempty"`     // the paths that are being reverted; nil is all
	Undetected bool     `json:"undetected,omitempty"` // the changes are unknown
	// BeforeRetry reports that the inspection reverts before another call. RetryPending is the wait
	// before that call.
	BeforeRetry  bool    `json:"beforeRetry,omitempty"`
	RetryPending Pending `json:"retryPending,omitzero"`
}

// DeliveryState is the state of an iteration's delivery.
type DeliveryState struct {
	Check       Phase   `json:"check,omitempty"` // of StepValidate
	Passed      []Phase `json:"passed,omitempty"`
	TriedCommit bool    `json:"triedCommit,omitempty"`
	TriedPush   bool    `json:"triedPush,omitempty"`
	TriedPR     bool    `json:"triedPR,omitempty"`
}

// Pending is a wait, and the step after it.
type Pending struct {
	Until time.Time `json:"until"`
	For   string    `json:"for"`
	Next  Step      `json:"next"`
}

// Recovery is a running strategy: the index of the failure, and the failed step.
type Recovery struct {
	Failure int  `json:"failure"`
	Next    Step `json:"next"`
}

// Running is a process that works for the run. If the executor's process dies, the process that
// resumes the run ends it.
type Running struct {
	Process
	Op   string `json:"op"`
	Tier int    `json:"tier,omitempty"`
}

// Judged is a change that is not allowed.
type Judged struct {
	Change  Change  `json:"change"`
	Verdict Verdict `json:"verdict"`
}

// Wait is a wait between iterations or calls.
type Wait struct {
	Iteration int `json:"iteration"`
	// For is the reason: the code of a failure, "retry" for a failure without one, "lane",
	// "breaker", or "prevent" with the likely code.
	For  string            `json:"for"`
	Took taxonomy.Duration `json:"took"`
}

// Feedback is the text about an error in the next prompt.
type Feedback struct {
	Iteration int    `json:"iteration"`
	Code      string `json:"code,omitempty"`
	Text      string `json:"text"`
}

// CommitDone is a commit that was made.
type CommitDone struct {
	ID    string `json:"id"`
	Paths Paths  `json:"paths"` // bounded
}

// ErrorRecord is an error as a run records it.
type ErrorRecord struct {
	Iteration int    `json:"iteration"`
	Op        string `json:"op"`
	Source    string `json:"source"`
	Code      string `json:"code,omitempty"`
	Category  string `json:"category,omitempty"`
	Message   string `json:"message"`
	// Why is the reason for the classification.
	Why         string          `json:"why,omitempty"`
	Fingerprint string          `json:"fingerprint,omitempty"`
	Files       Paths           `json:"files,omitempty"`
	Details     json.RawMessage `json:"details,omitempty"`
	Reaction    string          `json:"reaction,omitempty"`
	Action      string          `json:"action,omitempty"`
	// Counted reports that the error raised the failure counter, Retried that a retry replaced it.
	Counted bool `json:"counted,omitempty"`
	Retried bool `json:"retried,omitempty"`
	// Tier is the tier that was called, Purpose the purpose of the reaction.
	Tier    int    `json:"tier,omitempty"`
	Purpose string `json:"purpose,omitempty"`
	// Report is the text of the evidence, masked and bounded. Only the newest errors have one.
	Report string `json:"report,omitempty"`
	// Wire is the error as its package marshals it. Only the last error has it.
	Wire json.RawMessage `json:"wire,omitempty"`
	// Err is the error itself; nil if it occurred in another process.
	Err error `json:"-"`
}

// random returns the next number of the state's seed (splitmix64), so that a resumed or replayed
// run gets the same numbers.
func (s *State) random() float64 {
	s.Seed += 0x9E3779B97F4A7C15
	z := s.Seed
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return float64((z^z>>31)>>11) / (1 << 53)
}

// mark returns a word for the current call that cannot be predicted.
func (s *State) mark() string {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", s.Word, s.Iter.Number, s.Iter.Calls))
	return hex.EncodeToString(digest[:6])
}

const maxListed = 100

// push appends to a bounded list. If the list is full, the oldest entry of its second half is
// removed, so that the first and the last entries stay.
func push[T any](list []T, v T) []T {
	if len(list) < maxListed {
		return append(list, v)
	}
	return append(append(list[:maxListed/2:maxListed/2], list[maxListed/2+1:]...), v)
}

// AddWarning adds a warning to the state.
func (s *State) AddWarning(warning string) { s.Warnings = push(s.Warnings, warning) }

// Usage is the cost of calls. An unknown value is absent, which differs from zero.
type Usage struct {
	InputTokens  taxonomy.Opt[int64]   `json:"inputTokens,omitzero"`
	OutputTokens taxonomy.Opt[int64]   `json:"outputTokens,omitzero"`
	CostUSD      taxonomy.Opt[float64] `json:"costUSD,omitzero"`
}

// Spending is the cost of several calls: the sum of the known values, and the number of calls with
// unknown values. The zero Spending is that of no calls.
type Spending struct {
	// Calls counts the calls that were begun.
	Calls int `json:"calls"`
	// Usage is the sum of the known values.
	Usage Usage `json:"usage,omitzero"`
	// UnknownTokens counts the calls without input or output tokens, UnknownCost the calls without
	// a cost. Both include running and interrupted calls.
	UnknownTokens int `json:"unknownTokens,omitempty"`
	UnknownCost   int `json:"unknownCost,omitempty"`
}

// begin adds a call with unknown values.
func (s *Spending) begin() {
	s.Calls++
	s.UnknownTokens++
	s.UnknownCost++
}

// end adds the usage of a call that was begun.
func (s *Spending) end(u Usage) {
	if !u.InputTokens.IsZero() && !u.OutputTokens.IsZero() {
		s.UnknownTokens--
	}
	if !u.CostUSD.IsZero() {
		s.UnknownCost--
	}
	s.Usage.InputTokens = sum(s.Usage.InputTokens, u.InputTokens)
	s.Usage.OutputTokens = sum(s.Usage.OutputTokens, u.OutputTokens)
	s.Usage.CostUSD = sum(s.Usage.CostUSD, u.CostUSD)
}

// sum adds values that may be unknown.
func sum[T int64 | float64](a, b taxonomy.Opt[T]) taxonomy.Opt[T] {
	if a.IsZero() || b.IsZero() {
		return cmp.Or(a, b)
	}
	return taxonomy.Some(a.Or(0) + b.Or(0))
}
