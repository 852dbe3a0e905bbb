package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
)

// blocked returns a world in which step 2.3 waits for a person.
func blocked(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("halt: which file?", "half.md", "half")}
	require.Equal(t, escalate.EndBlocked, w.run(oneStep()).EndReason)
	w.events = nil
	return w
}

func TestAnswerTryAgain(t *testing.T) {
	t.Parallel()
	w := blocked(t)
	w.write("from-a-person.md", "theirs")
	w.tiers["low"].script = append(w.tiers["low"].script, does("report.md", "found"))
	res := w.answer(oneStep(), escalate.Answer{Text: "Take AGENTS.md; password=hunter2secret", By: "Ada"})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.True(t, res.Resumed)
	assert.Nil(t, res.Question)
	assert.Contains(t, w.tiers["low"].prompts[1], "Take AGENTS.md")
	assert.NotContains(t, string(w.journal.kept["run"]), "hunter2secret")
	assert.Equal(t, []string{"answered Ada"}, w.kinds(escalate.Answered))
	assert.Equal(t, []string{"report.md"}, res.Steps[0].Files)
	assert.Equal(t, "theirs", w.read("from-a-person.md"))
}

func TestAnswerDoneByHand(t *testing.T) {
	t.Parallel()
	w := blocked(t)
	w.write("report.md", "not what is wanted")
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.DoneByHand, By: "Ada"})
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	assert.Equal(t, "mismatch", res.ErrorCode)
	assert.Contains(t, res.Question.Why, "Ada")
	assert.Equal(t, "not what is wanted", w.read("report.md"), "what a person has done is not put back")

	w.write("report.md", "found by hand")
	res = w.answer(oneStep(), escalate.Answer{Action: escalate.DoneByHand})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "human", res.Steps[0].By)
	assert.Len(t, w.tiers["low"].prompts, 1)
}

func TestAnswerGiveUp(t *testing.T) {
	t.Parallel()
	w := blocked(t)
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.GiveUp})
	require.Equal(t, escalate.EndFailed, res.EndReason)
	assert.Equal(t, escalate.StepFailed, res.Steps[0].State)
	assert.Equal(t, "halt", res.ErrorCode)
	assert.Equal(t, escalate.EndFailed, w.run(oneStep()).EndReason, "it is over")
}

// O16, O17: what a chain records and stops at, a person can take up again; so can one who had given
// it up.
func TestAnswerToAFailedRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		first turn
	}{
		{"aborted", saysFailed("fatal: record it", "half.md", "half")},
		{"gone on without", saysFailed("skip: record it", "half.md", "half")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{tt.first}
			require.Equal(t, escalate.EndFailed, w.run(oneStep()).EndReason)
			require.Equal(t, escalate.EndFailed, w.run(oneStep()).EndReason, "it does not begin again by itself")
			require.Len(t, w.tiers["low"].prompts, 1)
			w.tiers["low"].script = append(w.tiers["low"].script, does("report.md", "found"))
			res := w.answer(oneStep(), escalate.Answer{Text: "Now it is there."})
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, escalate.StepDone, res.Steps[0].State)
			assert.Contains(t, w.tiers["low"].prompts[1], "Now it is there.")
		})
	}
}

func TestAnswerResetsTheGuards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.Turns, w.cfg.Guards.TierFailures = 1, 1
	w.tiers["low"].script = []turn{fails("down"), does("report.md", "found")}
	require.Equal(t, escalate.EndGuard, w.run(oneStep()).EndReason)
	res := w.answer(oneStep(), escalate.Answer{})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "low", res.Steps[0].By)
}

func TestAnswerThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{does("report.md", "found")}
	unknown := w.answer(oneStep(), escalate.Answer{})
	assert.Equal(t, escalate.EndRefused, unknown.EndReason)
	assert.Empty(t, w.journal.kept)

	require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
	before := string(w.journal.kept["run"])
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.GiveUp})
	assert.Equal(t, escalate.EndRefused, res.EndReason)
	assert.Equal(t, before, string(w.journal.kept["run"]))
	assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
}

// A plan that has changed is checked before anything counts by it.
func TestDoneByHandOfAPlanThatIsNotFit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("asked: what now")}
	w.tiers["mid"].script = []turn{complexly("no idea", "a hint")}
	w.tiers["top"].script = []turn{complexly("no idea", "a hint")}
	require.Equal(t, escalate.EndQuestion, w.run(oneStep()).EndReason)
	unfit := oneStep()
	unfit.Steps[0].Criteria = nil
	res := w.answer(unfit, escalate.Answer{Action: escalate.DoneByHand})
	require.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
	assert.NotEqual(t, escalate.StepDone, res.Steps[0].State)
	w.write("report.md", "found")
	w.tiers["low"].script = append(w.tiers["low"].script, does("report.md", "found"))
	res = w.answer(oneStep(), escalate.Answer{})
	assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
}

// unready is a working tree that cannot be begun with the first time.
type unready struct {
	executor.Workspace
	begun int
}

func (u *unready) Begin(ctx context.Context, run string) (executor.Checked, error) {
	if u.begun++; u.begun == 1 {
		panic("not yet")
	}
	return u.Workspace.Begin(ctx, run)
}

// A tree that cannot be begun with has had nothing done to it: the run can be begun once more.
func TestTreeThatCannotBeBegun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Calls.Workspace = &unready{Workspace: w.cfg.Calls.Workspace}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndRefused, res.EndReason)
	assert.Contains(t, res.Error, "not yet")
	assert.Empty(t, w.journal.kept)
	res = w.run(oneStep())
	assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
}
