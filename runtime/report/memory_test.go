package report

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// many returns a list of n values.
func many(n int, value func() any) any {
	all := make([]any, n)
	for i := range all {
		all[i] = value()
	}
	return all
}

// shapes are metadata of which little is text, by what there is most of.
func shapes() map[string]func() any {
	leaves := map[string]func() any{
		"empty maps":  func() any { return map[string]any{} },
		"small maps":  func() any { return map[string]any{"k": nil} },
		"empty lists": func() any { return []any{} },
		"small lists": func() any { return []any{nil} },
		"numbers":     func() any { return 1.5 },
		"truths":      func() any { return true },
		"short texts": func() any { return strings.Clone("t") },
	}
	all := map[string]func() any{
		"large maps": func() any {
			m := map[string]any{}
			for i := range 60 {
				m[fmt.Sprint(i)] = 0.5
			}
			return m
		},
	}
	for name, leaf := range leaves {
		all[name] = func() any { return many(60, func() any { return many(60, leaf) }) }
	}
	return all
}

// Whatever metadata looks like, it is in what reporter and groups may take.
func TestMetadataIsCounted(t *testing.T) {
	const most = 4 << 20
	for name, shape := range shapes() {
		for way, make := range map[string]func() *Occurrence{
			"made by New": func() *Occurrence {
				return New(
					errors.New("e"),
					Options{Facts: Facts{Metadata: map[string]any{"a": shape(), "b": shape(), "c": shape()}}})
			},
			"made by hand": func() *Occurrence {
				return &Occurrence{ID: NewID(), Metadata: map[string]any{"a": shape()}}
			},
			"of a cause": func() *Occurrence {
				return &Occurrence{ID: NewID(), Cause: &Occurrence{Metadata: map[string]any{"a": shape()}}}
			},
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				reporter := NewReporter(ReporterOptions{MaxBytes: most})
				before := heap()
				n := 0
				for reporter.store.order.n == n {
					reporter.Report(make())
					n++
				}
				assert.Less(t, int64(heap())-int64(before), int64(most*9/8), "%d occurrences are kept",
					reporter.store.order.n)
				runtime.KeepAlive(reporter)
			})
		}
	}
}

// What New makes keeps nothing alive that texts of the metadata are a part of.
func TestMetadataKeepsNoGreaterText(t *testing.T) {
	var kept []*Occurrence
	before := heap()
	for range 20 {
		output := strings.Repeat("x", 1<<20)
		kept = append(
			kept, New(errors.New("e"), Options{Facts: Facts{Metadata: map[string]any{output[:9]: output[10:20]}}}))
	}
	assert.Less(t, int64(heap())-int64(before), int64(1<<20))
	runtime.KeepAlive(kept)
}

// Names that groups tell apart are in what groups may take.
func TestNamesOfGroupsAreCounted(t *testing.T) {
	const most = 1 << 20
	long := strings.Repeat(":", maxName-20)
	for name, o := range map[string]GroupOptions{
		"categories of a group": {ByCategory: some(false)},
		"all":                   {BySeverity: some(true)},
		"without patterns":      {ByPattern: some(false), BySeverity: some(true)},
		"codes":                 {ByCategory: some(false), ByCode: some(true)},
	} {
		t.Run(name, func(t *testing.T) {
			o.MaxBytes, o.MaxSize, o.Clock = most, 1, newClock()
			groups := NewGroups(o)
			before := heap()
			for i := range 5_000 {
				groups.Report(&Occurrence{
					At: moment, Category: fmt.Sprint(long, i), Severity: fmt.Sprint(long, i/100),
					Code:    fmt.Sprint(long, i/50),
					Message: strings.Repeat("é", 90) + words(fmt.Sprint(i%125)),
				})
			}
			assert.Less(t, int64(heap())-int64(before), int64(most*5/4))
			assert.LessOrEqual(t, groups.store.bytes, most)
			for len(groups.byID) > 0 {
				groups.drop(groups.oldest, &groups.expired)
			}
			assert.Zero(t, groups.store.bytes)
			runtime.KeepAlive(groups)
		})
	}
}

// What a group counts by is masked.
func TestCategoriesOfAGroupAreMasked(t *testing.T) {
	groups := NewGroups(GroupOptions{ByCategory: some(false), Clock: newClock()})
	for range 3 {
		groups.Report(&Occurrence{ID: NewID(), At: moment, Category: "token=" + secret})
	}
	assert.Equal(t, map[string]int{taxonomy.Redact("token=" + secret): 3}, groups.Stats().ErrorsByCategory)
}

// A copy of metadata is of the size that is counted, or less.
func TestMapSize(t *testing.T) {
	const copies = 64
	for _, n := range []int{0, 1, 7, 8, 9, 14, 15, 28, 29, 56, 57, maxEntries + marks} {
		m := map[string]any{}
		for i := range n {
			m[fmt.Sprint(i)] = nil
		}
		kept := make([]map[string]any, copies)
		before := heap()
		for i := range kept {
			kept[i] = cloneMetadata(m, maxNested)
		}
		took := (int64(heap()) - int64(before)) / copies
		assert.LessOrEqual(t, took, int64(mapSize(n)), "%d entries", n)
		runtime.KeepAlive(kept)
	}
}

// A time beyond what can be written is the last that can be.
func TestNewOfAbsurdTimes(t *testing.T) {
	for _, c := range []struct {
		seconds int64
		want    int64
	}{
		{1 << 62, maxTime}, {1<<63 - 1, maxTime}, {1 << 55, maxTime}, {maxTime/1000 + 1, maxTime},
		{maxTime / 1000, maxTime},
		{1, 1000}, {-1, -1000}, {-maxTime / 1000, -maxTime}, {-1 << 55, -maxTime}, {-1 << 63, -maxTime},
	} {
		o := New(errors.New("e"), Options{At: time.Unix(c.seconds, 0)})
		assert.Equal(t, time.UnixMilli(c.want).UTC(), o.At, c.seconds)
	}
}
