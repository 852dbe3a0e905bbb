package taxonomy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOverrideProblems(t *testing.T) {
	for _, tt := range []struct{ name, over, paths string }{
		{"no such code", "{codes: {X: {http: 500}}}",
			"codes.X"},
		{"no such group", "{codes: {'@x': {http: 500}}}",
			"codes.@x"},
		{"a code twice", "{codes: {W: {http: 500}, net.wait: {http: 501}}}",
			"codes.net.wait"},
		{"no such reaction", "{reactions: {x: {extent: run}}}",
			"reactions"},
		{"no such policy", "{policies: {x: {max_attempts: 1}}}",
			"policies"},
		{"a reaction's policy", "{reactions: {again: {policy: x}}}",
			"reactions.again.policy"},
		{"a code's reaction", "{codes: {R: {reaction: stopp}}}",
			"codes.R.reaction"},
		{"a code's reaction by flag", "{codes: {R: {reaction: {retryable: stop, permanent: stopp}}}}",
			"codes.R.reaction"},
		{"what follows", "{reactions: {again: {then: x}}}",
			"reactions.again.then"},
		{"uncategorized", "{uncategorized: x}",
			"uncategorized"},
		{"strategy", "{reactions: {calm: {strategy: x}}}",
			"reactions.calm.strategy"},
		{"tier", "{reactions: {up: {to: x}}}",
			"reactions.up.to"},
		{"action", "{reactions: {again: {action: retri}}}",
			"reactions.again.action"},
		{"other words", "{reactions: {again: {session: new, revert: none, log: {level: loud}}}}",
			"reactions.again.revert reactions.again.session reactions.again.log.level reactions.again"},
		{"words of codes", "{codes: {R: {severity: none, kind: x, recoverability: never, grpc: OKAY}}}",
			"codes.R.kind codes.R.severity codes.R.recoverability codes.R.grpc"},
		{"HTTP", "{codes: {R: {http: 399}}}",
			"codes.R.http"},
		{"flag against recoverability", "{codes: {R: {retryable: false, recoverability: retryable}}}",
			"codes.R.recoverability"},
		{"a circle", "{reactions: {up: {then: again}}}",
			"reactions.up.then"},
		{"keys of another action", "{reactions: {stop: {policy: slow, session: fresh, to: high, feed_back: true}}}",
			"reactions.stop.policy reactions.stop.session reactions.stop.to reactions.stop.feed_back"},
		{"purposes", "{reactions: {stop: {purpose: analysis}, again: {purpose: x}, wait: {to: low}, ask: {to: boss}, " +
			"once: {purpose: analysis}, up: {action: retry, to: nobody, purpose: diagnosis}}}",
			"reactions.again.purpose reactions.stop.purpose reactions.once.purpose reactions.up.to reactions.up.to " +
				"reactions.ask.to reactions.wait.to"},
		{"recover needs", "{reactions: {again: {action: recover}}}",
			"reactions.again"},
		{"retry_operation needs", "{reactions: {stop: {action: retry_operation, policy: slow}}}",
			"reactions.stop"},
		{"completion needs", "{reactions: {again: {accept_completion: true}}}",
			"reactions.again.accept_completion"},
		{"a log without a level", "{reactions: {again: {log: {message: Hm.}}}}",
			"reactions.again"},
		{"no bounds", "{reactions: {calm: {count_failure: false}}}",
			"reactions.calm"},
		{"bounds of a policy", "{policies: {slow: {max_attempts: 0, multiplier: 0.5, jitter: 1.5, initial_delay: 5, " +
			"max_elapsed: -1s, backoff: no}}}",
			"policies.slow.initial_delay policies.slow.max_elapsed policies.slow.backoff " +
				"policies.slow.jitter policies.slow.max_attempts policies.slow.multiplier"},
		{"adapt", "{policies: {slow: {adapt: {}}, fast: {adapt: {attempts: {min: 0, max: 3}, target: 1, window: " +
			"9}}}}",
			"policies.fast.adapt.attempts.min policies.fast.adapt.target policies.fast.adapt.window " +
				"policies.slow.adapt"},
		{"bounds that are nothing", "{policies: {fast: {adapt: {attempts: {min: 0, max: 0}, delay: {max: 500ms}}}}}",
			"policies.fast.adapt.attempts.min policies.fast.adapt.attempts.max"},
		{"bounds of adapt",
			"{policies: {slow: {adapt: {attempts: {min: 5}, delay: {max: 1s}}}, fast: {max_attempts: 7}}}",
			"policies.fast.adapt.attempts.max policies.slow.adapt.attempts.min policies.slow.adapt.delay"},
		{"bounds of adapt", "{policies: {slow: {adapt: {attempts: {max: 2}, delay: {max: 1s}}}}}",
			"policies.slow.adapt.attempts.max policies.slow.adapt.delay"},
		{"bounds that the policy is outside of",
			"{policies: {slow: {adapt: {attempts: {min: 4, max: 5}, delay: {min: 3s, max: 1m}}}}}",
			"policies.slow.adapt.attempts.min policies.slow.adapt.delay"},
		{"no delay", "{policies: {fast: {adapt: {delay: {min: x}}}}}",
			"policies.fast.adapt.delay.min policies.fast.adapt.delay"},
		{"budget", "{policies: {slow: {budget: {}}, fast: {budget: {retries: -1, reserve: -1, window: 0s}}}}",
			"policies.fast.budget.retries policies.fast.budget.reserve policies.fast.budget.window " +
				"policies.slow.budget"},
		{"nothing to reserve", "{policies: {fast: {budget: {reserve: 1}}}}",
			"policies.fast.budget"},
		{"breaker", "{policies: {slow: {budget: {breaker: {}}}, fast: {budget: {breaker: {failures: 0, probe: 0s, " +
			"successes: 0}}}}}",
			"policies.fast.budget.breaker.failures policies.fast.budget.breaker.successes " +
				"policies.fast.budget.breaker.probe policies.slow.budget.breaker.failures"},
		{"a breaker's calls",
			"{policies: {fast: {budget: {breaker: {of: 2}}}, slow: {budget: {breaker: {failures: 2, of: " +
				"1001}}}}}",
			"policies.fast.budget.breaker.failures policies.slow.budget.breaker.of"},
		{"strategies of the profile", "{recovery: {allowed: [rest, sleep], max_attempts: -1}}",
			"recovery.max_attempts recovery.allowed"},
		{"retries of the profile", "{retry: {doc: D., max_attempts: 0, backoff: slow, budget: {}}}",
			"retry.backoff retry.max_attempts retry.budget"},
		{"level", "{reporting: {log_level: loud}}",
			"reporting.log_level"},
		{"no level", "{reporting: {log_level: none}}",
			"reporting.log_level"},
		{"delays", "{policies: {slow: {max_delay: 1s}}}",
			"policies.slow.max_delay"},
		{"a code that is not retryable", "{codes: {S: {reaction: again}}}",
			"codes.S.reaction"},
		{"a flag", "{codes: {job: {severity: low}, S: {retryable: true}}}",
			"codes.S.retryable"},
		{"everything at once",
			"{codes: {X: {http: 1}, R: {reaction: y}}, reactions: {z: {}, again: {policy: q}}, policies: " +
				"{slow: {max_attempts: -1}}}",
			"codes.R.reaction codes.X codes.X.http policies.slow.max_attempts reactions.again.policy " +
				"reactions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := tableOf(t, overridden)
			got, err := base.Override(decoded(t, tt.over))
			require.Error(t, err)
			assert.Equal(t, taxonomy.Table{}, got)
			assert.ElementsMatch(t, strings.Fields(tt.paths), paths(err), err)
			assert.True(t, strings.HasPrefix(err.Error(), "errs: overrides: "), err)
		})
	}
	_, err := taxonomy.Table{}.Override(taxonomy.Overrides{})
	assert.EqualError(t, err, "overrides: the table has no taxonomy")
}

// paths returns the paths of the keys that an error of overrides is about.
func paths(err error) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimPrefix(err.Error(), "errs: overrides: "), "\n") {
		path, _, _ := strings.Cut(line, ":")
		out = append(out, path)
	}
	return out
}
