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
