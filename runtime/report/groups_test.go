package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// D119, D120, D124, D125.
func TestGroupID(t *testing.T) {
	yes, no := taxonomy.Some(true), taxonomy.Some(false)
	for _, tt := range []struct {
		options report.GroupOptions
		want    string
	}{
		{report.GroupOptions{}, "network:port N"},
		{report.GroupOptions{BySeverity: yes}, "network:port N:low"},
		{report.GroupOptions{ByCategory: no}, "port N"},
		{report.GroupOptions{ByPattern: no}, "network"},
		{report.GroupOptions{ByCategory: no, ByPattern: no, BySeverity: yes}, "low"},
		{report.GroupOptions{ByCategory: no, ByPattern: no}, "default"},
		{report.GroupOptions{ByCode: yes}, "network:A%3AB:port N"},
		{report.GroupOptions{ByCode: yes, ByCategory: no, ByPattern: no}, "A%3AB"},
	} {
		g := report.NewGroups(tt.options)
		o := occurrence("network", "low", "port 80")
		o.Code = "A:B"
		assert.Equal(t, tt.want, g.Add(o))
		got, ok := g.Get(tt.want)
		require.True(t, ok)
		assert.Equal(t, "port N", got.Pattern)
	}
}

// D121, D122, D126.
func TestGroupContent(t *testing.T) {
	c := newClock()
	g := report.NewGroups(report.GroupOptions{Clock: c, MaxSize: 2})
	first := occurrence("c", "low", "m")
	id := g.Add(first)
	for _, severity := range []string{"high", "medium", ""} {
		c.pass(time.Second)
		o := occurrence("c", severity, "m")
		o.At = moment.Add(-time.Minute)
		g.Report(o)
	}
	got, _ := g.Get(id)
	assert.Equal(t, []any{4, "high", moment.Add(-time.Minute), moment.Add(3 * time.Second), 2, first.ID},
		[]any{got.Count, got.Severity, got.FirstSeen, got.LastSeen, len(got.Errors), got.Sample.ID})
	g.Update(first.With(tried(2, true)))
	g.Report(got.Errors[1].With(tried(1)))
	got, _ = g.Get(id)
	assert.Equal(t, 4, got.Count)
	assert.Equal(t, []int{2, 1}, []int{got.Sample.Recovery.Attempts, got.Errors[1].Recovery.Attempts})
	b, err := json.Marshal(got)
	require.NoError(t, err)
	var read report.Group
	require.NoError(t, json.Unmarshal(b, &read))
	assert.Equal(t, []any{got.ID, got.Count, got.FirstSeen, got.Sample.ID},
		[]any{read.ID, read.Count, read.FirstSeen, read.Sample.ID})
}

// D123, D127.
func TestGroupAge(t *testing.T) {
	c := newClock()
	g := report.NewGroups(report.GroupOptions{Clock: c, MaxAge: time.Minute})
	a, b := g.Add(occurrence("a", "low", "m")), g.Add(occurrence("b", "low", "m"))
	c.pass(time.Minute)
	g.Report(occurrence("b", "low", "m"))
	assert.Equal(t, []string{b, a}, groupIDs(g.All()), "a minute is not too old")
	c.pass(time.Nanosecond)
	assert.Equal(t, []string{b}, groupIDs(g.All()))
	assert.Equal(t, report.Dropped{Groups: 1, Errors: 1}, g.Stats().Dropped)
	c.pass(time.Hour)
	g.Report(occurrence("b", "high", "m"))
	got, _ := g.Get(b)
	assert.Equal(t, 1, got.Count, "a new group")
}

func groupIDs(all []report.Group) []string {
	out := []string{}
	for _, g := range all {
		out = append(out, g.ID)
	}
	return out
}

// D127, D128, D129, D130, D131.
func TestGroupQueries(t *testing.T) {
	g := report.NewGroups(report.GroupOptions{})
	for _, o := range []*report.Occurrence{
		occurrence("a", "low", "x"), occurrence("b", "high", "x"), occurrence("a", "high", "x"),
		occurrence("a", "critical", "y"), occurrence("", "", "z"),
	} {
		g.Report(o)
	}
	assert.Equal(t, []string{":z", "a:y", "a:x", "b:x"}, groupIDs(g.All()), "the one seen last first")
	assert.Equal(t, []string{"a:y", "a:x"}, groupIDs(g.ByCategory("a")))
	assert.Equal(t, []string{":z"}, groupIDs(g.ByCategory("unknown")))
	assert.Equal(t, []string{"a:x", "b:x"}, groupIDs(g.BySeverity("high")))
	assert.Equal(t, report.Stats{
		TotalGroups: 4, TotalErrors: 5, ErrorsByCategory: map[string]int{"a": 3, "b": 1, "unknown": 1},
		ErrorsBySeverity: map[string]int{"low": 1, "high": 2, "critical": 1, "unknown": 1},
	}, g.Stats())
	g.Clear()
	assert.Empty(t, g.All())
	assert.Zero(t, g.Stats().TotalErrors)

	all := report.NewGroups(report.GroupOptions{ByCategory: taxonomy.Some(false)})
	for i := range 70 {
		all.Report(occurrence(fmt.Sprint(i), "low", "m"))
	}
	assert.Equal(t, 6, all.Stats().ErrorsByCategory["other"], "64 categories and the others")
}

