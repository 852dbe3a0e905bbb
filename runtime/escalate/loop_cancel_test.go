package escalate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var errStopped = errors.New("somebody has stopped it")

// B-X02: a cancellation is an end of its own, in each phase; what was done is put back, and the run
// can be gone on with.
func TestCancel(t *testing.T) {
	t.Parallel()
	stopping := func(cancel func(), then turn) turn {
		return func(ctx context.Context, s *scripted, prompt string) (string, error) {
			text, err := then(ctx, s, prompt)
			cancel()
			return text, err
		}
	}
	for _, tt := range []struct {
		name  string
		world func(w *world, cancel func())
		state escalate.StepState
	}{
		{"before the plan is checked", func(_ *world, cancel func()) { cancel() }, escalate.StepPending},
		{"while the plan is checked", func(w *world, cancel func()) { w.prerequisites = cancel }, escalate.StepPending},
		{"while a tier works", func(w *world, cancel func()) {
			w.tiers["low"].script[0] = func(ctx context.Context, s *scripted, _ string) (string, error) {
				s.writing([]string{"half.md", "half"})
				cancel()
				<-ctx.Done()
				return "", ctx.Err()
			}
		}, escalate.StepCancelled},
		{"with the answer", func(w *world, cancel func()) {
			w.tiers["low"].script[0] = stopping(cancel, does("report.md", "found", "half.md", "half"))
		}, escalate.StepCancelled},
		{"in the gate", func(w *world, cancel func()) { w.gate = cancel }, escalate.StepCancelled},
		{"in the criteria", func(w *world, cancel func()) { w.criteria = cancel }, escalate.StepCancelled},
		{"in the review", func(w *world, cancel func()) {
			w.cfg.Reviewer = reviewer(
				func(escalate.ReviewInput) ([]*taxonomy.Evidence, error) { cancel(); return nil, nil })
		}, escalate.StepCancelled},
		{"while it waits", func(w *world, cancel func()) {
			w.tiers["low"].script[0] = saysFailed("flaky: x", "half.md", "half")
			w.clock.onSleep = cancel
		}, escalate.StepCancelled},
		{"in a strategy", func(w *world, cancel func()) {
			w.tiers["low"].script[0] = saysFailed("clean: x", "half.md", "half")
			w.cfg.Calls.Recoverer = recoverer(func() error { cancel(); return nil })
		}, escalate.StepCancelled},
		{"in a diagnosis", func(w *world, cancel func()) {
			w.tiers["low"].script[0] = saysFailed("missing: x", "half.md", "half")
			w.tiers["mid"].script = []turn{stopping(cancel, simply("x", "", "look.txt", "x")), simply("x", ""),
				does("report.md", "found")}
		}, escalate.StepCancelled},
		{"while it is mended", func(w *world, cancel func()) {
			w.tiers["low"].script[0] = saysFailed("missing: x", "half.md", "half")
			w.tiers["mid"].script = []turn{simply("x", ""), stopping(cancel, does("look.txt", "x")),
				does("report.md", "found")}
		}, escalate.StepCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("people.txt", "somebody's own")
			p := oneStep()
			p.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "AGENTS.md"}}
			w.tiers["low"].script = []turn{does("report.md", "found"), does("report.md", "found")}
			ctx, cancel := context.WithCancelCause(t.Context())
			tt.world(w, func() { cancel(errStopped) })
			res := w.runner().Run(ctx, "run", p)
			require.Equal(t, escalate.EndCancelled, res.EndReason, res.Error)
			assert.Equal(t, executor.StatusCancelled, res.Status)
			require.ErrorIs(t, res.Err, errStopped)
			assert.Empty(t, res.ErrorCode)
			assert.Equal(t, tt.state, res.Steps[0].State)
			assert.Equal(t, "?? people.txt", w.git("status", "--porcelain"))

			w.prerequisites, w.gate, w.criteria, w.cfg.Reviewer, w.clock.onSleep = nil, nil, nil, nil, nil
			w.cfg.Calls.Recoverer = recoverer(func() error { return nil })
			again := w.run(p)
			require.Equal(t, escalate.EndCompleted, again.EndReason, again.Error)
			assert.Equal(t, "somebody's own", w.read("people.txt"))
		})
	}
}

type recoverer func() error

func (r recoverer) Recover(context.Context, taxonomy.RecoveryRequest) error { return r() }
