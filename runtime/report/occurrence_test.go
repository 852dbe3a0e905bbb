package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
)

// full is an occurrence with every field.
func full() *report.Occurrence {
	return &report.Occurrence{
		ID: "id", At: time.UnixMilli(1_700_000_000_123).UTC(), Domain: "domain", Category: "network",
		Code: "NETWORK_DOWN", Severity: "high", Recoverability: "retryable", Retryable: true,
		Message: "no route <to> host", SourceCode: "E1", Stack: "main.go:1", Fingerprint: "0123",
		Cause:    &report.Occurrence{ID: "cause", Message: "cause"},
		Source:   &report.Source{Type: "llm", Component: "api", Endpoint: "https://example.org/v1", Method: "POST"},
		Recovery: tried(1, true), Finding: &report.Finding{Code: "TS2322", File: "a.ts", Line: 3, Column: 5},
		Reaction: "retry", Action: "retry_operation", Context: json.RawMessage(`{"host":"a"}`),
		Metadata: map[string]any{"a": 1.0, "list": []any{"x", map[string]any{"y": true}}},
	}
}

// D45 to D66, D132.
func TestOccurrenceJSON(t *testing.T) {
	const want = `{"errorId":"id","timestamp":1700000000123,"domain":"domain","category":"network",` +
		`"errorCode":"NETWORK_DOWN","severity":"high","recoverability":"retryable","retryable":true,` +
		`"message":"no route \u003cto\u003e host","code":"E1","stack":"main.go:1","fingerprint":"0123",` +
		`"cause":{"errorId":"cause","timestamp":0,"category":"","severity":"","recoverability":"","retryable":false,` +
		`"message":"cause"},"source":{"type":"llm","component":"api","endpoint":"https://example.org/v1",` +
		`"method":"POST"},` +
		`"recovery":{"attempts":1,"maxAttempts":3,"strategy":"fix","successful":true},` +
		`"finding":{"code":"TS2322","file":"a.ts","line":3,"column":5},"reaction":"retry",` +
		`"action":"retry_operation","context":{"host":"a"},"metadata":{"a":1,"list":["x",{"y":true}]}}`
	b, err := json.Marshal(full())
	require.NoError(t, err)
	assert.Equal(t, want, string(b))
	var read report.Occurrence
	require.NoError(t, json.Unmarshal(b, &read))
	again, err := json.Marshal(read)
	require.NoError(t, err)
	assert.Equal(t, want, string(again))
	for _, in := range []string{`[]`, `{"timestamp":"now"}`, `{"errorId":1}`, `{"metadata":[]}`} {
		assert.ErrorContains(t, json.Unmarshal([]byte(in), &read), "occurrence: ", in)
	}
}

// TestMasked checks that an occurrence from a program is masked and bounded in all outputs.
func TestMasked(t *testing.T) {
	huge := strings.Repeat("x y ", 1<<20)
	round := map[string]any{}
	round["self"] = round
	cause := &report.Occurrence{Message: "end"}
	for range 100 {
		cause = &report.Occurrence{Message: huge, Cause: cause}
	}
	for name, o := range map[string]*report.Occurrence{
		"secrets": {
			ID: secret, Category: secret, Severity: secret, Code: secret, Message: "a " + secret, Stack: secret,
			Source:  &report.Source{Type: secret, Component: secret, Endpoint: secret},
			Finding: &report.Finding{File: secret}, Recovery: &report.Recovery{Strategy: secret},
			Reaction: secret, Cause: &report.Occurrence{Message: secret},
			Context: json.RawMessage(`{"a":"` + secret + `","b":"\u0067` + secret[1:] + `"}`),
			Metadata: map[string]any{secret: secret, "password": "abcdefghij", "n": []any{map[string]any{"x": secret}},
				"struct": struct{ A string }{secret}},
		},
		"long":     {ID: huge, Category: huge, Message: huge, Stack: huge, Metadata: map[string]any{"a": huge}},
		"circular": {Message: "m", Metadata: round},
		"causes":   {Message: "m", Cause: cause},
		"values": {Message: "m", Context: json.RawMessage(`{`),
			Metadata: map[string]any{"func": func() {}, "panics": panicking{}}},
		"UTF-8": {ID: "\xff", Message: "a\xff\xfe", Metadata: map[string]any{"\xff": "\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			reporter := report.NewReporter(report.ReporterOptions{})
			reporter.Report(o)
			b, err := json.Marshal(o)
			require.NoError(t, err)
			assert.Less(t, len(b), 128<<10)
			var out strings.Builder
			require.NoError(t, reporter.WriteCSV(&out))
			require.NoError(t, reporter.WriteJSON(&out))
			require.NoError(t, json.NewEncoder(&out).Encode(reporter.Snapshot()))
			for _, s := range []string{string(b), out.String()} {
				assert.NotContains(t, s, "abcdefghij")
				assert.True(t, utf8.ValidString(s))
			}
		})
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("broken") }

func (panicking) Error() string { panic("broken") }

func (panicking) Unwrap() error { panic("broken") }

// D158.
func TestEnrich(t *testing.T) {
	o := full()
	e := o.Enrich(report.Facts{
		Source:   &report.Source{Method: "GET"},
		Metadata: map[string]any{"a": "given", "n": 7, "password": "hunter22"},
	}, report.EnrichOptions{At: time.UnixMilli(1_800_000_000_001)})
	assert.Equal(t, full(), o, "the occurrence is not changed")
	assert.Equal(t, &report.Source{Type: "llm", Component: "api", Endpoint: "https://example.org/v1", Method: "GET"},
		e.Source)
	assert.Equal(t, map[string]any{
		"a": "given", "n": 7.0, "password": "[REDACTED]", "list": []any{"x", map[string]any{"y": true}},
		"enrichedAt": 1_800_000_000_001.0, "enrichmentSource": "error-context-enricher",
	}, e.Metadata)
	bare := (&report.Occurrence{}).Enrich(report.Facts{Source: &report.Source{Method: "GET"}}, report.EnrichOptions{})
	assert.Equal(t, &report.Source{Type: "unknown", Component: "unknown", Method: "GET"}, bare.Source)
	assert.Nil(t, (*report.Occurrence)(nil).Enrich(report.Facts{}, report.EnrichOptions{}))
}

// D158, D159, B-D23.
func TestStatusInMessage(t *testing.T) {
	options := report.EnrichOptions{StatusSources: []string{"github", "llm"}}
	for _, tt := range []struct{ message, code, source, want string }{
		{"404 Not Found", "", "github", "404"},
		{"404 Not Found", "", "tool", ""},
		{"404 Not Found", "E1", "github", "E1"},
		{"line 120: request failed with 404", "", "llm", "404"},
		{"ran 429 tests", "", "llm", ""},
	} {
		o := report.Occurrence{Message: tt.message, SourceCode: tt.code, Source: &report.Source{Type: tt.source}}
		assert.Equal(t, tt.want, o.Enrich(report.Facts{}, options).SourceCode, tt.message)
	}
}
