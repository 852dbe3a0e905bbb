package loop

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/chain"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxInPlace limits the attempts without a new iteration, under a policy that limits only time.
const maxInPlace = 100

// Tier is a rung of the ladder. A tier with neither a provider nor a person is skipped.
type Tier struct {
	Name     string `json:"name,omitempty"`
	Provider string `json:"provider,omitempty"` // its name, which may be empty
	Callable bool   `json:"callable,omitempty"` // whether it has a provider
	Person   bool   `json:"person,omitempty"`
	// Idempotent reports whether a repeated call of the provider has the effect of one.
	Idempotent taxonomy.Tristate `json:"idempotent,omitempty"`
}

// firstTier returns the lowest tier with a provider, or -1.
func firstTier(ladder []Tier) int {
	return slices.IndexFunc(ladder, func(t Tier) bool { return t.Callable && !t.Person })
}

// nextTier returns the tier that an escalation leads to: the named one, or the next one if the run
// has reached it already. If no tier is left, it returns -1.
func nextTier(ladder []Tier, from int, to string) int {
	next := from + 1
	for i := next; i < len(ladder) && to != ""; i++ {
		if ladder[i].Name == to {
			next = i
			break
		}
	}
	for i := next; i < len(ladder); i++ {
		if ladder[i].Person || ladder[i].Callable {
			return i
		}
	}
	return -1
}

// Decision is the loop's choice among the reactions to a failure.
type Decision struct {
	// Action is the action of Reaction, unless the operation's class replaces it.
	Action taxonomy.Action `json:"action"`
	// Reaction is the chosen reaction of the chain, Depth its index.
	Reaction *taxonomy.Reaction `json:"reaction"`
	Depth    int                `json:"depth,omitempty"`
	Wait     time.Duration      `json:"wait,omitempty"`
	// Exhausted reports that reactions before this one were exhausted.
	Exhausted bool      `json:"exhausted,omitempty"`
	Counts    bool      `json:"counts,omitempty"`
	End       EndReason `json:"end,omitempty"`  // if the action ends the run
	Tier      int       `json:"tier,omitempty"` // to escalate to
	// Attempt counts the failures in a row under the reaction's policy. MaxAttempts is the limit of
	// calls, or of a strategy's runs. It is 0 if there is no limit or nothing is repeated.
	Attempt     int `json:"attempt,omitempty"`
	MaxAttempts int `json:"maxAttempts,omitempty"`
}

// ends reports whether the action ends the run.
func (d *Decision) ends() bool { return d.Action == taxonomy.Abort || d.Action == taxonomy.Block }

var (
	policyInPlace   = taxonomy.DefaultPolicy("default")
	policyUnlimited = taxonomy.Policy{Name: "none", MaxAttempts: math.MaxInt, MaxRetryAfter: 30 * time.Second}

	chainContinue = []taxonomy.Reaction{{Name: "continue", Action: taxonomy.Continue, LogLevel: taxonomy.LogWarn}}
	chainOnce     = []taxonomy.Reaction{{
		Name: "retry_operation", Action: taxonomy.RetryOperation, LogLevel: taxonomy.LogWarn,
		Policy: &taxonomy.Policy{Name: "once", MaxAttempts: 2, InitialDelay: time.Second, Backoff: taxonomy.Constant},
	}, chainContinue[0]}
)

// situation is everything that a decision depends on.
type situation struct {
	*Failure
	cfg      *Config
	deadline time.Time // of the run
	tier     int
	random   retry.Random

	op       traits
	now      time.Time
	callsEnd time.Time                   // deadline of the iteration's calls; zero for other operations
	hint     taxonomy.Opt[time.Duration] // wait that the service requests
	runs     [taxonomy.MaxChain]int      // of the strategies of the chain
	from     int                         // first index of the chain; above 0 after a strategy that failed
	final    bool                        // no call may follow the failed one, unless the reaction is to continue
}

