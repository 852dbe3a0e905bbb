package gen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

// family has codes below codes: [PARENT above MIDDLE above CHILD], with internal ones between.
func family(aliases ...string) *taxonomy.Taxonomy {
	extra := func(aliases ...string) *taxonomy.Extras { return &taxonomy.Extras{Aliases: aliases} }
	codes := []taxonomy.Code{
		{},
		{Value: "PARENT", Public: true, Abstract: true, Extra: extra("FORMER_PARENT")},
		{Value: "MIDDLE", Parent: 1, Extra: extra("FORMER_MIDDLE")},
		{Value: "CHILD", Parent: 2, Public: true, Extra: extra(aliases...)},
	}
	categories := []*taxonomy.Category{{Name: "c", Codes: codes}}
	return &taxonomy.Taxonomy{Package: "p", Domain: "d", Categories: categories}
}

func TestAppendIs(t *testing.T) {
	long := strings.Repeat("X", 460)
	for _, tt := range []struct {
		name     string
		aliases  []string
		all, out string // for other parts of the program, and for clients
	}{
		{"codes above, then aliases", []string{"FORMER"},
			"PARENT FORMER FORMER_PARENT", "MIDDLE PARENT FORMER FORMER_MIDDLE FORMER_PARENT"},
		{"at most 8", []string{"A", "B", "C", "D", "E", "F", "G"}, "PARENT A B C D E F G", "MIDDLE PARENT A B C D E F"},
		{"at most 512 bytes", []string{long, "A"}, "PARENT " + long + " A FORMER_PARENT",
			"MIDDLE PARENT " + long + " A FORMER_MIDDLE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, child := family(tt.aliases...), taxonomy.At(0, 3)
			assert.Equal(t, tt.all, strings.Join(x.AppendIs(nil, child, true), " "))
			internal := x.AppendIs(nil, child, false)
			assert.Equal(t, tt.out, strings.Join(internal, " "))
			b, err := json.Marshal(internal)
			require.NoError(t, err)
			assert.LessOrEqual(t, len(b), taxonomy.MaxIsBytes)
		})
	}
}

func TestFindIs(t *testing.T) {
	x := family()
	for in, want := range map[string]string{
		"NEW MIDDLE":             "MIDDLE",
		"PARENT MIDDLE":          "MIDDLE", // below the first one, so it says more
		"MIDDLE PARENT":          "MIDDLE",
		"FORMER_PARENT":          "PARENT",
		"NEW":                    "",
		"1 2 3 4 5 6 7 8 9":      "",
		"1 2 3 4 5 6 7 8 MIDDLE": "", // the list is too long
	} {
		row, ok := x.FindIs(strings.Fields(in))
		assert.Equal(t, want != "", ok, in)
		if ok {
			assert.Equal(t, want, x.Code(row).Value, in)
		}
	}
}