// D181: memory is bounded.
func TestBounds(t *testing.T) {
	r, g := report.NewReporter(report.ReporterOptions{}), report.NewGroups(report.GroupOptions{MaxGroups: 100})
	for i := range 10_001 {
		report.Sinks{r, g}.Report(&report.Occurrence{ID: fmt.Sprint(i), At: moment, Category: fmt.Sprint("c", i%300)})
	}
	assert.Equal(t, "1", r.All()[0].ID)
	assert.Len(t, r.All(), 10_000)
	assert.Len(t, r.Metrics().ErrorsByCategory, 201, "200 and the others")
	s := report.NewSnapshot(r, g)
	assert.Equal(t, []int{200, 100, 9901}, []int{len(s.Last), len(s.Groups), s.Dropped.Groups})
	assert.Len(t, report.NewSnapshot(nil, g).Groups, 100)

	g = report.NewGroups(report.GroupOptions{})
	for i := range 10_100 {
		g.Report(occurrence(fmt.Sprint("c", i%101), "low", "m"))
	}
	stats := g.Stats()
	assert.Equal(t, []int{100, 9901, 199}, []int{stats.TotalGroups, stats.TotalErrors, stats.Dropped.Errors},
		"10 000 in all groups together")
}

func TestConcurrentUse(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{MaxErrors: 100})
	g := report.NewGroups(report.GroupOptions{MaxSize: 5, MaxGroups: 20})
	sinks := report.Sinks{r, g}
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for j := range 500 {
				o := occurrence(fmt.Sprint("c", (i+j)%30), "low", "m")
				sinks.Report(o)
				sinks.Update(o.With(tried(2, j%2 == 0)))
				sinks.Retried(report.Retry{Attempts: 1, Succeeded: j%2 == 0})
			}
		})
		wait.Go(func() {
			for range 20 {
				_ = r.WriteJSON(&strings.Builder{})
				_ = report.NewSnapshot(r, g)
				_ = g.Stats()
			}
		})
	}
	wait.Wait()
	m := r.Metrics()
	assert.Equal(t, []int{2000, 1000}, []int{m.TotalErrors, m.SuccessfulRetries})
	assert.LessOrEqual(t, len(g.All()), 20)
}

// stream returns different errors, as a program has them.
func stream(n int) []*report.Occurrence {
	messages := []string{"connect to 10.0.%d.7:443: connection refused", "request %d failed: status 529: overloaded",
		"open '/srv/work/%d/main.go': no such file or directory", "validator ended with exit code 2 after %d ms"}
	out := make([]*report.Occurrence, n)
	for i := range out {
		o := occurrence(fmt.Sprint("category", i%7), []string{"low", "medium", "high"}[i%3],
			fmt.Sprintf(messages[i%len(messages)], i))
		o.Code, o.Recoverability, o.Reaction, o.Action = fmt.Sprint("CODE_", i%23), "retryable", "wait", "retry"
		o.Source = &report.Source{Type: "llm", Component: fmt.Sprint("component-", i%11)}
		out[i] = o.Enrich(report.Facts{}, report.EnrichOptions{}) // masked
	}
	return out
}

// D181: BenchmarkErrors is the cost of an error in a reporter and groups together, with the growth
// of the heap after the first tenth. ERRGEN_REPORT_ERRORS is the number of errors; 10 000 000.
func BenchmarkErrors(b *testing.B) {
	n := 10_000_000
	if given, err := strconv.Atoi(os.Getenv("ERRGEN_REPORT_ERRORS")); err == nil {
		n = given
	}
	errs := stream(8192)
	for b.Loop() {
		r := report.NewReporter(report.ReporterOptions{})
		sinks := report.Sinks{r, report.NewGroups(report.GroupOptions{})}
		var before uint64
		began := time.Now()
		for i := range n {
			if i == n/10 {
				before = heap()
			}
			o := *errs[i%len(errs)]
			o.ID = strconv.Itoa(i)
			sinks.Report(&o)
		}
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(n), "ns/error")
		b.ReportMetric(float64(int64(heap())-int64(before))/(1<<20), "MiB-since-a-tenth")
		require.Equal(b, n, r.Metrics().TotalErrors)
		runtime.KeepAlive(sinks)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
