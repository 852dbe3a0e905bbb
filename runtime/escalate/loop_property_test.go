package escalate_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// cases is how many worlds the property test makes, rounds how often each is gone on with.
const cases, rounds = 500, 5

// B-O01: whatever taxonomies say, agents do and checks find, no step that failed ends as done, and
// a run is completed only when every step counts.
func TestNoPathEndsInSuccessForAFailedStep(t *testing.T) {
	t.Parallel()
	ends := map[escalate.EndReason]int{}
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(cases) {
			c := newCase(t, seed)
			for range rounds {
				res := c.goOn()
				if res == nil {
					continue // the process died
				}
				ends[res.EndReason]++
				if c.judge(res); t.Failed() {
					t.Fatalf("seed %d\n%s", seed, strings.Join(c.story, "\n"))
				}
				c.last, c.answered = res, false
			}
		}
	})
	for _, e := range []escalate.EndReason{
		escalate.EndCompleted, escalate.EndPlan, escalate.EndQuestion, escalate.EndLadder, escalate.EndBlocked,
		escalate.EndGuard, escalate.EndFailed,
		escalate.EndRevert, escalate.EndRefused, escalate.EndCancelled,
	} {
		assert.Positive(t, ends[e], "no world ended with %s: %v", e, ends)
	}
}

// worldCase is one generated world.
type worldCase struct {
	*world
	rand  *rand.Rand
	plan  plan.Plan
	last  *escalate.Result
	story []string
	// hers are files of a person.
	hers map[string]string
	// answered reports that a person has answered since the last result.
	answered bool
	// cancel cancels the round that is under way.
	cancel func()
}

var codesOfCases = []string{"missing", "broken", "check gate", "mismatch", "drift", "unclean", "unclassified",
	"timeout", "flaky", "rate", "down", "scope", "commit"}

func newCase(t *testing.T, seed uint64) *worldCase {
	c := &worldCase{rand: rand.New(rand.NewPCG(seed, 1)), hers: map[string]string{}}
	rows := map[string]row{}
	tiers := c.tiers()
	for _, code := range codesOfCases {
		rows[code] = row{reaction: *c.reaction(tiers, 0), kind: taxonomy.Kind(c.rand.IntN(3)), label: c.often(2),
			retryable: c.often(2)}
	}
	c.world = bareWorldIn(t, tablesOf(rows, tiers...), "")
	c.tree = newMemoryTree()
	c.tree.committing = c.disturbCommit
	c.cfg.Calls.Workspace, c.cfg.Calls.Clock = c.tree, retry.System
	c.cfg.Calls.Guard = forbidding("secret.txt")
	c.cfg.Guards = escalate.Guards{Turns: 1 + c.rand.IntN(12), Time: time.Minute, TierFailures: 1 + c.rand.IntN(3),
		Repeats: 1 + c.rand.IntN(3)}
	c.cfg.Commit = c.often(2)
	c.cfg.Calls.Table.Overlay = c.profile()
	if c.often(2) {
		c.cfg.Calls.Recoverer = recoverer(func() error {
			if c.often(2) {
				return errTree
			}
			return nil
		})
	}
	c.cfg.Reviewer = reviewer(c.review)
	c.criteria, c.prerequisites = c.disturb, c.disturb
	c.gate = c.checkGate
	for _, s := range c.world.tiers {
		s.script, s.repeat = []turn{c.act}, true
	}
	c.withoutSome(tiers)
	c.plan = steps([]string{"1", "2", "3"}[:1+c.rand.IntN(3)]...)
	if c.often(4) {
		c.plan.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "there.txt"}}
	}
	return c
}

// often is true once in n times.
func (c *worldCase) often(n int) bool { return c.rand.IntN(n) == 0 }

func (c *worldCase) tell(format string, args ...any) {
	c.story = append(c.story, fmt.Sprintf(format, args...))
}

func (c *worldCase) tiers() []taxonomy.Tier {
	var all []taxonomy.Tier
	for i := range 1 + c.rand.IntN(4) {
		all = append(
			all, taxonomy.Tier{Name: fmt.Sprintf("tier%d", i), Classifies: c.often(2),
				Purpose: taxonomy.Purpose(c.rand.IntN(4))})
	}
	if c.often(2) {
		all = append(all, taxonomy.Tier{Name: "human", Person: true})
	}
	return all
}

// withoutSome takes providers away, but for one.
func (c *worldCase) withoutSome(tiers []taxonomy.Tier) {
	for _, tier := range tiers {
		if len(c.cfg.Calls.Tiers) > 1 && c.often(5) {
			delete(c.cfg.Calls.Tiers, tier.Name)
		}
	}
}

