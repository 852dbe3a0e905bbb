package escalate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// critic is a provider that answers as it is told. %MARK% in an answer is the mark of the prompt.
type critic struct {
	answer executor.Answer
	err    error
	hangs  bool
	asked  []executor.Request
}

func (c *critic) Name() string { return "critic" }

func (c *critic) Available(context.Context) error { return nil }

func (c *critic) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	c.asked = append(c.asked, req)
	if c.hangs {
		<-ctx.Done()
		return executor.Answer{}, ctx.Err()
	}
	answer := c.answer
	answer.Text = strings.ReplaceAll(answer.Text, "%MARK%", Mark(req.Prompt))
	return answer, c.err
}

var reviewed23 = ReviewInput{Run: "nightly", Step: plan.Step{ID: "2.3", Instructions: "Read it."}, Tier: "haiku",
	Report: "I have.", Files: []string{"a"}, Dir: "/tree"}

// B-O03: what a reviewer finds becomes evidence that nobody else can give.
func TestReviewer(t *testing.T) {
	c := &critic{answer: executor.Answer{Text: "I looked.\n" + block(`{"mark":"%MARK%","findings":[
		{"finding":"drift","text":"b.go was changed too","files":["b.go","/etc"],"context":{"reason":"overflow","tier":"opus"}},
		{"finding":"rudeness","text":"it is rude"},{"finding":"drift"}]}`)}}
	found, err := NewReviewer(c, ReviewerOptions{Findings: []string{"drift"}}).Review(t.Context(), reviewed23)
	require.NoError(t, err)
	ours := map[string]string{"step": "2.3", "tier": "haiku"}
	assert.Equal(t, []*taxonomy.Evidence{
		{Source: "review", Op: "review", Type: "drift", Text: "b.go was changed too", Files: []string{"b.go"},
			Attributes: map[string]string{"reason": "overflow", "step": "2.3", "tier": "haiku"}},
		{Source: "review", Op: "review", Text: "it is rude", Attributes: ours},
		{Source: "review", Op: "review", Type: "drift", Text: "drift", Attributes: ours},
	}, found)
	assert.Equal(t, "/tree", c.asked[0].Dir)
	assert.Contains(t, c.asked[0].Prompt, "\nI have.\n")

	c.answer.Text = block(`{"mark":"%MARK%","findings":[]}`)
	found, err = NewReviewer(c, ReviewerOptions{}).Review(t.Context(), reviewed23)
	assert.NoError(t, err)
	assert.Empty(t, found)
	assert.NotEqual(t, Mark(c.asked[0].Prompt), Mark(c.asked[1].Prompt), "each call has its own")
}

// A review that could not be made is never one that has found nothing.
func TestNoReview(t *testing.T) {
	down := &taxonomy.Evidence{Source: "critic", Op: "call", Status: 529}
	for _, tt := range []struct {
		name string
		c    critic
		want string // the type of the evidence
	}{
		{"the provider's error", critic{err: down}, ""},
		{"an error of any kind", critic{err: errors.New("no route")}, ""},
		{"the provider's failure", critic{answer: executor.Answer{Failure: "overloaded"}}, ""},
		{"nothing", critic{}, "no_report"},
		{"words", critic{answer: executor.Answer{Text: "I found nothing."}}, "no_report"},
		{"no list", critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%"}`)}}, "no_report"},
		{"a list that is null",
			critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%","findings":null,"faults":null}`)}},
			"no_report"},
		{"a list of another kind",
			critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%","findings":{},"faults":{}}`)}}, "no_report"},
		{"a finding that says nothing",
			critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%","findings":[{}],"faults":[{}]}`)}},
			"no_report"},
		{"a finding that is none",
			critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%","findings":["a"],"faults":["a"]}`)}},
			"no_report"},
		{"very many",
			critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%","findings":[0` + strings.Repeat(",0", 100) +
				`],"faults":[0` + strings.Repeat(",0", 100) + `]}`)}}, "no_report"},
		{"the form itself, without the mark",
			critic{answer: executor.Answer{Text: block(`{"findings":[],"faults":[]}`)}}, "no_report"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewReviewer(&tt.c, ReviewerOptions{}).Review(t.Context(), reviewed23)
			_, planErr := NewPlanReviewer(&tt.c, ReviewerOptions{}).ReviewPlan(t.Context(), PlanReviewInput{})
			for _, err := range []error{err, planErr} {
				ev, ok := errors.AsType[*taxonomy.Evidence](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, []string{"critic", "call", tt.want}, []string{ev.Source, ev.Op, ev.Type},
					"the reviewer's own failure, and no finding")
			}
		})
	}
}

func TestReviewsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := NewReviewer(&critic{hangs: true}, ReviewerOptions{Limit: time.Minute}).Review(t.Context(), reviewed23)
		ev, ok := errors.AsType[*taxonomy.Evidence](err)
		require.True(t, ok)
		assert.Equal(t, "timeout", ev.Type)

		ctx, cancel := context.WithCancelCause(t.Context())
		mine := errors.New("mine")
		cancel(mine)
		_, err = NewReviewer(&critic{hangs: true}, ReviewerOptions{}).Review(ctx, reviewed23)
		assert.ErrorIs(t, err, mine)
	})
}

// O23, B-O02: a reviewer of a plan finds what does not say enough.
func TestPlanReviewer(t *testing.T) {
	c := &critic{answer: executor.Answer{Text: block(`{"mark":"%MARK%","faults":[
		{"kind":"unclear_criteria","step":"2.3","text":"when is it good?"},{"kind":"silent_plan","text":"no way back"},{"kind":"several_readings","step":"9","text":"a or b"}]}`)}}
	p := plan.Plan{Steps: []plan.Step{{ID: "2.3", Instructions: "Do it well.", Line: 7}}}
	faults, err := NewPlanReviewer(c, ReviewerOptions{Dir: "/tree"}).ReviewPlan(t.Context(), PlanReviewInput{Plan: p})
	require.NoError(t, err)
	assert.Equal(t, []plan.Fault{
		{Kind: plan.Unclear, Step: "2.3", Text: "when is it good?", Line: 7}, {Kind: plan.Silent, Text: "no way back"},
		{Kind: plan.Several, Text: "step `9`: a or b"},
	}, faults)
	assert.Equal(t, "/tree", c.asked[0].Dir)

	c.answer.Text = block(`{"mark":"%MARK%","faults":[{"kind":"invalid","text":"a"}]}`)
	_, err = NewPlanReviewer(c, ReviewerOptions{}).ReviewPlan(t.Context(), PlanReviewInput{Plan: p})
	assert.ErrorContains(t, err, "of no kind that there is")
	c.answer.Text = block(`{"mark":"%MARK%","faults":[]}`)
	faults, err = NewPlanReviewer(c, ReviewerOptions{}).ReviewPlan(t.Context(), PlanReviewInput{Plan: p})
	assert.NoError(t, err)
	assert.Empty(t, faults)
	_, err = NewPlanReviewer(c, ReviewerOptions{MaxEvidence: 100}).ReviewPlan(t.Context(), PlanReviewInput{Plan: p})
	assert.ErrorContains(t, err, "review the plan: the plan has more than 36 bytes")
}

// A reviewer without a provider says so, wherever it is hidden.
func TestReviewerOfNobody(t *testing.T) {
	_, err := NewReviewer(nil, ReviewerOptions{}).Review(t.Context(), reviewed23)
	require.ErrorContains(t, err, "no provider")
	_, err = NewPlanReviewer((*critic)(nil), ReviewerOptions{}).ReviewPlan(t.Context(), PlanReviewInput{})
	require.ErrorContains(t, err, "no provider")
}
