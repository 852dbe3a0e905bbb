package bounded

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestValues(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", None},
		{"KNOWN", "KNOWN"},
		{"a source", "a source"},
		{"two\nlines", Other},
		{"\xff", Other},
		{strings.Repeat("x", 129), Other},
		{"password=hunter2secret", Other},
	} {
		assert.Equal(t, c.want, NewValues(2, "KNOWN").Of(c.in), "%q", c.in)
	}
	v := NewValues(2, "KNOWN")
	assert.Equal(t, []string{"a", "b", Other, "a", "KNOWN"},
		[]string{v.Of("a"), v.Of("b"), v.Of("c"), v.Of("a"), v.Of("KNOWN")})
}

func TestRowsAreBounded(t *testing.T) {
	l := NewLabels(100, 3, nil, &taxonomy.Taxonomy{
		Domain: "test", Categories: []*taxonomy.Category{{Name: "net", Codes: []taxonomy.Code{{}, {Value: "DOWN"}}}},
		Sources: []taxonomy.Named{{Name: "api"}}, Strategies: []taxonomy.Named{{Name: "mend"}},
	})
	var all sync.WaitGroup
	var mu sync.Mutex
	rows := map[Row]bool{}
	for range 4 {
		all.Go(func() {
			for i := range 50 {
				row := l.Of(
					&report.Occurrence{Domain: "test", Category: "net", Code: fmt.Sprint(i), Severity: "high",
						Source: &report.Source{Type: "api"}})
				mu.Lock()
				rows[row] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	assert.Len(t, rows, 2)
	assert.Contains(t, rows, Row{"test", "net", Other, "high", "api"},
		"one is of a code that the taxonomy does not have, and words of it remain")
	assert.Equal(t, Run{"test", None, None, "mend"}, l.OfRun(&report.Occurrence{Domain: "test"}, "mend"))
	assert.Equal(t, Run{Other, Other, Other, Other}, l.OfRun(&report.Occurrence{Domain: "test", Code: "DOWN"}, "mend"))
	assert.Equal(t, Row{Other, Other, Other, Other, Other}, l.Of(&report.Occurrence{Domain: "test"}))
	assert.Len(t, l.rows, 3)
	assert.Equal(t, Run{None, None, None, "mend"}, NewLabels(1, 1).OfRun(&report.Occurrence{}, "mend"))
}

func TestSeverities(t *testing.T) {
	for in, want := range map[string]string{"": None, "critical": "critical", "terrible": Other} {
		assert.Equal(t, want, NewLabels(1, 1).Of(&report.Occurrence{Severity: in}).Severity, in)
	}
}
