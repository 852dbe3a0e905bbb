package contract_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	promreport "github.com/errgen/errgen/runtime/report/export/prometheus"
)

func TestReports(t *testing.T) {
	t.Parallel()
	reportSuite(t, reportSubject{})
}

// reportSubject is package report with its Prometheus exporter.
type reportSubject struct{}

func (reportSubject) Run(t *testing.T, limits ReportLimits, stream []ReportEvent) ReportOutcome {
	clock := &reportClock{now: reportStart}
	reporter := report.NewReporter(report.ReporterOptions{MaxErrors: limits.Errors, MaxKeys: limits.Keys, Clock: clock})
	groups := report.NewGroups(report.GroupOptions{MaxGroups: limits.Groups, MaxSize: limits.GroupSize,
		MaxAge: limits.GroupAge, Clock: clock})
	registry := prometheus.NewPedanticRegistry()
	exporter, err := promreport.Register(registry, errs.Table.Taxonomy)
	require.NoError(t, err)
	sinks := report.Sinks{reporter, groups, exporter}
	for _, e := range stream {
		clock.now = clock.now.Add(e.After)
		if e.Retry != nil {
			sinks.Retried(report.Retry{Reaction: e.Retry.Reaction, Action: e.Retry.Action, Attempts: e.Retry.Calls,
				Succeeded: e.Retry.Succeeded})
			continue
		}
		o := report.Options{Table: errs.Table, At: clock.now, ID: func() string { return e.ID }}
		if e.Source != "" {
			o.Facts.Source = &report.Source{Type: e.Source, Component: e.Component}
		}
		made := report.New(e.Err.Err, o)
		if e.Err.Severity != "" {
			made.Severity = e.Err.Severity
		}
		if e.Tried != nil {
			made.Recovery = &report.Recovery{Attempts: e.Tried.Attempts, MaxAttempts: 3, Strategy: "fix",
				Successful: e.Tried.Helped}
		}
		sinks.Report(made)
	}
	return reportOutcomeOf(t, reporter, groups, registry)
}

func reportOutcomeOf(t *testing.T, reporter *report.Reporter, groups *report.Groups, registry prometheus.Gatherer,
) ReportOutcome {
	s := report.NewSnapshot(reporter, groups)
	m := s.Metrics
	out := ReportOutcome{
		Totals: ReportTotals{Errors: m.TotalErrors, ByCategory: m.ErrorsByCategory, ByCode: m.ErrorsByCode,
			BySeverity: m.ErrorsBySeverity, BySource: m.ErrorsBySource, ByRecoverability: m.ErrorsByRecoverability,
			Recoveries: m.RecoveryAttempts, Recovered: m.SuccessfulRecoveries, NotRecovered: m.FailedRecoveries,
			RetryCalls: m.RetryAttempts, RetriesSucceeded: m.SuccessfulRetries, RetriesFailed: m.FailedRetries},
		Gone: s.Dropped.Groups, Step: s.Timeline.Step, Outside: s.Timeline.Outside, Kept: idsOf(reporter.All()),
	}
	for _, c := range s.Codes {
		out.Codes = append(out.Codes, ReportCode{c.Code, c.Category, c.Severity, c.Count, c.Latest.Sub(reportStart)})
	}
	for _, g := range s.Groups {
		out.Groups = append(out.Groups, ReportGroup{g.ID, g.Severity, g.Count, g.FirstSeen.Sub(reportStart),
			g.LastSeen.Sub(reportStart), idsOf(g.Errors), g.Sample.ID})
	}
	for _, b := range s.Timeline.Buckets {
		if len(b.ByCategory) > 0 {
			out.Buckets = append(out.Buckets, ReportBucket{b.Start.Sub(reportStart), b.ByCategory})
		}
	}
	for _, r := range s.Outcomes {
		out.Reactions = append(out.Reactions, ReportReaction{r.Reaction, r.Count, r.Recovered, r.Failed, r.Pending,
			r.SuccessfulRetries, r.FailedRetries})
	}
	var json, csv bytes.Buffer
	require.NoError(t, reporter.WriteJSON(&json))
	require.NoError(t, reporter.WriteCSV(&csv))
	scrape := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(scrape, httptest.NewRequest("GET", "/metrics", nil))
	out.Files = map[string]string{"summary.txt": reporter.Summary(), "report.json": json.String(),
		"report.csv": csv.String(), "metrics.txt": scrape.Body.String()}
	return out
}

func idsOf(all []report.Occurrence) []string {
	var out []string
	for _, o := range all {
		out = append(out, o.ID)
	}
	return out
}

// reportClock is a clock that stands still.
type reportClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *reportClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *reportClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
