package report

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func coded(category, code, severity, message string) *Occurrence {
	o := occurrence(category, severity, message)
	o.Code = code
	return o
}

// D119, D124, D129: by code, two codes with equal texts are two groups.
func TestGroupsByCode(t *testing.T) {
	by, without := NewGroups(GroupOptions{ByCode: some(true)}), NewGroups(GroupOptions{})
	for _, o := range []*Occurrence{
		coded("net", "DOWN", "low", "port 80"), coded("net", "RESET", "low", "port 80"),
		coded("net", "DOWN", "high", "port 443"),
		coded("net", "a:b%", "low", "port 80"), coded("net", "", "low", "port 80"),
	} {
		Sinks{by, without}.Report(o)
	}
	assert.Equal(t, []string{"net::port N", "net:a%3Ab%25:port N", "net:DOWN:port N", "net:RESET:port N"},
		idsOf(by.All()))
	down := by.ByCode("DOWN")
	require.Len(t, down, 1)
	assert.Equal(t, Group{
		ID: "net:DOWN:port N", Category: "net", Code: "DOWN", Pattern: "port N", Severity: "high", Count: 2,
		FirstSeen: down[0].FirstSeen, LastSeen: down[0].LastSeen, Errors: down[0].Errors, Sample: down[0].Sample,
	}, down[0])
	assert.Equal(t, []string{"net:a%3Ab%25:port N"}, idsOf(by.ByCode("a:b%")))
	assert.Equal(t, []string{"net::port N"}, idsOf(by.ByCode("unknown")))
	assert.Empty(t, by.ByCode("down"))

	all := without.All()
	require.Len(t, all, 1)
	assert.Equal(t, 5, all[0].Count)
	assert.Empty(t, all[0].Code, "the group may have several")
	assert.Empty(t, without.ByCode("DOWN"))
	assert.Empty(t, without.ByCode("unknown"))
}

// D119: a group that is formed by code says so in JSON.
func TestGroupOfACodeInJSON(t *testing.T) {
	g := NewGroups(GroupOptions{ByCode: some(true), Clock: newClock()})
	g.Report(coded("net", "DOWN", "low", "m"))
	b, err := json.Marshal(g.All()[0])
	require.NoError(t, err)
	assert.Contains(t, string(b), `{"groupId":"net:DOWN:m","category":"net","errorCode":"DOWN","pattern":"m",`)
	var read Group
	require.NoError(t, json.Unmarshal(b, &read))
	assert.Equal(t, "DOWN", read.Code)
	again, err := json.Marshal(read)
	require.NoError(t, err)
	assert.Equal(t, string(b), string(again))
}

// What is a secret in a code is masked in what groups and metrics call it by.
func TestCodesAreMasked(t *testing.T) {
	r, g := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{ByCode: some(true)})
	hidden := "token=" + secret
	for range 2 {
		Sinks{r, g}.Report(coded("c", hidden, "low", "m"))
	}
	shown := taxonomy.Redact(hidden)
	assert.Equal(t, map[string]int{shown: 2}, r.Metrics().ErrorsByCode)
	all := g.All()
	require.Len(t, all, 1)
	assert.Equal(t, shown, all[0].Code)
	assert.NotContains(t, all[0].ID, secret)
	assert.Len(t, g.ByCode(shown), 1)
}

// The counts of codes are those of the metrics; besides there are the highest severity and the
// latest time.
func TestCodes(t *testing.T) {
	r := NewReporter(ReporterOptions{MaxKeys: 4, Clock: newClock()})
	report := func(category, code, severity string, after time.Duration) {
		o := coded(category, code, severity, "m")
		o.At = moment.Add(after)
		r.Report(o)
	}
	report("net", "DOWN", "high", -time.Minute)
	report("net", "DOWN", "low", -time.Second)
	report("net", "DOWN", "", -time.Hour)
	report("a", "SHARED", "low", -2*time.Minute)
	report("b", "SHARED", "medium", 2*time.Hour)
	report("", "", "", -time.Minute)
	report("a", "other", "critical", -3*time.Minute)
	report("a", "FIFTH", "low", -4*time.Minute)
	report("b", "SIXTH", "low", -5*time.Minute)
	assert.Equal(t, []CodeCount{
		{"DOWN", "net", 3, "high", moment.Add(-time.Second)},
		{"other", "", 3, "critical", moment.Add(-3 * time.Minute)},
		{"SHARED", "", 2, "medium", moment},
		{"unknown", "unknown", 1, "", moment.Add(-time.Minute)},
	}, r.Codes())
	counted := map[string]int{}
	for _, c := range r.Codes() {
		counted[c.Code] = c.Count
	}
	assert.Equal(t, r.Metrics().ErrorsByCode, counted)
	assert.Equal(t, 9, r.Metrics().TotalErrors)
}

// What metrics and groups name can be asked for by that name.
func TestQueriesByTheNamesOfCodes(t *testing.T) {
	r, g := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{ByCode: some(true)})
	for _, code := range []string{"", "unknown", "DOWN", "DOWN"} {
		Sinks{r, g}.Report(coded("c", code, "low", "m"))
	}
	for name, n := range r.Metrics().ErrorsByCode {
		assert.Len(t, r.ByCode(name), n, name)
		counted := 0
		for _, gr := range g.ByCode(name) {
			counted += gr.Count
		}
		assert.Equal(t, n, counted, name)
	}
	assert.Len(t, r.ByCode(""), 1)
}

// Keys that have the same mark are told apart, also where some have no place any more.
func TestLabelsOfTheSameMark(t *testing.T) {
	l := newLabels[string](3)
	keys := []string{"a1b1c", "a2b2c", "a3b3c", "a4b4c", "a5b5c"}
	for i := range 100 {
		for _, key := range keys {
			require.Equal(t, markOf(keys[0]), markOf(key))
			l.add(key, markOf(key), nameOf)
		}
		require.Len(t, l.keys, 3)
		assert.Equal(t, map[string]int{"a1b1c": i + 1, "a2b2c": i + 1, "a3b3c": i + 1, "other": 2 * (i + 1)},
			l.toMap(l.counts))
	}
}

// D133, D140: what is counted by code is bounded, and gone after Clear.
func TestCodesAreBounded(t *testing.T) {
	r := NewReporter(ReporterOptions{})
	for i := range 1000 {
		r.Report(coded("c", fmt.Sprint("CODE_", i), "low", "m"))
	}
	assert.Len(t, r.Metrics().ErrorsByCode, 201)
	assert.Len(t, r.Codes(), 201)
	assert.Equal(t, CodeCount{"other", "c", 800, "low", moment}, r.Codes()[0])
	r.Clear()
	assert.Empty(t, r.Metrics().ErrorsByCode)
	assert.Empty(t, r.Codes())
	r.Report(coded("c", "NEW", "low", "m"))
	assert.Equal(t, map[string]int{"NEW": 1}, r.Metrics().ErrorsByCode)
}
