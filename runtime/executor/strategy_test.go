package executor

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// D164: a strategy that fails is warned of, and what follows the reaction is done.
func TestAFailedStrategyIsWarnedOf(t *testing.T) {
	for name, recoverer := range map[string]Recoverer{
		"it does not help": strategies(func(taxonomy.RecoveryRequest) error { return errors.New("it does not help") }),
		"panic":            strategies(func(taxonomy.RecoveryRequest) error { panic("no") }),
	} {
		for _, typ := range []string{"in_place", "between"} {
			t.Run(typ+" "+name, func(t *testing.T) {
				w := newWorld(recoveries(), breaks(typ))
				w.cfg.Recoverer = recoverer
				assert.Equal(t, EndRetriesUsedUp, w.run(t).EndReason)
				warned := w.events.first(Warned)
				assert.Contains(t, warned.Text, "run strategy mend: ")
				assert.Contains(t, warned.Text, name)
				assert.Error(t, warned.Err)
			})
		}
	}
}

// A strategy is told all that is known of the failure that it is run for.
func TestWhatAStrategyIsTold(t *testing.T) {
	w := newWorld(recoveries(), breaks("in_place"), done())
	var told []taxonomy.RecoveryRequest
	w.cfg.Recoverer = strategies(func(f taxonomy.RecoveryRequest) error {
		told = append(told, f)
		return nil
	})
	r := w.run(t)
	require.Equal(t, EndCompleted, r.EndReason)
	require.Len(t, told, 1)
	f := told[0]
	assert.Equal(t, []any{"in_place", "mend", 1}, []any{taxonomy.CodeOf(f.Err), f.Reaction.Strategy, f.Attempt})
	assert.Equal(t, r.Run, f.Run)
	require.NotNil(t, f.Evidence)
	assert.Equal(t, "in_place", f.Evidence.Type)
}
