package executor

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Decided is what a decision was made of that changes while runs go on. A run that goes on decides
// alike with it, and asks nobody.
type Decided struct {
	// Adapted are the policies whose numbers had been moved.
	Adapted []Adapted `json:"adapted,omitempty"`
	// Refused is how many reactions of the chain found the budget of their policy used up.
	Refused int `json:"refused,omitempty"`
}

// Adapted are the numbers of a policy after `adapt`.
type Adapted struct {
	// Depth is the place of the policy's reaction in the chain, from 0.
	Depth    int      `json:"depth"`
	Attempts int      `json:"attempts"`
	Delay    Duration `json:"delay"`
}

// adapted are the numbers of the policies of a chain; one that has none is as the taxonomy says.
type adapted [taxonomy.MaxChain]numbers

type numbers struct {
	set      bool
	attempts int
	delay    time.Duration
}

// of returns the policy with the numbers.
func (n numbers) of(p *taxonomy.Policy) taxonomy.Policy {
	moved := *p
	moved.MaxAttempts, moved.InitialDelay = n.attempts, n.delay
	return moved
}

// decideFor decides what is done about a failure; failed is the reaction whose strategy has failed,
// or nil.
func (r *runner) decideFor(it *iteration, f *failure, failed *taxonomy.Reaction) {
	reaction := r.cfg.Table.Reaction(f.err)
	key, now := f.streak(), r.cfg.Clock.Now()
	s := &situation{
		reaction: &reaction, op: f.op, known: f.known, random: r.random,
		hint: retry.HintOf(f.hints, now), now: now, profile: r.cfg.Table.Overlay,
		deadline: r.deadline, inPlace: it.callsEnd, ladder: r.ladder, tier: r.state.Tier,
		strategies: r.cfg.Recoverer != nil, failed: failed, depth: f.decision.depth,
	}
	before := f.before
	f.before = nil
	made := r.adapt(s, f, before)
	s.runs = r.runsOf(s, key)
	d, counts := &f.decision, false
	for {
		d.trail = r.trail(key)
		decide(s, d)
		counts = counts || d.counts
		if f.op.class == classSide {
			break
		}
		r.keepTrail(key, d.trail)
		if !r.refused(f, before, &made) {
			break
		}
		s.failed, s.depth = d.reaction, d.depth
	}
	d.counts = counts
	r.warnOfStrategies(f)
	f.record.Reaction, f.record.Action = d.reaction.Name, d.action.String()
	if failed == nil {
		f.record.Decided = made.orNil()
	}
}

// refused reports that the gate does not allow the try that was decided on. Before is what an
// earlier process has decided, and asks the gate for it no more.
func (r *runner) refused(f *failure, before, made *Decided) bool {
	d := &f.decision
	if r.cfg.Gate == nil && before == nil || !d.repeats() || d.policy == nil || d.policy.Budget == nil {
		return false
	}
	no := false
	if before != nil {
		no = made.Refused < before.Refused
	} else {
		no = !r.mayRetry(f)
	}
	if no {
		made.Refused++
	}
	return no
}

func (d *Decided) orNil() *Decided {
	if d.Refused == 0 && len(d.Adapted) == 0 {
		return nil
	}
	return d
}

// adapt has the policies of a failure's reactions have the numbers of now, or those of an earlier
// process.
func (r *runner) adapt(s *situation, f *failure, before *Decided) Decided {
	if before != nil {
		s.adapted = before.numbers()
		return Decided{Adapted: before.Adapted}
	}
	var made Decided
	if r.cfg.Adaptive == nil {
		return made
	}
	for depth, next := range s.profile.Chain(s.first()) {
		if p := s.policy(next); p.Adapt != nil && s.retries(next) {
			moved := r.cfg.Adaptive.Policy(p, f.record.learned())
			made.Adapted = append(
				made.Adapted, Adapted{Depth: depth, Attempts: moved.MaxAttempts, Delay: Duration(moved.InitialDelay)})
		}
	}
	s.adapted = made.numbers()
	return made
}

// numbers returns what was adapted by its place, or nil when nothing was.
func (d *Decided) numbers() *adapted {
	if len(d.Adapted) == 0 {
		return nil
	}
	var all adapted
	for _, a := range d.Adapted {
		if a.Depth >= 0 && a.Depth < taxonomy.MaxChain {
			all[a.Depth] = numbers{set: true, attempts: a.Attempts, delay: time.Duration(a.Delay)}
		}
	}
	return &all
}

// repeats reports that the decision is to try again.
func (d *decision) repeats() bool {
	switch d.action {
	case taxonomy.Retry, taxonomy.RetryOperation, taxonomy.Recover:
		return true
	}
	return false
}

// bound returns a number of attempts as events have it: 0 is no bound.
func bound(attempts int) int {
	if attempts <= 0 || attempts == math.MaxInt {
		return 0
	}
	return attempts
}

// runsOf returns how often the strategies of a chain have run for a failure's operation and code.
func (r *runner) runsOf(s *situation, key string) (runs [taxonomy.MaxChain]int) {
	for depth, next := range s.profile.Chain(s.first()) {
		if next.Action == taxonomy.Recover {
			runs[depth] = r.state.Recoveries[key+" "+next.Strategy]
		}
	}
	return runs
}

// noteRun counts a run of a strategy. A good iteration does not forget it: the profile bounds the
// runs of a whole run.
func (r *runner) noteRun(f *failure) {
	if r.state.Recoveries == nil {
		r.state.Recoveries = map[string]int{}
	}
	r.state.Recoveries[f.streak()+" "+f.decision.reaction.Strategy]++
}
