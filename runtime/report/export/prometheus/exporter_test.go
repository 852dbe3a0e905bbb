package promreport

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scrape serves the registry on the loopback and returns what a scrape of it says, without what is
// about the registry.
func scrape(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	server := httptest.NewServer(
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(server.URL)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

func limited(message string) *report.Occurrence {
	return &report.Occurrence{
		ID: "1", Domain: "aidf", Category: "provider", Code: "PROVIDER_RATE_LIMIT", Severity: "high", Message: message,
		Source: &report.Source{Type: "anthropic-api"},
	}
}

func TestScrape(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	e, err := Register(registry, Options{Taxonomies: []*taxonomy.Taxonomy{errs.Table.Taxonomy}})
	require.NoError(t, err)
	sinks := report.Sinks{e}
	sinks.Report(limited("slow down"))
	sinks.Report(limited("slow down again, and the same occurrence"))
	second := limited("slow down again")
	second.ID = "2"
	sinks.Report(second)
	sinks.Report(&report.Occurrence{Message: "of no taxonomy"})
	sinks.Report(nil)
	done, failed := true, false
	again := limited("slow down")
	again.Recovery = &report.Recovery{Attempts: 1, MaxAttempts: 2, Strategy: "wait"}
	sinks.Update(again)
	again.Recovery.Successful = &failed
	sinks.Update(again)
	again.Recovery.Attempts, again.Recovery.Successful = 2, &done
	sinks.Update(again)
	sinks.Update(again)
	sinks.Report(again)
	sinks.Update(nil)
	unknown := limited("never reported")
	unknown.ID, unknown.Recovery = "3", again.Recovery
	sinks.Update(unknown)
	sinks.Retried(report.Retry{Attempts: 3, Succeeded: true})
	sinks.Retried(report.Retry{Attempts: 1, Succeeded: false})
	sinks.Retried(report.Retry{Attempts: -1, Succeeded: false})
	assert.Equal(t, `# HELP errgen_errors_total Errors that happened.
# TYPE errgen_errors_total counter
errgen_errors_total{category="none",code="none",domain="none",severity="none",source="none"} 1
errgen_errors_total{category="provider",code="PROVIDER_RATE_LIMIT",domain="aidf",severity="high",source="anthropic-api"} 2
# HELP errgen_recoveries_total Recovery strategies that were run, by what came of them.
# TYPE errgen_recoveries_total counter
errgen_recoveries_total{category="provider",code="PROVIDER_RATE_LIMIT",domain="aidf",result="failed",strategy="other"} 1
errgen_recoveries_total{category="provider",code="PROVIDER_RATE_LIMIT",domain="aidf",result="succeeded",strategy="other"} 1
# HELP errgen_retried_operations_total Operations that were tried again, by how they ended.
# TYPE errgen_retried_operations_total counter
errgen_retried_operations_total{result="failed"} 1
errgen_retried_operations_total{result="succeeded"} 1
# HELP errgen_retries_total Calls that were made again.
# TYPE errgen_retries_total counter
errgen_retries_total 4
`, scrape(t, registry))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// TestWordsOfATaxonomyAreNotStarved has as many other words as there is room for before them.
func TestWordsOfATaxonomyAreNotStarved(t *testing.T) {
	registry := prometheus.NewRegistry()
	e, err := Register(registry, Options{Taxonomies: []*taxonomy.Taxonomy{errs.Table.Taxonomy}})
	require.NoError(t, err)
	for i := range 50 {
		for j := range 50 {
			e.Report(
				&report.Occurrence{Domain: "aidf", Category: "provider", Code: fmt.Sprint("C", j),
					Source: &report.Source{Type: fmt.Sprint("elsewhere", i)}})
		}
	}
	e.Report(limited(""))
	elsewhere := limited("")
	elsewhere.ID, elsewhere.Source = "2", &report.Source{Type: "elsewhere, too"}
	e.Report(elsewhere)
	text := scrape(t, registry)
	assert.Contains(
		t, text,
		`{category="provider",code="PROVIDER_RATE_LIMIT",domain="aidf",severity="high",source="anthropic-api"} 1`)
	assert.Contains(
		t, text, `{category="provider",code="PROVIDER_RATE_LIMIT",domain="aidf",severity="high",source="other"} 1`)
	assert.LessOrEqual(t, strings.Count(text, "\nerrgen_errors_total"), 1003)
}

func TestRegisteringTwiceIsAnError(t *testing.T) {
	registry := prometheus.NewRegistry()
	_, err := Register(registry, Options{})
	require.NoError(t, err)
	_, err = Register(registry, Options{})
	assert.ErrorContains(t, err, "register the metrics of errors: ")
	var already prometheus.AlreadyRegisteredError
	assert.True(t, errors.As(err, &already))
}

func TestCardinalityIsBounded(t *testing.T) {
	registry := prometheus.NewRegistry()
	e, err := Register(
		registry, Options{Taxonomies: []*taxonomy.Taxonomy{errs.Table.Taxonomy}, MaxValues: 5, MaxSeries: 40})
	require.NoError(t, err)
	done := true
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 500 {
				o := limited(fmt.Sprintf("message %d", i))
				o.ID = fmt.Sprint(n, "-", i)
				o.Domain, o.Code, o.Category = fmt.Sprint("domain", i%7), fmt.Sprint("code", n, i),
					strings.Repeat("x", i)
				o.Severity, o.Source.Type = fmt.Sprint("severity", i), "password=hunter2secret"
				o.Recovery = &report.Recovery{Strategy: fmt.Sprint("strategy", i), Successful: &done}
				e.Report(o)
			}
		})
	}
	all.Wait()
	e.Report(limited(""))
	e.Retried(report.Retry{Attempts: 1, Succeeded: true})
	text := scrape(t, registry)
	assert.LessOrEqual(t, strings.Count(text, "\nerrgen_"), 40+4+2)
	assert.Contains(t, text, `{category="other",code="other",domain="other",severity="other",source="other"}`)
	assert.NotContains(t, text, "hunter2")
	assert.NotContains(t, text, "message")
	total := 0.0
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "errgen_errors_total" {
			for _, m := range f.GetMetric() {
				total += m.GetCounter().GetValue()
			}
		}
	}
	assert.InDelta(t, 2001, total, 0, "every error is counted")
}

// TestDefaults has one value and one combination more than there are by default.
func TestDefaults(t *testing.T) {
	registry := prometheus.NewRegistry()
	e, err := Register(registry, Options{})
	require.NoError(t, err)
	for i := range 51 {
		e.Report(&report.Occurrence{Code: fmt.Sprint("C", i)})
	}
	text := scrape(t, registry)
	assert.Equal(t, 51, strings.Count(text, "\nerrgen_errors_total"))
	assert.Contains(t, text, `code="C49"`)
	assert.Contains(t, text, `{category="none",code="other",domain="none",severity="none",source="none"} 1`)

	registry = prometheus.NewRegistry()
	e, err = Register(registry, Options{})
	require.NoError(t, err)
	for i := range 2001 {
		e.Report(&report.Occurrence{Code: fmt.Sprint("C", i%50), Category: fmt.Sprint("c", i/50)})
	}
	text = scrape(t, registry)
	assert.Equal(t, 2001, strings.Count(text, "\nerrgen_errors_total"))
	assert.Contains(t, text, `{category="other",code="other",domain="other",severity="other",source="other"} 1`)
}

func BenchmarkReport(b *testing.B) {
	e, o := New(Options{Taxonomies: []*taxonomy.Taxonomy{errs.Table.Taxonomy}}), limited("slow down")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o.ID = strconv.Itoa(i)
		e.Report(o)
	}
}
