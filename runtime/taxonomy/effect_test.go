package taxonomy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

func TestEffectWords(t *testing.T) {
	for _, word := range []string{"unspecified", "none", "unknown", "done"} {
		var e taxonomy.Effect
		require.NoError(t, e.UnmarshalText([]byte(word)))
		assert.Equal(t, word, e.String())
	}
	assert.Error(t, new(taxonomy.Effect).UnmarshalText([]byte("perhaps")))
}

func TestEffectAnd(t *testing.T) {
	order := []taxonomy.Effect{taxonomy.EffectNone, taxonomy.EffectUnspecified, taxonomy.EffectUnknown,
		taxonomy.EffectDone}
	for i, a := range order {
		for j, b := range order {
			assert.Equal(t, order[max(i, j)], a.And(b), "%v and %v", a, b)
		}
	}
}

func TestEffectOf(t *testing.T) {
	plain := errors.New("reset")
	refused := &taxonomy.Evidence{Type: "network", Effect: taxonomy.EffectNone}
	conflict, frozen := orders.NewOrderConflict(), orders.NewOrderConflict().WithShard("frozen")
	observed := orders.NewStoreDown()
	gen.Observe(observed, taxonomy.EffectNone)
	declared := orders.NewOrderConflict()
	gen.Observe(declared, taxonomy.EffectDone)
	for _, tt := range []struct {
		name string
		err  error
		want taxonomy.Effect
	}{
		{"nil", nil, taxonomy.EffectUnspecified},
		{"plain", errors.New("no"), taxonomy.EffectUnspecified},
		{"observed by the function", fmt.Errorf("call: %w", plain), taxonomy.EffectUnknown},
		{"evidence", fmt.Errorf("call: %w", refused), taxonomy.EffectNone},
		{"declared", fmt.Errorf("call: %w", conflict), taxonomy.EffectNone},
		{"declared by a branch", frozen, taxonomy.EffectUnknown},
		{"of a code", orders.CodeTooMany, taxonomy.EffectNone},
		{"observed when it was classified", observed, taxonomy.EffectNone},
		{"declared wins over observed", declared, taxonomy.EffectNone},
		{"the cause is another call", orders.NewStoreDown().WithCause(refused), taxonomy.EffectUnspecified},
		{"joined, both none", errors.Join(refused, conflict), taxonomy.EffectNone},
		{"joined with unknown", errors.Join(refused, plain), taxonomy.EffectUnknown},
		{"joined with nothing", errors.Join(refused, errors.New("no")), taxonomy.EffectUnspecified},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, taxonomy.EffectOf(tt.err, func(err error) taxonomy.Effect {
				return map[bool]taxonomy.Effect{true: taxonomy.EffectUnknown}[err == plain]
			}))
		})
	}
}

// TestSentEffect reads errors whose sender declares another effect than this taxonomy.
func TestSentEffect(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		want       taxonomy.Effect
	}{
		{"as here", `{"code":"TOO_MANY","effect":"none"}`, taxonomy.EffectNone},
		{"another", `{"code":"TOO_MANY","effect":"done"}`, taxonomy.EffectDone},
		{"an older sender", `{"code":"TOO_MANY"}`, taxonomy.EffectUnspecified},
		{"a newer sender", `{"code":"TOO_MANY","effect":"half"}`, taxonomy.EffectUnspecified},
		{"not declared here", `{"code":"STORE_DOWN","effect":"none"}`, taxonomy.EffectNone},
		{"an unknown code", `{"code":"LATER","effect":"done"}`, taxonomy.EffectDone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := orders.UnmarshalError([]byte(tt.json))
			require.NoError(t, err)
			assert.Equal(t, tt.want, taxonomy.EffectOf(e, nil))
			assert.Equal(t, tt.want, taxonomy.DeclaredEffect(e))

			var sent struct{ Effect string }
			require.NoError(t, json.Unmarshal(e.AppendJSON(nil), &sent))
			if _, unknown := e.(*taxonomy.Unknown); !unknown && tt.want != taxonomy.EffectUnspecified {
				assert.Equal(t, tt.want.String(), sent.Effect, "it is passed on")
			}
		})
	}
}

// TestObservedEffectStays checks that no JSON contains what this program observed.
func TestObservedEffectStays(t *testing.T) {
	e := orders.NewInvalid()
	gen.Observe(e, taxonomy.EffectNone)
	require.Equal(t, taxonomy.EffectNone, taxonomy.EffectOf(e, nil))
	assert.NotContains(t, string(e.AppendJSON(nil)), "effect")
	assert.NotContains(t, string(taxonomy.AppendPublicJSON(nil, e)), "effect")
	assert.Equal(t, taxonomy.EffectUnspecified, taxonomy.Public(e).Effect())
	assert.Contains(t, string(taxonomy.AppendPublicJSON(nil, orders.NewTooMany())), `"retryable":true,"effect":"none"`)
}
