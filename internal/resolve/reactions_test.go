package resolve_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// reactions wraps a section of reactions.
func reactions(entries string) string {
	return "errgen: 1\npackage: errs\nstrategies: {reduce: R., rest: R.}\ntiers: {low: {}, high: {}}\n" +
		"policies: {slow: {max_delay: 1m}}\nreactions:\n" + indent(entries, 2) +
		"categories: {work: {codes: {A: {message: a}}}}\n"
}

func TestReactionDefaults(t *testing.T) {
	for _, tt := range []struct {
		entry string
		want  taxonomy.Reaction
		then  string
	}{
		{"{action: retry}", taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true}, "block"},
		{"{action: retry, count_failure: false}", taxonomy.Reaction{Action: taxonomy.Retry}, "block"},
		{"{action: retry_operation, then: abort}", taxonomy.Reaction{Action: taxonomy.RetryOperation}, "abort"},
		{"{action: escalate}", taxonomy.Reaction{Action: taxonomy.Escalate,
			Agent: taxonomy.AgentReaction{To: "low"}}, "block"},
		{"{action: escalate, to: high, then: continue}", taxonomy.Reaction{Action: taxonomy.Escalate,
			Agent: taxonomy.AgentReaction{To: "high"}},
			"continue"},
		{"{action: escalate, purpose: diagnosis}",
			taxonomy.Reaction{Action: taxonomy.Escalate,
				Agent: taxonomy.AgentReaction{To: "low", Purpose: taxonomy.PurposeDiagnosis}}, "block"},
		{"{action: retry, to: high, purpose: analysis}", taxonomy.Reaction{
			Action: taxonomy.Retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{To: "high", Purpose: taxonomy.PurposeAnalysis},
		}, "block"},
		{"{action: retry_operation, to: low, purpose: verification, then: abort}", taxonomy.Reaction{
			Action: taxonomy.RetryOperation,
			Agent:  taxonomy.AgentReaction{To: "low", Purpose: taxonomy.PurposeVerification},
		}, "abort"},
		{"{action: retry, to: high}", taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true}, "block"},
		{"{action: recover, strategy: reduce}",
			taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "reduce", CountFailure: true}, "abort"},
		{"{action: recover, strategy: reduce, session: reduced, resume: operation}", taxonomy.Reaction{
			Action: taxonomy.Recover, Strategy: "reduce", CountFailure: true,
			Agent: taxonomy.AgentReaction{Session: taxonomy.SessionReduced, Resume: taxonomy.ResumeOperation},
		}, "abort"},
		{"{action: continue}", taxonomy.Reaction{Action: taxonomy.Continue}, ""},
		{"{action: abort, extent: run, revert: iteration, doc: D.}", taxonomy.Reaction{
			Action: taxonomy.Abort,
			Agent:  taxonomy.AgentReaction{Extent: taxonomy.ExtentRun, Revert: taxonomy.RevertIteration},
		}, ""},
		{"{action: block}", taxonomy.Reaction{Action: taxonomy.Block}, ""},
		{"{action: retry, revert: files, accept_completion: true, feed_back: true}", taxonomy.Reaction{
			Action: taxonomy.Retry, CountFailure: true,
			Agent: taxonomy.AgentReaction{Revert: taxonomy.RevertFiles, AcceptCompletion: true, FeedBack: true},
		}, "block"},
	} {
		t.Run(tt.entry, func(t *testing.T) {
			p := build(t, reactions("it: "+tt.entry))
			got := p.ReactionByName("it")
			if tt.then == "" {
				assert.Nil(t, got.Then)
			} else {
				assert.Same(t, p.ReactionByName(tt.then), got.Then)
			}
			tt.want.Name, tt.want.Then = "it", got.Then
			assert.Equal(t, "reactionIt", variable(p, got))
			assert.True(t, p.Declared[got])
			assert.Equal(t, &tt.want, got)
		})
	}
}

func TestPolicyDefaults(t *testing.T) {
	base := taxonomy.Policy{
		MaxAttempts: 3, InitialDelay: time.Second, MaxDelay: 30 * time.Second, Multiplier: 2,
		MaxRetryAfter: 30 * time.Second,
	}
	with := func(change func(*taxonomy.Policy)) taxonomy.Policy {
		p := base
		change(&p)
		return p
	}
	for _, tt := range []struct {
		entry string
		want  taxonomy.Policy
	}{
		{"{max_attempts: 3}", base},
		{"{max_delay: 1m}", with(func(p *taxonomy.Policy) { p.MaxDelay, p.MaxRetryAfter = time.Minute, time.Minute })},
		{"{max_retry_after: 1h}", with(func(p *taxonomy.Policy) { p.MaxRetryAfter = time.Hour })},
		{"{jitter: 0.25}",
			with(func(p *taxonomy.Policy) { p.JitterKind, p.Jitter = taxonomy.JitterProportional, 0.25 })},
		{"{jitter: 0}", base},
		{"{jitter: full}", with(func(p *taxonomy.Policy) { p.JitterKind = taxonomy.JitterFull })},
		{"{backoff: linear, max_elapsed: 1h}",
			with(func(p *taxonomy.Policy) { p.Backoff, p.MaxElapsed = taxonomy.Linear, time.Hour })},
	} {
		t.Run(tt.entry, func(t *testing.T) {
			p := build(t, reactions("it: {action: retry, policy: "+tt.entry+"}"))
			got := p.ReactionByName("it").Policy
			tt.want.Name = "it"
			assert.Equal(t, &tt.want, got)
			assert.Equal(t, "policyIt", variable(p, got))
		})
	}
}