// TestUnmarshalIs reads codes of a newer program.
func TestUnmarshalIs(t *testing.T) {
	const newer = `{"domain":"orders.example","category":"order","code":"ORDER_FROZEN","message":"frozen",` +
		`"retryable":true,"effect":"none","is":%s,"context":%s,"cause":{"message":"EOF"}}`
	read := func(is, context string) taxonomy.Error {
		e, err := orders.UnmarshalError(fmt.Appendf(nil, newer, is, context))
		require.NoError(t, err)
		return e
	}
	e := read(`["ORDER_BLOCKED","ORDER_CONFLICT","ORDER_NOT_FOUND"]`, `{"id":"o1","reason":"audit"}`)
	require.IsType(t, (*orders.OrderError)(nil), e)
	assert.ErrorIs(t, e, orders.CodeOrderConflict)
	assert.Equal(t, taxonomy.Some("o1"), e.(*orders.OrderError).ID)
	assert.Equal(t, "again", orders.Table.Reaction(e).Name)
	assert.Equal(t, taxonomy.EffectNone, taxonomy.EffectOf(e, nil))
	assert.Equal(t, "ORDER_CONFLICT", taxonomy.CodeOf(e))
	assert.Equal(t, "ORDER_FROZEN", taxonomy.SentCode(fmt.Errorf("call: %w", e)))
	require.EqualError(t, e.Unwrap(), "EOF")
	changed := e.(*orders.OrderError).WithCause(assert.AnError)
	assert.Equal(t, "ORDER_FROZEN", changed.SentCode())
	assert.Equal(t, assert.AnError, changed.Unwrap())
	assert.Empty(t, taxonomy.SentCode(orders.NewOrderConflict()))
	assert.Empty(t, taxonomy.SentCode(assert.AnError))

	t.Run("values that the fields cannot have", func(t *testing.T) {
		e := read(`["ORDER_CONFLICT"]`, `{"id":7,"mood":"SAD","count":"many","size":3}`).(*orders.OrderError)
		assert.Zero(t, e.ID)
		assert.Zero(t, e.Count)
		assert.Zero(t, e.Mood)
		assert.Equal(t, taxonomy.Some(int64(3)), e.Size)
	})
	for name, in := range map[string]string{
		"none is known": `["ORDER_BLOCKED"]`, "no list": `"ORDER_CONFLICT"`, "no texts": `[1,{},null]`, "empty": `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			e := read(in, `{"retryAfter":"1.5s"}`)
			require.IsType(t, (*taxonomy.Unknown)(nil), e)
			assert.Equal(t, "ORDER_FROZEN", taxonomy.SentCode(e))
			assert.True(t, taxonomy.IsRetryable(e))
			assert.Equal(t, taxonomy.Retry, orders.Table.Reaction(e).Action)
			assert.Equal(t, taxonomy.Some(1500*time.Millisecond), taxonomy.HintsOf(e).RetryAfter)
		})
	}
	t.Run("another domain", func(t *testing.T) {
		in := strings.Replace(fmt.Sprintf(newer, `["ORDER_CONFLICT"]`, `{}`), "orders.example", "other.example", 1)
		e, err := orders.UnmarshalError([]byte(in))
		require.NoError(t, err)
		assert.NotErrorIs(t, e, orders.CodeOrderConflict)
	})
	t.Run("it happened", func(t *testing.T) {
		in := strings.Replace(fmt.Sprintf(newer, `[]`, `{}`), `"effect":"none"`, `"effect":"done"`, 1)
		e, err := orders.UnmarshalError([]byte(in))
		require.NoError(t, err)
		assert.False(t, taxonomy.IsRetryable(e))
		assert.Equal(t, taxonomy.Abort, orders.Table.Reaction(e).Action)
	})
}

// TestUnmarshalIsAbstract reads a code of a newer program that is below an abstract code.
func TestUnmarshalIsAbstract(t *testing.T) {
	x := family()
	x.Categories[0].Codes[1].HTTP = 409
	in := `{"domain":"d","category":"z","code":"NEW","message":"m","retryable":true,"is":["PARENT"],"context":{}}`
	e, err := gen.Unmarshal([]byte(in), x)
	require.NoError(t, err)
	u, ok := e.(*taxonomy.Unknown)
	require.True(t, ok)
	parent := constant{x, taxonomy.At(0, 1)}
	assert.ErrorIs(t, u, parent)
	assert.NotErrorIs(t, u, constant{x, taxonomy.At(0, 2)})
	assert.NotErrorIs(t, u, constant{family(), taxonomy.At(0, 1)})
	assert.NoError(t, u.Reason())
	assert.Equal(t, "NEW", u.SentCode())
	assert.Equal(t, "NEW", taxonomy.CodeOf(u))
	assert.Equal(t, "c", taxonomy.CategoryOf(u))
	assert.Equal(t, 409, taxonomy.HTTPStatus(u))
	assert.True(t, taxonomy.IsRetryable(u))
	assert.Equal(t, in, string(u.AppendJSON(nil)))
}

// constant is a code of a taxonomy.
type constant struct {
	of  *taxonomy.Taxonomy
	row taxonomy.Row
}

func (c constant) Error() string                { return "code" }
func (c constant) Taxonomy() *taxonomy.Taxonomy { return c.of }
func (c constant) Row() taxonomy.Row            { return c.row }

// TestAliasOnTheWire sends a code that had another value.
func TestAliasOnTheWire(t *testing.T) {
	e := sample.NewProviderRateLimit("p")
	assert.Contains(t, string(e.AppendJSON(nil)), `"retryable":true,"is":["PROVIDER_THROTTLED"],"context":{`)
	outer := sample.NewProviderCrash("p").WithCause(sample.CodeProviderRateLimit)
	assert.Contains(t, string(outer.AppendJSON(nil)), `"is":["PROVIDER_THROTTLED"]`)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buffer = e.AppendJSON(buffer[:0]) }))
}

var buffer = make([]byte, 0, 1024)

// TestUnmarshalIsWithoutRequiredFields reads a code of a newer program, which lacks the fields that the
// known code requires.
func TestUnmarshalIsWithoutRequiredFields(t *testing.T) {
	e, err := errs.UnmarshalError([]byte(`{"domain":"aidf","category":"provider","code":"PROVIDER_ASLEEP",` +
		`"message":"asleep","retryable":true,"is":["PROVIDER_API_ERROR"],"context":{"statusCode":503}}`))
	require.NoError(t, err)
	got, ok := e.(*errs.ProviderError)
	require.True(t, ok, "%T", e)
	assert.ErrorIs(t, e, errs.CodeProviderAPIError)
	assert.Equal(t, "PROVIDER_ASLEEP", taxonomy.SentCode(e))
	assert.Empty(t, got.Provider)
	assert.Empty(t, got.RawError)
	assert.Equal(t, taxonomy.Some(503), got.StatusCode)
}
