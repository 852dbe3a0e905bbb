package bounded_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/export/internal/bounded"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// counted records the counts.
type counted struct {
	mu         sync.Mutex
	rows       []bounded.Row
	recoveries []string
	calls      int
	requests   []bounded.Outcome
}

func (c *counted) CountError(r bounded.Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = append(c.rows, r)
}

func (c *counted) CountRecovery(r bounded.Row, result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recoveries = append(c.recoveries, r.Strategy+" "+result)
}

func (c *counted) CountRetried(calls int, _ string) { c.calls += calls }

func (c *counted) CountRequest(o bounded.Outcome) { c.requests = append(c.requests, o) }

func TestRequestLabels(t *testing.T) {
	c := &counted{}
	sink := bounded.NewSink(c, []*taxonomy.Taxonomy{words})
	for _, r := range []report.Request{
		{},
		{Domain: "test", Operation: "Get"},
		{Domain: "test", Operation: "Get", Code: "DOWN", Failed: true, Fault: taxonomy.FaultDependency},
		{Domain: "x", Operation: "password=hunter2secret", Code: "x", Failed: true},
	} {
		sink.Request(t.Context(), r)
	}
	assert.Equal(t, []bounded.Outcome{
		{"none", "none", "none", "none"},
		{"test", "Get", "none", "none"},
		{"test", "Get", "DOWN", "dependency"},
		{"other", "other", "other", "server"},
	}, c.requests)
}

func occurrence(id string, r *report.Recovery) *report.Occurrence {
	return &report.Occurrence{ID: id, Recovery: r}
}

func ran(strategy string, attempts int, ok bool) *report.Recovery {
	return &report.Recovery{Strategy: strategy, Attempts: attempts, Successful: &ok}
}

var words = &taxonomy.Taxonomy{Domain: "test", Categories: []*taxonomy.Category{{Name: "net",
	Codes: []taxonomy.Code{{}, {Value: "DOWN"}}}}, Sources: []taxonomy.Named{{Name: "api"}},
	Operations: []*taxonomy.Operation{{Name: "Get"}},
	Strategies: []taxonomy.Named{{Name: "fix"}, {Name: "install"}}}

func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   *report.Occurrence
		want bounded.Row
	}{
		{"words", &report.Occurrence{Domain: "test", Category: "net", Code: "DOWN", Severity: "high",
			Source: &report.Source{Type: "api"}}, bounded.Row{"test", "net", "DOWN", "high", "api", ""}},
		{"not words", &report.Occurrence{Domain: "x", Category: "disk", Code: "password=hunter2secret",
			Severity: "terrible", Source: &report.Source{Type: "two\nlines"}},
			bounded.Row{"other", "other", "other", "other", "other", ""}},
		{"unknown", &report.Occurrence{}, bounded.Row{"none", "none", "none", "none", "none", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got counted
			bounded.NewSink(&got, []*taxonomy.Taxonomy{words}).Report(tt.in)
			assert.Equal(t, []bounded.Row{tt.want}, got.rows)
		})
	}
}

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name       string
		tell       func(s report.Sink)
		errors     int
		recoveries []string
		calls      int
	}{
		{"recoveries", func(s report.Sink) {
			s.Report(occurrence("a", nil))
			s.Update(occurrence("a", ran("fix", 1, false)))
			s.Update(occurrence("a", ran("install", 2, true)))
			s.Update(occurrence("a", nil))
			s.Update(occurrence("a", &report.Recovery{Strategy: "fix", Attempts: 3}))
		}, 1, []string{"fix failed", "install succeeded"}, 0},
		{"reported with its recovery", func(s report.Sink) { s.Report(occurrence("a", ran("fix", 2, false))) }, 1,
			[]string{"fix failed"}, 0},
		{"nil", func(s report.Sink) { s.Report(nil); s.Update(nil) }, 0, nil, 0},
		{"retried", func(s report.Sink) {
			s.Retried(report.Retry{Succeeded: true})
			s.Retried(report.Retry{Attempts: -3})
			s.Retried(report.Retry{Attempts: 2})
		}, 0, nil, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got counted
			tt.tell(bounded.NewSink(&got, []*taxonomy.Taxonomy{words}))
			assert.Len(t, got.rows, tt.errors)
			assert.Equal(t, tt.recoveries, got.recoveries)
			assert.Equal(t, tt.calls, got.calls)
		})
	}
}
