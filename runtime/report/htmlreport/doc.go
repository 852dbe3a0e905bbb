// Package htmlreport writes a [report.Snapshot] as a page for people: one HTML file that needs
// nothing else, with charts over time, a table of groups that can be sorted and filtered, what the
// reactions came to, and the latest errors.
//
//	f, err := os.Create("errors.html")
//	…
//	err = htmlreport.Write(f, report.NewSnapshot(reporter, groups), htmlreport.Options{})
//
// The page loads nothing, and its Content-Security-Policy forbids it to: style and script are in
// it, and the policy has their hashes. Without JavaScript everything is there, except sorting,
// filtering and the button for the theme. Texts of errors are shown as text: markup in them stays
// letters, characters that one cannot see are shown by their number, and what is long is cut. The
// same snapshot gives the same bytes.
//
// With the default options a page has at most 6 MB, whatever the errors say, and some hundred
// kilobytes as a rule.
package htmlreport
