package executor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// selective is a validator that checks before a push only.
type selective struct {
	fakeValidator
	panics bool
}

func (s *selective) Checks(phase Phase) bool {
	if s.panics {
		panic("oh")
	}
	return phase == PrePush
}

// TestOnlyChecksThatRanAreTold has phases without a check pass silently.
func TestOnlyChecksThatRanAreTold(t *testing.T) {
	for _, panics := range []bool{false, true} {
		w := newWorld(reactions(), done("a"))
		v := &selective{panics: panics}
		w.cfg.Validator, w.cfg.Deliver = v, DeliverPullRequest
		assert.Equal(t, EndCompleted, w.run(t).EndReason)
		want := []Phase{PrePush}
		if panics {
			want = []Phase{PreCommit, PrePush, PrePR}
		}
		assert.Equal(t, want, v.seen)
		var told []Phase
		for _, e := range w.events.all {
			if e.Kind == Validated {
				told = append(told, Phase(e.Op[len(opValidate):]))
			}
		}
		assert.Equal(t, want, told)
	}
}

// dirty is a validator whose commands change files.
type dirty struct {
	tree *fakeTree
	err  error
	left map[Phase][]string
}

func (d *dirty) Validate(_ context.Context, phase Phase) error {
	for _, path := range d.left[phase] {
		d.tree.files[path] = "left by " + string(phase)
	}
	return d.err
}

