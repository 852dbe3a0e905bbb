package plan_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// FuzzCheck checks whatever plan can be written as JSON: always with the same outcome, each fault
// with a kind and a text that can be shown, and fingerprints that survive being written down.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"steps":[{"id":"1","instructions":"TBD","criteria":[{"kind":"count","path":"a/**"}]}]}`,
		`{"prerequisites":[{"kind":"address","name":"http://[::1"},{"kind":"env","name":"A=b"},{"kind":"file",` +
			`"name":"~"},{"kind":"command","name":"\\"}],"gate":[{}]}`,
		`{"steps":[{"id":"a","instructions":"x: ???","criteria":[{"kind":"content","path":"a","text":"a{999}"},` +
			`{"kind":"size","path":"a/b","min":-1}],"line":-3}]}`,
		`{"steps":[{"id":"1","prerequisites":[{"kind":"file","name":"a/","madeBy":"1"},{"kind":"file",` +
			`"name":"a/b"}]},{"id":"1"}]}`,
	} {
		f.Add([]byte(seed))
	}
	kinds := map[plan.FaultKind]bool{plan.Invalid: true, plan.Silent: true, plan.Unclear: true, plan.Conflicting: true,
		plan.Several: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p plan.Plan
		if json.Unmarshal(data, &p) != nil {
			return
		}
		found := plan.Check(p)
		assert.Equal(t, found, plan.Check(p))
		for _, fault := range found {
			assert.True(t, kinds[fault.Kind], fault.Kind)
			assert.True(t, fault.Text != "" && utf8.ValidString(fault.Text+fault.Step), "%q", fault.Text)
			assert.LessOrEqual(t, len(fault.Text), 2000)
		}
		if len(p.Steps) == 0 {
			assert.NotEmpty(t, found)
		}
		text, err := json.Marshal(p)
		require.NoError(t, err)
		var back plan.Plan
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, p.Fingerprint(), back.Fingerprint())
		assert.Equal(t, found, plan.Check(back))
	})
}
