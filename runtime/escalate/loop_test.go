package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

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
	got  []taxonomy.RecoveryRequest
}

func (s *sweeper) Recover(_ context.Context, f taxonomy.RecoveryRequest) error {
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
