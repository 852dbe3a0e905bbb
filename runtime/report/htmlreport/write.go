// Package htmlreport writes a [report.Snapshot] as a page for people: one HTML file with charts
// over time, codes with what to do about them, groups, errors and the timelines of runs.
//
//	s := reporter.Snapshot()
//	s.Runs = runs.All()
//	err := htmlreport.Write(f, s, htmlreport.Options{Table: errs.Table})
//
// A click on a bar, a code, a group or a run filters the rest of the page. The page can be
// searched, limited to severities, shown in local time or UTC, printed, used by keyboard alone, and
// compared with an earlier page or JSON report, which is chosen in the page and stays there.
//
// The page loads nothing: style, script and data are in it, and its Content-Security-Policy forbids
// everything else. Texts of errors are masked, shortened, and shown only as text. Without
// JavaScript the page shows the table of codes. The same snapshot results in the same bytes. With
// the default options a page has at most 6 MB.
package htmlreport

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options configure a page. The zero Options are the defaults.
type Options struct {
	// Table has the resolutions of the codes: what a person can do about an error.
	Table taxonomy.Table
	// Forecasts are shown in the given order.
	Forecasts []Forecast
	// Earlier are the metrics of an earlier report; the page shows the difference for each code.
	Earlier *report.Metrics
	// MaxGroups is the number of groups, those with the most errors; 0 is 500.
	MaxGroups int
	// MaxLatest is the number of latest errors; 0 is 200.
	MaxLatest int
}

// Forecast is the probability that the next call of a provider fails with a code.
type Forecast struct {
	Provider string `json:"provider"`
	predict.Forecast
}

// Forecasts returns the forecasts of [predict.Model.Next] for a provider.
func Forecasts(provider string, next []predict.Forecast) []Forecast {
	list := make([]Forecast, len(next))
	for i, f := range next {
		list[i] = Forecast{provider, f}
	}
	return list
}

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	styleCSS string
	//go:embed page/script.js
	scriptJS string

	page   = template.Must(template.New("page").Parse(pageHTML))
	policy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; "+
		"form-action 'none'; require-trusted-types-for 'script'", digest(styleCSS), digest(scriptJS))
)

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes the page. If it cannot be made, nothing is written.
func Write(w io.Writer, s report.Snapshot, o Options) error {
	d, err := newData(s, o)
	var b []byte
	if err == nil {
		b, err = json.Marshal(d) // escapes <, > and &, so that no text can end the script element
	}
	if err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{
		"Data": d, "JSON": template.JS(b), "Policy": policy, "Style": template.CSS(styleCSS),
		"Script": template.JS(scriptJS),
	})
	if err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