func (c *worldCase) profile() *taxonomy.Profile {
	if !c.often(4) {
		return nil
	}
	return &taxonomy.Profile{
		Name:     "p",
		Recovery: taxonomy.Recovery{Enabled: c.often(2), MaxAttempts: c.rand.IntN(3)},
		Retry:    taxonomy.RetryDefaults{Enabled: c.often(2)},
	}
}

func (c *worldCase) reaction(tiers []taxonomy.Tier, depth int) *taxonomy.Reaction {
	r := &taxonomy.Reaction{
		Name: fmt.Sprintf("r%d", c.rand.IntN(1000)), Action: taxonomy.Action(c.rand.IntN(7)),
		To: tiers[c.rand.IntN(len(tiers))].Name, Strategy: "sweep",
	}
	if c.often(2) {
		r.Action = taxonomy.Escalate // otherwise most stop soon
	}
	if c.often(2) {
		r.Purpose = taxonomy.Purpose(c.rand.IntN(4))
	}
	if c.often(2) {
		r.Policy = &taxonomy.Policy{Name: "p", MaxAttempts: c.rand.IntN(4),
			InitialDelay: time.Duration(c.rand.IntN(90)) * time.Second}
	}
	if depth < 3 && c.often(2) {
		r.Then = c.reaction(tiers, depth+1)
	}
	return r
}

// act is what a tier does in a call: anything.
func (c *worldCase) act(ctx context.Context, s *scripted, prompt string) (string, error) {
	c.disturb()
	n := c.rand.IntN(14)
	c.tell("%s does %d", s.name, n)
	wrong := codesOfCases[c.rand.IntN(len(codesOfCases))]
	switch n {
	case 0:
		return saysFailed(wrong+": so it is", "half.md", "half")(ctx, s, prompt)
	case 1:
		return labels(wrong, "so it is")(ctx, s, prompt)
	case 2:
		return fails("down")(ctx, s, prompt)
	case 3:
		return fails("rate")(ctx, s, prompt)
	case 4:
		return hangs(ctx, s, prompt)
	case 5:
		return does("secret.txt", "x", "report.md", "found")(ctx, s, prompt)
	case 6:
		return does(asked(prompt), "nothing")(ctx, s, prompt)
	case 7:
		return does("bad.go", "bad", "report.md", "found", "report-2.md", "found", "report-3.md", "found")(
			ctx, s, prompt)
	case 8:
		return says("STEP DONE, or so I think")(ctx, s, prompt)
	case 9:
		return complexly("who knows", "a decision")(ctx, s, prompt)
	}
	if diagnosing(prompt) {
		return simply("so it is", "Do it well.", "look.txt", "x")(ctx, s, prompt)
	}
	return does("report.md", "found", "report-2.md", "found", "report-3.md", "found")(ctx, s, prompt)
}

// asked returns the file that the step of a prompt has to make.
func asked(prompt string) string {
	for _, path := range []string{"report-2.md", "report-3.md"} {
		if strings.Contains(prompt, "`"+path+"` matches") {
			return path
		}
	}
	return "report.md"
}

// disturb sometimes has the world end, or break.
func (c *worldCase) disturb() {
	switch c.rand.IntN(300) {
	case 0:
		c.tell("cancelled")
		c.cancel()
	case 1:
		c.tell("died")
		runtime.Goexit()
	case 2, 3, 4, 5:
		op := []string{"save", "revert", "commit", "advance"}[c.rand.IntN(4)]
		c.tell("%s fails", op)
		c.tree.fails[op]++
	}
}

func (c *worldCase) checkGate() {
	c.disturb()
	c.gateFails = nil
	if c.exists("bad.go") {
		c.gateFails = []*taxonomy.Evidence{{Source: "check", Op: "gate", ExitCode: taxonomy.Some(1),
			Text: "tests fail"}}
	}
	if c.often(20) {
		c.tell("the gate leaves a file behind")
		c.write("coverage.out", "x")
	}
}

func (c *worldCase) review(escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
	c.disturb()
	switch c.rand.IntN(20) {
	case 0:
		c.tell("the review finds something")
		return []*taxonomy.Evidence{{Source: "review", Op: "review", Type: "drift"}}, nil
	case 1:
		c.tell("there is no review")
		return nil, errTree
	}
	return nil, nil
}

