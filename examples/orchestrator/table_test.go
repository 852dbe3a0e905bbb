package main_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// O1 to O8: five categories in their order, faults and failures. B-O01: a sixth for everything
// else, and one for the failures of tiers.
func TestCategories(t *testing.T) {
	tests := []struct {
		row, category string
		code          error
		group         func(error) bool
		retryable     bool
	}{
		{"O4 O2", "prerequisite", prerequisite, errs.InFault, false},
		{"O5 O3", "execution", execution, errs.InFailure, false},
		{"O6 O3", "unexpected", unexpected, errs.InFailure, false},
		{"O8 O3", "misalignment", misaligned, errs.InFailure, false},
		{"O7 O2", "ambiguity", ambiguous, errs.InFault, false},
		{"B-O01", "unclassified", unclassified, nil, false},
		{"the tier's own", "tier", errs.CodeTierRateLimited, errs.InFailure, true},
		{"the tier's own", "tier", errs.CodeTierUnavailable, errs.InFailure, true},
		{"the tier's own", "tier", errs.CodeTierRefused, errs.InFailure, false},
		{"no tier's", "tier", errs.CodeTierNotCalled, errs.InFailure, false},
	}
	var codes []*taxonomy.Code
	for _, code := range errs.Table.Taxonomy.Codes() {
		codes = append(codes, code)
	}
	require.Len(t, codes, len(tests))
	for i, tt := range tests {
		t.Run(tt.row+" "+taxonomy.CodeOf(tt.code), func(t *testing.T) {
			assert.Equal(t, taxonomy.CodeOf(tt.code), codes[i].Value)
			assert.Equal(t, tt.category, taxonomy.CategoryOf(tt.code))
			assert.Equal(t, tt.group != nil, errs.InFault(tt.code) || errs.InFailure(tt.code))
			assert.True(t, tt.group == nil || tt.group(tt.code))
			assert.Equal(t, taxonomy.SeverityNone, taxonomy.SeverityOf(tt.code), "none is stated")
			assert.Equal(t, tt.retryable, taxonomy.IsRetryable(tt.code),
				"what a step fails with is not tried again without a reason")
			assert.Zero(t, codes[i].Number, "B-O02: names, not numbers")
		})
	}
	assert.Equal(t, taxonomy.RecoverabilityUnknown, taxonomy.RecoverabilityOf(unclassified))
	assert.Equal(t, "UNCLASSIFIED", errs.Table.Taxonomy.Fallback)
}

// B-O04: who classifies is configuration. B-O06: the ladder is sonnet, opus, the user.
func TestTiers(t *testing.T) {
	assert.Equal(t, []taxonomy.Tier{
		{Name: "haiku"},
		{Name: "sonnet", Classifies: true, Purpose: taxonomy.PurposeDiagnosis},
		{Name: "opus", Classifies: true, Purpose: taxonomy.PurposeDiagnosis},
		{Name: "human", Classifies: true, Person: true},
	}, undocumented(errs.Table.Taxonomy.Tiers))
}

func undocumented(tiers []taxonomy.Tier) []taxonomy.Tier {
	tiers = slices.Clone(tiers)
	for i := range tiers {
		tiers[i].Doc = ""
	}
	return tiers
}

