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
		r := report.NewReporter(report.ReporterOptions{Groups: tt.options})
		o := occurrence("network", "low", "port 80")
		o.Code = "A:B"
		r.Report(o)
		got := r.Groups(report.Query{ID: tt.want})
		require.Len(t, got, 1, tt.want)
		assert.Equal(t, "port N", got[0].Pattern)
	}
}

// D121, D122, D126.
func TestGroupContent(t *testing.T) {
	c := newClock()
	r := report.NewReporter(report.ReporterOptions{Clock: c, MaxErrors: 1, Groups: report.GroupOptions{MaxSize: 2}})
	first := occurrence("c", "low", "m")
	r.Report(first)
	for _, severity := range []string{"high", "medium", ""} {
		c.pass(time.Second)
		o := occurrence("c", severity, "m")
		o.At = moment.Add(-time.Minute)
		r.Report(o)
	}
	got := r.Groups(report.Query{})[0]
	assert.Equal(t, []any{4, "high", moment.Add(-time.Minute), moment.Add(3 * time.Second), 2, first.ID},
		[]any{got.Count, got.Severity, got.FirstSeen, got.LastSeen, len(got.Errors), got.Sample.ID})
	r.Update(first.With(tried(2, true)))
	r.Report(got.Errors[1].With(tried(1)))
	got = r.Groups(report.Query{})[0]
	assert.Equal(t, 4, got.Count)
	assert.Equal(t, []int{2, 1}, []int{got.Sample.Recovery.Attempts, got.Errors[1].Recovery.Attempts})
	b, err := json.Marshal(got)
	require.NoError(t, err)
	for _, want := range []string{`"groupId":"c:m"`, `"count":4`,
		fmt.Sprintf(`"firstSeen":%d`, got.FirstSeen.UnixMilli())} {
		assert.Contains(t, string(b), want)
	}
}

// D123, D127.
func TestGroupAge(t *testing.T) {
	c := newClock()
	r := report.NewReporter(report.ReporterOptions{Clock: c, Groups: report.GroupOptions{MaxAge: time.Minute}})
	ids := func() []string { return groupIDs(r.Groups(report.Query{})) }
	r.Report(occurrence("a", "low", "m"))
	r.Report(occurrence("b", "low", "m"))
	c.pass(time.Minute)
	r.Report(occurrence("b", "low", "m"))
	assert.Equal(t, []string{"b:m", "a:m"}, ids(), "a minute is not too old")
	c.pass(time.Nanosecond)
	assert.Equal(t, []string{"b:m"}, ids())
	assert.Equal(t, report.Dropped{Groups: 1, Errors: 1}, r.Stats().Dropped)
	c.pass(time.Hour)
	r.Report(occurrence("b", "high", "m"))
	assert.Equal(t, 1, r.Groups(report.Query{})[0].Count, "a new group")
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
	r := report.NewReporter(report.ReporterOptions{})
	for _, o := range []*report.Occurrence{
		occurrence("a", "low", "x"), occurrence("b", "high", "x"), occurrence("a", "high", "x"),
		occurrence("a", "critical", "y"), occurrence("", "", "z"),
	} {
		r.Report(o)
	}
	for _, tt := range []struct {
		query report.Query
		want  []string
	}{
		{report.Query{}, []string{":z", "a:y", "a:x", "b:x"}}, // the last seen first
		{report.Query{Category: "a"}, []string{"a:y", "a:x"}},
		{report.Query{Category: "unknown"}, []string{":z"}},
		{report.Query{Severity: "high"}, []string{"a:x", "b:x"}},
		{report.Query{ID: "b:x"}, []string{"b:x"}},
	} {
		assert.Equal(t, tt.want, groupIDs(r.Groups(tt.query)))
	}
	assert.Equal(t, report.Stats{
		TotalGroups: 4, TotalErrors: 5, ErrorsByCategory: map[string]int{"a": 3, "b": 1, "unknown": 1},
		ErrorsBySeverity: map[string]int{"low": 1, "high": 2, "critical": 1, "unknown": 1},
	}, r.Stats())
	r.Clear()
	assert.Empty(t, r.Groups(report.Query{}))
	assert.Zero(t, r.Stats().TotalErrors)

	r = report.NewReporter(report.ReporterOptions{Groups: report.GroupOptions{ByCategory: taxonomy.Some(false)}})
	for i := range 70 {
		r.Report(occurrence(fmt.Sprint(i), "low", "m"))
	}
	assert.Equal(t, 6, r.Stats().ErrorsByCategory["other"], "64 categories and the others")
}

// D181: memory is bounded.
func TestBounds(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{Groups: report.GroupOptions{MaxGroups: 100}})
	for i := range 10_001 {
		r.Report(&report.Occurrence{ID: fmt.Sprint(i), At: moment, Category: fmt.Sprint("c", i%300)})
	}
	kept := r.Errors(report.Query{})
	assert.Equal(t, "1", kept[0].ID)
	assert.Len(t, kept, 10_000)
	assert.Len(t, r.Metrics().ErrorsByCategory, 201, "200 and the others")
	s := r.Snapshot()
	assert.Equal(t, []int{200, 100, 9901}, []int{len(s.Last), len(s.Groups), s.Dropped.Groups})

	r = report.NewReporter(report.ReporterOptions{})
	for i := range 10_100 {
		r.Report(occurrence(fmt.Sprint("c", i%101), "low", "m"))
	}
	stats := r.Stats()
	assert.Equal(t, []int{100, 9901, 199}, []int{stats.TotalGroups, stats.TotalErrors, stats.Dropped.Errors},
		"10 000 in all groups together")
}

func TestConcurrentUse(t *testing.T) {
	r := report.NewReporter(report.ReporterOptions{MaxErrors: 100,
		Groups: report.GroupOptions{MaxSize: 5, MaxGroups: 20}})
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for j := range 500 {
				o := occurrence(fmt.Sprint("c", (i+j)%30), "low", "m")
				r.Report(o)
				r.Update(o.With(tried(2, j%2 == 0)))
				r.Retried(report.Retry{Attempts: 1, Succeeded: j%2 == 0})
			}
		})
		wait.Go(func() {
			for range 20 {
				_ = r.WriteJSON(&strings.Builder{})
				_ = r.Snapshot()
				_ = r.Stats()
			}
		})
	}
	wait.Wait()
	m := r.Metrics()
	assert.Equal(t, []int{2000, 1000}, []int{m.TotalErrors, m.SuccessfulRetries})
	assert.LessOrEqual(t, len(r.Groups(report.Query{})), 20)
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

// D181: BenchmarkErrors is the cost of an error in a reporter with its groups, with the growth
// of the heap after the first tenth. ERRGEN_REPORT_ERRORS is the number of errors; 10 000 000.
func BenchmarkErrors(b *testing.B) {
	n := 10_000_000
	if given, err := strconv.Atoi(os.Getenv("ERRGEN_REPORT_ERRORS")); err == nil {
		n = given
	}
	errs := stream(8192)
	for b.Loop() {
		r := report.NewReporter(report.ReporterOptions{})
		var before uint64
		began := time.Now()
		for i := range n {
			if i == n/10 {
				before = heap()
			}
			o := *errs[i%len(errs)]
			o.ID = strconv.Itoa(i)
			r.Report(&o)
		}
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(n), "ns/error")
		b.ReportMetric(float64(int64(heap())-int64(before))/(1<<20), "MiB-since-a-tenth")
		require.Equal(b, n, r.Metrics().TotalErrors)
		runtime.KeepAlive(r)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
