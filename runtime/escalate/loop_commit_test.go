package escalate_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// committer is a workspace with its own way of committing.
type committer struct {
	executor.Workspace
	commit    func(ctx context.Context, c executor.Commit, real executor.Workspace) (executor.CommitDone, error)
	committed func() error
}

func (w *committer) Commit(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	return w.commit(ctx, c, w.Workspace)
}

func (w *committer) Committed(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	if w.committed != nil {
		if err := w.committed(); err != nil {
			return executor.CommitDone{}, err
		}
	}
	if ctx.Err() != nil {
		return executor.CommitDone{}, ctx.Err()
	}
	return w.Workspace.Committed(ctx, c)
}

// committing returns a world that commits, and whose lowest tier makes the reports.
func committing(t *testing.T) *world {
	w := newWorld(t)
	w.cfg.Commit = true
	w.tiers["low"].script = []turn{does("report.md", "found"), does("report-2.md", "found")}
	return w
}

var bothCommitted = "Step 2: Report 2\nStep 1: Report 1\nbegin"

// A commit that was made counts, whatever the gate and the reviewers would say now.
func TestDeathInACommit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		// after is whether the commit is there when the process dies.
		after bool
		plan  func(p *plan.Plan)
		end   escalate.EndReason
	}{
		{"behind it", true, func(*plan.Plan) {}, escalate.EndCompleted},
		{"before it", false, func(*plan.Plan) {}, escalate.EndCompleted},
		{"behind it, and a step to come changes", true, func(
			p *plan.Plan) {
			p.Steps[1].Instructions = "Write report-2.md."
		}, escalate.EndCompleted},
		{"behind it, and the step changes", true, func(p *plan.Plan) { p.Steps[0].Criteria[0].Text = "fou" },
			escalate.EndRefused},
		{"behind it, and the step is gone", true, func(p *plan.Plan) { p.Steps = p.Steps[1:] }, escalate.EndRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := committing(t)
			w.cfg.Calls.Workspace = &committer{Workspace: w.cfg.Calls.Workspace,
				commit: func(ctx context.Context, c executor.Commit, real executor.Workspace) (
					executor.CommitDone, error) {
					if tt.after {
						_, err := real.Commit(ctx, c)
						assert.NoError(t, err)
					}
					runtime.Goexit()
					return executor.CommitDone{}, nil
				}}
			require.True(t, w.dies(steps("1", "2")))
			w.open()
			if tt.after {
				gates := 0
				w.gate = func() {
					if gates++; gates == 1 {
						assert.NotEmpty(t, w.tiers["low"].prompts[1:], "what is committed is not verified again")
					}
				}
			}
			p := steps("1", "2")
			tt.plan(&p)
			before := string(w.journal.kept["run"])
			res := w.run(p)
			require.Equal(t, tt.end, res.EndReason, res.Error)
			if tt.end == escalate.EndRefused {
				assert.Equal(t, before, string(w.journal.kept["run"]))
				assert.Contains(t, res.Error, "step 1 is done and committed")
				res = w.run(steps("1", "2"))
				require.Equal(t, escalate.EndCompleted, res.EndReason, "the plan as it was is gone on with")
			}
			assert.Equal(t, bothCommitted, w.git("log", "--format=%s"))
			assert.Equal(t, w.git("rev-parse", "HEAD~1"), res.Steps[0].Commit)
			assert.Equal(t, []string{"report.md"}, res.Steps[0].Files)
			assert.True(t, res.Steps[0].Attempts[0].Counts)
			assert.Equal(t, "low", res.Steps[0].By)
			assert.Empty(t, w.git("status", "--porcelain"))
		})
	}
}