// O14, O15, B-O05, B-O06: what follows what, in full.
func TestChains(t *testing.T) {
	tests := []struct {
		row   string
		err   error
		chain []done
	}{
		{"B-O05 O15 a missing file", errs.NewPrerequisiteFailure().WithReason(errs.PrerequisiteReasonMissingFile),
			[]done{findOut, askUser}},
		{"B-O05 O15 a failed command", execution, []done{analyse, askUser}},
		{"B-O05 O15 another result", unexpected, []done{verifyIt, askUser}},
		{"B-O05 O15 departed from instructions", misaligned, []done{verifyIt, askUser}},
		{"B-O05 O15 not enough is said", ambiguous, []done{findOut, askUser}},
		{"B-O01 O15 nothing says how", unclassified, []done{findOut, askUser}},
		{"O14 a refused connection", errs.NewPrerequisiteFailure().WithReason(errs.PrerequisiteReasonConnectionRefused),
			[]done{tryAgain, findOut, askUser}},
		{"O14 a flaky test", errs.NewExecutionError().WithReason(errs.ExecutionReasonFlakyTest),
			[]done{runAgain, analyse, askUser}},
		{"O14 a stale cache", errs.NewUnexpectedResult().WithReason(errs.UnexpectedResultReasonStaleCache),
			[]done{makeAgain, verifyIt, askUser}},
		{"O14 O13 the context overflows", errs.NewInterAgentMisalignment().
			WithReason(errs.MisalignmentReasonContextOverflow), []done{tryWithLess, verifyIt, askUser}},
		{"a tier's limit", errs.CodeTierRateLimited, []done{wait, handOver, askUser}},
		{"a tier's outage", errs.CodeTierUnavailable, []done{callAgain, handOver, askUser}},
		{"a tier's refusal", errs.CodeTierRefused, []done{handOver, askUser}},
		{"no tier's", errs.CodeTierNotCalled, []done{askUser}},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			var chain []done
			first := errs.Table.Reaction(tt.err)
			for r := &first; r != nil; r = r.Then {
				chain = append(chain, doneBy(*r))
			}
			assert.Equal(t, tt.chain, chain)
		})
	}
}

// B-O08: the orchestrator tries again with a cap, and for tiers without counting that as a failure
// of the work.
func TestCaps(t *testing.T) {
	tests := []struct {
		err    error
		calls  int
		first  time.Duration
		counts bool
		hints  bool
		shared taxonomy.Shared
	}{
		{errs.NewPrerequisiteFailure().WithReason(errs.PrerequisiteReasonNetwork), 3, 2 * time.Second, true, false,
			taxonomy.SharedRun},
		{errs.NewExecutionError().WithReason(errs.ExecutionReasonTimeout), 3, 2 * time.Second, true, false,
			taxonomy.SharedRun},
		{errs.NewUnexpectedResult().WithReason(errs.UnexpectedResultReasonRaceCondition), 3, 2 * time.Second, true,
			false, taxonomy.SharedRun},
		{errs.NewInterAgentMisalignment().WithReason(errs.MisalignmentReasonContextOverflow), 2, time.Second, true,
			false, taxonomy.SharedRun},
		{errs.CodeTierRateLimited, 21, 30 * time.Second, false, true, taxonomy.SharedCredential},
		{errs.CodeTierUnavailable, 4, 2 * time.Second, false, true, taxonomy.SharedRun},
	}
	for _, tt := range tests {
		t.Run(tt.err.Error(), func(t *testing.T) {
			r := errs.Table.Reaction(tt.err)
			require.NotNil(t, r.Policy)
			assert.Equal(t, tt.calls, r.Policy.MaxAttempts)
			assert.Equal(t, tt.first, r.Policy.InitialDelay)
			assert.Equal(t, tt.counts, r.CountFailure)
			assert.Equal(t, tt.hints, r.HonorRetryAfter)
			assert.Equal(t, tt.shared, r.Shared)
		})
	}
	less := errs.Table.Reaction(errs.NewInterAgentMisalignment().WithReason(errs.MisalignmentReasonContextOverflow))
	assert.Equal(t, taxonomy.SessionReduced, less.Agent.Session, "O13: less context")
}

// O16, O17: these profiles retry nothing, not even an error without a code.
func TestProfiles(t *testing.T) {
	assert.Equal(t, []string{string(errs.ProfileChains), string(errs.ProfileTasks)}, errs.Table.ProfileNames())
	for _, name := range errs.Table.ProfileNames() {
		t.Run(name, func(t *testing.T) {
			table, err := errs.Table.Profile(taxonomy.ProfileName(name))
			require.NoError(t, err)
			assert.False(t, table.Overlay.Retry.Enabled)
			assert.Equal(t, taxonomy.Abort, table.Reaction(errors.New("something new")).Action)
			for row := range errs.Table.Taxonomy.Rows() {
				r := table.Row(row).Reaction
				assert.Contains(t, []taxonomy.Action{taxonomy.Abort, taxonomy.Block}, r.Action, "row %d", row)
				assert.Equal(t, taxonomy.PurposeNone, r.Agent.Purpose, "no tier is asked")
			}
		})
	}
}
