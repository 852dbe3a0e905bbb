package report_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
)

// D133, D135, D136, B-D22: an update corrects the counts.
func TestUpdate(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	o := occurrence("c", "low", "m")
	o.Reaction, o.Action = "fix", "recover"
	r.Report(o)
	for _, tt := range []struct {
		o                        *report.Occurrence
		tried, succeeded, failed int
	}{
		{o, 0, 0, 0}, {o.With(tried(1)), 1, 0, 0}, {o.With(tried(1, false)), 1, 0, 1}, {o.With(tried(2, true)), 1, 1,
			0},
		{o.With(tried(2, true)), 1, 1, 0}, {occurrence("c", "low", "not reported").With(tried(1, true)), 1, 1, 0},
		{nil, 1, 1, 0},
	} {
		r.Update(tt.o)
		m := r.Metrics()
		assert.Equal(t, []int{tt.tried, tt.succeeded, tt.failed, 1},
			[]int{m.RecoveryAttempts, m.SuccessfulRecoveries, m.FailedRecoveries, m.TotalErrors})
	}
	r.Report(o.With(tried(3, false)))
	assert.Equal(t, 1, r.Metrics().TotalErrors, "a second report is an update")
	other := o.With(tried(3, false))
	other.Reaction, other.Action = "stop", "abort"
	r.Update(other)
	assert.Equal(t, []report.ReactionOutcome{{Reaction: "stop", Action: "abort", Count: 1, Failed: 1}},
		r.Snapshot().Outcomes)
	r.Report(&report.Occurrence{})
	r.Report(&report.Occurrence{})
	assert.Equal(t, 3, r.Metrics().TotalErrors, "without an ID each is new")
	r.Clear()
	assert.Zero(t, r.Metrics().TotalErrors)
	assert.Empty(t, r.Errors(report.Query{}))
	assert.Empty(t, r.Snapshot().Outcomes)
}

// D137, D138, D139.
func TestQueries(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{MaxErrors: 4})
	for i, c := range []struct{ category, severity string }{{"a", "low"}, {"a", "high"}, {"", "high"}, {"a", "high"},
		{"b", "info"}} {
		o := occurrence(c.category, c.severity, fmt.Sprint(i))
		o.At, o.Code = moment.Add(time.Duration(i)*time.Millisecond), strings.ToUpper(c.category)
		r.Report(o)
	}
	at := func(ms int) time.Time { return moment.Add(time.Duration(ms) * time.Millisecond) }
	for name, tt := range map[string]struct {
		got  []report.Occurrence
		want string
	}{
		"all": {r.Errors(report.Query{}), "1234"}, "last 2": {r.Last(2), "34"}, "last 0": {r.Last(0), ""},
		"last 9": {r.Last(9), "1234"}, "category": {r.Errors(report.Query{Category: "a"}), "13"},
		"no category": {r.Errors(report.Query{Category: "unknown"}), "2"},
		"severity":    {r.Errors(report.Query{Severity: "high"}), "123"},
		"no severity": {r.Errors(report.Query{Severity: "unknown"}), "4"},
		"both":        {r.Errors(report.Query{Category: "a", Severity: "high"}), "13"},
		"both ends":   {r.Errors(report.Query{From: at(2), To: at(3)}), "23"},
		"backwards":   {r.Errors(report.Query{From: at(3), To: at(2)}), ""},
		"ID":          {r.Errors(report.Query{ID: r.Last(1)[0].ID}), "4"},
	} {
		got := ""
		for _, o := range tt.got {
			got += o.Message
		}
		assert.Equal(t, tt.want, got, name)
	}
	assert.Equal(t, 5, r.Metrics().TotalErrors)
}

// D141.
func TestSummary(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	o := occurrence("c", "high", "m")
	o.Recoverability = "retryable"
	r.Report(o.With(tried(1, true)))
	r.Report(occurrence("c", "low", "m").With(tried(1, false)))
	r.Report(occurrence("c", "", "m").With(tried(1)))
	assert.Equal(t, "Error Summary:\n-------------\nTotal Errors: 3\nRecovery Rate: 33.3% (1/3)\n"+
		"Retry Rate: 0% (0/0)\n\nBy Severity:\n- Low: 1\n- Medium: 0\n- High: 1\n- Critical: 0\n- Unknown: 1\n\n"+
		"By Recoverability:\n- Retryable: 1\n- Recoverable: 0\n- Permanent: 0\n- Unknown: 2", r.Metrics().Summary())
}

