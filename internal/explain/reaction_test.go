package explain

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestDescribe(t *testing.T) {
	policy := func(p taxonomy.Policy) *taxonomy.Policy { return &p }
	tests := map[string]struct {
		reaction taxonomy.Reaction
		want     []string
	}{
		"abort": {taxonomy.Reaction{}, []string{"ends this task as failed"}},
		"abort all": {taxonomy.Reaction{Agent: taxonomy.AgentReaction{Extent: taxonomy.ExtentRun}},
			[]string{"ends the whole run as failed"}},
		"abort, counted": {
			taxonomy.Reaction{CountFailure: true}, []string{"ends this task as failed", "counts as a failure"},
		},
		"block": {taxonomy.Reaction{Action: taxonomy.Block},
			[]string{"stops this task until a person intervenes"}},
		"block all": {taxonomy.Reaction{Action: taxonomy.Block,
			Agent: taxonomy.AgentReaction{Extent: taxonomy.ExtentRun}},
			[]string{"stops the whole run until a person intervenes"}},
		"continue, loudly": {
			taxonomy.Reaction{Action: taxonomy.Continue, LogLevel: taxonomy.LogWarn},
			[]string{"continues", "logs the error (warn)"},
		},
		"retry": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true, LogLevel: taxonomy.LogInfo,
				LogMessage: "again"},
			[]string{"repeats the iteration", `logs "again" (info)`},
		},
		"retry, exponentially": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true, Policy: policy(taxonomy.Policy{
				MaxAttempts: 5, InitialDelay: time.Second, MaxDelay: 90 * time.Second, Multiplier: 1.5,
				JitterKind: taxonomy.JitterProportional, Jitter: 0.1,
			})},
			[]string{"repeats the iteration", "at most 5 calls in total",
				"waits 1s, then 1.5 times as long each time, up to 1m30s, plus or minus 10%"},
		},
		"retry, steadily": {
			taxonomy.Reaction{Action: taxonomy.Retry, HonorRetryAfter: true, Shared: taxonomy.SharedCredential,
				Policy: policy(taxonomy.Policy{
					MaxAttempts: 21, InitialDelay: 5 * time.Second, Backoff: taxonomy.Constant,
					MaxElapsed:    6 * time.Hour,
					MaxRetryAfter: 6*time.Hour + time.Minute,
				})},
			[]string{
				"repeats the iteration", "at most 21 calls in total", "waits 5s each time",
				"waits at most 6h in a row",
				"a hint from the source replaces the delay (at most 6h1m)",
				"all users of the credential wait", "does not count as a failure",
			},
		},
		"retry an operation, linearly": {
			taxonomy.Reaction{Action: taxonomy.RetryOperation, CountFailure: true,
				Agent:           taxonomy.AgentReaction{Session: taxonomy.SessionFresh},
				HonorRetryAfter: true, Policy: policy(taxonomy.Policy{
					MaxAttempts: 2, InitialDelay: time.Second, MaxDelay: 3 * time.Second, Backoff: taxonomy.Linear,
					JitterKind: taxonomy.JitterFull,
				})},
			[]string{
				"repeats the failed operation, in a new conversation", "at most 2 calls in total",
				"waits 1s, then 1s more each time, up to 3s, or any shorter time at random",
				"a hint from the source replaces the delay",
			},
		},
		"one call has no delays": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true,
				Policy: policy(taxonomy.Policy{MaxAttempts: 1, InitialDelay: time.Second})},
			[]string{"repeats the iteration", "at most 1 call in total"},
		},
		"retry, with others and by experience": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true, Policy: policy(taxonomy.Policy{
				MaxAttempts: 3,
				Adapt: &taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6, MinDelay: 500 * time.Millisecond,
					MaxDelay: time.Minute, Target: 0.8, Window: 50},
				Budget: &taxonomy.Budget{
					Retries: 0.2, Reserve: 3, Window: 10 * time.Second,
					Breaker: &taxonomy.Breaker{Failures: 5, Of: 10, Probe: 5 * time.Second, Successes: 1},
				},
			})},
			[]string{
				"repeats the iteration", "at most 3 calls in total", "experience moves the calls between 2 and 6",
				"experience moves the first wait between 500ms and 1m, so that 80% of first retries succeed",
				"remembers the last 50 outcomes of each code and number of the call",
				"all callers of the provider together retry at most 20% of their calls in 10s, and at least 3 times",
				"after 5 failures in 10 calls only one call in 5s is made, until 1 success in a row",
			},
		},
		"a breaker alone": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true, Policy: policy(taxonomy.Policy{
				MaxAttempts: 3,
				Budget: &taxonomy.Budget{Retries: -1,
					Breaker: &taxonomy.Breaker{Failures: 1, Of: 1, Probe: time.Minute, Successes: 2}},
			})},
			[]string{
				"repeats the iteration", "at most 3 calls in total",
				"after 1 failure in 1 call only one call in 1m is made, until 2 successes in a row",
			},
		},
		"revert": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true,
				Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertFiles, AcceptCompletion: true, FeedBack: true}},
			[]string{
				"reverts the files that the error names",
				"the rest may count as done once it is validated",
				"repeats the iteration", "the next prompt contains the error",
			},
		},
		"revert all": {taxonomy.Reaction{Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertIteration}},
			[]string{"reverts all changes of the iteration", "ends this task as failed"}},
		"escalate": {taxonomy.Reaction{Action: taxonomy.Escalate}, []string{"escalates to the next tier"}},
		"escalate to": {taxonomy.Reaction{Action: taxonomy.Escalate, Agent: taxonomy.AgentReaction{To: "opus"}},
			[]string{"escalates to tier opus, or from there to the next one"}},
		"escalate, first": {taxonomy.Reaction{Action: taxonomy.Escalate,
			Agent: taxonomy.AgentReaction{To: "opus", Purpose: taxonomy.PurposeDiagnosis,
				Session: taxonomy.SessionFresh}},
			[]string{"escalates to tier opus, or from there to the next one, in a new conversation, and asks it " +
				"for a diagnosis first"}},
		"escalate, next": {taxonomy.Reaction{Action: taxonomy.Escalate,
			Agent: taxonomy.AgentReaction{Purpose: taxonomy.PurposeVerification}},
			[]string{"escalates to the next tier, and asks it for a verification first"}},
		"ask, then retry": {taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{To: "opus", Purpose: taxonomy.PurposeAnalysis}},
			[]string{"asks tier opus for an analysis, then repeats the iteration"}},
		"ask, then a bit": {taxonomy.Reaction{Action: taxonomy.RetryOperation, CountFailure: true,
			Agent: taxonomy.AgentReaction{To: "opus", Purpose: taxonomy.PurposeVerification}},
			[]string{"asks tier opus for a verification, then repeats the failed operation"}},
		"recover": {taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "shorten", CountFailure: true,
			Agent: taxonomy.AgentReaction{Session: taxonomy.SessionReduced}},
			[]string{"runs the strategy shorten, then repeats the iteration, in a new and shorter conversation"}},
		"recover, a bit": {taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "fix",
			Agent:        taxonomy.AgentReaction{Resume: taxonomy.ResumeOperation},
			CountFailure: true}, []string{"runs the strategy fix, then repeats the failed operation"}},
		"decorrelated": {
			taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true,
				Policy: policy(
					taxonomy.Policy{MaxAttempts: 2, InitialDelay: time.Hour, Backoff: taxonomy.Constant,
						JitterKind: taxonomy.JitterDecorrelated})},
			[]string{"repeats the iteration", "at most 2 calls in total",
				"waits 1h each time, at random around the previous one"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, Does(&tt.reaction))
		})
	}
}

