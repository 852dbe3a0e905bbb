package suggest

import (
	"bytes"
	"maps"
	"slices"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
)

// faults loads proposals as a taxonomy of their own, and returns the first error of each that has
// one. An error that stands at none of them counts as the last one's, so that leaving out what is
// faulty comes to an end.
func faults(all []*Proposal) map[*Proposal]diag.Finding {
	if len(all) == 0 {
		return nil
	}
	src, lines := taxonomyOf(all)
	_, findings := check.Load("proposals", src)
	faulty := make(map[*Proposal]diag.Finding)
	for _, f := range findings {
		if f.Severity != diag.Error {
			continue
		}
		i := max(slices.IndexFunc(lines, func(begin int) bool { return begin > f.Span.Line })-1, -1)
		if i < 0 {
			i = len(all) - 1
		}
		if _, known := faulty[all[i]]; !known {
			faulty[all[i]] = f
		}
	}
	return faulty
}

// taxonomyOf returns a taxonomy of the proposals, and on which line each begins.
func taxonomyOf(all []*Proposal) (src []byte, lines []int) {
	var b bytes.Buffer
	b.WriteString("errgen: 1\npackage: proposals\n")
	section(&b, "sources", all, func(f facts) string { return f.source })
	section(&b, "ops", all, func(f facts) string { return f.op })
	b.WriteString("categories:\n  unrecognised:\n    codes:\n")
	for _, p := range all {
		lines = append(lines, bytes.Count(b.Bytes(), []byte("\n"))+1)
		p.code(&b)
	}
	return b.Bytes(), lines
}

func section(b *bytes.Buffer, name string, all []*Proposal, of func(facts) string) {
	names := make(map[string]bool)
	for _, p := range all {
		for i := range p.evidence {
			names[of(factsOf(&p.evidence[i]))] = true
		}
	}
	delete(names, "")
	for _, op := range check.Operations() {
		if name == "ops" {
			delete(names, op)
		}
	}
	if len(names) == 0 {
		return
	}
	b.WriteString(name + ":\n")
	for _, one := range slices.Sorted(maps.Keys(names)) {
		b.WriteString("  " + scalar(one) + ": Declared.\n")
	}
}
