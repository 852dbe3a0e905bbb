package htmlreport

import (
	"time"

	"github.com/errgen/errgen/runtime/report"
)

const (
	// maxCodes is how many rows the table of codes has; if there are more, the last is that of all
	// others.
	maxCodes = 50
	// several stands for the category of codes that have more than one.
	several = "several"
)

// ofCode is what is known of the errors of a code besides their number.
type ofCode struct {
	category string
	level    level
	latest   time.Time
}

// and is what is known of two codes together.
func (c ofCode) and(d ofCode) ofCode {
	if c.category != d.category {
		c.category = several
	}
	if d.level.Steps > c.level.Steps {
		c.level = d.level
	}
	if d.latest.After(c.latest) {
		c.latest = d.latest
	}
	return c
}

// codes are the rows of the table of codes, the most frequent first, and that of all others, nil
// without any. Errors are counted as they are in the breakdowns.
func codes(s report.Snapshot) (rows []codeRow, rest *codeRow) {
	k := newKinds(named(s.Metrics.ErrorsByCode, name), "codes", maxCodes)
	known, total := ofCodes(s.Codes, k.counts), k.total()
	row := func(code string, n int, of ofCode) codeRow {
		return codeRow{
			Code: code, Category: name(of.category), Count: n, Share: percent(share(n, total)), Level: of.level,
			Latest: at(of.latest),
		}
	}
	for _, code := range k.names {
		rows = append(rows, row(code, k.counts[code], known[code]))
	}
	if k.rest == "" {
		return rows, nil
	}
	left := byCount(k.counts)[len(k.names):]
	of := known[left[0]]
	for _, code := range left[1:] {
		of = of.and(known[code])
	}
	last := row(k.rest, k.left, of)
	return rows, &last
}

// ofCodes is what is known of codes by their names on the page, also of those that are only
// counted.
func ofCodes(all []report.CodeCount, counts map[string]int) map[string]ofCode {
	known := make(map[string]ofCode, len(counts))
	for _, c := range all {
		code, of := name(c.Code), ofCode{c.Category, severity(c.Severity), c.Latest}
		if of.category == "" {
			of.category = several
		}
		if before, ok := known[code]; ok {
			of = before.and(of)
		}
		known[code] = of
	}
	for code := range counts {
		if _, ok := known[code]; !ok {
			known[code] = ofCode{level: severity("")}
		}
	}
	return known
}
