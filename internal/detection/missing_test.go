package detection_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestMissing compares the missing fields with those of an explanation at run time.
func TestMissing(t *testing.T) {
	m := build(t, `
fallback: {code: LOST, set: {id: none}}
fields:
  id: {type: string, required: true, from: attributes.id}
  n: {type: int, required: true, from: [attributes.n, status]}
  run: {type: object, required: true, fields: {mode: {type: string, required: true, from: op}}}
  wait: {type: duration, from: retry_after}
categories:
  io:
    codes:
      LOST: {message: m, args: [id, n, run, wait], detect: [{source: a}, {source: b, set: {n: 1}}]}
      FIXED: {message: m, set: {n: 2}, detect: [{source: c}]}
`)
	rules := detection.Rules(m)
	made := taxonomy.NewUnknown(rules.Taxonomy, taxonomy.Wire{})
	rules.Make = func(int, *taxonomy.Evidence) taxonomy.Error { return made }
	judge := detection.NewJudge(m)
	for _, tt := range []struct {
		ev   taxonomy.Evidence
		want []string
	}{
		{taxonomy.Evidence{}, []string{"n", "run.mode", "wait"}},
		{taxonomy.Evidence{Status: 4, Op: "call"}, []string{"wait"}},
		{taxonomy.Evidence{Source: "a", Attributes: map[string]string{"n": "x"}},
			[]string{"id", "n", "run.mode", "wait"}},
		{taxonomy.Evidence{Source: "b", RetryAfter: taxonomy.Some(time.Second)}, []string{"id", "run.mode"}},
		{taxonomy.Evidence{Source: "c", Op: "call"}, []string{"id"}},
	} {
		assert.ElementsMatch(t, tt.want, judge.Of(&tt.ev).Missing)
		assert.ElementsMatch(t, tt.want, rules.Explain(&tt.ev, nil).Missing)
	}
}
