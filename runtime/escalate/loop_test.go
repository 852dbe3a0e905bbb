package escalate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// O21: the plan names a file that is not there; the lowest tier says so, raw; the middle one finds
// the right name, corrects the step and carries it out again; the next step goes on.
func TestWalkthrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Commit = true
	raw := "missing: CLAUDE.md: no such file or directory\n" +
		strings.Repeat("line of the report, word for word\n", 200)
	w.tiers["low"].script = []turn{saysFailed(raw, "half.md", "half"), does("report-2.4.md", "found it too")}
	right := "Read AGENTS.md and write report.md."
	w.tiers["mid"].script = []turn{simply("the file is AGENTS.md", right, "look.txt", "noise"),
		does("report.md", "found it")}

	res := w.run(steps("2.3", "2.4"))

	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, executor.StatusCompleted, res.Status)
	assert.Nil(t, res.Question)
	first, second := res.Steps[0], res.Steps[1]
	assert.Equal(t, escalate.StepDone, first.State)
	assert.Equal(t, "mid", first.By)
	assert.Equal(t, []string{"report.md"}, first.Files)
	assert.NotEmpty(t, first.Commit)
	assert.Equal(
		t, &escalate.Correction{By: "mid", Old: "Read CLAUDE.md and write report.md.", New: right,
			Why: "the file is AGENTS.md"}, first.Correction)
	assert.Equal(t, "low", second.By)
	assert.False(t, w.exists("half.md"), "what did not count is put back")
	assert.False(t, w.exists("look.txt"), "so is what a diagnosis changes")
	assert.Equal(t, "Step 2.4: Report 2.4\nStep 2.3: Report 2.3\nbegin", w.git("log", "--format=%s"))
	assert.Empty(t, w.git("status", "--porcelain"))

	require.Len(t, first.Attempts, 3)
	failed := first.Attempts[0]
	assert.Equal(t, "missing", failed.Code)
	assert.Equal(t, "things", failed.Category)
	assert.False(t, failed.Retryable)
	assert.Equal(t, taxonomy.Fault, failed.Kind)
	assert.Equal(t, escalate.Prevention, failed.Response)
	assert.Equal(t, "next_tier", failed.Reaction)
	assert.NotEmpty(t, failed.SavedRef)
	assert.Equal(t, escalate.Simple, first.Attempts[1].Diagnosis.Verdict)
	assert.True(t, first.Attempts[2].Counts)

	// O20: what was reported is passed on unchanged.
	for _, prompt := range w.tiers["mid"].prompts {
		assert.Contains(t, prompt, strings.TrimSpace(raw))
	}
	assert.Contains(t, w.tiers["mid"].prompts[1], right)
	assert.Equal(t, []string{
		"called low execute", "classified low missing", "escalated mid", "called mid diagnose", "diagnosed mid",
		"called mid fix",
		"accepted mid", "called low execute", "accepted low",
	}, w.kinds(escalate.Called, escalate.Classified, escalate.Escalated, escalate.Diagnosed, escalate.Accepted))
}

func TestAgain(t *testing.T) { // O14, B-O08
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("flaky: it broke", "x", "x"), saysFailed("flaky: it broke", "x", "x"),
		does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "low", res.Steps[0].By)
	assert.Equal(t, "6s", w.clock.slept.String())
	assert.True(t, res.Steps[0].Attempts[0].Retryable)
	assert.Contains(t, w.tiers["low"].prompts[1], "flaky: it broke")
}

func TestDiagnosisBeforeAgain(t *testing.T) { // O14
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("asked: what now"), does("report.md", "found")}
	w.tiers["mid"].script = []turn{simply("low does not see it", "Look harder.")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "low", res.Steps[0].By)
	assert.Contains(t, w.tiers["low"].prompts[1], "low does not see it")
	assert.Contains(t, w.tiers["low"].prompts[1], "| Look harder.")
	assert.Equal(t, "mid", res.Steps[0].Correction.By)
}

func TestDiagnosisBeforeAgainIsComplex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("asked: what now")}
	w.tiers["mid"].script = []turn{complexly("no idea", "a hint")}
	w.tiers["top"].script = []turn{simply("now I see", ""), does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "top", res.Steps[0].By, "mid is not asked the same again")
}

// The same error comes back although somebody was asked each time.
func TestSameErrorAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("asked: line 1"), saysFailed("asked: line 2"),
		saysFailed("asked: line 33")}
	w.tiers["mid"].script = []turn{simply("try so", ""), simply("try thus", ""), simply("I do it", ""),
		does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "mid", res.Steps[0].By)
	assert.Len(t, w.tiers["low"].prompts, 3)
	assert.Equal(t, []string{"guard_reached low"}, w.kinds(escalate.GuardReached))
}

// O27-O30, B-O06: complex goes on to the next tier, and from the last to a person.
func TestLadderLeadsToPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("missing: the plan is wrong")}
	w.tiers["mid"].script = []turn{complexly("the plan contradicts itself", "")}
	w.tiers["top"].script = []turn{complexly("somebody must decide", "which file is meant")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	assert.Equal(t, executor.StatusBlocked, res.Status)
	assert.Equal(t, escalate.StepBlocked, res.Steps[0].State)
	assert.Equal(t, "missing", res.ErrorCode)
	q := res.Question
	require.NotNil(t, q)
	assert.Equal(t, "2.3", q.Step)
	require.Len(t, q.Tried, 3)
	assert.Equal(t, []string{"low", "mid", "top"}, []string{q.Tried[0].By, q.Tried[1].By, q.Tried[2].By})
	assert.Contains(t, q.Needed, "which file is meant")
	assert.Contains(t, q.Evidence, "missing: the plan is wrong")
	assert.Equal(t, []string{"escalated mid", "escalated top", "escalated human", "asked human"},
		w.kinds(escalate.Escalated, escalate.Asked))

	again := w.run(oneStep())
	assert.Equal(t, escalate.EndQuestion, again.EndReason)
	assert.Equal(t, q, again.Question, "it is returned as it ended")
	assert.Len(t, w.tiers["low"].prompts, 1)
}

