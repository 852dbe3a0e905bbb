package escalate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// counting counts the criteria that are verified.
type counting struct {
	verifier
	asked *[]string
	panic bool
}

func (c counting) Criteria(ctx context.Context, all []plan.Criterion) []*taxonomy.Evidence {
	for _, one := range all {
		*c.asked = append(*c.asked, one.Path)
	}
	if c.panic && len(*c.asked) > 3 {
		panic("boom")
	}
	return c.verifier.Criteria(ctx, all)
}

// Each criterion is verified once at the end, and none that was verified since the tree has changed
// last.
func TestWhatIsVerifiedAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		w := newWorld(t)
		var asked []string
		w.cfg.Verifier = counting{verifier{w}, &asked, panics}
		p := steps("1", "2", "3")
		p.Steps[1].Criteria = p.Steps[0].Criteria
		w.tiers["low"].script = []turn{does("report.md", "found"), does("x.md", "x"), does("report-3.md", "found")}
		res := w.run(p)
		require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		assert.Equal(t, []string{"report.md", "report.md", "report-3.md", "report.md"}, asked)
		if panics {
			require.Len(t, res.Warnings, 1)
			assert.Contains(t, res.Warnings[0], "step 1 was done, and does not hold any more: panic: boom")
		} else {
			assert.Empty(t, res.Warnings)
		}
	}
}

// Of very many steps only some are named.
func TestManyStepsThatDoNotHoldAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := plan.Plan{Title: "Reports"}
	for i := range 40 {
		id := "s" + strings.Repeat("i", i)
		s := steps("x", id).Steps[1]
		p.Steps = append(p.Steps, s)
		w.tiers["low"].script = append(w.tiers["low"].script, does("report-"+id+".md", "found"))
	}
	w.tiers["low"].script[39] = func(ctx context.Context, s *scripted, prompt string) (string, error) {
		for i := range 39 {
			w.write("report-s"+strings.Repeat("i", i)+".md", "gone")
		}
		return does("report-s"+strings.Repeat("i", 39)+".md", "found")(ctx, s, prompt)
	}
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	require.Len(t, res.Warnings, 33)
	assert.Equal(t, "7 more steps were done, and do not hold any more", res.Warnings[32])
}

// A commit that somebody has taken off, or a branch that somebody is not on any more, is warned of
// when the run goes on.
func TestCommitThatIsNotThereAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Commit = true
	w.tiers["low"].script = []turn{does("report.md", "found"), saysFailed("halt: no")}
	res := w.run(steps("1", "2"))
	require.Equal(t, escalate.EndBlocked, res.EndReason, res.Error)
	commit := res.Steps[0].Commit
	w.git("reset", "-q", "--hard", "HEAD~1")
	w.write("report-2.md", "found by hand")
	res = w.answer(steps("1", "2"), escalate.Answer{Action: escalate.DoneByHand})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, []string{
		"step 1 is done with commit " + commit + ", which is not in the history of HEAD any more",
		"step 1 was done, and does not hold any more: report.md is not as it has to be",
	}, res.Warnings)
}

// Whoever looks at the plan changes nothing: it is put back, before the first step and after the
// last.
func TestPlanReviewerThatChangesTheTree(t *testing.T) {
	t.Parallel()
	for _, atEnd := range []bool{false, true} {
		w := newWorld(t)
		w.cfg.Commit = true
		w.cfg.PlanReviewer = &readingPlans{find: func(in escalate.PlanReviewInput) ([]plan.Fault, error) {
			if in.AtEnd == atEnd {
				w.write("AGENTS.md", "changed")
				w.write("notes.md", "a review")
			}
			return nil, nil
		}}
		w.tiers["low"].script = []turn{does("report.md", "found")}
		res := w.run(oneStep())
		require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		assert.Equal(t, "what agents are to do\n", w.read("AGENTS.md"))
		assert.Empty(t, w.git("status", "--porcelain"))
		require.Len(t, res.Warnings, 1)
		assert.Contains(
			t, res.Warnings[0],
			"has changed the working tree, which was put back: AGENTS.md, notes.md (kept in refs/errgen/run/")
		assert.Equal(t, []string{"report.md"}, res.Steps[0].Files)
	}
}