func TestPrevented(t *testing.T) {
	assert.Nil(t, Prevention(nil))
	assert.Equal(t, []string{
		"when it is at least 75% likely", "runs the check quota before the call", "begins at most one call within 2s",
		"runs at most 1 call simultaneously",
	}, Prevention(
		&taxonomy.Prevention{Check: "quota", Throttle: 2 * time.Second, Concurrency: 1, Likely: 0.75}))
	assert.Equal(t, []string{"when it is at least 0% likely", "runs at most 2 calls simultaneously"},
		Prevention(&taxonomy.Prevention{Concurrency: 2}))
}

func TestCondition(t *testing.T) {
	num := func(n int64) model.Value { return model.Value{Type: model.Int, Int: n} }
	text := func(s string) model.Value { return model.Value{Type: model.String, Str: s} }
	ptr := func(v model.Value) *model.Value { return &v }
	yes, no := true, false
	f := &model.Field{Wire: "status"}
	tests := map[string]model.Cond{
		"status is 408":                     {Values: []model.Value{num(408)}},
		"status is 408, 409 or 425":         {Values: []model.Value{num(408), num(409), num(425)}},
		`status is "a b" or ""`:             {Values: []model.Value{text("a b"), text("")}},
		"status is from 400 to 499":         {Min: ptr(num(400)), Max: ptr(num(499))},
		"status is at least 400":            {Min: ptr(num(400))},
		"status is at most 499":             {Max: ptr(num(499))},
		"status is given and not 1 or 2":    {Not: []model.Value{num(1), num(2)}},
		`status begins with "a" or "b"`:     {Prefix: []string{"a", "b"}},
		"status is given":                   {Present: &yes},
		"status is absent":                  {Present: &no},
		"status is at least 1 and is given": {Min: ptr(num(1)), Present: &yes},
		"status is true":                    {Values: []model.Value{{Type: model.Bool, Bool: true}}},
		"status is given and not 1m0s": {Not: []model.Value{{Type: model.Duration,
			Duration: time.Minute}}},
		"status is BLOCK": {Values: []model.Value{{Type: model.EnumType, Str: "BLOCK",
			Index: 1}}},
		"status is from 1 to 9 and is given and not 5": {Min: ptr(num(1)), Max: ptr(num(9)),
			Not: []model.Value{num(5)}},
	}
	for want, c := range tests {
		c.Field = f
		assert.Equal(t, []string{want}, Conditions(&model.Branch{Conds: []model.Cond{c}}))
	}
}

func TestMostCalls(t *testing.T) {
	stop := &taxonomy.Reaction{Action: taxonomy.Abort}
	thrice := &taxonomy.Reaction{
		Action: taxonomy.Retry,
		Policy: &taxonomy.Policy{MaxAttempts: 3},
		Then:   stop,
	}
	const unbounded = "limited by the run only, because a reaction has no policy; retry.Do stops after "
	for want, r := range map[string]*taxonomy.Reaction{
		"":                                   stop,
		"3, retries and recoveries together": thrice,
		"4, retries and recoveries together": {Action: taxonomy.Recover,
			Policy: &taxonomy.Policy{MaxAttempts: 2}, Then: thrice},
		unbounded + "3 calls": {Action: taxonomy.Retry, Then: stop},
		unbounded + "5 calls": {Action: taxonomy.RetryOperation, Then: thrice},
		unbounded + "1 call":  {Action: taxonomy.Recover, Then: thrice},
	} {
		assert.Equal(t, want, MostCalls(nil, r))
		if strings.HasPrefix(want, unbounded) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				_ = retry.Do(t.Context(), func(context.Context) error {
					calls++
					return errors.New("of no code")
				}, retry.ByTable(taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{Uncategorized: r}}))
				assert.Equal(t, want, unbounded+Count(calls, "call", "calls"))
			})
		}
	}
}
