package retry_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
)

func TestAdaptiveIsKept(t *testing.T) {
	a, p := retry.NewAdaptive(math.MaxUint64), adapting(0.8)
	a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
	a.Learn(outcome(2, s, false))
	a.Learn(outcome(3, 2*s, true))
	b, err := json.Marshal(a)
	require.NoError(t, err)
	assert.JSONEq(t, `{"errgen_adaptive":1,"seed":"18446744073709551615","codes":[{"code":"CODE","outcomes":3}],"policies":[{
		"policy":"p","code":"CODE","calls":["0","1"],"trials":[{"wait":1000000000,"succeeded":false},{"later":true,"wait":2000000000,"succeeded":true}]}]}`, string(b))
	a.Policy(&p, "CODE")
	b, err = json.Marshal(a)
	require.NoError(t, err)
	assert.JSONEq(t, `{"errgen_adaptive":1,"seed":"18446744073709551615","codes":[{"code":"CODE","outcomes":3}],"policies":[{
		"policy":"p","code":"CODE","calls":["0","1"],"delay":2,"up":true}]}`, string(b))
	var none *retry.Adaptive
	b, err = none.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, "null", string(b))
	require.Error(t, none.UnmarshalJSON([]byte("{}")))
	require.NoError(t, a.UnmarshalJSON([]byte(" null ")))
	assert.Equal(t, 2*s, a.Policy(&p, "CODE").InitialDelay)
}

func TestAdaptiveRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"no JSON":         {`{`, "unexpected end of JSON input"},
		"another version": {`{"errgen_adaptive":2}`, "version 2, not 1"},
		"no version":      {`{}`, "version 0, not 1"},
		"not a number":    {`{"errgen_adaptive":1,"seed":"x"}`, "invalid use of ,string"},
		"too many": {`{"errgen_adaptive":1,"seed":"1","codes":[` + strings.Repeat(`{},`, 1024) + `{}]}`,
			"1025 entries; there are at most 1024"},
		"no code": {`{"errgen_adaptive":1,"seed":"1","codes":[{}]}`, "codes[0]: no name"},
		"twice": {`{"errgen_adaptive":1,"seed":"1","codes":[{"code":"a"},{"code":"a"}]}`,
			"codes[1]: no name"},
		"no policy":     {policyForm(`"policy":""`), "policies[0]: no names"},
		"long":          {policyForm(`"policy":"` + strings.Repeat("x", 257) + `"`), "policies[0]: no names"},
		"neither":       {policyForm(`"calls":["012"]`), "policies[0]: an outcome that is neither 0 nor 1"},
		"a long window": {policyForm(`"calls":["` + strings.Repeat("1", 1001) + `"]`), "more outcomes than are kept"},
		"many calls":    {policyForm(`"calls":[` + strings.Repeat(`"",`, 31) + `""]`), "more outcomes than are kept"},
		"many trials": {policyForm(`"trials":[` + strings.Repeat(`{},`, 256) + `{}]`),
			"more outcomes than are kept"},
		"negative delay": {policyForm(`"delay":-1`), "a delay that cannot be"},
		"endless delay":  {policyForm(`"delay":1e300`), "a delay that cannot be"},
		"negative turns": {policyForm(`"turns":-1`), "turns that cannot be"},
		"negative wait":  {policyForm(`"trials":[{"wait":-1}]`), "a wait that cannot be"},
	} {
		t.Run(name, func(t *testing.T) {
			a := retry.NewAdaptive(1)
			a.Learn(outcome(3, s, true))
			before, err := json.Marshal(a)
			require.NoError(t, err)
			require.ErrorContains(t, a.UnmarshalJSON([]byte(tt.text)), tt.want)
			after, err := json.Marshal(a)
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after))
		})
	}
}

// policyForm is a snapshot of one policy with more keys.
func policyForm(keys string) string {
	return `{"errgen_adaptive":1,"seed":"1","policies":[{"policy":"p","code":"CODE",` + keys + `}]}`
}

// FuzzAdaptive reads any snapshot: what is taken is bounded, can be kept again, and leads to
// policies within their bounds.
func FuzzAdaptive(f *testing.F) {
	f.Add(`{"errgen_adaptive":1,"seed":"7","codes":[{"code":"CODE","outcomes":1}]}`)
	f.Add(policyForm(`"calls":["01","1"],"delay":1e9,"turns":3,"trials":[{"wait":9223372036854775807,"later":true}]`))
	f.Add(policyForm(`"delay":1e-300,"trials":[{"wait":1,"succeeded":true}]`))
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		a := retry.NewAdaptive(1)
		if a.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		p := adapting(0.8)
		b, err := json.Marshal(a)
		require.NoError(t, err)
		again := &retry.Adaptive{}
		require.NoError(t, again.UnmarshalJSON(b))
		for range 20 {
			got := a.Policy(&p, "CODE")
			require.Equal(t, got, again.Policy(&p, "CODE"))
			require.True(t, 2 <= got.MaxAttempts && got.MaxAttempts <= 8, got.MaxAttempts)
			require.True(t, 500*ms <= got.InitialDelay && got.InitialDelay <= 2*m, got.InitialDelay)
			for _, adaptive := range []*retry.Adaptive{a, again} {
				adaptive.Learn(outcome(2, s, false))
				adaptive.Learn(outcome(3, 2*s, true))
			}
		}
	})
}
