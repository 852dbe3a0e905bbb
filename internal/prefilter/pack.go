package prefilter

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
)

const patternSeparator = "\t\t"

// Pack returns patterns in the compact form of [detect.Patterns]. It replaces the leads in
// expressions by references. Neither an expression nor a literal may contain a tab or a line feed.
func Pack(list []detect.Pattern, leads []string) detect.Patterns {
	packed := make([]string, len(list))
	for i, p := range list {
		expr := p.Expr
		if p.Plain != "" {
			expr = "(?i)" + regexp.QuoteMeta(p.Plain)
		}
		packed[i] = fmt.Sprintf("%d %s", p.Lead, references(expr, leads, 0))
		for _, l := range p.Literals {
			mark := "="
			if l.Fold {
				mark = "~"
			}
			packed[i] += "\t" + mark + l.Text
		}
	}
	return detect.Patterns(strings.Join(packed, patternSeparator))
}

// PackLeads returns leads, with each later lead in them replaced by a reference.
func PackLeads(leads []string) []string {
	out := slices.Clone(leads)
	for i := range out {
		out[i] = references(out[i], leads, i+1)
	}
	return out
}

// references returns an expression with the leads from a place on replaced by references, the last
// lead first.
func references(expr string, leads []string, from int) string {
	for i := len(leads) - 1; i >= from; i-- {
		expr = strings.ReplaceAll(expr, leads[i], "(?"+strconv.Itoa(i+1)+")")
	}
	return expr
}
