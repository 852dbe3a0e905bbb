package check

import (
	"fmt"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// pass is one run of one rule.
type pass struct {
	*scope
	id       string
	findings []diag.Finding
	places   map[diag.Span]bool // of the findings
}

// maxErrors bounds what a rule keeps: more errors are not shown, and a file can give rise to
// millions.
const maxErrors = 2000

// report adds a finding at a place. What explains or mends it follows by the methods of [report].
func (p *pass) report(at diag.Span, format string, args ...any) report {
	if len(p.findings) > maxErrors && severity(p.id) == diag.Error {
		return report{p, maxErrors} // the last one, which is not shown either
	}
	if p.places == nil {
		p.places = make(map[diag.Span]bool)
	}
	p.places[at] = true
	p.findings = append(p.findings, diag.Finding{
		ID:       p.id,
		Severity: severity(p.id),
		Span:     at,
		Message:  fmt.Sprintf(format, args...),
	})
	return report{p, len(p.findings) - 1}
}

// reported tells whether the rule has already said this at this place, which happens where one
// declaration serves many codes.
func (p *pass) reported(at diag.Span) bool { return p.places[at] }

type report struct {
	p     *pass
	index int
}

// hint says how to mend it; an empty hint is none.
func (r report) hint(format string, args ...any) report {
	r.p.findings[r.index].Hint = fmt.Sprintf(format, args...)
	return r
}

// meant suggests the nearest of the names that are valid here, if any is near.
func (r report) meant(name string, valid []string) report {
	if near := r.p.nearest(name, valid); near != "" {
		return r.hint("did you mean %q?", near)
	}
	return r
}

// meantOneOf is meant for names that take time to collect, which is spent only while suggestions
// are made.
func (r report) meantOneOf(name string, valid func() []string) report {
	if len(r.p.findings) > maxSuggestions {
		return r
	}
	return r.meant(name, valid())
}

// meantExactly suggests a name that is sure to be the one that was meant, unless it is empty.
func (r report) meantExactly(name string) report {
	if name == "" {
		return r
	}
	return r.hint("did you mean %q?", name)
}

// maxSuggestions bounds how often a rule looks for a near name, which takes time.
const maxSuggestions = 200

func (p *pass) nearest(name string, valid []string) string {
	if len(p.findings) > maxSuggestions {
		return ""
	}
	return diag.Nearest(name, valid)
}

// related points to a second place. A span that points nowhere is left out.
func (r report) related(at diag.Span, format string, args ...any) report {
	if !at.Valid() {
		return r
	}
	f := &r.p.findings[r.index]
	f.Related = append(f.Related, diag.Related{Span: at, Message: fmt.Sprintf(format, args...)})
	return r
}

// first returns the first span that points anywhere.
func first(spans ...diag.Span) diag.Span {
	for _, s := range spans {
		if s.Valid() {
			return s
		}
	}
	return diag.Span{}
}

// within is the place of a part of a text, given in bytes.
func (p *pass) within(text spec.Text, offset, length int) diag.Span {
	return p.t.Locate(text, offset, length)
}
