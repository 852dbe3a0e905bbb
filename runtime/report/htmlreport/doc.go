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
// everything else. Texts of errors are masked, cut, and only ever shown as text. Without JavaScript
// the page has the table of codes. The same snapshot gives the same bytes, with the default options
// at most 6 MB.
package htmlreport
