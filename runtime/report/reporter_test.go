package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func withRecovery(o *Occurrence, attempts int, successful ...bool) *Occurrence {
	o = o.Clone()
	o.Recovery = &Recovery{Attempts: attempts, MaxAttempts: 3}
	if len(successful) > 0 {
		o.Recovery.Successful = &successful[0]
	}
	return o
}

// D140.
func TestClear(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	r.Report(coded("network", "DOWN", "high", "m"))
	r.Metrics().ErrorsByCategory["network"] = 100
	assert.Equal(t, 1, r.Metrics().ErrorsByCategory["network"], "what is returned is a copy")
	r.Clear()
	assert.Zero(t, r.Metrics().TotalErrors)
	assert.Empty(t, r.All())
	assert.Empty(t, r.Timeline().Buckets)
	assert.Empty(t, r.Outcomes())
	assert.Empty(t, r.Codes())
}

// B-D22: the second report of an error updates the first.
func TestUpdate(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	o := occurrence("c", "low", "m")
	o.Reaction, o.Action = "fix", "recover"
	r.Report(o)
	for _, c := range []struct {
		o                           *Occurrence
		attempts, succeeded, failed int
	}{
		{o, 0, 0, 0},
		{withRecovery(o, 1), 1, 0, 0},
		{withRecovery(o, 1, false), 1, 0, 1},
		{withRecovery(o, 2, true), 1, 1, 0},
		{withRecovery(o, 2, true), 1, 1, 0},
		{withRecovery(occurrence("c", "low", "nobody told of it"), 1, true), 1, 1, 0},
	} {
		r.Update(c.o)
		m := r.Metrics()
		assert.Equal(t, []int{c.attempts, c.succeeded, c.failed, 1},
			[]int{m.RecoveryAttempts, m.SuccessfulRecoveries, m.FailedRecoveries, m.TotalErrors})
	}
	assert.Equal(t, []ReactionOutcome{{Reaction: "fix", Action: "recover", Count: 1, Recovered: 1, Failed: 0}},
		r.Outcomes())
	assert.Equal(t, 2, r.Last(1)[0].Recovery.Attempts)
	r.Report(withRecovery(o, 3, false))
	assert.Equal(t, 1, r.Metrics().TotalErrors)
	assert.Equal(t, 1, r.Metrics().FailedRecoveries)
	other := withRecovery(o, 3, false)
	other.Reaction, other.Action = "stop", "abort"
	r.Update(other)
	assert.Equal(t, []ReactionOutcome{{Reaction: "stop", Action: "abort", Count: 1, Recovered: 0, Failed: 1}},
		r.Outcomes())
	r.Update(nil)
	anonymous := &Occurrence{}
	r.Report(anonymous)
	r.Report(anonymous)
	assert.Equal(t, 3, r.Metrics().TotalErrors, "without an ID each is new")
}

// D137, D138, D139.
func TestQueries(t *testing.T) {
	r := NewReporter(ReporterOptions{MaxErrors: 4})
	for i, c := range []struct{ category, severity string }{{"a", "low"}, {"a", "high"}, {"b", "high"}, {"a", "high"},
		{"b", "low"}} {
		o := occurrence(c.category, c.severity, fmt.Sprint(i))
		o.At, o.Code = moment.Add(time.Duration(i)*time.Millisecond), strings.ToUpper(c.category)
		r.Report(o)
	}
	at := func(ms int) time.Time { return moment.Add(time.Duration(ms) * time.Millisecond) }
	for name, c := range map[string]struct {
		got  []Occurrence
		want []string
	}{
		"all":                {r.All(), []string{"1", "2", "3", "4"}},
		"last 2":             {r.Last(2), []string{"3", "4"}},
		"last 0":             {r.Last(0), []string{}},
		"last -1":            {r.Last(-1), []string{}},
		"last 100":           {r.Last(100), []string{"1", "2", "3", "4"}},
		"category":           {r.ByCategory("a"), []string{"1", "3"}},
		"no category":        {r.ByCategory("c"), []string{}},
		"code":               {r.ByCode("A"), []string{"1", "3"}},
		"no code":            {r.ByCode("a"), []string{}},
		"severity":           {r.BySeverity("high"), []string{"1", "2", "3"}},
		"both ends":          {r.Between(at(2), at(3)), []string{"2", "3"}},
		"one moment":         {r.Between(at(2), at(2)), []string{"2"}},
		"backwards":          {r.Between(at(3), at(2)), []string{}},
		"before":             {r.Between(at(-5), at(0)), []string{}},
		"from before, after": {r.Between(at(-5), at(50)), []string{"1", "2", "3", "4"}},
	} {
		assert.Equal(t, c.want, messagesOf(c.got), name)
	}
	assert.Equal(t, 5, r.Metrics().TotalErrors, "what is not kept any more counts")
}

