package browser

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/htmlreport"
)

// TestHostileTextsDoNothing puts what would run, load or leave its place wherever a text is.
func TestHostileTextsDoNothing(t *testing.T) {
	for name, text := range map[string]string{
		"markup": `</title></style></script><script>window.reached=1</script><img src=/stolen ` +
			`onerror="window.reached=1"><svg onload="window.reached=1"><a href="javascript:window.reached=1">x</a>`,
		"quotes": `" autofocus onfocus="window.reached=1" x="' onmouseover='window.reached=1`,
		"long":   strings.Repeat("wide", 100_000),
		"marks":  strings.Repeat("Z\u0351\u0321\u0489\u0300\u0301", 20_000),
		"turned": "\u202e" + strings.Repeat("\u2067abc", 1000) + "\x00\x1b[2J\xff",
		"arabic": "تعذر الاتصال بالخادم " + strings.Repeat("العربية", 40),
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(
				t, write(
					t, everywhere(text),
					htmlreport.Options{Forecasts: []htmlreport.Forecast{{Provider: text, Code: text, Probability: 2}}}))
			p := open(t, url, view{width: 360})
			eval[any](p, opensAll)
			assert.False(t, eval[bool](p, `'reached' in window`))
			assert.Equal(t, 1, eval[int](p, `document.scripts.length`))
			assert.Equal(t, 0, eval[int](p, `document.querySelectorAll('img, iframe, object, [autofocus]').length`))
			assert.LessOrEqual(t, eval[int](p, `document.documentElement.scrollWidth`), 360)
			assert.Empty(t, eval[[]string](p, beyondTheEdge))
			p.assertQuiet(url)
		})
	}
}

// everywhere has a text wherever there can be one.
func everywhere(text string) report.Snapshot {
	quoted, _ := json.Marshal(text)
	o := report.Occurrence{
		ID: text, At: start, Domain: text, Category: text, Code: text, Severity: text, Recoverability: text,
		Message:    text,
		SourceCode: text, Stack: text, Fingerprint: text, Cause: &report.Occurrence{Code: text, Message: text},
		Source:     &report.Source{Type: text, Component: text, Endpoint: text, Method: text},
		Execution:  &report.Execution{Mode: text, Skill: text, Tool: text, Step: text, TaskID: text, SessionID: text},
		Repository: &report.Repository{Owner: text, Repo: text, EntityType: text, EntityNumber: 1},
		Recovery:   &report.Recovery{Strategy: text}, Reaction: text, Action: text,
		Context: quoted, Metadata: map[string]any{text: text},
	}
	counts := map[string]int{text: 3, "plain": 1}
	return report.Snapshot{
		Title: text, At: start,
		Metrics: report.Metrics{TotalErrors: 4, ErrorsByCategory: counts, ErrorsBySeverity: counts,
			ErrorsBySource: counts, ErrorsByRecoverability: counts, ErrorsByCode: counts},
		Codes: []report.CodeCount{{Code: text, Category: text, Count: 3, Severity: text, Latest: start}},
		Groups: []report.Group{{ID: text, Category: text, Pattern: text, Severity: text, Count: 4, FirstSeen: start,
			LastSeen: start, Sample: o}},
		Timeline: report.Timeline{Step: time.Minute,
			Buckets: []report.Bucket{{Start: start, ByCategory: counts, BySeverity: counts}}},
		Outcomes: []report.ReactionOutcome{{Reaction: text, Action: text, Count: 3, Recovered: 1}},
		Last:     []report.Occurrence{o},
	}
}
