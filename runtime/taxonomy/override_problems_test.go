package taxonomy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOverrideProblems(t *testing.T) {
	for _, tt := range []struct{ name, over, want string }{
		{"no such code", "{codes: {X: {http: 500}}}",
			`codes: no code or category "X"; there are net, job, R, S, W, C, D, Q, I`},
		{"no such group", "{codes: {'@x': {http: 500}}}", `codes: no group "x"; there are auth, net`},
		{"a code twice", "{codes: {W: {http: 500}, net.wait: {http: 501}}}", "codes: W and net.wait are the same code"},
		{"no such reaction", "{reactions: {x: {extent: run}}}",
			`reactions: no reaction "x"; there are stop, once, up, again, block, ask, shorter, calm, wait, abort, ` +
				`continue`},
		{"no such policy", "{policies: {x: {max_attempts: 1}}}", `policies: no policy "x"; there are slow, fast`},
		{"a reaction's policy", "{reactions: {again: {policy: x}}}",
			`reactions.again.policy: no policy "x"; there are slow, fast`},
		{"a code's reaction", "{codes: {R: {reaction: stopp}}}", `codes.R.reaction: no reaction "stopp"`},
		{"a code's reaction by flag", "{codes: {R: {reaction: {retryable: stop, permanent: stopp}}}}",
			`codes.R.reaction: no reaction "stopp"`},
		{"what follows", "{reactions: {again: {then: x}}}", `reactions.again.then: no reaction "x"`},
		{"what follows in place", "{codes: {R: {reaction: {action: retry, then: {action: retry, then: x}}}}}",
			`codes.R.reaction.then.then: no reaction "x"`},
		{"uncategorized", "{uncategorized: x}", `uncategorized: no reaction "x"`},
		{"uncategorized by flag", "{uncategorized: {retryable: stop}}",
			"uncategorized: only overrides of codes choose by retryable and permanent"},
		{"strategy", "{reactions: {calm: {strategy: x}}}",
			`reactions.calm.strategy: no strategy "x"; there are reduce, rest`},
		{"tier", "{reactions: {up: {to: x}}}", `reactions.up.to: no tier "x"; there are low, high, boss`},
		{"action", "{reactions: {again: {action: retri}}}",
			`reactions.again.action: "retri" is none of abort, block, continue, retry, retry_operation, escalate, ` +
				`recover`},
		{"other words", "{reactions: {again: {session: new, revert: none, log: {level: loud}}}}", `reactions.again.session: "new" is none of keep, fresh, reduced
reactions.again.revert: "none" is none of files, iteration
reactions.again.log.level: "loud" is none of debug, info, warn, error`},
		{"words of codes", "{codes: {R: {severity: none, kind: x, recoverability: never, grpc: OKAY}}}", `codes.R.severity: "none" is none of low, medium, high, critical
codes.R.kind: "x" is none of fault, failure
codes.R.grpc: "OKAY" is none of OK, CANCELLED,`},
		{"HTTP", "{codes: {R: {http: 1}}}", "codes.R.http: 1 is no HTTP status: they go from 100 to 599"},
		{"flag against recoverability", "{codes: {R: {retryable: false, recoverability: retryable}}}",
			"codes.R: retryable is false, and recoverability is retryable"},
		{"flag and in place", "{codes: {R: {reaction: {retryable: stop, action: abort}}}}",
			"codes.R.reaction: either chooses by retryable and permanent, or stands in place"},
		{"in place without action", "{codes: {R: {reaction: {extent: run}}}}",
			"codes.R.reaction: a reaction in place needs an action"},
		{"a circle", "{reactions: {up: {then: again}}}", "reactions.again.then: then leads in a circle: up, again, up"},
		{"a circle in place", "{reactions: {calm: {then: {action: retry, then: calm}}}}",
			"reactions.calm.then.then: then leads in a circle: calm, calm.then, calm"},
		{"keys of another action", "{reactions: {stop: {policy: slow, session: fresh, to: high, feed_back: true}}}", `reactions.stop: abort does not take policy
reactions.stop: abort does not take session
reactions.stop: abort does not take to
reactions.stop: abort does not take feed_back`},
		{"purposes", "{reactions: {stop: {purpose: analysis}, again: {purpose: x}, wait: {to: low}, ask: {to: boss}, once: {purpose: analysis}, up: {action: retry, to: nobody, purpose: diagnosis}}}", `reactions.again.purpose: "x" is none of diagnosis, analysis, verification
reactions.stop: abort does not take purpose
reactions.once: retry_operation with a purpose needs to: the tier that is asked
reactions.up.to: no tier "nobody"; there are low, high, boss
reactions.ask: retry with a purpose asks a tier that is no person, and "boss" is one
reactions.wait: retry does not take to`},
		{"recover needs", "{reactions: {again: {action: recover}}}", "reactions.again: recover needs a strategy"},
		{"retry_operation needs", "{reactions: {stop: {action: retry_operation, policy: slow}}}",
			"reactions.stop: retry_operation needs then"},
		{"completion needs", "{reactions: {again: {accept_completion: true}}}",
			"reactions.again: accept_completion needs revert"},
		{"a log without a level", "{reactions: {again: {log: {message: Hm.}}}}", "reactions.again: log needs a level"},
		{"no bounds", "{reactions: {calm: {count_failure: false}}}",
			"reactions.calm: nothing bounds this: it does not count as a failure and has no policy"},
		{"bounds of a policy", "{policies: {slow: {max_attempts: 0, multiplier: 0.5, jitter: 1.5, initial_delay: 5, max_elapsed: -1s, backoff: no}}}", `policies.slow.max_attempts: at least 1, not 0: it counts calls in total, the first included
policies.slow.multiplier: at least 1, not 0.5
policies.slow.initial_delay: "5" is no duration, such as 1.5s or 2h
policies.slow.max_elapsed: -1s is negative
policies.slow.backoff: "no" is none of exponential, constant, linear
policies.slow.jitter: "1.5" is neither a number from 0 to 1 nor none, full or decorrelated`},
		{"adapt", "{policies: {slow: {adapt: {}}, fast: {adapt: {attempts: {min: 0, max: 3}, target: 1, window: 9}}}}", `policies.fast.adapt.attempts: min is at least 1, not 0
policies.fast.adapt.target: from 0.01 to 0.99, not 1
policies.fast.adapt.window: from 10 to 1000, not 9
policies.slow.adapt: needs attempts or delay: nothing may move`},
		{"bounds that are nothing", "{policies: {fast: {adapt: {attempts: {min: 0, max: 0}, delay: {max: 500ms}}}}}",
			"policies.fast.adapt.attempts: min is at least 1, not 0"},
		{"bounds of adapt",
			"{policies: {slow: {adapt: {attempts: {min: 5}, delay: {max: 1s}}}, fast: {max_attempts: 7}}}",
			`policies.fast.adapt.attempts: max 6 is below max_attempts 7`},
		{"bounds of adapt", "{policies: {slow: {adapt: {attempts: {max: 2}, delay: {max: 1s}}}}}", `policies.slow.adapt.attempts: max 2 is below max_attempts 3
policies.slow.adapt.delay: max 1s is below initial_delay 2s`},
		{"bounds that the policy is outside of", "{policies: {slow: {adapt: {attempts: {min: 4, max: 5}, delay: {min: 3s, max: 1m}}}}}", `policies.slow.adapt.attempts: min 4 is above max_attempts 3
policies.slow.adapt.delay: min 3s is above initial_delay 2s
policies.slow.adapt.delay: max 1m0s is above max_delay 30s`},
		{"no delay", "{policies: {fast: {adapt: {delay: {min: x}}}}}", `policies.fast.adapt.delay.min: "x" is no duration, such as 1.5s or 2h
policies.fast.adapt.delay: the longest is 0s: nothing could move`},
		{"budget", "{policies: {slow: {budget: {}}, fast: {budget: {retries: -1, reserve: -1, window: 0s}}}}", `policies.fast.budget.retries: at least 0, not -1
policies.fast.budget.reserve: at least 0, not -1
policies.fast.budget.window: more than 0s
policies.slow.budget: needs retries or breaker: nothing is bounded`},
		{"nothing to reserve", "{policies: {fast: {budget: {reserve: 1}}}}",
			"policies.fast.budget: reserve and window need retries: nothing else is counted"},
		{"breaker", "{policies: {slow: {budget: {breaker: {}}}, fast: {budget: {breaker: {failures: 0, probe: 0s, successes: 0}}}}}", `policies.fast.budget.breaker: 0 failures of 0 calls: 1 or more, and no more than the calls, which are at most 1000
policies.fast.budget.breaker.probe: more than 0s
policies.fast.budget.breaker.successes: from 1 to 1000, not 0
policies.slow.budget.breaker: needs failures: how many open it`},
		{"a breaker's calls", "{policies: {fast: {budget: {breaker: {of: 2}}}, slow: {budget: {breaker: {failures: 2, of: 1001}}}}}", `policies.fast.budget.breaker: 3 failures of 2 calls: 1 or more, and no more than the calls, which are at most 1000
policies.slow.budget.breaker: 2 failures of 1001 calls: 1 or more`},
		{"strategies of the profile", "{recovery: {allowed: [rest, sleep], max_attempts: -1}}", `recovery.max_attempts: at least 0, which runs none, not -1
recovery.allowed: no strategy "sleep"; there are reduce, rest`},
		{"retries of the profile", "{retry: {doc: D., max_attempts: 0, backoff: slow, budget: {}}}", `retry: it takes no doc
retry.max_attempts: at least 1, not 0: it counts calls in total, the first included
retry.backoff: "slow" is none of exponential, constant, linear
retry.budget: needs retries or breaker: nothing is bounded`},
		{"level", "{reporting: {log_level: loud}}", `reporting.log_level: "loud" is none of debug, info, warn, error`},
		{"no level", "{reporting: {log_level: none}}",
			`reporting.log_level: "none" is none of debug, info, warn, error`},
		{"delays", "{policies: {slow: {max_delay: 1s}}}", "policies.slow: max_delay 1s is below initial_delay 2s"},
		{"a code that is not retryable", "{codes: {S: {reaction: again}}}",
			"codes.S.reaction: nothing that it covers is retryable"},
		{"a flag", "{codes: {job: {severity: low}, S: {retryable: true}}}",
			"codes.S.retryable: nothing that it covers is retryable"},
		{"a reaction that only serves what is not retryable", "{reactions: {calm: {action: retry, then: block}}}",
			"reactions.calm: nothing that it covers is retryable"},
		{"everything at once",
			"{codes: {X: {http: 1}, R: {reaction: y}}, reactions: {z: {}, again: {policy: q}}, policies: {slow: " +
				"{max_attempts: -1}}}", "codes: no code or category \"X\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := tableOf(t, overridden)
			got, err := base.Override(decoded(t, tt.over))
			require.Error(t, err)
			assert.Equal(t, taxonomy.Table{}, got)
			assert.ErrorContains(t, err, tt.want)
			assert.True(t, strings.HasPrefix(err.Error(), "errs: overrides: "), err)
			lines := strings.Split(err.Error(), "\n")
			assert.Equal(t, len(lines), len(unique(lines)), "each said once: %s", err)
		})
	}
	_, err := tableOf(t, overridden).
		Override(
			decoded(
				t, "{codes: {X: {http: 1}, R: {reaction: y}}, reactions: {z: {}, again: {policy: q}}, policies: "+
					"{slow: {max_attempts: -1}}}"))
	assert.Len(t, strings.Split(err.Error(), "\n"), 6)
	_, err = taxonomy.Table{}.Override(taxonomy.Overrides{})
	assert.EqualError(t, err, "overrides: the table has no taxonomy")
}

func unique(lines []string) map[string]bool {
	set := map[string]bool{}
	for _, line := range lines {
		set[line] = true
	}
	return set
}
