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

// oneCall is an error with two parts of the same call.
type oneCall struct{ typed error }

func (e oneCall) Error() string { return e.typed.Error() }

func (e oneCall) Unwrap() []error { return []error{e.typed, errors.New("activity error")} }

func (e oneCall) CallEffect() (taxonomy.Effect, bool) { return taxonomy.EffectOf(e.typed, nil), false }

// TestRepeatedCallsByEffect fails each call of a provider with an effect. Unless the provider declares
// that its calls are not idempotent, they are repeated whatever their effect.
func TestRepeatedCallsByEffect(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, tt := range []struct {
		effect taxonomy.Effect
		err    error
		calls  int // of a provider that is not idempotent
		end    EndReason
	}{
		{taxonomy.EffectNone, fmt.Errorf("call: %w", refused), 3, EndMaxFailures},
		{taxonomy.EffectUnknown, fmt.Errorf("call: %w", &net.OpError{Op: "read", Err: syscall.ECONNRESET}),
			1, EndBlocked},
		{taxonomy.EffectUnspecified, &taxonomy.Evidence{Type: "overloaded_error"}, 1, EndBlocked},
		{taxonomy.EffectUnspecified, errors.Join(refused, &taxonomy.Evidence{Type: "overloaded_error"}), 1, EndBlocked},
		{taxonomy.EffectNone, oneCall{errs.Classify(refused)}, 3, EndMaxFailures},
	} {
		require.Equal(t, tt.effect, retry.EffectOf(tt.err))
		for _, idempotent := range []taxonomy.Tristate{taxonomy.Unspecified, taxonomy.Yes, taxonomy.No} {
			calls, end := 3, EndMaxFailures
			if idempotent == taxonomy.No {
				calls, end = tt.calls, tt.end
			}
			w, cfg, _ := play(story{reactions: reactions(), steps: []callStep{{Err: tt.err}}})
			cfg.Table, cfg.Classify, cfg.Tiers = errs.Table, detect.Classifier(errs.Explain), nil
			if idempotent != taxonomy.Unspecified {
				cfg.Provider = declaring{cfg.Provider, idempotent}
			}
			last := runState(t.Context(), cfg, aTask, nil)
			assert.Equal(t, "PROVIDER_API_ERROR", last.LastError.Code, "%v", tt.err)
			assert.Equal(t, calls, w.Calls, "idempotent: %v, %v", idempotent, tt.err)
			assert.Equal(t, end, last.End)
		}
	}
}

// TestDoneCallsAreNotRepeated fails a call that did its work, under each reaction that would repeat it.
func TestDoneCallsAreNotRepeated(t *testing.T) {
	block := taxonomy.Predeclared(taxonomy.Block)
	for _, tt := range []struct {
		name     string
		reaction taxonomy.Reaction
		end      EndReason
	}{
		{"retry", taxonomy.Reaction{Action: taxonomy.Retry}, EndBlocked},
		{"operation", taxonomy.Reaction{Action: taxonomy.RetryOperation, Then: block}, EndBlocked},
		{"recover", taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "rest", Then: block}, EndBlocked},
		{"escalate", taxonomy.Reaction{Action: taxonomy.Escalate, Then: block}, EndBlocked},
		{"park", taxonomy.Reaction{Action: taxonomy.Retry,
			Then: &taxonomy.Reaction{Name: "give_up", Action: taxonomy.Abort}}, EndFatal},
	} {
		for _, done := range []bool{true, false} {
			story := story{reactions: map[string]taxonomy.Reaction{tt.name: tt.reaction},
				steps: []callStep{{Err: evidence("call", tt.name)}, {Answer: Answer{Text: "TASK COMPLETE"}}}}
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
				assert.Equal(t, 2, w.Calls, tt.name)
				assert.Equal(t, EndCompleted, r.EndReason, tt.name)
				continue
			}
			assert.Equal(t, 1, w.Calls, tt.name)
			require.ErrorIs(t, r.Err, taxonomy.AlreadyDone, tt.name)
			assert.Equal(t, tt.name, r.ErrorCode)
			assert.Equal(t, tt.end, r.EndReason, tt.name)
		}
	}
}

// TestDoneCallsContinue fails a call that did its work, under a reaction that continues.
func TestDoneCallsContinue(t *testing.T) {
	w, cfg, _ := play(story{reactions: map[string]taxonomy.Reaction{"continue": {Action: taxonomy.Continue}},
		steps: []callStep{{Err: evidence("call", "continue")}, {Answer: Answer{Text: "TASK COMPLETE"}}}})
	cfg.Table.Taxonomy.Categories[0].Codes[0].Traits.Effect = taxonomy.EffectDone
	e, err := New(cfg)
	require.NoError(t, err)
	assert.Equal(t, EndCompleted, e.Run(t.Context(), aTask).EndReason)
	assert.Equal(t, 2, w.Calls)
}

// TestInterruptedCallIsNotRepeated kills the process during a call that is not idempotent.
func TestInterruptedCallIsNotRepeated(t *testing.T) {
	for _, idempotent := range []taxonomy.Tristate{taxonomy.Yes, taxonomy.No} {
		w, cfg, _ := play(story{reactions: reactions(), steps: []callStep{{Answer: Answer{Text: "TASK COMPLETE"}}}})
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