// goOn runs, or answers. It returns nil when the process died.
func (c *worldCase) goOn() *escalate.Result {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.cancel = cancel
	c.tree.fails, c.tree.failed = map[string]int{}, map[string]bool{}
	if c.often(20) {
		c.tell("it cannot be found out whether there is a commit")
		c.tree.fails["committed"]++
	}
	deadly := -1
	if c.often(6) {
		deadly = c.journal.saves + 1 + c.rand.IntN(20)
	}
	c.journal.onSave = func(n int) {
		if n == deadly {
			c.tell("died after save %d", n)
			runtime.Goexit()
		}
	}
	r, err := escalate.New(c.cfg)
	require.NoError(c.t, err)
	done := make(chan *escalate.Result, 1)
	go func() {
		defer close(done)
		if c.last != nil && !c.often(3) {
			done <- r.Answer(ctx, "run", c.plan, c.answers())
			return
		}
		c.tell("run")
		done <- r.Run(ctx, "run", c.plan)
	}()
	return <-done
}

// answers makes an answer, and does by hand what it says.
func (c *worldCase) answers() escalate.Answer {
	a := escalate.Answer{Action: []escalate.AnswerAction{escalate.TryAgain, escalate.TryAgain, escalate.DoneByHand,
		escalate.GiveUp}[c.rand.IntN(4)], Text: "go on"}
	c.tell("answer %q", a.Action)
	c.answered = true
	if c.last.Status != executor.StatusBlocked || c.last.EndReason == escalate.EndRevert {
		return a
	}
	if c.often(2) {
		path := []string{"there.txt", "report.md", "report-2.md", "report-3.md"}[c.rand.IntN(4)]
		c.write(path, "found by hand")
		c.hers[path] = "found by hand"
	}
	return a
}

// judge finds out whether a result is true.
func (c *worldCase) judge(res *escalate.Result) {
	t := c.t
	c.tell("ended with %s %v: %s", res.EndReason, res.Error, states(res))
	assert.Equal(t, res.EndReason.Status(), res.Status)
	assert.Equal(t, res.Status == executor.StatusBlocked, res.Question != nil)
	if res.EndReason == escalate.EndRefused {
		return
	}
	if res.EndReason == escalate.EndCompleted {
		assert.False(t, slices.ContainsFunc(res.Steps, notDone))
	}
	dirty := res.EndReason == escalate.EndRevert || c.tree.fails["revert"] > 0 || c.unsure()
	for i, s := range res.Steps {
		assert.NotEqual(t, escalate.StepRunning, s.State)
		c.judgeStep(&c.plan.Steps[i], &res.Steps[i], dirty)
		if c.last != nil && c.last.EndReason != escalate.EndRefused {
			switch was := c.last.Steps[i].State; {
			case was == escalate.StepDone, was == escalate.StepFailed && !c.answered &&
				c.last.EndReason != escalate.EndRevert:
				assert.Equal(t, was, s.State, "what is over stays so")
			}
		}
	}
	c.judgeCommits(res)
	if !dirty {
		c.judgeTree(res)
	}
}

func notDone(s escalate.StepResult) bool { return s.State != escalate.StepDone }

func states(res *escalate.Result) string {
	var all []string
	for _, s := range res.Steps {
		all = append(all, string(s.State))
	}
	return strings.Join(all, " ")
}

// judgeStep finds out whether a step that is done is.
func (c *worldCase) judgeStep(step *plan.Step, s *escalate.StepResult, dirty bool) {
	counting := 0
	for _, a := range s.Attempts {
		if a.Counts {
			counting++
			assert.Empty(c.t, a.Code)
			assert.Empty(c.t, a.Findings)
			assert.NotEqual(c.t, escalate.Diagnose, a.Role)
		}
	}
	if s.State != escalate.StepDone {
		assert.Zero(c.t, counting)
		assert.Empty(c.t, s.By)
		return
	}
	assert.NotEmpty(c.t, s.By)
	assert.LessOrEqual(c.t, counting, 1)
	if dirty {
		return
	}
	assert.Contains(c.t, c.read(step.Criteria[0].Path), "found", "step %s is done", s.ID)
	assert.False(c.t, c.exists("bad.go"), "the gate fails")
}

// judgeTree finds out whether nothing is in the tree but what counts, and what a person has put
// there.
func (c *worldCase) judgeTree(res *escalate.Result) {
	allowed := []string{"AGENTS.md"}
	allowed = slices.AppendSeq(allowed, maps.Keys(c.hers))
	for _, s := range res.Steps {
		if s.State == escalate.StepDone {
			allowed = append(allowed, s.Files...)
		}
	}
	for path := range c.tree.files {
		assert.Contains(c.t, allowed, path)
	}
}