// TestWhatChecksLeave has what checks change be judged like what a call changes, once for each
// check that ran.
func TestWhatChecksLeave(t *testing.T) {
	leaves := func(phase Phase, paths ...string) func(w *world) {
		return func(w *world) {
			w.cfg.Validator = &dirty{tree: w.tree, left: map[Phase][]string{phase: paths}}
		}
	}
	looks := func(w *world) (n int) {
		for _, op := range w.tree.ops {
			if op == "detect" {
				n++
			}
		}
		return n
	}
	tellAll(t, []story{
		{name: "nothing", steps: []step{done("a")}, want: EndCompleted, change: leaves(PreCommit),
			check: func(t *testing.T, w *world, r *Result) {
				assert.Empty(t, r.UncheckedFiles)
				assert.Empty(t, r.Warnings)
				assert.Equal(t, 2, looks(w))
			}},
		{name: "no check, no look", steps: []step{done("a")}, want: EndCompleted,
			check: func(t *testing.T, w *world, _ *Result) {
				assert.Equal(t, 1, looks(w))
			}},
		{name: "a formatter", steps: []step{done("a")}, want: EndCompleted, change: leaves(PreCommit, "a", "made"),
			check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, []string{"a", "made"}, r.CommittedFiles)
				assert.Equal(t, w.tree.files, w.tree.head)
				assert.Empty(t, r.UncheckedFiles)
				assert.True(t, w.tree.released)
			}},
		{name: "a formatter of nothing", steps: []step{done()}, want: EndCompleted, change: leaves(PreCommit, "made"),
			check: func(t *testing.T, _ *world, r *Result) {
				assert.Equal(t, []string{"made"}, r.CommittedFiles)
			}},
		{name: "a forbidden file that was put back, in finished work", steps: []step{done("a")}, want: EndCompleted,
			change: leaves(PreCommit, "forbidden"), check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "forbidden", r.Errors[0].Code)
				assert.NotContains(t, w.tree.files, "forbidden")
				assert.Equal(t, 1, r.Iterations, "its reaction accepts what is left")
			}},
		{name: "a forbidden file", steps: []step{works("a"), {}}, want: EndCompleted,
			change: func(w *world) {
				leaves(PreCommit, "forbidden", "report")(w)
				w.provider.steps[1].do = func(context.Context, Request) (Answer, error) {
					assert.Empty(t, w.tree.commits, "an error stands")
					w.cfg.Validator.(*dirty).left = nil
					return done().answer, nil
				}
			}, check: func(t *testing.T, w *world, r *Result) {
				assert.Equal(t, "forbidden", r.Errors[0].Code)
				assert.Equal(t, []string{"a", "report"}, r.CommittedFiles)
				assert.NotContains(t, w.tree.files, "forbidden")
				assert.Len(t, w.tree.saved, 1)
			}},
		{name: "git itself, and nothing puts it back", steps: []step{done("a")}, want: EndFatal,
			change: func(w *world) {
				leaves(PreCommit, ".git/hooks/x")(w)
				w.tree.fail["revert"] = []error{gitFails("revert", "stop")}
			}, check: func(t *testing.T, w *world, r *Result) {
				assert.Empty(t, w.tree.commits)
				assert.Equal(t, []string{".git/hooks/x"}, r.UncheckedFiles)
				assert.False(t, w.tree.released)
				assert.Len(t, r.SavedRefs, 1, "it is saved once")
			}},
		{name: "after the commit", steps: []step{done("a")}, want: EndCompleted, change: func(w *world) {
			leaves(PrePush, "a")(w)
			w.cfg.Deliver = DeliverPush
		}, check: func(t *testing.T, w *world, r *Result) {
			assert.Equal(t, []string{"a"}, r.UncommittedFiles)
			assert.Equal(t, []string{`validate_pre_push changed files behind the commit: ["a"]`}, r.Warnings)
			assert.NotEqual(t, w.tree.files["a"], w.tree.head["a"])
			assert.True(t, r.Pushed)
		}},
		{name: "forbidden before the push", steps: []step{done("a")}, want: EndMaxFailures, change: func(w *world) {
			leaves(PrePush, "forbidden")(w)
			w.cfg.Deliver = DeliverPush
			row := w.tables.taxonomy.Traits(w.tables.rows["forbidden"])
			row.Reaction = &taxonomy.Reaction{Name: "undo", Action: taxonomy.Retry, Revert: taxonomy.RevertFiles,
				CountFailure: true}
		}, check: func(t *testing.T, w *world, r *Result) {
			assert.Zero(t, w.tree.pushes)
			assert.NotContains(t, w.tree.files, "forbidden")
			assert.Equal(t, 3, r.Iterations, "it does not loop for ever")
		}},
		{name: "a check that fails", steps: []step{done("a")}, want: EndFatal, change: func(w *world) {
			w.cfg.Validator = &dirty{tree: w.tree, err: fails("stop"),
				left: map[Phase][]string{PreCommit: {"report", "outside"}}}
		}, check: func(t *testing.T, w *world, r *Result) {
			assert.Empty(t, r.UncheckedFiles)
			assert.Equal(t, []string{"a", "report"}, r.UncommittedFiles)
			assert.NotContains(t, w.tree.files, "outside")
		}},
		{name: "nobody can tell", steps: []step{done("a")}, want: EndFatal, change: func(w *world) {
			leaves(PreCommit, "forbidden")(w)
			w.tree.fail["detect"] = []error{nil, gitFails("detect", "stop"), errors.New("gone")}
		}, check: func(t *testing.T, w *world, r *Result) {
			assert.Contains(t, r.Warnings, "look for what was changed last: gone")
			assert.Empty(t, w.tree.commits)
			assert.False(t, w.tree.released)
		}},
	})
}

// TestWhatChecksLeaveAfterADeath has the outcome be the same wherever a run dies whose checks
// change files.
func TestWhatChecksLeaveAfterADeath(t *testing.T) {
	story := func() *mortal {
		m := newMortal(DeliverPullRequest)
		m.provider.steps = []step{works("a"),
			{writes: map[string]string{"b": "b", "forbidden": "x"}, answer: Answer{Text: "more"}}, done("c")}
		m.cfg.Validator = &dirty{tree: m.tree, left: map[Phase][]string{PreCommit: {"made"}, PrePush: {"report"}}}
		return m
	}
	whole := story()
	want := whole.live(t, 0)
	assert.Equal(t, EndCompleted, want.EndReason)
	assert.Contains(t, whole.tree.head, "made")
	for at := 1; at <= whole.killer.hits; at++ {
		m := story()
		require.Nil(t, m.live(t, at))
		got := m.live(t, 0)
		require.Equal(t, want.EndReason, got.EndReason, at)
		assert.Equal(t, whole.tree.files, m.tree.files, at)
		assert.Equal(t, whole.tree.head, m.tree.head, at)
		assert.True(t, got.Pushed, at)
	}
}