func TestInlineReactions(t *testing.T) {
	p := build(t, `
errgen: 1
package: errs
uncategorized: {action: block}
reactions:
  wait: {action: retry, then: {action: escalate, then: {action: abort, extent: run}}}
tiers: {low: {}}
categories:
  work:
    reaction: {action: retry, policy: {max_attempts: 2}}
    fields: {n: {type: int}}
    codes:
      A: {message: a}
      B: {message: b, reaction: {action: abort}, when: [{if: {n: 1}, reaction: {action: continue}}]}
      WAIT: {message: w, reaction: {action: abort}}
`)
	show := func(r model.Variable[taxonomy.Reaction]) string { return r.Var + " " + r.Value.Name }
	assert.Equal(t, []string{
		"reactionWaitThenThen wait.then.then", "reactionWaitThen wait.then", "reactionWait wait", "reactionAbort abort",
		"reactionBlock block",
		"reactionContinue continue", "reactionUncategorized uncategorized", "reactionWork work", "reactionB B",
		"reactionBWhen1 B.when1",
		"reactionWait2 WAIT",
	}, names(p.Reactions, show))
	assert.Equal(t, "policyWork work", p.Policies[0].Var+" "+p.Policies[0].Value.Name)
	a, b := p.CodeByKey("A"), p.CodeByKey("B")
	assert.Equal(t, "reactionWork work", variable(p, a.Row.Reaction)+" "+a.Row.Reaction.Name)
	assert.Equal(t, "B.when1", b.Branches[0].Row.Reaction.Name)
	assert.Equal(t, "uncategorized", p.Taxonomy.Uncategorized.Name)
}

func TestCombination(t *testing.T) {
	p := build(t, `
errgen: 1
package: errs
reactions: {again: {action: retry}}
categories:
  work:
    severity: low
    retryable: true
    reaction: again
    http: 500
    grpc: CANCELLED
    fields: {n: {type: int}}
    codes:
      A: {message: a}
      B:
        message: b
        severity: high
        http: 404
        when:
          - {if: {n: 1}, severity: high}
          - {if: {n: 2}, retryable: false, reaction: block}
          - {if: {n: 3}, recoverability: retryable}
`)
	again, block := p.ReactionByName("again"), p.ReactionByName("block")
	a, b := p.CodeByKey("A"), p.CodeByKey("B")
	want := taxonomy.Traits{
		Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityLow,
		Reaction: again, HTTP: 500, GRPC: 1,
	}
	assert.Equal(t, want, a.Row.Traits)
	want.Severity, want.HTTP = taxonomy.SeverityHigh, 404
	assert.Equal(t, want, b.Row.Traits)
	assert.Same(t, b.Row, b.Branches[0].Row, "says what the code says")
	want.Retryable, want.Recoverability, want.Reaction = false, taxonomy.Permanent, block
	assert.Equal(t, want, b.Branches[1].Row.Traits)
	assert.Same(t, b.Row, b.Branches[2].Row, "recoverability as it follows from the flag")
	assert.Equal(t, []int{0, 0, 1}, collect(p.Rows[2:], func(r *model.Row) int { return r.At.Branch() }))
}

func TestFallbackRows(t *testing.T) {
	for _, tt := range []struct {
		name, reaction          string
		noneReaction, permanent string
	}{
		{"retries", "{action: retry}", "A", "abort"},
		{"stops", "block", "block", "block"},
		{"escalates", "{action: escalate}", "A", "A"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := build(t, `
errgen: 1
package: errs
tiers: {low: {}}
fallback: {code: A}
categories: {work: {codes: {A: {message: a, retryable: true, severity: high, recoverability: recoverable, reaction: `+tt.reaction+`}}}}
`)
			none, permanent := p.Rows[0], p.Rows[1]
			assert.Equal(t, p.Codes[0].Row.Traits, none.Traits)
			assert.Equal(t, tt.noneReaction, none.Reaction.Name)
			assert.False(t, permanent.Retryable)
			assert.Equal(t, taxonomy.Permanent, permanent.Recoverability)
			assert.Equal(t, taxonomy.SeverityHigh, permanent.Severity)
			assert.Equal(t, tt.permanent, permanent.Reaction.Name)
		})
	}
}
