package detection_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const fields = `
fallback: {code: LOST, set: {s: fallback}}
categories:
  io:
    fields:
      s: {type: string, from: [attributes.s, type], default: none}
      i: {type: int, from: [attributes.i, status]}
      l: {type: int64, from: exit_code}
      u: {type: uint64, from: attributes.u}
      f: {type: float64, from: code}
      b: {type: bool, from: attributes.b, default: true}
      d: {type: duration, from: [retry_after, attributes.d]}
      t: {type: time, from: [reset_at, attributes.t]}
      files: {type: strings, required: true, from: files}
      j: {type: json, from: attributes.j}
      e: {enum: [x, y], from: op}
      o: {type: object, fields: {a: {type: string, required: true, from: attributes.a}, n: {type: int, default: 7},
	in: {type: object, fields: {z: {type: int, from: attributes.z}}}}}
    codes:
      RULED: {message: m, when: [{if: {i: {min: 500}}, severity: high}], detect: [{source: r, set: {s: rule, i: 4}},
	{source: w}]}
      FIXED: {message: m, set: {s: code}, detect: [{source: c, set: {s: rule}}]}
      LOST: {message: m, severity: low}
`

// shown writes a context with the names of its fields.
func shown(ctx model.Context) map[string]any {
	out := make(map[string]any)
	for f, v := range ctx {
		switch f.Type {
		case model.ObjectType:
			out[f.Wire] = shown(v.Object)
		default:
			out[f.Wire] = f.Shown(v)
		}
	}
	return out
}

func TestJudge(t *testing.T) {
	judge := detection.NewJudge(build(t, fields))
	type values = map[string]any
	for _, tt := range []struct {
		name string
		ev   taxonomy.Evidence
		rule string
		code string
		ctx  values
	}{
		{"nothing that a rule or a field reads", taxonomy.Evidence{Text: "?"}, "", "LOST", values{"s": "fallback",
			"b": "true"}},
		{"the rule before the evidence", taxonomy.Evidence{Source: "r", Type: "t", Status: 9, Files: []string{"f"}},
			"RULED/1", "RULED",
			values{"s": "rule", "i": "4", "b": "true", "files": "f"}},
		{"the code before the rule", taxonomy.Evidence{Source: "c", Attributes: map[string]string{"s": "evidence"}},
			"FIXED/1", "FIXED",
			values{"s": "code", "b": "true"}},
		{"the first that can be read", taxonomy.Evidence{
			Source: "w", Type: "t", Status: 9, Op: "y", Code: "0.5", ExitCode: taxonomy.Some(0),
			Attributes: map[string]string{"i": "nine", "u": "18446744073709551615", "b": "false", "d": "1m",
				"t": "2026-01-02T03:04:05+01:00", "j": `{"a": 1}`},
		}, "RULED/2", "RULED", values{
			"s": "t", "i": "9", "l": "0", "u": "18446744073709551615", "f": "0.5", "b": "false", "d": "1m0s",
			"t": "2026-01-02T02:04:05Z", "j": `{"a":1}`, "e": "y",
		}},
		{"what cannot be read", taxonomy.Evidence{
			Source: "w", Op: "z", Code: "x", Files: []string{"a", "b"},
			Attributes: map[string]string{"i": "9.5", "u": "-1", "b": "maybe", "d": "5", "t": "now", "j": "{"},
		}, "RULED/2", "RULED", values{"s": "none", "b": "true", "files": "a, b"}},
		{"an object", taxonomy.Evidence{Source: "w", Attributes: map[string]string{"z": "1"}, Files: []string{"f"}},
			"RULED/2", "RULED",
			values{"s": "none", "b": "true", "files": "f", "o": values{"n": "7", "in": values{"z": "1"}}}},
		{"hints",
			taxonomy.Evidence{Source: "w", RetryAfter: taxonomy.Some(time.Second),
				ResetAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Files: []string{"f"}},
			"RULED/2", "RULED", values{"s": "none", "b": "true", "files": "f", "d": "1s", "t": "2026-01-01T00:00:00Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := judge.Of(&tt.ev)
			rule := ""
			if v.Rule != nil {
				rule = v.Rule.Name
			}
			assert.Equal(t, tt.rule, rule)
			assert.Equal(t, tt.code, v.Code.Name)
			assert.Equal(t, tt.ctx, shown(v.Context))
			assert.Same(t, v.Code.RowFor(v.Context), v.Row)
		})
	}
}

// A status that the text gives away fills fields and decides branches as one that was reported
// does.
func TestJudgeOfDerivedStatus(t *testing.T) {
	judge := detection.NewJudge(build(t, fields+"      ASKS: {message: m, detect: [{source: q, status: 404}]}\n"))
	ev := taxonomy.Evidence{Source: "w", Text: "503 Service Unavailable"}
	v := judge.Of(&ev)
	assert.Equal(t, "503", shown(v.Context)["i"])
	assert.Equal(t, taxonomy.SeverityHigh, v.Row.Severity)
	assert.True(t, v.Evidence.StatusDerived)
	assert.Zero(t, ev.Status, "the evidence itself is not changed")
}

func TestJudgeWithoutFallback(t *testing.T) {
	v := detection.NewJudge(withRules(t, "{source: a}")).Of(&taxonomy.Evidence{Source: "b"})
	assert.Nil(t, v.Rule)
	assert.Nil(t, v.Code)
	assert.Nil(t, v.Row)
	assert.Empty(t, v.Context)
}

func TestEvidenceNamesErrors(t *testing.T) {
	m := build(
		t, "categories: {io: {codes: {A: {message: m, examples: [{is: io.EOF, source: a}, {as: '*net.OpError'}, "+
			"{is: os.ErrNotExist, as: '*example.org/x.Error'}, {}]}}}}\n")
	is := detection.Rules(m).Is
	for i, want := range []struct {
		text  string
		names []string
	}{
		{"io.EOF", []string{"io.EOF"}},
		{"*net.OpError", []string{"*net.OpError"}},
		{"*example.org/x.Error: os.ErrNotExist",
			[]string{"os.ErrNotExist", "io/fs.ErrNotExist", "*example.org/x.Error"}},
		{"", nil},
	} {
		ev := detection.Evidence(m.Codes[0].Examples[i])
		if want.text == "" {
			require.NoError(t, ev.Err)
			continue
		}
		require.EqualError(t, ev.Err, want.text)
		for _, name := range want.names {
			assert.True(t, is(fmt.Errorf("wrapped: %w", ev.Err), name), name)
		}
		assert.False(t, is(ev.Err, "io.ErrUnexpectedEOF"))
	}
}
