package escalate_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tracked is a verifier that says which processes its gate has begun.
type tracked struct {
	verifier
	t *tracks
}

// tracks are what happens to the processes of a tracked verifier.
type tracks struct {
	begins []executor.Process
	// began is called once they are noted.
	began   func()
	refused error
	ended   []executor.Process
	fail    func() error
	started func(executor.Process) error
}

func (v tracked) Tracking(started func(executor.Process) error) escalate.Verifier {
	v.t.started = started
	return v
}

func (v tracked) Gate(ctx context.Context, all []plan.Command) []*taxonomy.Evidence {
	for _, p := range v.t.begins {
		if err := v.t.started(p); err != nil {
			v.t.refused = err
		}
	}
	if v.t.began != nil {
		v.t.began()
	}
	return v.verifier.Gate(ctx, all)
}

func (v tracked) End(_ context.Context, p executor.Process) error {
	v.t.ended = append(v.t.ended, p)
	if v.t.fail != nil {
		return v.t.fail()
	}
	return nil
}

func processes(n int) []executor.Process {
	all := make([]executor.Process, n)
	for i := range all {
		all[i] = executor.Process{PID: i + 1000, Start: fmt.Sprint("then ", i)}
	}
	return all
}

// trackedWorld is a world whose process dies in its first gate, after two processes of it were
// noted.
func trackedWorld(t *testing.T) (*world, *tracks) {
	t.Helper()
	w, tr := newWorld(t), &tracks{begins: processes(2)}
	w.cfg.Verifier = tracked{verifier{w}, tr}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	tr.began = runtime.Goexit
	require.True(t, w.dies(oneStep()))
	require.Len(t, stateOf(t, w).Checks, 2)
	tr.began = nil
	w.open()
	return w, tr
}

func stateOf(t *testing.T, w *world) *escalate.State {
	t.Helper()
	s, err := w.journal.Open(t.Context(), "run")
	require.NoError(t, err)
	require.NotNil(t, s)
	return s
}

func TestChecksThatWereLeftRunning(t *testing.T) {
	t.Parallel()
	w, tr := trackedWorld(t)
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, processes(2), tr.ended)
	assert.Empty(t, stateOf(t, w).Checks)
	assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
	assert.Len(t, tr.ended, 2, "what is over is not ended again")
}

// A run that is refused has them ended, too.
func TestChecksOfARunThatIsRefused(t *testing.T) {
	t.Parallel()
	w, tr := trackedWorld(t)
	assert.Equal(t, escalate.EndRefused, w.answer(oneStep(), escalate.Answer{}).EndReason)
	assert.Equal(t, processes(2), tr.ended)
}

// Nothing is begun beside a check that cannot be ended; the kept state stays as it is.
func TestChecksThatCannotBeEnded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(w *world, tr *tracks)
		says   string
	}{
		{"End fails", func(_ *world, tr *tracks) { tr.fail = func() error { return errors.New("not permitted") } },
			"not permitted"},
		{"End panics", func(_ *world, tr *tracks) { tr.fail = func() error { panic("oh") } }, "panic: oh"},
		{"nobody can", func(w *world, _ *tracks) { w.cfg.Verifier = verifier{w} },
			"no verifier can end process 1000, which it has left running"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, tr := trackedWorld(t)
			tt.change(w, tr)
			w.gate = func() { t.Error("a check is begun") }
			res := w.run(oneStep())
			assert.Equal(t, escalate.EndRefused, res.EndReason)
			assert.Contains(t, res.Error, tt.says)
			assert.Len(t, stateOf(t, w).Checks, 2)

			w.gate, tr.fail, w.cfg.Verifier = nil, nil, tracked{verifier{w}, tr}
			assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
		})
	}
}

func TestChecksThatAreNoted(t *testing.T) {
	t.Parallel()
	w, tr := newWorld(t), &tracks{begins: processes(100)}
	w.cfg.Verifier = tracked{verifier{w}, tr}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	var noted []escalate.Check
	tr.began = func() { noted = slices.Clone(stateOf(t, w).Checks) }
	require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
	require.Len(t, noted, 64)
	assert.Equal(t, escalate.Check{Process: processes(100)[36], By: escalate.ByVerifier}, noted[0])
	assert.Equal(t, processes(100)[99], noted[63].Process)
	assert.Empty(t, stateOf(t, w).Checks)
	assert.Error(t, tr.started(executor.Process{PID: 7}), "the check is over")
	assert.Empty(t, tr.ended)
}

// Without a journal nobody could end them later.
func TestChecksWithoutAJournal(t *testing.T) {
	t.Parallel()
	w, tr := newWorld(t), &tracks{}
	w.cfg.Verifier, w.cfg.Journal = tracked{verifier{w}, tr}, nil
	w.tiers["low"].script = []turn{does("report.md", "found")}
	require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
	assert.Nil(t, tr.started)
}

// A process that cannot be noted runs all the same, and the result says so.
func TestChecksThatCannotBeNoted(t *testing.T) {
	t.Parallel()
	w, tr := newWorld(t), &tracks{begins: processes(1)}
	w.cfg.Verifier = tracked{verifier{w}, tr}
	w.tiers["low"].script = []turn{func(ctx context.Context, s *scripted, prompt string) (string, error) {
		return does("report.md", "found")(ctx, s, prompt)
	}}
	w.journal.onSave = func(int) {
		if s := stateOf(t, w); s.Work != nil && s.Work.Heard != nil {
			w.journal.fail = errors.New("the disk is full")
		}
	}
	tr.began = func() { w.journal.fail = nil }
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.NoError(t, tr.refused)
	require.Len(t, res.Warnings, 1)
	assert.Contains(t, res.Warnings[0], "write down which processes check: the disk is full")
}

// hung is a provider that reviews, and the process of which dies in that.
type hung struct {
	tracks
	dies bool
}

func (*hung) Name() string                    { return "hung" }
func (*hung) Available(context.Context) error { return nil }

func (h *hung) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	if h.dies && req.Started != nil {
		h.refused = req.Started(processes(1)[0])
		runtime.Goexit()
	}
	list := "findings"
	if strings.Contains(req.Prompt, `"faults"`) {
		list = "faults"
	}
	return executor.Answer{Text: block(req.Prompt, `"`+list+`":[]`)}, nil
}

func (h *hung) End(_ context.Context, p executor.Process) error {
	h.ended = append(h.ended, p)
	return nil
}

// A review is a check, too.
func TestReviewsThatWereLeftRunning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by  escalate.Checker
		set func(c *escalate.Config, h *hung)
	}{
		{escalate.ByReviewer,
			func(c *escalate.Config, h *hung) { c.Reviewer = escalate.NewReviewer(h, escalate.ReviewerOptions{}) }},
		{escalate.ByPlanReviewer, func(c *escalate.Config, h *hung) {
			c.PlanReviewer = escalate.NewPlanReviewer(h, escalate.ReviewerOptions{})
		}},
	} {
		t.Run(string(tt.by), func(t *testing.T) {
			t.Parallel()
			w, h := newWorld(t), &hung{dies: true}
			w.tiers["low"].script = []turn{does("report.md", "found")}
			tt.set(&w.cfg, h)
			require.True(t, w.dies(oneStep()))
			assert.NoError(t, h.refused)
			assert.Equal(t, []escalate.Check{{Process: processes(1)[0], By: tt.by}}, stateOf(t, w).Checks)
			h.dies = false
			w.open()
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, processes(1), h.ended)
			assert.Empty(t, stateOf(t, w).Checks)
		})
	}
}
