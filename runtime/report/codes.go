package report

import (
	"cmp"
	"slices"
	"time"
)

// ofCode is what is known of the errors of a code besides their number.
type ofCode struct {
	latest time.Time
	// category is the index of their category, several that there are more than one.
	category, rank int
	several        bool
}

// see notes an error of a code. Code and category are indexes.
func (c *counts) see(code, category, rank int, at time.Time) {
	if code >= len(c.ofCodes) {
		c.ofCodes = append(c.ofCodes, ofCode{latest: at, category: category})
	}
	of := &c.ofCodes[code]
	if at.After(of.latest) {
		of.latest = at
	}
	of.several = of.several || of.category != category
	of.rank = max(of.rank, rank)
}

// codesOut returns what is known of the codes, the most frequent first. Those that have the same
// name are one.
func (c *counts) codesOut() []CodeCount {
	out, index := []CodeCount{}, map[string]int{}
	for i, name := range c.codes.names {
		of := c.ofCodes[i]
		row := CodeCount{name, "", c.codes.counts[i], severities[of.rank], of.latest.Round(0).UTC()}
		if !of.several {
			row.Category = c.categories.names[of.category]
		}
		at, known := index[name]
		if !known {
			index[name] = len(out)
			out = append(out, row)
			continue
		}
		out[at] = out[at].and(row)
	}
	slices.SortFunc(out, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// and counts another code together with this one.
func (c CodeCount) and(d CodeCount) CodeCount {
	c.Count += d.Count
	if c.Category != d.Category {
		c.Category = ""
	}
	if rankOf(d.Severity) > rankOf(c.Severity) {
		c.Severity = d.Severity
	}
	if d.Latest.After(c.Latest) {
		c.Latest = d.Latest
	}
	return c
}
