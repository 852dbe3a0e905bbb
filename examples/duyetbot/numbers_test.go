package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// retried are failures that are tried again, by the policy that says how often.
var retried = map[string]evidence{
	"llm":          answered("llm", 503),
	"github":       answered("github", 503),
	"tool":         {Source: "tool", ExitCode: taxonomy.Some(124)},
	"verification": {Source: "verification", ExitCode: taxonomy.Some(1)},
}

// TestNumbersOfProfiles: the numbers of a profile, and what a skill changes of them, are what
// happens, whatever fails.
func TestNumbersOfProfiles(t *testing.T) {
	const noRecovery = "  recovery: {enable_automatic_recovery: false}\n"
	nine := seconds(1, 2, 4, 8, 16, 32, 64, 120, 120)
	tests := []struct {
		row, name, block string
		waits            []time.Duration // nil is the numbers of each policy
	}{
		{"D145", "default", "  profile: default\n", nil},
		{"D146", "strict", "  profile: strict\n", []time.Duration{}},
		{"D147", "lenient", "  profile: lenient\n", seconds(.5, 1, 2, 4)},
		{"D148", "fast", "  profile: fast\n", seconds(.1)},
		{"D149", "thorough", "  profile: thorough\n", nine},
		{"D154", "no retries", "  retry: {max_attempts: 1}\n", []time.Duration{}},
		{"D154", "all of them", "  retry: {max_attempts: 4, initial_delay_ms: 1, max_delay_ms: 2}\n",
			seconds(.001, .002, .002)},
		{"D154", "in another profile", "  profile: fast\n  retry: {max_attempts: 4, max_delay_ms: 150}\n",
			seconds(.1, .15, .15)},
		{"D154", "above what a policy has for its longest", "  retry: {max_attempts: 2, initial_delay_ms: 20000}\n",
			seconds(20)},
		{"D154", "below what a policy has for its first",
			"  retry: {max_attempts: 2, initial_delay_ms: 100, max_delay_ms: 100}\n", seconds(.1)},
		{"D154", "less than is learned", "  profile: thorough\n  retry: {max_attempts: 1}\n", []time.Duration{}},
		{"D154", "no waits where they are learned",
			"  profile: thorough\n  retry: {max_attempts: 3, initial_delay_ms: 0, max_delay_ms: 0}\n",
			[]time.Duration{}},
	}
	for _, tt := range tests {
		for policy, failure := range retried {
			t.Run(tt.row+" "+tt.name+" "+policy, func(t *testing.T) {
				got := handle(t, tt.block+noRecovery, failure.Source, &failure, always)
				want := tt.waits
				if want == nil {
					own := errs.Table.Policy(taxonomy.PolicyName(policy))
					require.NotZero(t, own)
					for i := range own.MaxAttempts - 1 {
						want = append(want, own.InitialDelay<<i)
					}
				}
				if len(want) == 0 {
					for _, wait := range got.waits {
						assert.LessOrEqual(t, wait, time.Nanosecond)
					}
					return
				}
				assertWaits(t, want, got.waits)
				assert.Equal(t, len(want)+1, got.Calls)
			})
		}
	}
}

// TestNumbersHoldWhatIsLearned: what thorough learns stays within its numbers, and within those of
// the skill.
func TestNumbersHoldWhatIsLearned(t *testing.T) {
	tests := []struct {
		name, block string
		calls       int
		longest     time.Duration
	}{
		{"the profile", "", 10, 2 * time.Minute},
		{"a skill", "  retry: {max_attempts: 3, initial_delay_ms: 600, max_delay_ms: 700}\n", 3,
			700 * time.Millisecond},
		{"a skill that tries once", "  retry: {max_attempts: 1}\n", 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := tableOf(t, "  profile: thorough\n  recovery: {max_recovery_attempts: 0}\n"+tt.block)
			c, calls := newClock(), 0
			adaptive := retry.NewAdaptive()
			h, err := recovery.NewHandler(recovery.Config{
				Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)), Clock: c,
				Admission: executor.Admission{Adaptive: adaptive},
			})
			require.NoError(t, err)
			for range 50 {
				calls, c.slept = 0, nil
				out := h.Handle(
					t.Context(), recovery.Op{Name: "work", Source: "github", Do: func(context.Context) error {
						calls++
						failure := answered("github", 503)
						return &failure
					}})
				assert.False(t, out.Success())
				assert.LessOrEqual(t, calls, tt.calls)
				for _, wait := range c.slept {
					assert.LessOrEqual(t, wait, tt.longest)
				}
			}
		})
	}
}

// TestRetriesDoNotBoundFixes: recovery and retries are two things.
func TestRetriesDoNotBoundFixes(t *testing.T) {
	failure := evidence{Source: "verification", Text: "error TS2345: no"}
	got := handle(t, "  profile: thorough\n  retry: {max_attempts: 1}\n", "verification", &failure, always)
	assert.Equal(t, []string{"apply_type_fix"}, got.ran())
}
