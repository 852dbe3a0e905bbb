package loop

import (
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Config configures a [Loop]. Except for Yield it is plain data.
type Config struct {
	Ladder  []Tier   `json:"ladder"`
	Deliver Delivery `json:"deliver,omitempty"`
	// KeepBranch leaves the delivered commits on their branch.
	KeepBranch bool `json:"keepBranch,omitempty"`
	// Checks are the phases in which the validator has something to check. All but pre_push and
	// pre_pr come before a commit, in this order.
	Checks    []Phase `json:"checks,omitempty"`
	Setup     bool    `json:"setup,omitempty"`
	Workspace bool    `json:"workspace,omitempty"`
	Asker     bool    `json:"asker,omitempty"`
	Filer     bool    `json:"filer,omitempty"`
	Notifier  bool    `json:"notifier,omitempty"`
	// Recoverer reports that strategies can run, MaxRuns how often for a failure; 0 is no limit.
	Recoverer bool `json:"recoverer,omitempty"`
	MaxRuns   int  `json:"maxRuns,omitempty"`
	// Strict turns `continue` on a call, a check or a commit into `block`.
	Strict            bool   `json:"strict,omitempty"`
	Continue          bool   `json:"continue,omitempty"`
	ApproveUnattended bool   `json:"approveUnattended,omitempty"`
	DryRun            bool   `json:"dryRun,omitempty"`
	Dir               string `json:"dir,omitempty"`
	// Limits are the limits with their defaults.
	Limits Limits `json:"limits"`
	// Yield, unless nil, is called at the head of each iteration. If it returns true, the loop ends
	// there, and another loop can continue with the state.
	Yield func(s *State) bool `json:"-"`
}

// Begin returns the state of a new run. Word must be random, because the marks of calls derive from
// it; see [Request].Mark. The jitter of waits depends on the name of the run.
func Begin(task Task, cfg Config, word string) *State {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(task.Run))
	return &State{
		Version: Version, Task: task, Dir: cfg.Dir, Tier: firstTier(cfg.Ladder),
		Seed: seed.Sum64(), Word: word,
	}
}

// Reopening describes how a person continues a run that is over and not completed.
type Reopening struct {
	// Answer is the answer to the run's question; the next prompts contain it. It may be empty if
	// the run has no question.
	Answer string
	// ByHand reports that a person did the work. The tree is checked and delivered unchanged before
	// any provider is called.
	ByHand bool
}

// Permits reports whether the run can continue. A question requires an answer, unless a person did
// the work.
func (r Reopening) Permits(s *State) bool { return s.Question == "" || r.Answer != "" || r.ByHand }

// Reopen changes the state of a run that is over, so that [Loop.Run] continues it. Counters,
// streaks and the tier are reset. Pending changes stay pending. A state that is not over only gets
// the answer. If the run has a question that r does not answer, the state stays unchanged.
func Reopen(s *State, cfg Config, r Reopening) {
	if !r.Permits(s) {
		return
	}
	const between = "\nThe answer: "
	answer := taxonomy.Redact(r.Answer)
	given := func(a string) bool { return a == answer || strings.HasSuffix(a, between+answer) }
	switch {
	case answer == "":
	case s.Question != "":
		s.Answers, s.Question = append(s.Answers, "You asked: "+s.Question+between+answer), ""
	case !slices.ContainsFunc(s.Answers, given): // the process that got it may have died
		s.Answers = append(s.Answers, answer)
	}
	if s.Step != StepOver {
		return
	}
	s.Step, s.Tier, s.Reopened, s.ByHand = StepUpdate, firstTier(cfg.Ladder), s.Iter.Number, r.ByHand
	s.End, s.EndsRun, s.Ended, s.Question, s.Session, s.LastError = "", false, time.Time{}, "", "", nil
	s.Failures, s.Counted, s.Streaks, s.Recoveries, s.Available = 0, 0, nil, nil, nil
	s.Retried, s.Crashes = nil, 0
	s.Iter = Iteration{Number: s.Iter.Number}
	if r.ByHand {
		s.Text = ""
	}
}
