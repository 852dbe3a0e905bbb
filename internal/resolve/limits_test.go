package resolve_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// policyNamed returns a policy of the table, or of a profile.
func policyNamed(t *testing.T, p *model.Package, profile, name string) *taxonomy.Policy {
	t.Helper()
	for _, policy := range p.Policies {
		if policy.Value.Name == name && policy.Profile == profile {
			return policy.Value
		}
	}
	require.Fail(t, "no policy "+name)
	return nil
}

func TestAdaptAndBudgetDefaults(t *testing.T) {
	for _, tt := range []struct {
		policy string
		adapt  *taxonomy.Adapt
		budget *taxonomy.Budget
	}{
		{"{}", nil, nil},
		{"{adapt: {attempts: {min: 2, max: 6}}}",
			&taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6, Target: 0.8, Window: 50}, nil},
		{"{adapt: {attempts: {max: 6}}}",
			&taxonomy.Adapt{MinAttempts: 3, MaxAttempts: 6, Target: 0.8, Window: 50}, nil},
		{"{max_attempts: 9, adapt: {attempts: {min: 2}}}",
			&taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 9, Target: 0.8, Window: 50}, nil},
		{"{adapt: {delay: {min: 500ms, max: 20s}, target: 0.95, window: 10}}",
			&taxonomy.Adapt{MinDelay: 500 * time.Millisecond, MaxDelay: 20 * time.Second, Target: 0.95, Window: 10},
			nil},
		{"{adapt: {delay: {max: 20s}}}",
			&taxonomy.Adapt{MinDelay: time.Second, MaxDelay: 20 * time.Second, Target: 0.8,
				Window: 50}, nil},
		{"{budget: {retries: 0.2}}", nil, &taxonomy.Budget{Retries: 0.2, Reserve: 3, Window: 10 * time.Second}},
		{"{budget: {retries: 0, reserve: 0, window: 1m}}", nil, &taxonomy.Budget{Window: time.Minute}},
		{"{budget: {breaker: {failures: 5}}}", nil, &taxonomy.Budget{
			Retries: -1, Reserve: 3, Window: 10 * time.Second,
			Breaker: &taxonomy.Breaker{Failures: 5, Of: 5, Probe: 5 * time.Second, Successes: 1},
		}},
		{"{budget: {retries: 1, breaker: {failures: 5, of: 20, probe: 1s, successes: 3}}}", nil, &taxonomy.Budget{
			Retries: 1, Reserve: 3, Window: 10 * time.Second,
			Breaker: &taxonomy.Breaker{Failures: 5, Of: 20, Probe: time.Second, Successes: 3},
		}},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			m := build(t, "errgen: 1\npackage: p\npolicies: {p: "+tt.policy+
				"}\ncategories: {c: {codes: {X: {message: m}}}}\n")
			got := policyNamed(t, m, "", "p")
			assert.Equal(t, tt.adapt, got.Adapt)
			assert.Equal(t, tt.budget, got.Budget)
		})
	}
}

// A profile changes adapt and budget key by key, down to the breaker's.
func TestAdaptAndBudgetOfProfiles(t *testing.T) {
	const src = `
errgen: 1
package: p
policies: {p: {adapt: {attempts: {min: 2, max: 6}, target: 0.9}, budget: {retries: 0.2, breaker: {failures: 5, of: 10, probe: 1s}}}}
reactions: {again: {action: retry, policy: p}}
categories: {c: {retryable: true, reaction: again, codes: {X: {message: m}, Y: {message: m, reaction: {action: retry, policy: {budget: {retries: 2}}}}}}}
profiles:
  same: {policies: {p: {adapt: {attempts: {min: 2}}, budget: {breaker: {of: 10}}}}}
  other: {policies: {p: {adapt: {attempts: {max: 4}, delay: {max: 9s}}, budget: {reserve: 7, breaker: {failures: 4}}}}, retry: {adapt: {attempts: {max: 8}}, budget: {retries: 3}}}
`
	m := build(t, src)
	require.Empty(t, m.Profiles[0].Rows, "what says the same is the same")
	got := policyNamed(t, m, "other", "p")
	assert.Equal(
		t, &taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 4, MinDelay: time.Second, MaxDelay: 9 * time.Second,
			Target: 0.9, Window: 50}, got.Adapt)
	assert.Equal(t, &taxonomy.Budget{
		Retries: 0.2, Reserve: 7, Window: 10 * time.Second,
		Breaker: &taxonomy.Breaker{Failures: 4, Of: 10, Probe: time.Second, Successes: 1},
	}, got.Budget)
	numbers := m.Profiles[1].Retry.Policy
	assert.Equal(t, &taxonomy.Adapt{MinAttempts: 3, MaxAttempts: 8, Target: 0.8, Window: 50},
		numbers.Adapt)
	assert.Equal(t, &taxonomy.Budget{Retries: 3, Reserve: 3, Window: 10 * time.Second}, numbers.Budget)
	assert.Equal(t, 2.0, m.Codes[1].Row.Reaction.Policy.Budget.Retries, "inline")
}

func TestChecksAndPrevention(t *testing.T) {
	m := build(t, `
errgen: 1
package: p
checks: {disk_space: Whether there is room., up: ''}
categories: {c: {codes: {A: {message: m, prevent: {check: up}}, B: {message: m, prevent: {throttle: 2s, concurrency: 1, likely: 0}}, C: {message: m}}}}
`)
	assert.Equal(t, []*model.Method{
		{Name: "disk_space", Doc: "Whether there is room.", Method: "DiskSpace", Const: "CheckDiskSpace"},
		{Name: "up", Method: "Up", Const: "CheckUp"},
	}, m.Checks)
	assert.Equal(t, &taxonomy.Prevention{Check: "up", Likely: 0.5}, m.Codes[0].Extras().Prevent)
	assert.Equal(t, &taxonomy.Prevention{Throttle: 2 * time.Second, Concurrency: 1}, m.Codes[1].Extras().Prevent)
	assert.Nil(t, m.Codes[2].Extras().Prevent)
}