func TestReporterSharesNothing(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	o := full()
	r.Report(o)
	spoil(o)
	for range 2 {
		for _, got := range [][]Occurrence{r.All(), r.Last(1), r.ByCategory("network"), r.ByCode(full().Code),
			r.BySeverity("high"), r.Between(full().At, full().At), NewSnapshot(r, nil).Last} {
			require.Equal(t, []Occurrence{*full()}, got)
			spoil(&got[0])
		}
	}
}

func TestBytesOfReporter(t *testing.T) {
	r := NewReporter(ReporterOptions{MaxBytes: 64 << 10})
	long := strings.Repeat("long ", 800)
	for i := range 1000 {
		o := occurrence("c", "low", long)
		if i%2 == 0 {
			o.Metadata = map[string]any{"a": map[string]any{"b": long}}
		}
		r.Report(o)
		require.LessOrEqual(t, r.store.bytes, 64<<10)
	}
	assert.NotEmpty(t, r.All())
	assert.Equal(t, 1000, r.Metrics().TotalErrors)
	one := NewReporter(ReporterOptions{MaxBytes: 1})
	one.Report(occurrence("c", "low", long))
	assert.Len(t, one.All(), 1, "the last is always kept")
}

// D142.
func TestWriteJSON(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	var b strings.Builder
	o := full()
	o.Message = "</script>"
	r.Report(o)
	require.NoError(t, r.WriteJSON(&b))
	assert.NotContains(t, b.String(), "<")
	var read struct {
		Metrics Metrics
		Errors  []Occurrence
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &read))
	assert.Equal(t, r.Metrics(), read.Metrics)
	assert.Equal(t, []Occurrence{*o}, read.Errors)
	assert.ErrorContains(t, r.WriteJSON(noRoom{}), "write report as JSON: disk full")
	assert.ErrorContains(t, r.WriteCSV(noRoom{}), "write report as CSV: disk full")
}

// noRoom is a writer without room.
type noRoom struct{}

func (noRoom) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestSnapshot(t *testing.T) {
	c := newClock()
	r, g := NewReporter(ReporterOptions{Clock: c}), NewGroups(GroupOptions{Clock: c})
	for range 2 * maxLast {
		Sinks{r, g}.Report(occurrence("c", "low", "m"))
	}
	s := NewSnapshot(r, g)
	assert.Equal(t, moment, s.At)
	assert.Equal(t, r.Metrics(), s.Metrics)
	assert.Equal(t, r.Codes(), s.Codes)
	assert.Equal(t, r.Timeline(), s.Timeline)
	assert.Equal(t, r.Outcomes(), s.Outcomes)
	assert.Equal(t, r.Last(maxLast), s.Last)
	require.Len(t, s.Groups, 1)
	assert.Len(t, s.Groups[0].Errors, maxGroupErrors)
	assert.Equal(t, 2*maxLast, s.Groups[0].Count)
	assert.NotPanics(t, func() { NewSnapshot(nil, nil) })
	assert.Len(t, NewSnapshot(nil, g).Groups, 1)
}

// What the counts name can be asked for by that name.
func TestQueriesByTheNamesOfTheCounts(t *testing.T) {
	reporter, groups := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})
	all := [][2]string{{"", ""}, {"unknown", "unknown"}, {"c", "info"}, {"c", "low"}}
	for _, o := range all {
		Sinks{reporter, groups}.Report(occurrence(o[0], o[1], "m"))
	}
	for name, n := range reporter.Metrics().ErrorsByCategory {
		assert.Len(t, reporter.ByCategory(name), n, name)
		counted := 0
		for _, g := range groups.ByCategory(name) {
			counted += g.Count
		}
		assert.Equal(t, groups.Stats().ErrorsByCategory[name], counted, name)
	}
	for name, n := range reporter.Metrics().ErrorsBySeverity {
		assert.Len(t, reporter.BySeverity(name), n, name)
	}
	assert.Len(t, groups.BySeverity("unknown"), 2)
	assert.Len(t, groups.BySeverity("low"), 1)
	assert.Len(t, reporter.ByCategory(""), 1)
	assert.Len(t, reporter.BySeverity("info"), 1)
}

// However many calls retries are said to have taken, their number stays one.
func TestRetriesDoNotOverflow(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	for range 3 {
		r.Retried(Retry{Attempts: math.MaxInt, Succeeded: true})
	}
	assert.Equal(t, math.MaxInt, r.Metrics().RetryAttempts)
	assert.Equal(t, 3, r.Metrics().SuccessfulRetries)
}
