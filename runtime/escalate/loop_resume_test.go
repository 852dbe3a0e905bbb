package escalate_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/workspace"
)

// dies runs until the process would have died, and reports whether it did.
func (w *world) dies(p plan.Plan) bool {
	done := make(chan *escalate.Result, 1)
	go func() {
		defer close(done)
		done <- w.runner().Run(w.t.Context(), "run", p)
	}()
	res := <-done
	return res == nil
}

// The process dies right after each of the states was saved, one after the other; the run goes on,
// and what counts, counts once.
func TestResumeAfterEachSave(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 5
	}
	for _, journaled := range []bool{false, true} {
		for n := 1; ; n += step {
			died := false
			ok := t.Run(fmt.Sprintf("save %d, calls have a journal: %t", n, journaled), func(t *testing.T) {
				w := newWorld(t)
				w.cfg.Commit = true
				if journaled {
					w.cfg.Calls.Journal = filejournal.New(t.TempDir())
				}
				// What tiers do depends on what they are asked, since a call may be made again.
				w.tiers["low"].script, w.tiers["low"].repeat = []turn{func(ctx context.Context, s *scripted,
					prompt string) (
					string, error) {
					if w.exists("report.md") {
						return does("report-2.md", "found")(ctx, s, prompt)
					}
					return saysFailed("missing: CLAUDE.md", "half.md", "half")(ctx, s, prompt)
				}}, true
				w.tiers["mid"].script, w.tiers["mid"].repeat = []turn{func(ctx context.Context, s *scripted,
					prompt string) (
					string, error) {
					if diagnosing(prompt) {
						return simply("AGENTS.md", "Read AGENTS.md.", "look.txt", "x")(ctx, s, prompt)
					}
					return does("report.md", "found")(ctx, s, prompt)
				}}, true
				w.journal.onSave = func(k int) {
					if k == n {
						runtime.Goexit()
					}
				}
				died = w.dies(steps("1", "2"))
				w.journal.onSave = nil
				w.open()
				res := w.run(steps("1", "2"))
				require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
				assert.Equal(t, "mid", res.Steps[0].By)
				assert.Equal(t, "low", res.Steps[1].By)
				assert.Equal(t, "Read AGENTS.md.", res.Steps[0].Correction.New)
				assert.Equal(t, "Step 2: Report 2\nStep 1: Report 1\nbegin", w.git("log", "--format=%s"),
					"each step is committed once")
				assert.Empty(t, w.git("status", "--porcelain"))
				assert.LessOrEqual(t, res.Calls, 5)
				assert.Equal(t, res.Calls, w.run(steps("1", "2")).Calls, "it is over")
			})
			if !ok || !died {
				require.Greater(t, n, 8)
				break
			}
		}
	}
}

// The process dies in a call: what it has left is put back, and the call is made again.
func TestResumeInACall(t *testing.T) {
	t.Parallel()
	for _, journaled := range []bool{false, true} {
		t.Run(fmt.Sprintf("calls have a journal: %t", journaled), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if journaled {
				w.cfg.Calls.Journal = filejournal.New(t.TempDir())
			}
			w.tiers["low"].script = []turn{
				func(_ context.Context, s *scripted, _ string) (string, error) {
					s.writing([]string{"half.md", "half"})
					runtime.Goexit()
					return "", nil
				},
				does("report.md", "found"),
			}
			w.dies(oneStep())
			w.open()
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.False(t, w.exists("half.md"))
			assert.Equal(t, "?? report.md", w.git("status", "--porcelain"))
			assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason, "it is over")
			assert.Len(t, w.tiers["low"].prompts, 2)
		})
	}
}

// A process that died after the commit and before it was noted.
func TestResumeAfterACommitThatWasNotNoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Commit = true
	w.tiers["low"].script = []turn{does("report.md", "found")}
	tree := w.cfg.Calls.Workspace
	w.cfg.Calls.Workspace = &dying{Workspace: tree}
	require.True(t, w.dies(oneStep()))
	w.open()
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.NotEmpty(t, res.Steps[0].Commit)
	assert.Equal(t, "Step 2.3: Report 2.3\nbegin", w.git("log", "--format=%s"))
	assert.Len(t, w.tiers["low"].prompts, 1)
}

// dying is a workspace whose process dies right after a commit.
type dying struct{ executor.Workspace }

func (d *dying) Commit(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	if _, err := d.Workspace.Commit(ctx, c); err != nil {
		return executor.CommitDone{}, err
	}
	runtime.Goexit()
	return executor.CommitDone{}, nil
}

func TestResumeRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(p *plan.Plan)
		end    escalate.EndReason
		says   string
	}{
		{"a done step says something else", func(p *plan.Plan) { p.Steps[0].Instructions = "other" },
			escalate.EndRefused, "step 1 is done"},
		{"a done step is gone", func(p *plan.Plan) { p.Steps = p.Steps[1:] }, escalate.EndRefused, "step 1 is done"},
		{"a step to come says something else", func(p *plan.Plan) { p.Steps[1].Instructions = "other" },
			escalate.EndCompleted, ""},
		{"another step comes in between",
			func(p *plan.Plan) { p.Steps = append(p.Steps[:1:1], steps("0", "3", "2").Steps[1:]...) },
			escalate.EndCompleted, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{does("report.md", "found"), saysFailed("halt: no")}
			require.Equal(t, escalate.EndBlocked, w.run(steps("1", "2")).EndReason)
			before := string(w.journal.kept["run"])
			w.tiers["low"].script = append(w.tiers["low"].script, does("report-2.md", "found", "report-3.md", "found"),
				does("report-2.md", "found again"))
			p := steps("1", "2")
			tt.change(&p)
			res := w.answer(p, escalate.Answer{})
			require.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Contains(t, res.Error, tt.says)
			if tt.end == escalate.EndRefused {
				assert.Equal(t, before, string(w.journal.kept["run"]))
			}
		})
	}
}

// broken is a workspace that cannot put back.
type broken struct{ executor.Workspace }

func (*broken) Revert(context.Context, executor.Checked, []executor.Change) error {
	return errors.New("the disk is gone")
}

func TestPutBackThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Calls.Workspace = &broken{w.cfg.Calls.Workspace}
	w.tiers["low"].script = []turn{saysFailed("missing: x", "half.md", "half")}
	res := w.run(steps("1", "2"))
	require.Equal(t, escalate.EndRevert, res.EndReason)
	assert.Equal(t, executor.StatusFailed, res.Status)
	assert.Equal(t, escalate.StepFailed, res.Steps[0].State)
	assert.Equal(t, escalate.StepPending, res.Steps[1].State)
	assert.NotEmpty(t, res.Steps[0].Attempts[0].SavedRef, "nothing is lost")
	assert.Empty(t, w.tiers["mid"].prompts)
}

func TestStateThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.journal.fail = errors.New("the disk is full")
	res := w.run(oneStep())
	assert.Equal(t, escalate.EndFailed, res.EndReason)
	assert.Contains(t, res.Error, "the disk is full")
	assert.Empty(t, w.tiers["low"].prompts)
}

func TestTreeThatIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := workspace.Open(t.Context(), w.dir, workspace.Options{})
	require.NoError(t, err)
	unlock, err := other.Lock(t.Context(), "other")
	require.NoError(t, err)
	defer func() { assert.NoError(t, unlock()) }()
	res := w.run(oneStep())
	assert.Equal(t, escalate.EndRefused, res.EndReason)
	assert.Empty(t, w.journal.kept)
}

func TestNamesOfRuns(t *testing.T) {
	t.Parallel()
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	for _, name := range []string{"", "../x", "-x", "a b"} {
		assert.Equal(t, escalate.EndRefused, w.runner().Run(t.Context(), name, oneStep()).EndReason, name)
	}
}

type forbidding string

func (f forbidding) Mode() string { return "strict" }
func (f forbidding) Judge(_ context.Context, changes []executor.Change) ([]executor.Verdict, error) {
	var all []executor.Verdict
	for _, c := range changes {
		v := executor.Allowed
		if c.Path == string(f) {
			v = executor.Forbidden
		}
		all = append(all, v)
	}
	return all, nil
}

// What a process that died has left behind is put back before anything is verified, also under
// another plan.
func TestLeftoversUnderAnotherPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{func(_ context.Context, s *scripted, _ string) (string, error) {
		s.writing([]string{"CLAUDE.md", "invented"})
		runtime.Goexit()
		return "", nil
	}}
	require.True(t, w.dies(oneStep()))
	w.open()
	p := oneStep()
	p.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "CLAUDE.md"}}
	res := w.run(p)
	assert.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
	assert.False(t, w.exists("CLAUDE.md"))
	assert.NotEmpty(t, w.kinds(escalate.PutBack))
}

// A run that cannot look at what a process has left behind stays as that process has left it.
func TestLeftoversThatCannotBeLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{func(_ context.Context, s *scripted, _ string) (string, error) {
		s.writing([]string{"half.md", "half"})
		runtime.Goexit()
		return "", nil
	}, does("report.md", "found")}
	require.True(t, w.dies(oneStep()))
	w.open()
	tree := w.cfg.Calls.Workspace
	w.cfg.Calls.Workspace = &unwell{tree}
	assert.Equal(t, escalate.EndFailed, w.run(oneStep()).EndReason)
	w.cfg.Calls.Workspace = tree
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.False(t, w.exists("half.md"))
}

// unwell is a workspace that cannot be gone on with.
type unwell struct{ executor.Workspace }

func (*unwell) Resume(context.Context, string, executor.Checked) error {
	return errors.New("git is not there")
}
