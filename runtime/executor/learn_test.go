package executor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// pupil is a learner that notes what it is told.
type pupil struct{ told []retry.Outcome }

func (p *pupil) Learn(o retry.Outcome) { p.told = append(p.told, o) }

type panickingPupil struct{}

func (panickingPupil) Learn(retry.Outcome) { panic("no") }

// policies are reactions whose policies have names.
func policies() map[string]taxonomy.Reaction {
	all := reactions()
	all["later"] = taxonomy.Reaction{Action: taxonomy.Retry,
		Policy: &taxonomy.Policy{Name: "slow", MaxAttempts: 4, InitialDelay: 5 * time.Second,
			Backoff: taxonomy.Constant}}
	all["place"] = taxonomy.Reaction{Action: taxonomy.RetryOperation,
		Policy: &taxonomy.Policy{Name: "quick", MaxAttempts: 2, InitialDelay: time.Second, Backoff: taxonomy.Constant},
		Then:   &reactContinue}
	return all
}

func TestLearnersAreToldOfEachCall(t *testing.T) {
	w := newWorld(policies(), breaks("later"), breaks("place"), breaks("again"), step{answer: Answer{Failure: "what?"}},
		works(), done())
	p := &pupil{}
	w.cfg.Learners = []retry.Learner{nil, panickingPupil{}, p}
	began := w.clock.Now()
	require.Equal(t, EndCompleted, w.run(t).EndReason)
	of := func(o retry.Outcome) retry.Outcome {
		o.Provider, o.Lane, o.At = "fake", "fake/", began.Add(o.Wait)
		return o
	}
	want := []retry.Outcome{
		{Code: "later", Attempt: 1},
		{Code: "place", After: "later", Policy: "slow", Attempt: 2, Wait: 5 * time.Second},
		{Code: "again", After: "place", Policy: "quick", Attempt: 2, Wait: time.Second},
		{Code: Uncategorized, After: "again", Attempt: 2},
		{After: Uncategorized, Attempt: 2},
		{Attempt: 1},
	}
	for i := range want {
		want[i] = of(want[i])
		began = want[i].At
	}
	assert.Equal(t, want, p.told)
}

// A check that fails says nothing of the call that comes after it.
func TestLearnersAndFailuresOfOtherWork(t *testing.T) {
	w := newWorld(policies(), done("a"))
	p := &pupil{}
	w.cfg.Learners = []retry.Learner{p}
	w.cfg.Validator = &fakeValidator{errs: map[Phase][]error{PreCommit: {fails("later"), nil}}}
	require.Equal(t, EndCompleted, w.run(t).EndReason)
	require.Len(t, p.told, 2)
	assert.Equal(t, 1, p.told[1].Attempt)
	assert.Empty(t, p.told[1].After)
}

func TestWhoAdaptsLearnsOnce(t *testing.T) {
	a, b := retry.NewAdaptive(), retry.NewAdaptive()
	assert.Equal(t, []retry.Learner{a}, learners(nil, a))
	assert.Equal(t, []retry.Learner{a, b}, learners([]retry.Learner{nil, a, b}, a))
	assert.Empty(t, learners(nil, nil))
}

// moving is a policy that adapts, by an Adaptive that has learned that first retries help.
func moving() (*taxonomy.Policy, *retry.Adaptive) {
	p := &taxonomy.Policy{
		Name: "moving", MaxAttempts: 4, InitialDelay: time.Second, MaxDelay: time.Minute, Backoff: taxonomy.Constant,
		Adapt: &taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6, MinDelay: 500 * time.Millisecond,
			MaxDelay: 30 * time.Second, Target: 0.8, Window: 50},
	}
	a := retry.NewAdaptive()
	for range 20 {
		a.Learn(retry.Outcome{After: "moved", Policy: "moving", Attempt: 2, Wait: a.Policy(p, "moved").InitialDelay})
	}
	return p, a
}

// D178: the policy of a decision is what has been learned of it.
func TestDecisionsAreByTheAdaptedPolicy(t *testing.T) {
	p, a := moving()
	now := a.Policy(p, "moved")
	require.NotEqual(t, p.InitialDelay, now.InitialDelay, "it has learned something")
	w := newWorld(map[string]taxonomy.Reaction{"moved": {Action: taxonomy.Retry, Policy: p}}, breaks("moved"), done())
	w.cfg.Adaptive = a
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []Wait{{Iteration: 1, For: "moved", Took: Duration(now.InitialDelay)}}, r.Waits)
	assert.Equal(t, now.MaxAttempts, w.events.first(ReactionTaken).MaxAttempts)
	assert.Nil(t, r.Errors[0].Decided, "the result has no use for it")

	w.cfg.Adaptive = nil
	w.provider.calls = nil
	assert.Equal(t, []Wait{{Iteration: 1, For: "moved", Took: Duration(time.Second)}}, w.run(t).Waits)
}

