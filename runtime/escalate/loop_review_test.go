package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// failingReviews is a reviewer that cannot review the first times.
type failingReviews struct {
	times, asked int
	fail         func() error
}

func (f *failingReviews) Review(context.Context, escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
	if f.asked++; f.asked > f.times {
		return nil, nil
	}
	return []*taxonomy.Evidence{{Source: "review", Op: "review", Type: "drift"}}, f.fail()
}

func reviewerFails(typ string) func() error {
	return func() error { return &taxonomy.Evidence{Source: "critic", Op: "call", Type: typ} }
}

// A reviewer that is down says nothing of the work: that stays, and the reviewer is asked again as
// its own reaction has it.
func TestReviewThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		times int
		fail  func() error
		end   escalate.EndReason
		code  string
		slept string
		asked int
	}{
		{"rate-limited once", 1, reviewerFails("rate"), escalate.EndCompleted, "", "1m0s", 2},
		{"rate-limited for good", 9, reviewerFails("rate"), escalate.EndBlocked, "rate", "1m0s", 2},
		{"down", 1, reviewerFails("down"), escalate.EndBlocked, "down", "0s", 1},
		{"blocked", 1, reviewerFails("halt"), escalate.EndBlocked, "halt", "0s", 1},
		{"what must not go on", 1, reviewerFails("fatal"), escalate.EndFailed, "fatal", "0s", 1},
		{"any error", 1, func() error { return assert.AnError }, escalate.EndBlocked, "unclassified", "0s", 1},
		{"a panic", 1, func() error { panic("no") }, escalate.EndBlocked, "unclassified", "0s", 1},
		{"a finding that is none", 1,
			func() error { return &taxonomy.Evidence{Source: "review", Op: "call", Text: "halt"} }, escalate.EndBlocked,
			"halt", "0s", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := &failingReviews{times: tt.times, fail: tt.fail}
			w.cfg.Reviewer = r
			gates := 0
			w.gate = func() { gates++ }
			w.tiers["low"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, tt.code, res.ErrorCode)
			assert.Equal(t, tt.slept, w.clock.slept.String())
			assert.Equal(t, tt.asked, r.asked)
			assert.Equal(t, 1, gates, "nothing but the review is made again")
			require.Len(t, res.Steps[0].Attempts, 1, "nothing is carried out again")
			a := res.Steps[0].Attempts[0]
			assert.NotEmpty(t, a.Unreviewed)
			assert.NotEqual(t, "review", a.Unreviewed[0].Source)
			assert.Empty(t, a.Code)
			assert.Empty(t, a.Findings)
			assert.Equal(t, tt.end == escalate.EndCompleted, a.Counts)
			assert.Equal(t, a.Counts, w.exists("report.md"))
			assert.Equal(t, a.Counts, a.SavedRef == "", "what does not count is kept")
			if tt.end != escalate.EndBlocked {
				return
			}
			assert.Contains(t, res.Question.Why, "nobody could review what low has done")
			assert.Contains(t, res.Question.Tried[0].Why, "nobody could review it")
			assert.Len(t, res.Question.Needed, 1)

			r.times = 0
			w.tiers["low"].script = append(w.tiers["low"].script, does("report.md", "found"))
			res = w.answer(oneStep(), escalate.Answer{Text: "It is back."})
			assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		})
	}
}

func TestReviewByHandThatCannotBeMade(t *testing.T) {
	t.Parallel()
	w := blocked(t)
	r := &failingReviews{times: 1, fail: reviewerFails("down")}
	w.cfg.Reviewer = r
	w.write("report.md", "found by hand")
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.DoneByHand, By: "Ada"})
	require.Equal(t, escalate.EndBlocked, res.EndReason, res.Error)
	assert.Contains(t, res.Question.Why, "nobody could review what Ada has done")
	assert.Equal(t, "found by hand", w.read("report.md"))
	res = w.answer(oneStep(), escalate.Answer{Action: escalate.DoneByHand, By: "Ada"})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "Ada", res.Steps[0].By)
}

func TestCancelledBeforeAnotherReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.clock.onSleep = cancel
	r := &failingReviews{times: 9, fail: reviewerFails("rate")}
	w.cfg.Reviewer = r
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.runner().Run(ctx, "run", oneStep())
	require.Equal(t, escalate.EndCancelled, res.EndReason, res.Error)
	assert.Equal(t, 1, r.asked)
	assert.False(t, w.exists("report.md"))
}

// B-O03: who corrects the instructions is not judged by the correction alone.
func TestReviewOfACorrection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var in escalate.ReviewInput
	w.cfg.Reviewer = reviewer(func(i escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
		in = i
		return nil, nil
	})
	w.tiers["low"].script = []turn{saysFailed("missing: CLAUDE.md")}
	w.tiers["mid"].script = []turn{simply("the file is AGENTS.md", "Read AGENTS.md and write report.md."),
		does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, oneStep().Steps[0], in.Step)
	assert.Equal(t, "Read AGENTS.md and write report.md.", in.Corrected)
	assert.Equal(t, "mid", in.CorrectedBy)
}

// A reviewer may have any name; what it fails with itself is no finding of a review.
func TestReviewerThatIsNamedReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Reviewer = escalate.NewReviewer(&scripted{world: w, name: "review", script: []turn{says("nonsense")}},
		escalate.ReviewerOptions{})
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndBlocked, res.EndReason, res.Error)
	assert.Equal(t, "reviewer", res.Steps[0].Attempts[0].Unreviewed[0].Source)
}
