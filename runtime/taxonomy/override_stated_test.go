package taxonomy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
)

// What was said is no number that was left out, though it may be the same: an override leaves it,
// as a profile does.
func TestOverrideOfNumbersThatWereSaid(t *testing.T) {
	const base = `
errgen: 1
package: errs
policies:
  said: {max_attempts: 3, initial_delay: 1s, adapt: {attempts: {min: 3, max: 6}, delay: {min: 1s, max: 20s}}, budget: {breaker: {failures: 5, of: 5}}}
  left: {max_attempts: 3, initial_delay: 1s, adapt: {attempts: {max: 6}, delay: {max: 20s}}, budget: {breaker: {failures: 5}}}
categories:
  c: {doc: C., retryable: true, codes: {A: {doc: A., message: a, reaction: {action: retry, policy: said}}, B: {doc: B., message: b, reaction: {action: retry, policy: left}}}}
`
	for _, over := range []string{
		"{policies: {said: {max_attempts: 5}, left: {max_attempts: 5}}}",
		"{policies: {said: {initial_delay: 3s}, left: {initial_delay: 3s}}}",
		"{policies: {said: {budget: {breaker: {failures: 3}}}, left: {budget: {breaker: {failures: 3}}}}}",
		"{policies: {said: {adapt: {attempts: {min: 2}}}, left: {adapt: {attempts: {min: 3}, delay: {min: 1s}}, " +
			"budget: {breaker: {of: 5}}}}}",
	} {
		m, findings := check.Load(
			"taxonomy.yaml", []byte(base+"profiles: {it: "+strings.Replace(over, "{", "{doc: D., ", 1)+"}\n"))
		require.NotNil(t, m, "%s: %v", over, findings)
		want, err := modelTable(m).Profile("it")
		require.NoError(t, err)
		got, err := tableOf(t, base).Override(decoded(t, over))
		require.NoError(t, err)
		equalTables(t, want, got, over)

		// And what follows then.
		const later = "{policies: {said: {max_attempts: 6, initial_delay: 4s}, left: {max_attempts: 6, " +
			"initial_delay: 4s}}}"
		twice, err := got.Override(decoded(t, later))
		require.NoError(t, err)
		from, err := want.Override(decoded(t, later))
		require.NoError(t, err)
		equalTables(t, from, twice, over)
	}
}

func TestOverrideNumbersAreBounded(t *testing.T) {
	for over, want := range map[string]string{
		"{policies: {fast: {adapt: {attempts: {max: 101}}}}}": "policies.fast.adapt.attempts: max is at " +
			"most 100, not 101",
		"{policies: {fast: {budget: {retries: 1, reserve: 1000001}}}}": "policies.fast.budget.reserve: at most " +
			"1000000, not 1000001",
		"{policies: {slow: {max_attempts: 1000001}}}": "policies.slow.max_attempts: at most " +
			"1000000, not 1000001",
	} {
		_, err := tableOf(t, overridden).Override(decoded(t, over))
		assert.ErrorContains(t, err, want)
	}
}