func TestDecideWithAdaptedNumbers(t *testing.T) {
	s := decided()
	s.adapted = &adapted{1: {set: true, attempts: 2, delay: time.Minute}}
	var d decision
	assert.Zero(t, testing.AllocsPerRun(100, func() { d.trail = trail{}; decide(s, &d) }))
	assert.Equal(t, time.Minute, d.wait)
	assert.Equal(t, 2, d.most)
	decide(s, &d)
	assert.Equal(t, taxonomy.Block, d.action, "two calls in all")
}

// A run that goes on decides as it had decided, whatever was learned since.
func TestReplayDecidesAlike(t *testing.T) {
	p, a := moving()
	decided := a.Policy(p, "moved")
	m := mortalOf(DeliverCommits, map[string]taxonomy.Reaction{"moved": {Action: taxonomy.Retry, Policy: p}},
		breaks("moved"), done("a"))
	m.cfg.Adaptive = a
	m.diesAt(t, PointClosed, 1)
	for range 20 { // now only second retries do
		wait := a.Policy(p, "moved").InitialDelay
		a.Learn(retry.Outcome{Code: "moved", After: "moved", Policy: "moving", Attempt: 2, Wait: wait})
		a.Learn(retry.Outcome{After: "moved", Policy: "moving", Attempt: 3, Wait: wait})
	}
	require.NotEqual(t, decided.InitialDelay, a.Policy(p, "moved").InitialDelay)
	r := m.live(t, 0)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []Wait{{Iteration: 1, For: "moved", Took: Duration(decided.InitialDelay)}}, r.Waits)
}

// What the gate has refused stays refused, and nobody is asked again; nor are learners told twice.
func TestReplayAsksNobody(t *testing.T) {
	m := mortalOf(DeliverCommits, budgeted(), breaks("place"), breaks("place"), done("a"))
	g, p := &fakeGate{budget: 1}, &pupil{}
	m.cfg.Gate, m.cfg.Learners = g, []retry.Learner{p}
	m.diesAt(t, PointClosed, 1)
	before := len(g.log)
	require.Equal(t, "retry fake/ budgeted", g.log[before-1])
	g.budget = -1
	r := m.live(t, 0)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Iterations, "the second try in place was refused")
	assert.Equal(t, 3, r.Calls)
	assert.Equal(t, []string{"acquire fake/", "release"}, g.log[before:])
	assert.Len(t, p.told, 3)
	assert.Equal(t, "place", p.told[2].After)
	assert.Zero(t, g.in)
}

// A wait between iterations that is cut off by a death is still one for a retry.
func TestAResumedRunKnowsWhatItRetries(t *testing.T) {
	m := mortalOf(DeliverCommits, policies(), breaks("later"), done("a"))
	p := &pupil{}
	m.cfg.Learners = []retry.Learner{p}
	m.diesAt(t, PointStarted, 2)
	require.Equal(t, EndCompleted, m.live(t, 0).EndReason)
	require.Len(t, p.told, 2)
	assert.Equal(t, "later", p.told[1].After)
	assert.Equal(t, "slow", p.told[1].Policy)
	assert.Equal(t, 2, p.told[1].Attempt)
}

// Taxonomies that differ in what adapts or is budgeted are told apart, and equal ones are equal
// wherever they lie.
func TestFingerprintOfPolicies(t *testing.T) {
	text := func(target float64, failures int) string {
		return policyText(&taxonomy.Policy{
			Adapt:  &taxonomy.Adapt{Target: target},
			Budget: &taxonomy.Budget{Breaker: &taxonomy.Breaker{Failures: failures}},
		})
	}
	assert.Equal(t, text(0.8, 5), text(0.8, 5))
	assert.NotEqual(t, text(0.8, 5), text(0.9, 5))
	assert.NotEqual(t, text(0.8, 5), text(0.8, 6))
	assert.Equal(t, policyText(three), policyText(three))
}
