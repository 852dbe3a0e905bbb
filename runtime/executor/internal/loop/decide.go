package loop

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	maxChain   = taxonomy.MaxChain
	maxInPlace = 100 // attempts without a new iteration, under a policy that limits only time
)

// class is the kind of an operation. It limits the actions that a reaction can take.
type class uint8

const (
	classWork    class = iota // calls, their budget, and the checks of their work
	classSetup                // before the first iteration; retried in place
	classGuard                // keeps the working tree safe; fails closed
	classDeliver              // commit, delivery, push and pull request
	classSide                 // beside the work; never changes an outcome
)

// traits are the properties of an operation that limit its reactions.
type traits struct {
	class class
	// If required, the run cannot continue without the operation, so the action `continue` blocks.
	required bool
	// If notRepeatable, a retry of the operation repeats the whole iteration.
	notRepeatable bool
}

func traitsOf(op string) traits {
	switch op {
	case OpLoadConfig, OpPrepare, OpLock:
		return traits{class: classSetup, required: true}
	case OpAvailable:
		return traits{class: classSetup}
	case OpDetect, OpSave, OpRevert, OpScope, OpAsk:
		return traits{class: classGuard, required: true}
	case OpDeliver:
		return traits{class: classDeliver, required: true}
	case OpCommit, OpPush, OpPR:
		return traits{class: classDeliver}
	case OpFile, OpNotify:
		return traits{class: classSide}
	}
	return traits{}
}

// Tier is a rung of the ladder. A tier with neither a provider nor a person is skipped.
type Tier struct {
	Name     string `json:"name,omitempty"`
	Provider string `json:"provider,omitempty"` // its name, which may be empty
	Callable bool   `json:"callable,omitempty"` // whether it has a provider
	Person   bool   `json:"person,omitempty"`
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
	Reaction *Reaction     `json:"reaction"`
	Depth    int           `json:"depth,omitempty"`
	Wait     time.Duration `json:"wait,omitempty"`
	// Exhausted reports that reactions before this one were exhausted.
	Exhausted bool      `json:"exhausted,omitempty"`
	Counts    bool      `json:"counts,omitempty"`
	End       EndReason `json:"end,omitempty"`  // if the action ends the run
	Tier      int       `json:"tier,omitempty"` // to escalate to
	// Attempt counts the failures in a row under the reaction's policy.
	Attempt int `json:"attempt,omitempty"`
}

// ends reports whether the action ends the run.
func (d *Decision) ends() bool { return d.Action == taxonomy.Abort || d.Action == taxonomy.Block }

// maxAttempts returns the limit of calls, or of a strategy's runs. It is 0 if there is no limit or
// nothing is repeated.
func (d *Decision) maxAttempts() int {
	limit := 0
	if p := d.Reaction.Policy; p != nil && d.Attempt > 0 && p.MaxAttempts < math.MaxInt {
		limit = p.MaxAttempts
	}
	if d.Reaction.Action != taxonomy.Recover {
		return limit
	}
	// A policy counts calls. A strategy runs between two calls, so one time less.
	limit = max(0, limit-1)
	if runs := d.Reaction.MaxRuns; runs > 0 && (limit == 0 || runs < limit) {
		limit = runs
	}
	return limit
}

var (
	reactionAbort    = Reaction{Reaction: *taxonomy.Predeclared(taxonomy.Abort)}
	reactionBlock    = Reaction{Reaction: *taxonomy.Predeclared(taxonomy.Block)}
	reactionContinue = Reaction{Reaction: taxonomy.Reaction{
		Name: "continue", Action: taxonomy.Continue, LogLevel: taxonomy.LogWarn,
	}}
	policyInPlace   = taxonomy.DefaultPolicy("default")
	policyUnlimited = taxonomy.Policy{Name: "none", MaxAttempts: math.MaxInt, MaxRetryAfter: 30 * time.Second}

	chainAbort    = []Reaction{reactionAbort}
	chainContinue = []Reaction{reactionContinue}
	chainOnce     = []Reaction{{Reaction: taxonomy.Reaction{
		Name: "retry_operation", Action: taxonomy.RetryOperation, LogLevel: taxonomy.LogWarn,
		Policy: &taxonomy.Policy{
			Name: "once", MaxAttempts: 2, InitialDelay: time.Second, Backoff: taxonomy.Constant,
		},
	}}, reactionContinue}
)

// situation is everything that a decision depends on.
type situation struct {
	chain       []Reaction
	categorized bool
	op          traits
	hint        taxonomy.Opt[time.Duration] // wait that the service requests
	now         time.Time
	deadline    time.Time // of the run
	callsEnd    time.Time // deadline of the iteration's calls; zero for other operations
	ladder      []Tier
	tier        int
	random      retry.Random
	runs        [maxChain]int // of the strategies of the chain
	from        int           // first index of the chain; above 0 after a strategy that failed
}

