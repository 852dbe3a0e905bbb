package detect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// allocated returns how many bytes f allocates, kept or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func manyKeys(n int) map[string]any {
	m := map[string]any{"message": "gone", "code": "E1"}
	for i := range n {
		m[fmt.Sprint(i)] = i
	}
	return m
}

func TestLargeInputCostsNoMoreThanItsSize(t *testing.T) {
	keys, err := json.Marshal(map[string]any{"error": manyKeys(60_000)})
	assert.NoError(t, err)
	headers := http.Header{"Retry-After": {"5"}}
	for i := range 200_000 {
		headers[fmt.Sprintf("anthropic-ratelimit-%d-reset", i)] = []string{"2030-01-01T00:00:00Z"}
	}
	numbers := manyKeys(100_000)
	delete(numbers, "message")
	for name, raw := range map[string]any{
		"objects":    json.RawMessage(`{"errors":[` + strings.Repeat(`{},`, 300_000) + `{}]}`),
		"details":    json.RawMessage(`{"error":{"details":[` + strings.Repeat(`{"a":{}},`, 100_000) + `{}]}}`),
		"list":       json.RawMessage(`[` + strings.Repeat(`{},`, 300_000) + `{}]`),
		"keys":       json.RawMessage(keys),
		"code":       json.RawMessage(`{"status":"` + strings.Repeat("9", 900_000) + `"}`),
		"map":        manyKeys(1_000_000),
		"map in map": map[string]any{"error": manyKeys(1_000_000)},
		"silent map": numbers,
		"headers":    headers,
		"many and body": &http.Response{StatusCode: 500, Header: headers,
			Body: io.NopCloser(strings.NewReader(`{"code":"E1"}`))},
	} {
		assert.Less(t, allocated(func() { detect.Of(raw) }), uint64(8<<20), name)
	}
	assert.Equal(t, taxonomy.Evidence{Code: "E1", Text: "gone"}, detect.Of(manyKeys(1000)))
	assert.Equal(t, taxonomy.Evidence{Code: "E1", Text: "gone"}, detect.Of(map[string]any{"error": manyKeys(1000)}))
	ev := detect.Of(headers)
	assert.Equal(t, "5", ev.Attribute("retry-after"))
}

func TestBodyReadsJSONAsWritten(t *testing.T) {
	for _, c := range []struct {
		body string
		want taxonomy.Evidence
	}{
		{" {\n \"co\\u0064e\" : \"E1\" ,\t\"message\":\"a \\\"b\\\" \\\\\" , \"x\" : [ { } , [ ] , \"}\" ] }\r\n",
			taxonomy.Evidence{Code: "E1", Text: `a "b" \`}},
		{`{"code":"E1","code":"E2","message":"gone"}`, taxonomy.Evidence{Code: "E2", Text: "gone"}},
		{`{"CODE":"E1","message":"gone"}`, taxonomy.Evidence{Text: "gone"}},
		{`{"code":1e2,"message":"gone","status": 404 }`, taxonomy.Evidence{Status: 404, Text: "gone"}},
		{`{"error" : null , "errors" : [ null , 1 , "x" , [{"code":"E0"}] , {"code":"E1","message":"gone"} ] }`,
			taxonomy.Evidence{Code: "E1", Text: "gone"}},
		{`{"errors":[` + strings.Repeat("1,", 16) + `{"code":"E1"}],"message":"gone"}`,
			taxonomy.Evidence{Text: "gone"}},
		{`{"code":"E1",}`, taxonomy.Evidence{Text: `{"code":"E1",}`}},
		{`{"code":"E1"]`, taxonomy.Evidence{Text: `{"code":"E1"]`}},
		{`{"code"`, taxonomy.Evidence{Text: `{"code"`}},
		{`[{"code":"E1"}] x`, taxonomy.Evidence{Text: `[{"code":"E1"}] x`}},
		{`[{"code":"E1","message":"gone"}, {}]`, taxonomy.Evidence{Code: "E1", Text: "gone"}},
	} {
		var ev taxonomy.Evidence
		detect.Body(&ev, []byte(c.body))
		assert.Equal(t, c.want, ev, c.body)
	}
}

// still is a body that says a word and then returns nothing, for ever.
type still struct{ said bool }

func (s *still) Read(p []byte) (int, error) {
	if s.said {
		return 0, nil
	}
	s.said = true
	return copy(p, "said"), nil
}

func TestBodyThatStandsStillIsGivenUp(t *testing.T) {
	r := &http.Response{StatusCode: 500, Body: io.NopCloser(&still{})}
	assert.Equal(t, taxonomy.Evidence{Status: 500, Text: "said"}, detect.Of(r))
	rest, err := io.ReadAll(r.Body)
	assert.Equal(t, "said", string(rest))
	assert.True(t, errors.Is(err, io.ErrNoProgress))
}
