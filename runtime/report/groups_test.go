package report

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock is a clock that stands still.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: moment} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

func occurrence(category, severity, message string) *Occurrence {
	return &Occurrence{ID: NewID(), At: moment, Category: category, Severity: severity, Message: message}
}

// D120, D124.
func TestGroupID(t *testing.T) {
	for _, c := range []struct {
		options GroupOptions
		want    string
	}{
		{GroupOptions{}, "network:port N"},
		{GroupOptions{BySeverity: some(true)}, "network:port N:low"},
		{GroupOptions{ByCategory: some(false)}, "port N"},
		{GroupOptions{ByPattern: some(false)}, "network"},
		{GroupOptions{ByPattern: some(false), BySeverity: some(true)}, "network:low"},
		{GroupOptions{ByCategory: some(false), ByPattern: some(false), BySeverity: some(true)}, "low"},
		{GroupOptions{ByCategory: some(false), BySeverity: some(true)}, "port N:low"},
		{GroupOptions{ByCategory: some(false), ByPattern: some(false)}, "default"},
		{GroupOptions{ByCode: some(true)}, "network:DOWN:port N"},
		{GroupOptions{ByCode: some(true), BySeverity: some(true)}, "network:DOWN:port N:low"},
		{GroupOptions{ByCode: some(true), ByCategory: some(false)}, "DOWN:port N"},
		{GroupOptions{ByCode: some(true), ByCategory: some(false), ByPattern: some(false)}, "DOWN"},
		{GroupOptions{ByCode: some(true), ByPattern: some(false)}, "network:DOWN"},
		{GroupOptions{ByCode: some(false)}, "network:port N"},
	} {
		g := NewGroups(c.options)
		o := occurrence("network", "low", "port 80")
		o.Code = "DOWN"
		assert.Equal(t, c.want, g.Add(o))
		got, ok := g.Get(c.want)
		require.True(t, ok)
		assert.Equal(t, "port N", got.Pattern)
	}
	g := NewGroups(GroupOptions{})
	assert.Equal(t, time.Hour, g.maxAge)
	assert.Equal(t, 100, g.maxSize)
	assert.Equal(t, 10_000, g.max)
}

func messagesOf(all []Occurrence) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].Message
	}
	return out
}

// D123, D127.
func TestGroupAge(t *testing.T) {
	c := newClock()
	g := NewGroups(GroupOptions{Clock: c, MaxAge: time.Minute})
	a, b := g.Add(occurrence("a", "low", "m")), g.Add(occurrence("b", "low", "m"))
	c.pass(time.Minute)
	g.Report(occurrence("b", "low", "m"))
	assert.Equal(t, []string{b, a}, idsOf(g.All()), "just old enough")
	c.pass(time.Nanosecond)
	_, ok := g.Get(a)
	assert.False(t, ok)
	assert.Equal(t, []string{b}, idsOf(g.All()))
	assert.Equal(t, 1, g.Stats().TotalGroups)
	c.pass(time.Hour)
	g.Report(occurrence("b", "high", "m"))
	got, _ := g.Get(b)
	assert.Equal(t, 1, got.Count, "a new group")
	assert.Len(t, g.byID, 1)

	c.pass(-24 * time.Hour)
	assert.Len(t, g.All(), 1, "a clock that was set back")
	g.Report(occurrence("b", "low", "m"))
	got, _ = g.Get(b)
	assert.Equal(t, 2, got.Count)
	assert.Equal(t, moment, got.LastSeen, "does not go back")
}

func idsOf(all []Group) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].ID
	}
	return out
}

// D127, D129, D130, D131.
func TestGroupQueries(t *testing.T) {
	g := NewGroups(GroupOptions{})
	for i, o := range []*Occurrence{
		occurrence("a", "low", "x"), occurrence("b", "high", "x"), occurrence("a", "high", "x"),
		occurrence("a", "critical", "y"), occurrence("", "", "z"),
	} {
		o.At = moment.Add(time.Duration(i))
		g.Report(o)
	}
	assert.Equal(t, []string{":z", "a:y", "a:x", "b:x"}, idsOf(g.All()), "the one seen last first")
	assert.Equal(t, []string{"a:y", "a:x"}, idsOf(g.ByCategory("a")))
	assert.Equal(t, []string{"a:x", "b:x"}, idsOf(g.BySeverity("high")))
	assert.Empty(t, g.BySeverity("low"))
	assert.Equal(t, Stats{
		TotalGroups: 4, TotalErrors: 5, ErrorsByCategory: map[string]int{"a": 3, "b": 1, "unknown": 1},
		ErrorsBySeverity: map[string]int{"low": 1, "high": 2, "critical": 1, "unknown": 1},
	}, g.Stats())
	g.Clear()
	assert.Empty(t, g.All())
	assert.Equal(t, Stats{ErrorsByCategory: map[string]int{}, ErrorsBySeverity: map[string]int{}}, g.Stats())
	g.Report(occurrence("a", "low", "x"))
	assert.Len(t, g.All(), 1)
}

func TestStatsOfGroupsOfSeveralCategories(t *testing.T) {
	g := NewGroups(GroupOptions{ByCategory: some(false)})
	for i := range 2 * maxCategories {
		g.Report(occurrence(fmt.Sprint(i), "low", "m"))
	}
	s := g.Stats()
	assert.Equal(t, 1, s.TotalGroups)
	assert.Equal(t, 1, s.ErrorsByCategory["0"])
	assert.Equal(t, maxCategories, s.ErrorsByCategory["other"])
}

func TestBytesOfGroups(t *testing.T) {
	const limit = 256 << 10
	g := NewGroups(GroupOptions{MaxBytes: limit})
	long := strings.Repeat("long ", 700)
	for i := range 5000 {
		g.Report(occurrence(fmt.Sprint("c", i%40), "low", long))
		require.LessOrEqual(t, g.store.bytes, limit)
	}
	s := g.Stats()
	assert.NotZero(t, s.TotalGroups)
	for _, gr := range g.All() {
		assert.Equal(t, long[:99], gr.Pattern)
		assert.NotEmpty(t, gr.Sample.ID)
	}
	g.Report(occurrence("other", "low", long))
	assert.Equal(t, "other:"+long[:99], g.All()[0].ID)
}

func TestGroupsUpdate(t *testing.T) {
	g := NewGroups(GroupOptions{MaxSize: 1})
	o := occurrence("c", "low", "m")
	id := g.Add(o)
	yes := true
	u := o.Clone()
	u.Recovery = &Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "wait", Successful: &yes}
	g.Update(u)
	yes = false
	u.Recovery.Strategy = "x"
	got, _ := g.Get(id)
	assert.Equal(t, 1, got.Count)
	assert.Equal(t, "wait", got.Errors[0].Recovery.Strategy)
	assert.True(t, *got.Sample.Recovery.Successful)
	assert.Equal(t, id, g.Add(u), "a second report is an update")
	got, _ = g.Get(id)
	assert.Equal(t, 1, got.Count)
	g.Report(occurrence("c", "low", "m"))
	g.Update(withRecovery(o, 2))
	got, _ = g.Get(id)
	assert.Equal(t, 2, got.Sample.Recovery.Attempts, "the sample stays, and is updated")
	g.Update(occurrence("c", "low", "m"))
	g.Update(nil)
	g.Retried(Retry{Attempts: 1, Succeeded: true})
}

func TestGroupsShareNothing(t *testing.T) {
	g := NewGroups(GroupOptions{})
	o := full()
	id := g.Add(o)
	spoil(o)
	for range 2 {
		got, _ := g.Get(id)
		assert.Equal(t, *full(), got.Sample)
		assert.Equal(t, *full(), got.Errors[0])
		spoil(&got.Sample)
		spoil(&got.Errors[0])
		all := g.All()
		spoil(&all[0].Sample)
	}
}

func TestGroupJSON(t *testing.T) {
	g := Group{
		ID: "a:m", Category: "a", Pattern: "m", Severity: "low", Count: 2, FirstSeen: time.UnixMilli(1).UTC(),
		LastSeen: time.UnixMilli(2).UTC(), Errors: []Occurrence{{ID: "1", At: time.UnixMilli(1).UTC()}},
		Sample: Occurrence{ID: "1", At: time.UnixMilli(1).UTC()},
	}
	b, err := json.Marshal(g)
	require.NoError(t, err)
	o := `{"errorId":"1","timestamp":1,"category":"","severity":"","recoverability":"","retryable":false,"message":""}`
	assert.Equal(
		t, `{"groupId":"a:m","category":"a","pattern":"m","severity":"low","count":2,"firstSeen":1,"lastSeen":2,`+
			`"errors":[`+
			o+`],"sampleError":`+o+`}`, string(b))
	var read Group
	require.NoError(t, json.Unmarshal(b, &read))
	assert.Equal(t, g, read)
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"count":"x"}`), &read), "group: ")
	b, err = json.Marshal(Group{})
	require.NoError(t, err)
	assert.Contains(t, string(b), `"errors":[]`)
}