// retryCounts are the failures in a row, by the index in the chain.
type retryCounts [maxChain]retry.State

// decide chooses the first reaction of the chain that is not exhausted, and updates the counts. It
// has no other effect than to use the random source, and does not allocate.
func decide(s *situation, counts *retryCounts) (d Decision) {
	chain := s.effectiveChain()
	if s.from > 0 {
		d.Exhausted, d.End = true, EndRetriesUsedUp
	}
	for d.Depth = s.from; d.Depth < maxChain; d.Depth++ {
		d.Reaction = reactionAt(chain, d.Depth)
		d.Counts = d.Counts || d.Reaction.CountFailure
		d.Action, d.Wait = d.Reaction.Action, 0
		exhausted := s.exhausted(&d, counts)
		if exhausted == "" {
			s.applyClass(&d)
			return d
		}
		d.Exhausted, d.End = true, exhausted
	}
	return Decision{Reaction: &reactionAbort, End: EndFatal, Exhausted: true, Counts: d.Counts}
}

// effectiveChain returns the chain. The chain of an uncategorized failure depends on the class.
func (s *situation) effectiveChain() []Reaction {
	switch {
	case s.op.class == classSide:
		return chainContinue
	case s.categorized:
	case s.op.class == classSetup, s.op.class == classGuard:
		return chainAbort
	case s.op.class == classDeliver:
		return chainOnce
	}
	return s.chain
}

// reactionAt returns the reaction at an index. After the end of the chain it blocks if the last
// reaction was a retry or an escalation. Otherwise it aborts.
func reactionAt(chain []Reaction, depth int) *Reaction {
	if depth < len(chain) {
		return &chain[depth]
	}
	if depth == len(chain) && depth > 0 {
		if a := chain[depth-1].Action; a == taxonomy.Retry || a == taxonomy.Escalate {
			return &reactionBlock
		}
	}
	return &reactionAbort
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
		if r.Unavailable || r.MaxRuns > 0 && s.runs[d.Depth] >= r.MaxRuns {
			return EndRetriesUsedUp
		}
		return s.count(d, counts)
	case taxonomy.Retry, taxonomy.RetryOperation:
		return s.count(d, counts)
	case taxonomy.Escalate:
		next := nextTier(s.ladder, s.tier, r.Agent.To)
		if next < 0 {
			return EndLadderUsedUp
		}
		if s.ladder[next].Person {
			d.Action, d.End = taxonomy.Block, EndBlocked
		}
		d.Tier = next
	}
	return ""
}

// count counts the failure against the policy of the reaction. If the policy is exhausted, count
// returns why; otherwise it sets the wait and returns "".
func (s *situation) count(d *Decision, counts *retryCounts) EndReason {
	inPlace := d.Reaction.Action == taxonomy.RetryOperation || d.Reaction.inPlace()
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

// addFailure adds a failure to the iteration and chooses its reaction. It returns the failure's
// index.
func (l *Loop) addFailure(s *State, it *Iteration, op, source string, f *Failure) int {
	f.Op, f.Source = op, source
	l.emit(s, Event{Kind: ErrorClassified, Op: op, Source: source, Text: f.Why, failure: f})
	f.Decision = l.decide(s, it, f, 0)
	it.Failures = append(it.Failures, *f)
	for i := range f.Others {
		o := &f.Others[i]
		o.Op, o.Source, o.Retried = op, source, true
		l.emit(s, Event{Kind: ErrorClassified, Op: op, Source: source, Text: o.Why, failure: o})
		o.Decision = Decision{Action: f.Decision.Action, Reaction: f.Decision.Reaction}
		l.record(s, o, s.Iter.Number)
	}
	d := &f.Decision
	taken := Event{
		Kind: ReactionTaken, Op: op, Source: source, Reaction: d.Reaction.Reaction, Action: d.Action,
		Exhausted: d.Exhausted, Attempt: d.Attempt, MaxAttempts: d.maxAttempts(), failure: f,
	}
	if d.Wait > 0 {
		taken.Until = s.Now.Add(d.Wait)
	}
	l.emit(s, taken)
	return len(it.Failures) - 1
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

// decide chooses the reaction to a failure, from the index in its chain. It updates the streaks.
func (l *Loop) decide(s *State, it *Iteration, f *Failure, from int) Decision {
	now := l.now(s)
	sit := situation{
		chain: f.Chain, categorized: f.Categorized, op: traitsOf(f.Op), now: now,
		hint:     retry.HintOf(taxonomy.Hints{RetryAfter: f.RetryAfter, ResetAt: f.ResetAt}, now),
		deadline: s.Deadline, ladder: l.cfg.Ladder, tier: s.Tier, random: s.random, from: from,
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
	places := min(len(f.Chain)+1, maxChain)
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
