package htmlreport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

var noon = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)

// write returns a page and its data.
func write(t *testing.T, s report.Snapshot, o htmlreport.Options) (string, map[string]any) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, htmlreport.Write(&b, s, o))
	found := regexp.MustCompile(`(?s)<script id="data" type="application/json">(.*?)</script>`).
		FindStringSubmatch(b.String())
	require.Len(t, found, 2)
	var data map[string]any
	require.NoError(t, json.Unmarshal([]byte(found[1]), &data))
	return b.String(), data
}

// snapshot reports errors with a text in every field.
func snapshot(text string, n int) report.Snapshot {
	r := report.NewReporter(report.ReporterOptions{Groups: report.GroupOptions{MaxAge: 1 << 60}})
	yes := true
	for i := range n {
		r.Report(&report.Occurrence{
			ID: fmt.Sprint(
				i,
				" ",
				text,
			), At: noon, Category: "c " + text, Code: fmt.Sprint("CODE_", i%20, " ", text), Severity: "high",
			Message: strings.Repeat("x", i%90) + " " + text, Stack: text, Source: &report.Source{Type: text},
			Cause: &report.Occurrence{Message: text}, Recovery: &report.Recovery{Attempts: 1, Successful: &yes},
			Finding: &report.Finding{Code: "TS2322", File: "a.ts", Line: 3, Column: 7},
			Context: json.RawMessage(
				`{"a":` + string(must(json.Marshal(text))) + `}`,
			), Metadata: map[string]any{"run": "r", "k": text},
		})
	}
	s := r.Snapshot()
	s.Title, s.At = text, noon
	s.Runs = []report.Run{{ID: text, Spans: []report.Span{{Kind: report.SpanCall, Label: text}}}}
	return s
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestTexts: no text leaves the data block, and secrets and invisible characters are replaced.
func TestTexts(t *testing.T) {
	for name, text := range map[string]string{
		"markup": `</script><script>x</script><!--`, "template": "{{.}}",
		"secret":    "ghp_abcdefghijABCDEFGHIJ0123456789abcdef",
		"direction": "a\u202eb", "control": "a\x1bb", "separator": "a\u2028b", "UTF-8": "a\xffb",
		"marks": "a" + strings.Repeat("\u0301", 50),
	} {
		t.Run(name, func(t *testing.T) {
			page, _ := write(t, snapshot(text, 3), htmlreport.Options{})
			assert.Equal(t, 2, strings.Count(page, "</script>"))
			for _, not := range []string{"<!--", "ghp_", "\u202e", "\x1b", "\u2028", strings.Repeat("\u0301", 5)} {
				assert.NotContains(t, page, not)
			}
			again, _ := write(t, snapshot(text, 3), htmlreport.Options{})
			assert.Equal(t, page, again, "the same snapshot gives the same bytes")
		})
	}
}

func TestSize(t *testing.T) {
	s := snapshot(strings.Repeat("<&'\"> ", 2000), 2000)
	page, data := write(t, s, htmlreport.Options{})
	assert.Less(t, len(page), 6<<20)
	assert.NotEmpty(t, data["notes"])
	_, data = write(t, s, htmlreport.Options{MaxGroups: 2, MaxLatest: 3})
	assert.Len(t, data["groups"], 2)
	assert.LessOrEqual(t, len(data["errors"].([]any)), 12)
}

// TestContent: resolutions, comparison, findings, runs and omissions.
func TestContent(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	r.Report(report.New(errs.NewProviderRateLimit("p"), report.Options{Table: errs.Table, At: noon}))
	s := r.Snapshot()
	s.Dropped = report.Dropped{Groups: 2, Errors: 9}
	_, data := write(t, s, htmlreport.Options{Table: errs.Table,
		Earlier: &report.Metrics{ErrorsByCode: map[string]int{"GONE": 4, "PROVIDER_RATE_LIMIT": 3}}})
	codes := data["codes"].([]any)
	require.Len(t, codes, 1)
	first := codes[0].(map[string]any)
	assert.Equal(t, []any{"PROVIDER_RATE_LIMIT", 1.0}, []any{first["code"], first["count"]})
	known := data["meanings"].(map[string]any)["PROVIDER_RATE_LIMIT"].(map[string]any)
	assert.NotEmpty(t, known["resolution"])
	assert.Equal(t, map[string]any{"GONE": 4.0, "PROVIDER_RATE_LIMIT": 3.0}, data["earlier"])
	assert.Equal(t, map[string]any{"groups": 2.0, "errors": 9.0}, data["dropped"])

	_, data = write(t, snapshot("m", 1), htmlreport.Options{})
	problem := data["errors"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{"code": "TS2322", "file": "a.ts", "line": 3.0, "column": 7.0}, problem["finding"])
	assert.Equal(t, []any{"r", 0.0}, []any{problem["metadata"].(map[string]any)["run"], problem["group"]})
	assert.Len(t, data["runs"], 1)
	assert.ErrorContains(t, htmlreport.Write(fullDisk{}, s, htmlreport.Options{}), "write the page: disk full")
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }
