package htmlreport

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
)

// All errors that the page counts are in the table of codes, however many codes there are: what
// there is no row for is one row.
func TestCodesAgreeWithTheOtherNumbers(t *testing.T) {
	for _, many := range []int{1, maxCodes, maxCodes + 1, 3 * maxCodes} {
		reporter := report.NewReporter(report.ReporterOptions{})
		for i := range many {
			for range many - i {
				reporter.Report(
					&report.Occurrence{At: noon.Add(time.Duration(i) * time.Minute), Category: fmt.Sprint("c", i%3),
						Code: fmt.Sprint("CODE_", i)})
			}
		}
		reporter.Report(
			&report.Occurrence{At: noon.Add(time.Hour), Severity: "critical", Category: "c0",
				Code: fmt.Sprint("CODE_", many-1)})
		p := newPage(report.NewSnapshot(reporter, nil), Options{})
		sum := 0
		for i, row := range p.Codes {
			sum += row.Count
			if i > 0 {
				assert.LessOrEqual(t, row.Count, p.Codes[i-1].Count)
			}
		}
		if p.CodesRest != nil {
			sum += p.CodesRest.Count
		}
		assert.Equal(t, p.Figures[0].Value, whole(sum), many)
		if many <= maxCodes {
			assert.Nil(t, p.CodesRest)
			assert.Len(t, p.Codes, many)
			continue
		}
		assert.Len(t, p.Codes, maxCodes-1)
		require.NotNil(t, p.CodesRest)
		assert.Equal(t, fmt.Sprint(many-maxCodes+1, " more codes"), p.CodesRest.Code)
		assert.Equal(t, several, p.CodesRest.Category)
		assert.Equal(t, "critical", p.CodesRest.Level.Word)
		assert.Equal(t, at(noon.Add(max(time.Hour, time.Duration(many-1)*time.Minute))), p.CodesRest.Latest)
	}
}

// Codes that look the same on the page are one row.
func TestCodesOfTheSameName(t *testing.T) {
	long := strings.Repeat("x", 2*nameLimit)
	rows, rest := codes(report.Snapshot{
		Metrics: report.Metrics{ErrorsByCode: map[string]int{long + "1": 1, long + "2": 2, "": 1, "none": 0}},
		Codes: []report.CodeCount{
			{Code: long + "1", Category: "a", Severity: "high", Latest: noon},
			{Code: long + "2", Category: "b", Severity: "low", Latest: noon.Add(time.Minute)},
			{Code: "", Category: "unknown"},
		},
	})
	assert.Nil(t, rest)
	assert.Equal(t, []codeRow{
		{line(long, nameLimit), several, 3, "75.0%", severity("high"), at(noon.Add(time.Minute))},
		{unknown, unknown, 1, "25.0%", severity(""), nil},
	}, rows)
}

func TestNoCodes(t *testing.T) {
	rows, rest := codes(report.Snapshot{Codes: []report.CodeCount{{Code: "C"}}})
	assert.Empty(t, rows)
	assert.Nil(t, rest)
}
