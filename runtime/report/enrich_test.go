package report

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// D158.
func TestEnrich(t *testing.T) {
	o := full()
	at := time.UnixMilli(1_800_000_000_001)
	e := o.Enrich(Facts{
		Source:     &Source{Method: "GET"},
		Execution:  &Execution{Mode: "cli", Skill: "given"},
		Repository: &Repository{Owner: "owner", Repo: "repo"},
		Metadata:   map[string]any{"a": "given", "n": 7, "password": "hunter22"},
	}, EnrichOptions{At: at})
	assert.Equal(t, full(), o, "the occurrence stays as it is")
	assert.Equal(t, &Source{Type: "llm", Component: "api", Endpoint: "https://example.org/v1", Method: "GET"}, e.Source)
	assert.Equal(t, &Execution{Mode: "cli", Skill: "given", Tool: "t", Step: "p", TaskID: "k", SessionID: "n"},
		e.Execution)
	assert.Equal(t, &Repository{Owner: "owner", Repo: "repo"}, e.Repository, "replaced, not merged")
	assert.Equal(t, map[string]any{
		"a": "given", "n": 7.0, "password": "[REDACTED]", "list": []any{"x", map[string]any{"y": true}},
		"enrichedAt": 1_800_000_000_001.0, "enrichmentSource": "error-context-enricher",
	}, e.Metadata)
	assert.Equal(t, o.Message, e.Message)
	spoil(o)
	assert.Equal(t, "llm", e.Source.Type)
	assert.Equal(t, "x", e.Metadata["list"].([]any)[0])

	nothing := (&Occurrence{}).Enrich(Facts{}, EnrichOptions{})
	assert.Nil(t, nothing.Execution)
	assert.Nil(t, nothing.Source)
	assert.Nil(t, nothing.Repository)
	assert.InDelta(t, float64(time.Now().UnixMilli()), nothing.Metadata["enrichedAt"], 60_000)
	assert.Nil(t, (*Occurrence)(nil).Enrich(Facts{}, EnrichOptions{}))
}

// However much else there is, it says that it was enriched.
func TestEnrichIsNotCrowdedOut(t *testing.T) {
	many := map[string]any{}
	for i := range 1000 {
		many[NewID()] = i
	}
	e := (&Occurrence{}).Enrich(Facts{Metadata: many}, EnrichOptions{})
	assert.Equal(t, enricher, e.Metadata[enrichmentSource])
	assert.Len(t, e.Metadata, maxEntries+marks)
	assert.True(t, e.isClean())
	assert.Equal(t, e.Metadata[enrichmentSource], e.Enrich(Facts{}, EnrichOptions{}).Metadata[enrichmentSource])
}

// D158, D159, B-D23: only for the sources that are listed, and only where there is no code.
func TestEnrichFindsTheStatus(t *testing.T) {
	options := EnrichOptions{StatusSources: []string{"github", "llm"}}
	for _, c := range []struct {
		o    Occurrence
		want string
	}{
		{Occurrence{Message: "404 Not Found", Source: &Source{Type: "github"}}, "404"},
		{Occurrence{Message: "404 Not Found", Source: &Source{Type: "tool"}}, ""},
		{Occurrence{Message: "404 Not Found"}, ""},
		{Occurrence{Message: "404 Not Found", SourceCode: "E1", Source: &Source{Type: "github"}}, "E1"},
	} {
		assert.Equal(t, c.want, c.o.Enrich(Facts{}, options).SourceCode)
	}
	o := Occurrence{Message: "404 Not Found"}
	assert.Equal(t, "404", o.Enrich(Facts{Source: &Source{Type: "llm", Component: "c"}}, options).SourceCode)
}

func TestStatusIn(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"", ""},
		{"404 Not Found", "404"},
		{"line 120: request failed with 404", "404"},
		{"line 450: status 404", "404"},
		{"HTTP 503 after 500 tries", "503"},
		{"after 500 tries: HTTP/1.1 503 Service Unavailable", "503"},
		{"after 404 tries: HTTP/1.0 503", "503"},
		{"after 404 tries: HTTP/2 503", "503"},
		{"after 404 tries: HTTP/2.0 503", "503"},
		{"after 404 tries: HTTP/3 503", "503"},
		{"after 404 tries: HTTP/4 503", "503"},
		{"in 450 files: http error 429", "429"},
		{"got 450 lines, 429 status", "429"},
		{"450 lines; status code: 422", "422"},
		{"450 lines; status=502.", "502"},
		{"450 lines; statusCode:502,", "502"},
		{"120 399 600 999", ""},
		{"1404 4040 x404 404x _404", ""},
		{"took 1.500 s at 12:404 on 2026-404", ""},
		{"the source fails: 404 Not Found", "404"},
		{"HTTP 429: slow down", "429"},
		{"got 404 Not Found", "404"},
		{"ran 429 tests", ""},
		{"port 503", ""},
		{"port: 503", ""},
		{"(599)", ""},
		{"got 404 files", ""},
		{"failed with 503 errors", ""},
		{"exited with status 404", ""},
		{"the tool failed: exited: status code 404", ""},
		{"fails: 404 Not Found pages are red", ""},
		{"é404é 400", ""},
	} {
		assert.Equal(t, c.want, statusIn(c.message), c.message)
	}
}

func TestCleanMetadata(t *testing.T) {
	assert.Nil(t, cleanMetadata(nil))
	got := cleanMetadata(map[string]any{
		"int": 1, "int64": int64(2), "uint8": uint8(3), "float32": float32(0.5), "nan": math.NaN(), "nil": nil,
		"bool":     true,
		"duration": 90 * time.Second, "time": time.Unix(0, 0).UTC(), "strings": []string{"a"},
		"map":    map[string]string{"k": "v"},
		"struct": struct{ A int }{1}, "error": itself{}, "func": func() {}, "apiKey": "k", "empty_password": "",
	})
	assert.Equal(t, map[string]any{
		"int": 1.0, "int64": 2.0, "uint8": 3.0, "float32": 0.5, "nan": nil, "nil": nil, "bool": true,
		"duration": "1m30s",
		"time":     "1970-01-01T00:00:00Z", "strings": []any{"a"}, "map": map[string]any{"k": "v"},
		"struct": map[string]any{"A": 1.0},
		"error":  "itself", "func": "(func())", "apiKey": "[REDACTED]", "empty_password": "",
	}, got)
	assert.True(t, isCleanMetadata(got))
}
