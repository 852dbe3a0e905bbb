package escalate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// wedged is a repository in which nothing can be put back, or not even saved, as long as it is.
type wedged struct {
	*workspace.Git
	saves, reverts bool
}

func (w *wedged) Save(ctx context.Context, run string, n int, checked executor.Checked, changes []executor.Change) (
	string, error) {
	if w.saves {
		return "", errors.New("no space left on device")
	}
	return w.Git.Save(ctx, run, n, checked, changes)
}

func (w *wedged) Revert(ctx context.Context, checked executor.Checked, changes []executor.Change) error {
	if w.reverts {
		return errors.New("fifo is no regular file, api_key=abcdefgh12345678")
	}
	return w.Git.Revert(ctx, checked, changes)
}

func wedgedWorld(t *testing.T, saves, reverts bool) (*world, *wedged) {
	w := newWorld(t)
	tree := &wedged{w.cfg.Calls.Workspace.(*workspace.Git), saves, reverts}
	w.cfg.Calls.Workspace = tree
	w.tiers["low"].script = []turn{saysFailed("missing: x", "AGENTS.md", "wrecked", "half.md", "half")}
	w.tiers["mid"].script = []turn{simply("x", ""), does("report.md", "found")}
	return w, tree
}

// Who reads that a tree is not as it was reads which files, why, where they are kept, and what to
// do.
func TestTreeThatIsNotAsItWas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		saves, reverts bool
		reason         string
	}{
		{"not saved", true, false, "no space left on device"},
		{"not reverted", false, true,
			"2 files are not as they were, although it was put back 3 times: fifo is no regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, tree := wedgedWorld(t, tt.saves, tt.reverts)
			res := w.run(oneStep())
			require.Equal(t, escalate.EndRevert, res.EndReason, res.Error)
			for _, text := range []string{
				"the working tree is NOT as it was", "AGENTS.md, half.md", tt.reason,
				"what is to be there is kept in refs/errgen/run/checked", "run the same again",
			} {
				assert.Contains(t, res.Error, text)
			}
			assert.NotContains(t, res.Error, "abcdefgh12345678")
			assert.Equal(t, "what agents are to do", w.git("show", "refs/errgen/run/checked:AGENTS.md"))

			tree.saves, tree.reverts = false, false
			res = w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, "what agents are to do\n", w.read("AGENTS.md"))
		})
	}
}

// Nobody is stuck for ever with a tree that cannot be put back.
func TestGivingUpATreeThatIsNotAsItWas(t *testing.T) {
	t.Parallel()
	for _, mended := range []bool{false, true} {
		w, tree := wedgedWorld(t, false, true)
		require.Equal(t, escalate.EndRevert, w.run(oneStep()).EndReason)
		for _, action := range []escalate.AnswerAction{escalate.TryAgain, escalate.DoneByHand} {
			res := w.answer(oneStep(), escalate.Answer{Action: action})
			require.Equal(t, escalate.EndRefused, res.EndReason)
			assert.Contains(t, res.Error, "run it again")
			assert.Contains(t, res.Error, "give it up")
		}
		tree.reverts = !mended
		res := w.answer(oneStep(), escalate.Answer{Action: escalate.GiveUp})
		require.Equal(t, escalate.EndFailed, res.EndReason, res.Error)
		assert.Contains(t, res.Error, "has given it up")
		assert.Equal(t, escalate.StepFailed, res.Steps[0].State)
		assert.Equal(t, !mended, w.exists("half.md"))
		if mended {
			assert.Empty(t, res.Warnings)
			continue
		}
		require.Len(t, res.Warnings, 1)
		assert.Contains(
			t, res.Warnings[0],
			"the working tree stays as it is, which is NOT as it was; what is missing in it is kept in "+
				"refs/errgen/run/retained, and ")
		assert.NotContains(t, res.Warnings[0], "run the same again")
		assert.Equal(t, escalate.EndFailed, w.run(oneStep()).EndReason, "it is over")

		delete(w.journal.kept, "run") // and begun anew, which takes what is there for the user's
		tree.reverts = false
		w.tiers["low"].script, w.tiers["low"].prompts = []turn{does("report.md", "found")}, nil
		require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
		assert.Equal(t, "what agents are to do", w.git("show", "refs/errgen/run/retained:AGENTS.md"))
		w.git("restore", "--overlay", "--source=refs/errgen/run/retained", "--", ":/")
		assert.Equal(t, "what agents are to do\n", w.read("AGENTS.md"))
	}
}

// A branch that could not be moved back keeps nobody from giving up, and is left where it is.
func TestGivingUpABranchThatHasMoved(t *testing.T) {
	t.Parallel()
	w, _ := wedgedWorld(t, false, true)
	require.Equal(t, escalate.EndRevert, w.run(oneStep()).EndReason)
	w.git("commit", "-q", "--allow-empty", "-m", "theirs")
	theirs := w.git("rev-parse", "HEAD")
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.GiveUp})
	require.Equal(t, escalate.EndFailed, res.EndReason, res.Error)
	require.Len(t, res.Warnings, 1)
	assert.Contains(t, res.Warnings[0], "has moved")
	assert.Equal(t, theirs, w.git("rev-parse", "HEAD"))
}

// A run that can neither be saved nor put back says first that the tree is not as it was.
func TestNeitherSavedNorPutBack(t *testing.T) {
	t.Parallel()
	w, tree := wedgedWorld(t, true, false)
	w.tiers["low"].script = []turn{func(ctx context.Context, s *scripted, prompt string) (string, error) {
		w.journal.fail = errors.New("no space left for the state")
		return saysFailed("missing: x", "AGENTS.md", "wrecked")(ctx, s, prompt)
	}}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndRevert, res.EndReason, res.Error)
	assert.Contains(t, res.Error, "the working tree is NOT as it was")
	assert.Contains(t, res.Error, "no space left for the state")
	w.journal.fail, tree.saves = nil, false
	w.tiers["low"].script, w.tiers["low"].prompts = []turn{does("report.md", "found")}, nil
	res = w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "what agents are to do\n", w.read("AGENTS.md"))
}
