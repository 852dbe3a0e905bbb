package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestPoliciesOfProfiles checks all numbers of the policies for retries, in each profile that
// retries.
func TestPoliciesOfProfiles(t *testing.T) {
	const second, minute = time.Second, time.Minute
	budget := &taxonomy.Budget{
		Retries: 0.5, Reserve: 10, Window: minute,
		Breaker: &taxonomy.Breaker{Failures: 5, Of: 10, Probe: 10 * second, Successes: 1},
	}
	learns := func(least int, longest time.Duration) *taxonomy.Adapt {
		return &taxonomy.Adapt{MinAttempts: least, MaxAttempts: 10, MinDelay: 500 * time.Millisecond, MaxDelay: longest,
			Target: 0.8, Window: 50}
	}
	// all are the numbers of a profile for all four policies.
	all := func(attempts int, initial, most time.Duration, multiplier float64) map[string]taxonomy.Policy {
		p := taxonomy.Policy{MaxAttempts: attempts, InitialDelay: initial, MaxDelay: most, Multiplier: multiplier}
		return map[string]taxonomy.Policy{"llm": p, "github": p, "tool": p, "verification": p}
	}
	tests := []struct {
		row      string
		profile  taxonomy.ProfileName
		policies map[string]taxonomy.Policy
		learns   map[string]*taxonomy.Adapt
	}{
		{"D145 D114-D117", errs.ProfileDefault, map[string]taxonomy.Policy{
			"llm":    {MaxAttempts: 3, InitialDelay: second, MaxDelay: 30 * second, Multiplier: 2},
			"github": {MaxAttempts: 5, InitialDelay: second, MaxDelay: 60 * second, Multiplier: 2},
			"tool": {MaxAttempts: 3, InitialDelay: 500 * time.Millisecond, MaxDelay: 10 * second,
				Multiplier: 2},
			"verification": {MaxAttempts: 3, InitialDelay: 2 * second, MaxDelay: 30 * second, Multiplier: 2},
		}, nil},
		{"D147", errs.ProfileLenient, all(5, 500*time.Millisecond, minute, 2), nil},
		{"D148", errs.ProfileFast, all(2, 100*time.Millisecond, second, 1.5), nil},
		{"D149", errs.ProfileThorough, all(10, second, 2*minute, 2), map[string]*taxonomy.Adapt{
			"llm": learns(2, 30*second), "github": learns(3, minute),
		}},
	}
	for _, tt := range tests {
		table, err := errs.Table.Profile(tt.profile)
		require.NoError(t, err)
		for name, want := range tt.policies {
			t.Run(tt.row+" "+string(tt.profile)+" "+name, func(t *testing.T) {
				want.Name, want.Adapt = name, tt.learns[name]
				want.Jitter, want.JitterKind = 0.1, taxonomy.JitterProportional // D111
				want.MaxRetryAfter = want.MaxDelay
				switch name {
				case "llm":
					want.MaxRetryAfter, want.Budget = 10*minute, budget
				case "github":
					want.MaxRetryAfter = time.Hour
				}
				got := policyOf(table, taxonomy.PolicyName(name))
				require.NotNil(t, got)
				assert.Equal(t, want, *got)
			})
		}
	}
}

// TestAskedWaits checks that strategies and retries wait as long as the source requests, up to a
// limit. B-X01
func TestAskedWaits(t *testing.T) {
	const recovers, retries = "", "  recovery: {enable_automatic_recovery: false}\n"
	tests := []struct {
		name, block, source string
		status              int
		asked               time.Duration
		obeyed              bool
	}{
		{"a strategy", recovers, "llm", 429, 30 * time.Second, true},
		{"a strategy", recovers, "github", 429, 30 * time.Second, true},
		{"a retry", retries, "llm", 429, 30 * time.Second, true},
		{"a retry", retries, "github", 429, 30 * time.Second, true},
		{"a retry", retries, "llm", 503, 30 * time.Second, true},
		{"a retry", retries, "github", 503, 30 * time.Second, true},
		{"a retry", retries, "network", 503, 7 * time.Second, true},
		{"a strategy, the longest", recovers, "llm", 429, 10 * time.Minute, true},
		{"a strategy, too long", recovers, "llm", 429, 11 * time.Minute, false},
		{"a retry, the longest", retries, "llm", 429, 10 * time.Minute, true},
		{"a retry, too long", retries, "llm", 429, 11 * time.Minute, false},
		{"a strategy, the longest", recovers, "github", 429, time.Hour, true},
		{"a strategy, too long", recovers, "github", 429, 61 * time.Minute, false},
		{"a retry, the longest", retries, "github", 429, time.Hour, true},
		{"a retry, too long", retries, "github", 429, 61 * time.Minute, false},
	}
	for _, tt := range tests {
		t.Run(strings.Join([]string{tt.name, tt.source, tt.asked.String()}, " "), func(t *testing.T) {
			failure := answered(tt.source, tt.status)
			failure.RetryAfter = taxonomy.Some(tt.asked)
			got := handle(t, tt.block, tt.source, &failure, 1)
			assert.Equal(t, tt.obeyed, got.Success(), got.Message())
			if !tt.obeyed {
				assert.Equal(t, 1, got.Calls)
				assert.Empty(t, got.waits)
				return
			}
			require.Len(t, got.waits, 1)
			assert.GreaterOrEqual(t, got.waits[0], tt.asked)
			assert.LessOrEqual(t, got.waits[0], tt.asked*11/10,
				"at most a tenth is added, so that not all come at once")
		})
	}
}

// TestPrevention checks the measures where a rate limit is likely. D180
func TestPrevention(t *testing.T) {
	want := map[string]taxonomy.Prevention{
		"llm_rate_limit":    {Throttle: time.Second, Concurrency: 2, Likely: 0.6},
		"github_rate_limit": {Throttle: 2 * time.Second, Concurrency: 1, Likely: 0.6},
	}
	got := map[string]taxonomy.Prevention{}
	for _, code := range errs.Table.Taxonomy.Codes() {
		if code.Extras().Prevent != nil {
			got[code.Value] = *code.Extras().Prevent
		}
	}
	assert.Equal(t, want, got)
}

// policyOf returns a policy with the numbers of the table's profile, or nil if no code uses it.
func policyOf(table taxonomy.Table, name taxonomy.PolicyName) *taxonomy.Policy {
	for row := range table.Taxonomy.Codes() {
		for r := range table.Row(row).Reaction.Chain() {
			if r.Policy != nil && r.Policy.Name == string(name) {
				return r.Policy
			}
		}
	}
	return nil
}