// retryCounts are the failures in a row, by the index in the chain.
type retryCounts [taxonomy.MaxChain]retry.State

// decide chooses the first reaction of the chain that is not exhausted, and updates the counts. It
// has no other effect than to use the random source, and does not allocate.
func decide(s *situation, counts *retryCounts) (d Decision) {
	if s.from > 0 {
		d.Exhausted, d.End = true, EndRetriesUsedUp
	}
	all := s.effectiveChain()
	d.Depth, d.Reaction = chain.Choose(s.from, func(i int) *taxonomy.Reaction {
		if i >= len(all) {
			return nil
		}
		return &all[i]
	}, func(i int, r *taxonomy.Reaction) bool {
		d.Depth, d.Reaction, d.Action, d.Wait, d.MaxAttempts = i, r, r.Action, 0, 0
		d.Counts = d.Counts || r.CountFailure
		end := s.exhausted(&d, counts)
		if end != "" {
			d.Exhausted, d.End, d.Action = true, end, taxonomy.Abort
		}
		return end != ""
	})
	s.applyClass(&d)
	return d
}

// effectiveChain returns the chain. The chain of an uncategorized failure depends on the class.
func (s *situation) effectiveChain() []taxonomy.Reaction {
	switch {
	case s.op.class == classSide:
		return chainContinue
	case s.Categorized:
	case s.op.class == classSetup, s.op.class == classGuard:
		return nil // aborts
	case s.op.class == classDeliver:
		return chainOnce
	}
	return s.Chain
}

// applyClass replaces actions that the operation's class does not permit.
func (s *situation) applyClass(d *Decision) {
	switch a := d.Action; {
	case a == taxonomy.Continue && s.op.required,
		a == taxonomy.Escalate && s.op.class == classSetup && s.op.required:
		d.Action, d.End = taxonomy.Block, EndBlocked
	case a == taxonomy.RetryOperation && s.op.notRepeatable:
		d.Action = taxonomy.Retry
	case a > taxonomy.Recover:
		d.Action = taxonomy.Abort
	}
	switch {
	case d.Action == taxonomy.Abort:
		d.End = EndFatal
	case d.Action != taxonomy.Block:
		d.End = ""
	case d.End == "":
		d.End = EndBlocked
	}
}

// exhausted counts the failure against the limits of the reaction, and completes the decision. If
// the reaction is exhausted, exhausted returns why; otherwise it returns "".
func (s *situation) exhausted(d *Decision, counts *retryCounts) EndReason {
	switch r := d.Reaction; r.Action {
	case taxonomy.Recover:
		if s.final {
			return EndBlocked
		}
		if !s.cfg.Recoverer || reached(s.runs[d.Depth], s.cfg.MaxRuns) {
			return EndRetriesUsedUp
		}
		end := s.count(d, counts)
		// A policy counts calls. A strategy runs between two calls, so one time less.
		d.MaxAttempts = max(0, d.MaxAttempts-1)
		if limit := s.cfg.MaxRuns; limit > 0 && (d.MaxAttempts == 0 || limit < d.MaxAttempts) {
			d.MaxAttempts = limit
		}
		return end
	case taxonomy.Retry, taxonomy.RetryOperation:
		if s.final {
			return EndBlocked
		}
		return s.count(d, counts)
	case taxonomy.Escalate:
		next := nextTier(s.cfg.Ladder, s.tier, r.Agent.To)
		if next < 0 {
			return EndLadderUsedUp
		}
		if s.cfg.Ladder[next].Person {
			d.Action, d.End = taxonomy.Block, EndBlocked
		} else if s.final {
			return EndBlocked
		}
		d.Tier = next
	}
	return ""
}

