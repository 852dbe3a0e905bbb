package report

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/normal"
)

// D181: two million errors, of which all that is said is right, in a heap that does not grow;
// BenchmarkMillions takes ten.
func TestMillions(t *testing.T) {
	n := 2_000_000
	if testing.Short() || raced {
		n = 100_000
	}
	errs := newStream().prepared(1021)
	c := newClock()
	reporter, groups := NewReporter(ReporterOptions{Clock: c}), NewGroups(GroupOptions{Clock: c})
	byCategory, byCode, byGroup, highest := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	recoveries, before := 0, uint64(0)
	for i := range n {
		if i == n/10 {
			before = heap()
		}
		o := &errs[i%len(errs)]
		o.ID = NewID()
		reporter.Report(o)
		groups.Report(o)
	}
	after := heap()
	assert.Less(t, int64(after)-int64(before), int64(4<<20), "bytes that the heap has grown by since the first tenth")
	for i := range errs {
		o, times := &errs[i], n/len(errs)
		if i < n%len(errs) {
			times++
		}
		byCategory[o.Category] += times
		byCode[o.Code] += times
		id := o.Category + ":" + normal.Text(o.Message)
		byGroup[id] += times
		highest[id] = max(highest[id], rankOf(o.Severity))
		if o.Recovery != nil {
			recoveries += times
		}
	}
	m := reporter.Metrics()
	assert.Equal(t, n, m.TotalErrors)
	assert.Equal(t, byCategory, m.ErrorsByCategory)
	assert.Equal(t, byCode, m.ErrorsByCode)
	assert.Equal(t, recoveries, m.RecoveryAttempts)
	assert.Equal(t, recoveries, m.SuccessfulRecoveries+m.FailedRecoveries)
	assert.Len(t, reporter.Last(n), defaultMaxErrors)
	all := groups.All()
	assert.Len(t, all, len(byGroup))
	for _, g := range all {
		require.Equal(t, byGroup[g.ID], g.Count, g.ID)
		require.Equal(t, severities[highest[g.ID]], g.Severity)
		require.LessOrEqual(t, len(g.Errors), defaultMaxSize)
	}
	assert.Equal(t, byCategory, groups.Stats().ErrorsByCategory)
	total := 0
	for _, b := range reporter.Timeline().Buckets {
		for _, k := range b.ByCategory {
			total += k
		}
	}
	assert.Equal(t, n, total)
	runtime.KeepAlive(errs)
}

// Messages that are all different, in all groups that there may be, and messages of 10 MB take no
// more.
func TestHostileErrorsAreBounded(t *testing.T) {
	reporter, groups := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})
	sinks := Sinks{reporter, groups}
	before := heap()
	for range 3 * defaultMaxGroups {
		o := &Occurrence{ID: NewID(), Category: "c", Severity: "low"}
		o.Message = words(o.ID) + strings.Repeat(" and more", 200)
		sinks.Report(o)
	}
	huge := strings.Repeat("a'\xff ", 10<<20/4)
	for range 20 {
		sinks.Report(New(fmt.Errorf("%s", huge), Options{}))
		sinks.Report(&Occurrence{ID: NewID(), Message: huge, Category: huge})
	}
	assert.Len(t, groups.byID, defaultMaxGroups)
	assert.LessOrEqual(t, groups.store.bytes, defaultMaxBytes)
	assert.Len(t, groups.Stats().ErrorsByCategory, 3)
	assert.Less(t, int64(heap())-int64(before), int64(120<<20))
	runtime.KeepAlive(sinks)
}

func TestConcurrentUse(t *testing.T) {
	const writers, each = 4, 500
	c := newClock()
	reporter := NewReporter(ReporterOptions{MaxErrors: 100, Clock: c})
	groups := NewGroups(GroupOptions{MaxSize: 5, MaxGroups: 20, Clock: c})
	sinks := Sinks{reporter, groups}
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			for j := range each {
				o := full()
				o.ID, o.Category, o.Message = NewID(), fmt.Sprint("c", (i+j)%30), streamMessages[j%len(streamMessages)]
				sinks.Report(o)
				spoil(o)
				sinks.Update(withRecovery(o, 2, j%2 == 0))
				sinks.Retried(Retry{Attempts: 1, Succeeded: j%2 == 0})
				c.pass(time.Millisecond)
			}
		})
		wait.Go(func() {
			for range each / 20 {
				for _, g := range groups.All() {
					spoil(&g.Sample)
				}
				for _, o := range reporter.Last(10) {
					spoil(&o)
				}
				_ = reporter.WriteCSV(&strings.Builder{})
				_ = reporter.WriteJSON(&strings.Builder{})
				_ = NewSnapshot(reporter, groups)
				_ = groups.Stats()
				_, _ = groups.Get("c1")
				_ = reporter.Summary()
			}
		})
	}
	wait.Wait()
	m := reporter.Metrics()
	assert.Equal(t, writers*each, m.TotalErrors)
	assert.Equal(t, writers*each, m.RecoveryAttempts)
	assert.Equal(t, writers*each/2, m.SuccessfulRetries)
	assert.LessOrEqual(t, len(groups.All()), 20)
}
