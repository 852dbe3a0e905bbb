package taxonomy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// A key that is passed over would leave on what it was to switch off.
func TestOverridesFromJSONAreStrict(t *testing.T) {
	deep := strings.Repeat(`{"action":"retry","then":`, 200) + `"stop"` + strings.Repeat("}", 200)
	for _, tt := range []struct{ text, want string }{
		{`{"x":1}`,
			"x: unknown key; there are codes, detection, policies, reactions, recovery, reporting, retry, " +
				"uncategorized"},
		{`{"recovery":{"alowed":["x"]}}`, "recovery.alowed: unknown key; there are allowed, enabled, max_attempts"},
		{`{"Recovery":{"enabled":false}}`, "Recovery: unknown key; there are "},
		{`{"recovery":{"allowed":[]},"recovery":{"enabled":true}}`, "recovery: the key stands twice"},
		{`{"recovery":{"allowed":[],"allowed":["x"]}}`, "recovery.allowed: the key stands twice"},
		{`{"recovery":{"allowed":[],"\u0061llowed":["x"]}}`, "recovery.allowed: the key stands twice"},
		{`{"retry":{"enabled":true,"max_tries":2}}`,
			"retry.max_tries: unknown key; there are adapt, backoff, budget, doc, enabled, initial_delay,"},
		{`{"detection":{"texts":true}}`, "detection.texts: unknown key; there are recoverability, severity, text"},
		{`{"reporting":{"level":"warn"}}`, "reporting.level: unknown key; there are context, log_level, stack"},
		{`{"codes":{"A":{"retriable":true}}}`, "codes.A.retriable: unknown key; there are grpc, http, kind, "},
		{`{"codes":{"A":{},"A":{}}}`, "codes.A: the key stands twice"},
		{`{"codes":{"A":{"reaction":{"permanent":"stop","polcy":"x"}}}}`,
			"codes.A.reaction.polcy: unknown key; there are accept_completion, action, "},
		{`{"reactions":{"again":{"then":{"action":"retry","policy":{"max":1}}}}}`,
			"reactions.again.then.policy.max: unknown key; there are adapt, "},
		{`{"policies":{"slow":{"adapt":{"attempts":{"most":2}}}}}`,
			"policies.slow.adapt.attempts.most: unknown key; there are max, min"},
		{`{"policies":{"slow":{"budget":{"breaker":{"probe":"1s","probe":"2s"}}}}}`,
			"policies.slow.budget.breaker.probe: the key stands twice"},
		{`{"uncategorized":` + deep + `}`, "nested deeper than 100"},
	} {
		var o taxonomy.Overrides
		assert.ErrorContains(t, json.Unmarshal([]byte(tt.text), &o), tt.want, tt.text)
		assert.Equal(t, taxonomy.Overrides{}, o, "nothing of it is taken: %s", tt.text)
	}
	for section, into := range map[string]any{
		"traits": &taxonomy.TraitsOverride{}, "detection": &taxonomy.DetectionOverride{},
		"recovery": &taxonomy.RecoveryOverride{},
		"retry":    &taxonomy.RetryOverride{}, "reporting": &taxonomy.ReportingOverride{},
		"reaction": &taxonomy.ReactionRef{}, "policy": &taxonomy.PolicyRef{},
	} {
		assert.ErrorContains(t, json.Unmarshal([]byte(`{"x":1}`), into), "x: unknown key; there are ", section)
		assert.NoError(t, json.Unmarshal([]byte(`{}`), into), section)
	}
}

// FuzzOverridesFromJSON takes any JSON. What is taken is written as it was read, and not taken with
// one key more or twice.
func FuzzOverridesFromJSON(f *testing.F) {
	for _, seed := range []string{
		`{"codes":{"*":{"reaction":{"retryable":"a","permanent":"b"},"http":500}},"recovery":{"allowed":[],` +
			`"max_attempts":0}}`,
		`{"retry":{"enabled":true,"jitter":0.5,"budget":{"breaker":{"failures":2}}},` +
			`"uncategorized":{"action":"retry","then":{"action":"abort"}}}`,
		`{"reactions":{"x":{"policy":{"max_attempts":2}}},"policies":null}`, `null`, `[]`, `{"recovery":{"alowed":[]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var o taxonomy.Overrides
		if json.Unmarshal(text, &o) != nil {
			return
		}
		b, err := json.Marshal(o)
		require.NoError(t, err)
		var back taxonomy.Overrides
		require.NoError(t, json.Unmarshal(b, &back), "%s", b)
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(b), string(again))
		var sections map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(b, &sections))
		for name, section := range sections {
			twice := `{"` + name + `":` + string(section) + `,"` + name + `":` + string(section) + `}`
			require.Error(t, json.Unmarshal([]byte(twice), &back), twice)
			if section[0] != '{' {
				continue
			}
			more := `{"` + name + `":{"?":{"?":1},` + string(section[1:]) + `}`
			require.Error(t, json.Unmarshal([]byte(strings.Replace(more, ",}", "}", 1)), &back), more)
		}
	})
}