// D142, D143, B-D21.
func TestFiles(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{})
	o := full()
	o.Message = "a \"b\", </script>\r\nd;=1"
	r.Report(o)
	r.Report(&report.Occurrence{ID: "2", At: time.UnixMilli(-5), Message: "=1+1", Recovery: &report.Recovery{}})
	r.Report(
		&report.Occurrence{
			ID:       "3",
			Category: "+c",
			Severity: "-s",
			Source:   &report.Source{Type: "\t@t", Component: " =c"},
		},
	)
	var b strings.Builder
	require.NoError(t, r.WriteCSV(&b))
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"errorId", "timestamp", "category", "severity", "message", "sourceType", "sourceComponent", "recoveryAttempts",
			"recoverySuccessful"},
		{"id", "1700000000123", "network", "high", "a \"b\", </script>\nd;'=1", "llm", "api", "1", "true"},
		{"2", "-5", "", "", "'=1+1", "", "", "0", ""},
		{"3", "", "'+c", "'-s", "", "'\t'@t", "' =c", "", ""},
	}, rows)
	b.Reset()
	require.NoError(t, r.WriteJSON(&b))
	assert.NotContains(t, b.String(), "<")
	var read struct {
		Metrics report.Metrics
		Errors  []report.Occurrence
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &read))
	assert.Equal(t, r.Metrics(), read.Metrics)
	assert.Len(t, read.Errors, 3)
	assert.ErrorContains(t, r.WriteJSON(fullDisk{}), "write report as JSON: disk full")
	assert.ErrorContains(t, r.WriteCSV(fullDisk{}), "write report as CSV: disk full")
}

// fullDisk is a writer to a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestTimes reports times that are missing, ahead of the clock, or far in the past.
func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		at      time.Time
		want    time.Time
		outside int
	}{
		{"missing", time.Time{}, moment, 0},
		{"an hour ahead", moment.Add(time.Hour), moment.Add(time.Hour), 0},
		{"more than an hour ahead", moment.Add(time.Hour + time.Second), moment, 0},
	} {
		c := newClock()
		r := report.NewReporter(report.ReporterOptions{Clock: c})
		r.Report(&report.Occurrence{At: tt.at})
		got := r.Snapshot().Timeline
		require.Len(t, got.Buckets, 1, tt.name)
		assert.Equal(t, tt.want, got.Buckets[0].Start, tt.name)
	}
	r := report.NewReporter(report.ReporterOptions{Clock: newClock()})
	r.Report(&report.Occurrence{At: time.Unix(1, 0)})
	for range 100 {
		r.Report(&report.Occurrence{At: moment})
	}
	assert.Equal(t, time.Second, r.Snapshot().Timeline.Step, "one wrong time does not change the step")
	assert.Equal(t, 1, r.Snapshot().Timeline.Outside)
}

// A timeline has at most 120 buckets of a round length.
func TestTimelineStep(t *testing.T) {
	const day = 24 * time.Hour
	for after, step := range map[time.Duration]time.Duration{
		time.Second: time.Second, 119 * time.Second: time.Second, 2 * time.Minute: 5 * time.Second,
		15 * time.Minute: 15 * time.Second, time.Hour: time.Minute, 8 * time.Hour: 5 * time.Minute,
		day: 15 * time.Minute, 4 * day: time.Hour, 14 * day: 6 * time.Hour, 90 * day: day,
		800 * day: 7 * day, 1600 * day: 14 * day, 3000 * day: 28 * day,
	} {
		c := newClock()
		r := report.NewReporter(report.ReporterOptions{Clock: c})
		r.Report(&report.Occurrence{At: moment})
		c.pass(after)
		r.Report(&report.Occurrence{At: moment.Add(after)})
		got := r.Snapshot().Timeline
		assert.Equal(t, step, got.Step, after)
		assert.Zero(t, got.Outside, after)
		assert.LessOrEqual(t, len(got.Buckets), 121, after)
	}
}

func TestRuns(t *testing.T) {
	var runs report.Runs
	for i := range 101 {
		runs.Begin(fmt.Sprint("run-", i), "task", moment)
	}
	runs.Add("run-100", report.Span{Kind: report.SpanCall, Took: time.Second, Cost: .5, Tokens: 7, Label: secret})
	runs.Fail("run-100", "DOWN")
	for range 500 {
		runs.Add("run-100", report.Span{Kind: report.SpanWait})
	}
	runs.End("run-100", "blocked", moment)
	all := runs.All()
	require.Len(t, all, 100)
	assert.Equal(t, "run-1", all[0].ID)
	last := all[99]
	assert.Equal(t, report.Span{Kind: report.SpanCall, Took: time.Second, Cost: .5, Tokens: 7, Label: "[REDACTED]",
		Code: "DOWN", Failed: true}, last.Spans[0])
	assert.Equal(t, []any{500, 1, .5, int64(7), "blocked"}, []any{len(last.Spans), last.Dropped, last.Cost, last.Tokens,
		last.End})
}
