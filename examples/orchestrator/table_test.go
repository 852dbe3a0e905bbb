package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// O1 to O8: five categories in their order, causes and observations told apart. B-O01: and a sixth for what is none.
func TestCategories(t *testing.T) {
	tests := []struct {
		row, category string
		code          error
		kind          taxonomy.Kind
	}{
		{"O4 O2", "prerequisite", prerequisite, taxonomy.Fault},
		{"O5 O3", "execution", execution, taxonomy.Failure},
		{"O6 O3", "unexpected", unexpected, taxonomy.Failure},
		{"O8 O3", "misalignment", misaligned, taxonomy.Failure},
		{"O7 O2", "ambiguity", ambiguous, taxonomy.Fault},
		{"B-O01", "unclassified", unclassified, taxonomy.KindNone},
	}
	require.Len(t, errs.Table.Taxonomy.Codes, len(tests))
	for i, tt := range tests {
		t.Run(tt.row+" "+tt.category, func(t *testing.T) {
			assert.Equal(t, tt.code.Error(), errs.Table.Taxonomy.Codes[i].Value)
			assert.Equal(t, tt.category, taxonomy.CategoryOf(tt.code))
			assert.Equal(t, tt.kind, taxonomy.KindOf(tt.code))
			assert.Equal(t, taxonomy.SeverityNone, taxonomy.SeverityOf(tt.code), "none is stated")
			assert.False(t, taxonomy.IsRetryable(tt.code), "without a reason nothing is tried again")
			assert.Zero(t, errs.Table.Taxonomy.Codes[i].Number, "B-O02: names, not numbers")
		})
	}
	assert.Equal(t, taxonomy.Unknowable, taxonomy.RecoverabilityOf(unclassified))
	assert.Equal(t, "UNCLASSIFIED", errs.Table.Taxonomy.Fallback)
}

// B-O04: who classifies is configuration. B-O06: the ladder is sonnet, opus, the user.
func TestTiers(t *testing.T) {
	var names []string
	for _, tier := range errs.Table.Taxonomy.Tiers {
		names = append(names, tier.Name)
		assert.Equal(t, tier.Name != "haiku", tier.Classifies, tier.Name)
		assert.Equal(t, tier.Name == "human", tier.Person, tier.Name)
	}
	assert.Equal(t, []string{"haiku", "sonnet", "opus", "human"}, names)
}

func TestReactions(t *testing.T) {
	t.Run("B-O05 B-O06 escalating goes to the next level, and to the user last", func(t *testing.T) {
		for _, code := range []error{prerequisite, execution, unexpected, misaligned, ambiguous, unclassified} {
			r := errs.Table.Reaction(code)
			assert.Equal(t, taxonomy.Escalate, r.Action)
			assert.Equal(t, "sonnet", r.To)
			require.NotNil(t, r.Then)
			assert.Equal(t, taxonomy.Block, r.Then.Action)
		}
	})
	t.Run("B-O05 a retry is bounded, and escalates then", func(t *testing.T) {
		refused := errs.NewPrerequisiteFailure().WithReason(errs.PrerequisiteReasonConnectionRefused)
		r := errs.Table.Reaction(refused)
		assert.Equal(t, taxonomy.Retry, r.Action)
		assert.Equal(t, 3, r.Policy.MaxAttempts)
		assert.Equal(t, taxonomy.Escalate, r.Then.Action)
	})
	t.Run("O13 less context", func(t *testing.T) {
		overflow := errs.NewInterAgentMisalignment().WithReason(errs.MisalignmentReasonContextOverflow)
		r := errs.Table.Reaction(overflow)
		assert.Equal(t, taxonomy.Retry, r.Action)
		assert.Equal(t, taxonomy.SessionReduced, r.Session)
		assert.Equal(t, taxonomy.Escalate, r.Then.Action)
	})
	t.Run("chains stop, whatever it was", func(t *testing.T) {
		chains, err := errs.Table.Profile(errs.ProfileChains)
		require.NoError(t, err)
		refused := errs.NewPrerequisiteFailure().WithReason(errs.PrerequisiteReasonConnectionRefused)
		for _, e := range []error{refused, execution, unclassified} {
			assert.Equal(t, taxonomy.Abort, chains.Reaction(e).Action)
		}
		assert.True(t, chains.Retryable(refused), "the classification is recorded all the same")
	})
}
