package bounded

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/report"
)

// counted keeps what there was to count.
type counted struct {
	mu     sync.Mutex
	errors int
	runs   []string
	calls  int
}

func (c *counted) CountError(Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors++
}

func (c *counted) CountRun(r Run, result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs = append(c.runs, r.Strategy+" "+result)
}

func (c *counted) CountRetried(calls int, _ string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls += calls
}

func occurrence(id string, r *report.Recovery) *report.Occurrence {
	return &report.Occurrence{ID: id, Recovery: r}
}

func ran(strategy string, attempts int, ok bool) *report.Recovery {
	return &report.Recovery{Strategy: strategy, Attempts: attempts, Successful: &ok}
}

func TestNothingIsCountedTwice(t *testing.T) {
	for _, c := range []struct {
		name   string
		tell   func(s report.Sink)
		errors int
		runs   []string
		calls  int
	}{
		{"reported twice", func(s report.Sink) {
			s.Report(occurrence("a", nil))
			s.Report(occurrence("a", ran("mend", 1, true)))
		}, 1, []string{"mend succeeded"}, 0},
		{"updated twice", func(s report.Sink) {
			s.Report(occurrence("a", nil))
			s.Update(occurrence("a", ran("mend", 1, false)))
			s.Update(occurrence("a", ran("mend", 2, true)))
			s.Update(occurrence("a", ran("mend", 2, true)))
			s.Update(occurrence("a", ran("mend", 1, false)))
			s.Update(occurrence("a", nil))
			s.Update(occurrence("a", &report.Recovery{Strategy: "mend", Attempts: 3}))
		}, 1, []string{"mend failed", "mend succeeded"}, 0},
		{"another strategy", func(s report.Sink) {
			s.Report(occurrence("a", ran("mend", 2, false)))
			s.Update(occurrence("a", ran("install", 1, true)))
		}, 1, []string{"mend failed", "install succeeded"}, 0},
		{"not reported", func(s report.Sink) { s.Update(occurrence("a", ran("mend", 1, true))) }, 0, nil, 0},
		{"without an ID", func(s report.Sink) {
			s.Report(occurrence("", ran("mend", 1, true)))
			s.Report(occurrence("", ran("mend", 1, true)))
			s.Update(occurrence("", ran("mend", 2, true)))
		}, 2, []string{"mend succeeded", "mend succeeded"}, 0},
		{"nothing", func(s report.Sink) { s.Report(nil); s.Update(nil) }, 0, nil, 0},
		{"not retried", func(s report.Sink) {
			s.Retried(report.Retry{Succeeded: true})
			s.Retried(report.Retry{Attempts: -3})
			s.Retried(report.Retry{Attempts: 2})
		}, 0, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got counted
			c.tell(NewSink(NewLabels(10, 10), &got))
			assert.Equal(t, c.errors, got.errors)
			assert.Equal(t, c.runs, got.runs)
			assert.Equal(t, c.calls, got.calls)
		})
	}
}

func TestTheLatestAreRemembered(t *testing.T) {
	s := newSeen(3)
	for i := range 10 {
		assert.True(t, s.add(occurrence(fmt.Sprint(i), nil)))
	}
	assert.Len(t, s.ids, 3)
	assert.Len(t, s.ring, 3)
	for _, id := range []string{"7", "8", "9"} {
		assert.False(t, s.add(occurrence(id, nil)), id)
	}
	assert.False(t, s.recovered(occurrence("6", ran("mend", 1, true))), "it is forgotten")
	assert.True(t, s.add(occurrence("6", nil)))
	assert.True(t, s.recovered(occurrence("6", ran("mend", 1, true))))
}

func TestManyTellAtOnce(t *testing.T) {
	var got counted
	s := NewSink(NewLabels(10, 10), &got)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 500 {
				s.Report(occurrence(fmt.Sprint(i), nil))
				s.Update(occurrence(fmt.Sprint(i), ran("mend", 1, true)))
			}
		})
	}
	all.Wait()
	assert.Equal(t, 500, got.errors)
	assert.Len(t, got.runs, 500)
}

// Of the latest 10 000 occurrences a sink knows that it was told of them.
func TestHowManyAreKnownAgain(t *testing.T) {
	var got counted
	s := NewSink(NewLabels(10, 10), &got)
	for i := range 10_000 {
		s.Report(occurrence(fmt.Sprint(i), nil))
	}
	s.Report(occurrence("0", nil))
	assert.Equal(t, 10_000, got.errors)
	s.Report(occurrence("one more", nil))
	s.Report(occurrence("1", nil))
	assert.Equal(t, 10_001, got.errors)
	s.Report(occurrence("0", nil))
	assert.Equal(t, 10_002, got.errors, "the oldest was forgotten for one more")
}