func TestLadderExhausted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tables.taxonomy.Tiers = w.tables.taxonomy.Tiers[:3] // no person
	w.tiers["low"].script = []turn{saysFailed("missing: a")}
	w.tiers["mid"].script = []turn{simply("a", ""), labels("broken", "b")}
	w.tiers["top"].script = []turn{simply("b", ""), labels("broken", "c")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndLadder, res.EndReason, res.Error)
	assert.Len(t, res.Question.Tried, 5)
	assert.Empty(t, w.git("status", "--porcelain"))
}

func TestActions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code string
		end  escalate.EndReason
		step escalate.StepState
	}{
		{"fatal", escalate.EndFailed, escalate.StepFailed},
		{"halt", escalate.EndBlocked, escalate.StepBlocked},
		{"skip", escalate.EndFailed, escalate.StepFailed},
	} {
		t.Run(tt.code, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{saysFailed(tt.code+": so it is", "half.md", "half"),
				does("report-2.md", "found")}
			res := w.run(steps("1", "2"))
			assert.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, tt.step, res.Steps[0].State)
			assert.Equal(t, tt.code, res.ErrorCode)
			assert.False(t, w.exists("half.md"))
			assert.Equal(t, tt.code == "skip", res.Steps[1].State == escalate.StepDone)
		})
	}
}

type sweeper struct {
	errs []error
	got  []taxonomy.Failed
}

func (s *sweeper) Recover(_ context.Context, f taxonomy.Failed) error {
	s.got = append(s.got, f)
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

func TestStrategy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		errs []error
		by   string
	}{
		{"helps", []error{nil}, "low"},
		{"fails", []error{assert.AnError}, "mid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := &sweeper{errs: tt.errs}
			w.cfg.Calls.Recoverer = s
			w.tiers["low"].script = []turn{saysFailed("clean: full"), does("report.md", "found")}
			w.tiers["mid"].script = []turn{simply("sweep it", ""), does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, tt.by, res.Steps[0].By)
			require.Len(t, s.got, 1)
			assert.Equal(t, "sweep", s.got[0].Reaction.Strategy)
			assert.Equal(t, 1, s.got[0].Attempt)
			assert.Equal(t, "clean", taxonomy.CodeOf(s.got[0].Err))
			assert.NotNil(t, s.got[0].Evidence)
		})
	}
}

// A correction counts only with work that counts.
func TestCorrectionOfWorkThatDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("missing: a")}
	w.tiers["mid"].script = []turn{simply("a", "Do something else."), does("other.md", "found")}
	w.tiers["top"].script = []turn{simply("b", ""), does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Nil(t, res.Steps[0].Correction)
	assert.NotContains(t, w.tiers["top"].prompts[1], "| Do something else.")
	assert.False(t, w.exists("other.md"))
}

func TestGuardOfTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.Turns = 2
	w.tiers["low"].script = []turn{saysFailed("flaky: 1")}
	w.tiers["low"].repeat = true
	res := w.run(oneStep())
	require.Equal(t, escalate.EndGuard, res.EndReason)
	assert.Len(t, w.tiers["low"].prompts, 2)
	assert.NotEmpty(t, w.kinds(escalate.GuardReached))
	assert.Contains(t, res.Question.Why, "2 turns")
}

// A step's prerequisites are verified right before it, those that an earlier step makes included.
func TestMadeByAnEarlierStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := steps("1", "2")
	p.Steps[1].Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "made.txt", MadeBy: "1"}}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	w.tiers["mid"].script = []turn{simply("step 1 forgot it", ""), does("made.txt", "made", "report-2.md", "found")}
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "mid", res.Steps[1].By)
	assert.Len(t, w.tiers["low"].prompts, 1, "it fails without a call")
	assert.Equal(t, []string{"made.txt", "report-2.md"}, res.Steps[1].Files)
}

// O15-O17: the same failure under profiles of one taxonomy.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		action taxonomy.Action
		end    escalate.EndReason
	}{
		{"records and stops", taxonomy.Abort, escalate.EndFailed},
		{"waits for somebody", taxonomy.Block, escalate.EndBlocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			traits := w.tables.taxonomy.Rows[w.tables.rows["flaky"]]
			traits.Reaction = &taxonomy.Reaction{Name: "so_it_is_here", Action: tt.action}
			w.cfg.Calls.Table.Overlay = &taxonomy.Profile{Name: "here",
				Rows: []taxonomy.RowOverride{{Row: w.tables.rows["flaky"], Traits: traits}}}
			w.tiers["low"].script = []turn{saysFailed("flaky: x")}
			res := w.run(oneStep())
			assert.Equal(t, tt.end, res.EndReason)
			assert.Equal(t, "flaky", res.ErrorCode)
			assert.Equal(t, "so_it_is_here", res.Steps[0].Attempts[0].Reaction)
			assert.Zero(t, w.clock.slept)
		})
	}
}
