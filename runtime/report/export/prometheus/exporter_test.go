package promreport

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
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
	e, err := Register(registry, errs.Table.Taxonomy)
	require.NoError(t, err)
	sinks := report.Sinks{e}
	sinks.Report(limited("slow down"))
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
	sinks.Update(nil)
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

func TestScrapeOfRequests(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	e, err := Register(registry, &taxonomy.Taxonomy{Domain: "shop", Operations: []*taxonomy.Operation{
		{Name: "Get"}, {Name: "Put"}}, Categories: []*taxonomy.Category{{Codes: []taxonomy.Code{{}, {Value: "LOST"}}}}})
	require.NoError(t, err)
	e.Request(t.Context(), report.Request{Domain: "shop", Operation: "Get"})
	for range 2 {
		e.Request(t.Context(), report.Request{Domain: "shop", Operation: "Get", Code: "LOST", Failed: true,
			Fault: taxonomy.FaultClient})
	}
	assert.Contains(t, scrape(t, registry), `# HELP errgen_requests_total Requests to servers, by how they ended.
# TYPE errgen_requests_total counter
errgen_requests_total{code="LOST",domain="shop",fault="client",operation="Get"} 2
errgen_requests_total{code="none",domain="shop",fault="none",operation="Get"} 1
errgen_requests_total{code="none",domain="shop",fault="none",operation="Put"} 0
`)
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	assert.Empty(t, problems)
}

func TestRegisteringTwiceIsAnError(t *testing.T) {
	registry := prometheus.NewRegistry()
	_, err := Register(registry)
	require.NoError(t, err)
	_, err = Register(registry)
	assert.ErrorContains(t, err, "register the metrics of errors: ")
	var already prometheus.AlreadyRegisteredError
	assert.True(t, errors.As(err, &already))
}

func BenchmarkReport(b *testing.B) {
	e, o := New(errs.Table.Taxonomy), limited("slow down")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o.ID = strconv.Itoa(i)
		e.Report(o)
	}
}
