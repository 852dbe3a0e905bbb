package executor

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// declaring is a provider that declares whether its calls are idempotent.
type declaring struct {
	Provider
	idempotent taxonomy.Tristate
}

func (d declaring) Idempotent() taxonomy.Tristate { return d.idempotent }

// TestRepeatedCallsByEffect fails each call of a provider with an effect. Unless the provider declares
// that its calls are not idempotent, they are repeated whatever their effect.
func TestRepeatedCallsByEffect(t *testing.T) {
	for _, tt := range []struct {
		effect taxonomy.Effect
		err    error
		calls  map[taxonomy.Tristate]int
	}{
		{taxonomy.EffectNone, fmt.Errorf("call: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}),
			map[taxonomy.Tristate]int{taxonomy.Unspecified: 3, taxonomy.Yes: 3, taxonomy.No: 3}},
		{taxonomy.EffectUnknown, fmt.Errorf("call: %w", &net.OpError{Op: "read", Err: syscall.ECONNRESET}),
			map[taxonomy.Tristate]int{taxonomy.Unspecified: 3, taxonomy.Yes: 3, taxonomy.No: 1}},
		{taxonomy.EffectUnspecified, &taxonomy.Evidence{Type: "overloaded_error"},
			map[taxonomy.Tristate]int{taxonomy.Unspecified: 3, taxonomy.Yes: 3, taxonomy.No: 1}},
		{taxonomy.EffectUnspecified, errors.Join(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
			&taxonomy.Evidence{Type: "overloaded_error"}),
			map[taxonomy.Tristate]int{taxonomy.Unspecified: 3, taxonomy.Yes: 3, taxonomy.No: 1}},
	} {
		require.Equal(t, tt.effect, retry.EffectOf(tt.err))
		for idempotent, want := range tt.calls {
			w, cfg, _ := play(story{reactions: reactions(), steps: []callStep{{Err: tt.err}}})
			cfg.Table, cfg.Classify, cfg.Tiers = errs.Table, detect.Classifier(errs.Explain), nil
			if idempotent != taxonomy.Unspecified {
				cfg.Provider = declaring{cfg.Provider, idempotent}
			}
			last := runState(t.Context(), cfg, aTask, nil)
			assert.Equal(t, "PROVIDER_API_ERROR", last.LastError.Code, "%v", tt.err)
			assert.Equal(t, want, w.Calls, "idempotent: %v, %v", idempotent, tt.err)
			assert.Equal(t, map[int]EndReason{1: EndBlocked, 3: EndMaxFailures}[want], last.End)
		}
	}
}

// TestDoneCallsAreNotRepeated fails a call that did its work, under each reaction that would repeat it.
func TestDoneCallsAreNotRepeated(t *testing.T) {
	reactions := map[string]taxonomy.Reaction{
		"retry":     {Action: taxonomy.Retry},
		"operation": {Action: taxonomy.RetryOperation, Then: taxonomy.Predeclared(taxonomy.Block)},
		"recover":   {Action: taxonomy.Recover, Strategy: "rest", Then: taxonomy.Predeclared(taxonomy.Block)},
		"escalate":  {Action: taxonomy.Escalate, Then: taxonomy.Predeclared(taxonomy.Block)},
		"park":      {Action: taxonomy.Retry, Then: &taxonomy.Reaction{Name: "give_up", Action: taxonomy.Abort}},
	}
	for name := range reactions {
		for _, done := range []bool{true, false} {
			story := story{reactions: reactions, steps: []callStep{{Err: evidence("call", name)},
				{Answer: Answer{Text: "TASK_COMPLETE"}}}}
			w, cfg, _ := play(story)
			if done {
				for i := range cfg.Table.Taxonomy.Categories[0].Codes {
					cfg.Table.Taxonomy.Categories[0].Codes[i].Traits.Effect = taxonomy.EffectDone
				}
			}
			e, err := New(cfg)
			require.NoError(t, err)
			r := e.Run(t.Context(), aTask)
			if !done {
				assert.GreaterOrEqual(t, w.Calls, 2, name)
				continue
			}
			assert.Equal(t, 1, w.Calls, name)
			require.ErrorIs(t, r.Err, taxonomy.AlreadyDone, name)
			assert.Equal(t, name, r.ErrorCode)
			assert.Equal(t, map[bool]EndReason{true: EndFatal, false: EndBlocked}[name == "park"], r.EndReason, name)
		}
	}
}

// TestInterruptedCallIsNotRepeated kills the process during a call that is not idempotent.
func TestInterruptedCallIsNotRepeated(t *testing.T) {
	for _, idempotent := range []taxonomy.Tristate{taxonomy.Yes, taxonomy.No} {
		w, cfg, _ := play(story{reactions: reactions(), steps: []callStep{{Answer: Answer{Text: "TASK_COMPLETE"}}}})
		cfg.Provider = declaring{cfg.Provider, idempotent}
		require.True(t, dies(func() {
			runState(t.Context(), cfg, aTask, func(env loop.Env) loop.Env {
				return &killer{Env: env, after: loop.OpCall}
			})
		}))
		require.Equal(t, 1, w.Calls)
		last := runState(t.Context(), cfg, aTask, nil)
		if idempotent == taxonomy.Yes {
			assert.Greater(t, w.Calls, 1)
			continue
		}
		assert.Equal(t, 1, w.Calls)
		assert.Equal(t, EndBlocked, last.End)
	}
}
