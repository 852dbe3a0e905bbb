package executor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const aSecret = "ghp_abcdefghijABCDEFGHIJ0123456789abcdef"

func TestMaskedJSON(t *testing.T) {
	for _, tt := range []struct{ in, strict, plain string }{
		{`{}`, `{}`, `{}`},
		{`{"b":1,"a":"x < y","c":[true,null,1.5e3]}`, `{"b":1,"a":"x < y","c":[true,null,1.5e3]}`,
			`{"b":1,"a":"x < y","c":[true,null,1.5e3]}`},
		{`{"a":"` + aSecret + `","b":"c"}`, `{"a":"[REDACTED]","b":"c"}`, `{"a":"[REDACTED]","b":"c"}`},
		{`{"a":["x","say \"` + aSecret + `\""]}`, `{"a":["x","say \"[REDACTED]\""]}`,
			`{"a":["x","say \"[REDACTED]\""]}`},
		{`{"a":"password=\u0068unter2secret"}`, `{"a":"password=[REDACTED]"}`, `{"a":"password=[REDACTED]"}`},
		{`{"a":"{\"b\":\"\\u0067` + aSecret[1:] + `\"}"}`, `{"a":"{\"b\":\"[REDACTED]\"}"}`,
			`{"a":"{\"b\":\"[REDACTED]\"}"}`},
		{`{"password":"missing"}`, `{"password":"[REDACTED]"}`, `{"password":"missing"}`},
		{`{"a":{"password" : -12345678.5e3},"b":12345678}`, `{"a":{"password" : 0},"b":12345678}`,
			`{"a":{"password" : -12345678.5e3},"b":12345678}`},
	} {
		strict, plain := maskedJSON([]byte(tt.in))
		assert.Equal(t, tt.strict, string(strict), tt.in)
		assert.Equal(t, tt.plain, string(plain), tt.in)
	}
}

func FuzzMaskedJSON(f *testing.F) {
	f.Add(`{"a":["x","say \"` + aSecret + `\""],"password":12345678,"secret":["a",{"b":"c"}]}`)
	f.Add(`"\\\"\ud800"`)
	f.Fuzz(func(t *testing.T, in string) {
		if !json.Valid([]byte(in)) {
			return
		}
		strict, plain := maskedJSON([]byte(in))
		require.True(t, json.Valid(plain), "%s", plain)
		if strict == nil {
			return
		}
		require.True(t, json.Valid(strict), "%s", strict)
		assert.Equal(t, string(strict), taxonomy.Redact(string(strict)))
		again, _ := maskedJSON(strict)
		assert.Equal(t, string(strict), string(again))
	})
}

// A word under a name that is a secret's decides about the reaction.
func TestMaskedWireKeepsItsReaction(t *testing.T) {
	table := &taxonomy.Taxonomy{}
	decode := func(b []byte) (error, error) {
		var w struct{ Password, Text string }
		if err := json.Unmarshal(b, &w); err != nil {
			return nil, err
		}
		row := map[string]taxonomy.Row{"missing": 2, "wrong": 3}[w.Password]
		return &coded{table, row, w.Text, taxonomy.Hints{}, nil}, nil
	}
	r := &runner{Executor: &Executor{cfg: Config{Table: taxonomy.Table{Taxonomy: table}, Decode: decode}}}
	assert.JSONEq(t, `{"password":"missing","text":"[REDACTED]"}`,
		string(r.maskedWire([]byte(`{"password":"missing","text":"`+aSecret+`"}`))))
	assert.JSONEq(t, `{"password":"[REDACTED]"}`, string(r.maskedWire([]byte(`{"password":"hunter2"}`))),
		"which is none of its words")
	assert.Nil(t, r.maskedWire([]byte(`{"text":`)))
}

// What a revert needs is exact, what is said of it is masked.
func TestPathsOfAnErrorAreKeptExactly(t *testing.T) {
	path := "forbidden/" + aSecret
	m := mortalOf(DeliverCommits, nil, works("a", path), done("b"))
	m.diesAt(t, PointClosed, 1)
	m.tree.files[path] = "half put back"
	var judged *Judged
	for _, line := range m.journal.lines {
		var e Entry
		require.NoError(t, json.Unmarshal(line, &e))
		if e.Judged != nil {
			judged = e.Judged
		}
	}
	require.NotNil(t, judged)
	require.Len(t, judged.Errors, 1)
	assert.Equal(t, []string{path}, judged.Errors[0].Files)
	assert.NotContains(t, string(judged.Errors[0].Wire), aSecret)
	assert.NotContains(t, judged.Errors[0].Message, aSecret)
	r := m.live(t, 0)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.NotContains(t, m.tree.files, path)
	assert.Empty(t, r.UncheckedFiles)
}
