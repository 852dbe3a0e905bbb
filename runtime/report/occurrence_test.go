package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const secret = "ghp_abcdefghijABCDEFGHIJ0123456789abcdef"

// full is an occurrence that says all that one can say.
func full() *Occurrence {
	yes := true
	return &Occurrence{
		ID: "id", At: time.UnixMilli(1_700_000_000_123).UTC(), Domain: "domain", Category: "network",
		Code:     "NETWORK_DOWN",
		Severity: "high", Recoverability: "retryable", Retryable: true, Message: "no route <to> host",
		SourceCode: "ENETUNREACH",
		Stack:      "main.main\n    main.go:1", Fingerprint: "0123456789abcdef",
		Cause:      &Occurrence{ID: "cause", At: time.UnixMilli(1).UTC(), Message: "cause"},
		Source:     &Source{Type: "llm", Component: "api", Endpoint: "https://example.org/v1", Method: "POST"},
		Execution:  &Execution{Mode: "agent", Skill: "s", Tool: "t", Step: "p", TaskID: "k", SessionID: "n"},
		Repository: &Repository{Owner: "o", Repo: "r", EntityNumber: 7, EntityType: "pr"},
		Recovery:   &Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "wait", Successful: &yes},
		Reaction:   "retry", Action: "retry_operation", Context: json.RawMessage(`{"host":"a"}`),
		Metadata: map[string]any{"a": 1.0, "list": []any{"x", map[string]any{"y": true}}},
	}
}

const fullJSON = `{"errorId":"id","timestamp":1700000000123,"domain":"domain","category":"network",` +
	`"errorCode":"NETWORK_DOWN",` +
	`"severity":"high","recoverability":"retryable","retryable":true,"message":"no route \u003cto\u003e host",` +
	`"code":"ENETUNREACH","stack":"main.main\n    main.go:1","fingerprint":"0123456789abcdef",` +
	`"cause":{"errorId":"cause","timestamp":1,"category":"","severity":"","recoverability":"","retryable":false,` +
	`"message":"cause"},` +
	`"source":{"type":"llm","component":"api","endpoint":"https://example.org/v1","method":"POST"},` +
	`"execution":{"mode":"agent","skill":"s","tool":"t","step":"p","taskId":"k","sessionId":"n"},` +
	`"github":{"owner":"o","repo":"r","entityNumber":7,"entityType":"pr"},` +
	`"recovery":{"attempts":1,"maxAttempts":3,"strategy":"wait","successful":true},` +
	`"reaction":"retry","action":"retry_operation","context":{"host":"a"},` +
	`"metadata":{"a":1,"list":["x",{"y":true}]}}`

// D45 to D66, D132.
func TestOccurrenceJSON(t *testing.T) {
	for _, c := range []struct {
		o    Occurrence
		want string
	}{
		{*full(), fullJSON},
		{Occurrence{},
			`{"errorId":"","timestamp":0,"category":"","severity":"","recoverability":"","retryable":false,` +
				`"message":""}`},
		{
			Occurrence{At: time.UnixMilli(1), Recovery: &Recovery{}, Source: &Source{}, Execution: &Execution{},
				Repository: &Repository{}},
			`{"errorId":"","timestamp":1,"category":"","severity":"","recoverability":"","retryable":false,` +
				`"message":"",` +
				`"source":{"type":"","component":""},"execution":{"mode":""},"github":{"owner":"","repo":""},` +
				`"recovery":{"attempts":0,"maxAttempts":0}}`,
		},
	} {
		b, err := json.Marshal(c.o)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(b))
		b, err = json.Marshal(&c.o)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(b))
		var read Occurrence
		require.NoError(t, json.Unmarshal(b, &read))
		again, err := json.Marshal(read)
		require.NoError(t, err)
		assert.Equal(t, c.want, string(again))
	}
	var read Occurrence
	require.NoError(t, json.Unmarshal([]byte(fullJSON), &read))
	assert.Equal(t, full(), &read)
}

