package executor

import (
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A provider's call is neither idempotent nor not, so the executor repeats it as its reaction
// specifies, whether nothing happened or perhaps something did.
func TestCallsAreRepeatedWhateverTheirEffect(t *testing.T) {
	calls := make(map[taxonomy.Effect]int)
	for effect, err := range map[taxonomy.Effect]error{
		taxonomy.EffectNone:        fmt.Errorf("call: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}),
		taxonomy.EffectUnknown:     fmt.Errorf("call: %w", &net.OpError{Op: "read", Err: syscall.ECONNRESET}),
		taxonomy.EffectUnspecified: &taxonomy.Evidence{Type: "overloaded_error"},
	} {
		require.Equal(t, effect, retry.EffectOf(err))
		w, cfg, _ := play(story{reactions: reactions(), steps: []callStep{{Err: err}}})
		cfg.Table, cfg.Classify, cfg.Tiers = errs.Table, detect.Classifier(errs.Explain), nil
		last := runState(t.Context(), cfg, aTask, nil)
		assert.Equal(t, "PROVIDER_API_ERROR", last.LastError.Code, "%v", effect)
		calls[effect] = w.Calls
	}
	assert.Equal(t, map[taxonomy.Effect]int{taxonomy.EffectNone: 3, taxonomy.EffectUnknown: 3,
		taxonomy.EffectUnspecified: 3}, calls, "the limit of failures in a row")
}