// count counts the failure against the policy of the reaction. If the policy is exhausted, count
// returns why; otherwise it sets the wait and returns "".
func (s *situation) count(d *Decision, counts *retryCounts) EndReason {
	inPlace := d.Reaction.Action == taxonomy.RetryOperation || inPlace(d.Reaction)
	sameIteration := inPlace || s.op.class == classSetup
	p := d.Reaction.Policy
	switch {
	case p != nil:
	case sameIteration:
		p = &policyInPlace
	default:
		p = &policyUnlimited
	}
	hint := s.hint
	if !d.Reaction.HonorRetryAfter {
		hint = taxonomy.Opt[time.Duration]{}
	}
	next := counts[d.Depth].Next(p, hint, s.random)
	counts[d.Depth] = next.State
	d.Attempt = next.State.Calls
	if d.Reaction.Policy != nil && p.MaxAttempts < math.MaxInt {
		d.MaxAttempts = p.MaxAttempts
	}
	passes := func(at time.Time) bool { return next.Wait > 0 && !at.IsZero() && s.now.Add(next.Wait).After(at) }
	switch {
	case next.Stop != retry.StoppedNot, p.MaxAttempts <= 0 && sameIteration && next.State.Calls >= maxInPlace:
		return EndRetriesUsedUp
	case passes(s.deadline):
		return EndDeadline
	case inPlace && passes(s.callsEnd):
		return EndRetriesUsedUp
	}
	d.Wait = next.Wait
	return ""
}

// streak is the key under which failures in a row are counted: operation, code and depth.
func (f *Failure) streak(depth int) string {
	code := ""
	if f.Categorized {
		code = f.Code
	}
	if depth > 0 {
		return f.Op + " " + code + " " + strconv.Itoa(depth)
	}
	return f.Op + " " + code
}

// final reports whether the failed call must be the last: it did its work, or may have and is not
// idempotent. The effect of a call during which a process died is unspecified. A reaction to continue
// takes precedence, because the taxonomy declares with it that the run needs no answer of the call.
func (l *Loop) final(s *State, f *Failure) bool {
	return (f.Op == OpCall || f.Op == OpResume) && (f.Effect == taxonomy.EffectDone ||
		l.currentTier(s).Idempotent == taxonomy.No && f.Effect != taxonomy.EffectNone)
}

// decide chooses the reaction to a failure, from the index in its chain. It updates the streaks.
func (l *Loop) decide(s *State, it *Iteration, f *Failure, from int) Decision {
	now := l.now(s)
	sit := situation{
		Failure: f, cfg: &l.cfg, deadline: s.Deadline, tier: s.Tier, random: s.random, op: traitsOf(f.Op), now: now,
		hint: retry.HintOf(taxonomy.Hints{RetryAfter: f.RetryAfter, ResetAt: f.ResetAt}, now),
		from: from, final: l.final(s, f),
	}
	if f.Op == OpResume && !f.NotRepeatable {
		sit.op = traits{class: classSetup, required: true}
	}
	sit.op.notRepeatable = f.NotRepeatable
	strict := f.Op == OpCall || f.Op == OpCommit || strings.HasPrefix(f.Op, OpValidate)
	sit.op.required = sit.op.required || l.cfg.Strict && strict
	if f.Op == OpCall || f.Op == OpBudget {
		sit.callsEnd = it.Ends
	}
	var counts retryCounts
	places := min(len(f.Chain)+1, taxonomy.MaxChain)
	for i := range places {
		counts[i] = s.Streaks[f.streak(i)]
		sit.runs[i] = s.Recoveries[f.streak(i)]
	}
	d := decide(&sit, &counts)
	for i, state := range counts[:places] {
		if state == (retry.State{}) {
			continue
		}
		if s.Streaks == nil {
			s.Streaks = map[string]retry.State{}
		}
		s.Streaks[f.streak(i)] = state
	}
	return d
}

// decideNext chooses the next reaction of the chain, because the strategy failed or the shared
// budget is exhausted.
func (l *Loop) decideNext(s *State, it *Iteration, f *Failure) {
	counts := f.Decision.Counts
	f.Decision = l.decide(s, it, f, f.Decision.Depth+1)
	f.Decision.Counts = f.Decision.Counts || counts
}