func TestOccurrenceIsNotReadFrom(t *testing.T) {
	for _, in := range []string{
		`[]`, `{"timestamp":"now"}`, `{"timestamp":1e300}`, `{"errorId":1}`, `{"recovery":{"attempts":"1"}}`,
		`{"metadata":[]}`,
	} {
		var o Occurrence
		assert.ErrorContains(t, o.UnmarshalJSON([]byte(in)), "occurrence: ", in)
		assert.Equal(t, Occurrence{}, o)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	o := full()
	c := o.Clone()
	require.Equal(t, o, c)
	spoil(c)
	assert.Equal(t, full(), o)
	assert.Nil(t, (*Occurrence)(nil).Clone())
}

// spoil changes all that a copy could share.
func spoil(o *Occurrence) {
	o.Source.Type, o.Execution.Mode, o.Repository.Owner, o.Recovery.Strategy = "x", "x", "x", "x"
	*o.Recovery.Successful = false
	o.Cause.Message = "x"
	o.Context[2] = 'x'
	o.Metadata["a"] = "x"
	o.Metadata["list"].([]any)[0] = "x"
	o.Metadata["list"].([]any)[1].(map[string]any)["y"] = "x"
}

// Whoever fills an occurrence by hand may put anything in it; nothing of it is shown, and it takes
// little room.
func TestHandmadeOccurrences(t *testing.T) {
	huge := strings.Repeat("x y ", 3<<20)
	round := map[string]any{}
	round["self"] = round
	many := map[string]any{}
	for i := range 10_000 {
		many[strings.Repeat("k", i%300)+string(rune('a'+i%26))] = []any{huge}
	}
	cause := &Occurrence{Message: "end"}
	for range 1000 {
		cause = &Occurrence{Message: huge, Cause: cause}
	}
	for name, o := range map[string]*Occurrence{
		"secrets": {
			ID: secret, Category: secret, Severity: secret, Recoverability: secret, Code: secret,
			Message: "a " + secret, Stack: secret,
			SourceCode: secret, Source: &Source{Type: secret, Component: secret, Endpoint: secret, Method: secret},
			Execution: &Execution{Mode: secret, Skill: secret, Tool: secret, Step: secret, TaskID: secret,
				SessionID: secret},
			Repository: &Repository{Owner: secret, Repo: secret, EntityType: secret},
			Recovery:   &Recovery{Strategy: secret},
			Reaction:   secret, Action: secret, Fingerprint: secret, Domain: secret,
			Context:  json.RawMessage(`{"a":"` + secret + `","b":"\u0067` + secret[1:] + `"}`),
			Metadata: map[string]any{secret: secret, "password": "abcdefghij", "n": []any{map[string]any{"x": secret}}},
			Cause:    &Occurrence{Message: secret},
		},
		"length": {ID: huge, Category: huge, Message: huge, Stack: huge, Source: &Source{Type: huge, Component: huge},
			Metadata: map[string]any{"a": huge}},
		"metadata": {Message: "m", Metadata: many},
		"round":    {Message: "m", Metadata: round},
		"causes":   {Message: "m", Cause: cause},
		"context":  {Message: "m", Context: json.RawMessage(`{"a":"` + huge + `"}`)},
		"no JSON":  {Message: "m", Context: json.RawMessage(`{`)},
		"values": {Message: "m", Metadata: map[string]any{
			"nan": math.NaN(), "inf": math.Inf(1), "func": func() {}, "chan": make(chan int),
			"struct": struct{ A string }{secret},
			"time":   time.Unix(0, 0), "bytes": []byte("x"), "nil": (*Occurrence)(nil), "panics": panicking{}, "int": 7,
		}},
		"UTF-8": {ID: "\xff", Message: "a\xff\xfe", Category: "\xc3", Metadata: map[string]any{"\xff": "\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			reporter, groups := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{BySeverity: some(true)})
			Sinks{reporter, groups}.Report(o)
			b, err := json.Marshal(o)
			require.NoError(t, err)
			assert.Less(t, len(b), 128<<10)
			var csv, js strings.Builder
			require.NoError(t, reporter.WriteCSV(&csv))
			require.NoError(t, reporter.WriteJSON(&js))
			snapshot, err := json.Marshal(NewSnapshot(reporter, groups))
			require.NoError(t, err)
			for _, s := range []string{string(b), csv.String(), js.String(), string(snapshot)} {
				assert.NotContains(t, s, "abcdefghij")
				assert.True(t, utf8.ValidString(s))
			}
			got := reporter.Last(1)[0]
			assert.True(t, got.isClean())
			var read Occurrence
			require.NoError(t, json.Unmarshal(b, &read))
			assert.True(t, read.isClean())
			assert.Less(t, reporter.store.bytes, 512<<10)
		})
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("broken") }

func (panicking) Error() string { panic("broken") }

func (panicking) Unwrap() error { panic("broken") }

func FuzzOccurrenceJSON(f *testing.F) {
	f.Add([]byte(fullJSON))
	f.Add([]byte(
		`{"timestamp":-1.5e14,"metadata":{"token":"x","a":[[[[[[[[[1]]]]]]]]]},"context":{"a":"\u0067hp_"},` +
			`"cause":{"cause":{}}}`))
	f.Add([]byte(`{"message":"password=hunter22secret","metadata":{"enrichedAt":1,"enrichmentSource":"x","":""}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var o Occurrence
		if json.Unmarshal(in, &o) != nil {
			return
		}
		b, err := json.Marshal(o)
		require.NoError(t, err)
		require.True(t, utf8.Valid(b))
		var again Occurrence
		require.NoError(t, json.Unmarshal(b, &again), "%s", b)
		assert.Equal(t, o.At, again.At)
		sinks := Sinks{NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})}
		sinks.Report(&o)
		sinks.Update(&again)
	})
}