// What was changed since the process died is no part of what was committed, and is put back.
func TestChangesBehindADeathInACommit(t *testing.T) {
	t.Parallel()
	w := committing(t)
	w.cfg.Calls.Workspace = &dying{Workspace: w.cfg.Calls.Workspace}
	require.True(t, w.dies(steps("1", "2")))
	w.write("report.md", "changed")
	w.write("new.txt", "new")
	w.open()
	res := w.run(steps("1", "2"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "found", w.read("report.md"))
	assert.False(t, w.exists("new.txt"))
	assert.Equal(t, bothCommitted, w.git("log", "--format=%s"))
	var put []escalate.Event
	for _, e := range w.events {
		if e.Kind == escalate.PutBack {
			put = append(put, e)
		}
	}
	require.Len(t, put, 1)
	assert.Equal(t, []string{"new.txt", "report.md"}, put[0].Files)
	assert.Equal(t, "changed", w.git("show", put[0].Text+":report.md"))
}

// A cancellation while git commits: the commit is there, and its work counts.
func TestCancelInACommit(t *testing.T) {
	t.Parallel()
	w := committing(t)
	tree := w.cfg.Calls.Workspace
	ctx, cancel := context.WithCancelCause(t.Context())
	w.cfg.Calls.Workspace = &committer{Workspace: tree,
		commit: func(ctx context.Context, c executor.Commit, real executor.Workspace) (executor.CommitDone, error) {
			_, err := real.Commit(ctx, c)
			assert.NoError(t, err)
			cancel(errStopped)
			return executor.CommitDone{}, &taxonomy.Evidence{Source: "git", Op: "commit", Err: context.Cause(ctx)}
		}}
	res := w.runner().Run(ctx, "run", steps("1", "2"))
	require.Equal(t, escalate.EndCancelled, res.EndReason, res.Error)
	assert.Equal(t, escalate.StepDone, res.Steps[0].State)
	assert.Equal(t, w.git("rev-parse", "HEAD"), res.Steps[0].Commit)
	assert.Empty(t, w.git("status", "--porcelain"))
	w.cfg.Calls.Workspace = tree
	res = w.run(steps("1", "2"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, bothCommitted, w.git("log", "--format=%s"))
	assert.Len(t, w.tiers["low"].prompts, 2)
}

// As long as nobody knows whether the commit was made, nothing is put back, and nothing is
// committed again.
func TestCommitThatNobodyKnowsOf(t *testing.T) {
	t.Parallel()
	w := committing(t)
	tree := w.cfg.Calls.Workspace
	sick := errors.New("git is not there")
	w.cfg.Calls.Workspace = &committer{Workspace: tree, committed: func() error { return sick },
		commit: func(ctx context.Context, c executor.Commit, real executor.Workspace) (executor.CommitDone, error) {
			_, err := real.Commit(ctx, c)
			assert.NoError(t, err)
			return executor.CommitDone{}, sick
		}}
	res := w.run(steps("1", "2"))
	require.Equal(t, escalate.EndFailed, res.EndReason)
	assert.Equal(t, "found", w.read("report.md"))
	assert.Equal(t, escalate.StepCancelled, res.Steps[0].State)
	res = w.run(steps("1", "2"))
	require.NotEqual(t, escalate.EndCompleted, res.EndReason)
	assert.Contains(t, res.Error, "git is not there")
	w.cfg.Calls.Workspace = tree
	res = w.run(steps("1", "2"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, bothCommitted, w.git("log", "--format=%s"))
	assert.Len(t, w.tiers["low"].prompts, 2)
}

// A commit that fails is a failure of the step, and leaves none.
func TestCommitThatIsNotMade(t *testing.T) {
	t.Parallel()
	w := committing(t)
	w.tiers["mid"].script = []turn{simply("no identity", ""), does("report.md", "found")}
	tree, fails := w.cfg.Calls.Workspace, 1
	w.cfg.Calls.Workspace = &committer{Workspace: tree,
		commit: func(ctx context.Context, c executor.Commit, real executor.Workspace) (executor.CommitDone, error) {
			if fails--; fails >= 0 {
				return executor.CommitDone{},
					&taxonomy.Evidence{Source: "git", Op: "commit", Text: "broken: who are you?"}
			}
			return real.Commit(ctx, c)
		}}
	w.tiers["low"].script = []turn{does("report.md", "found"), does("report-2.md", "found")}
	res := w.run(steps("1", "2"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "mid", res.Steps[0].By)
	assert.Equal(t, "broken", res.Steps[0].Attempts[0].Code)
	assert.Equal(t, bothCommitted, w.git("log", "--format=%s"))
}
