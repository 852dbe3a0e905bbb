package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/signatures"
)

// signatureValues finds faulty expressions and conditions of the taxonomy's signatures.
func signatureValues(c *checker) {
	for i := range c.t.Signatures {
		s := &c.t.Signatures[i]
		for j := range s.Any {
			form := &s.Any[j]
			at := cmp.Or(form.Span, s.Name.Span)
			before := len(c.findings)
			c.rule(form, "form", at, "add a condition, or remove the form")
			one := signatures.Signature{Name: s.Name.V, Any: make([]signatures.Condition, 1)}
			_ = form.Raw.Decode(&one.Any[0]) // package spec checked its form
			if _, err := signature.Compile(&one); err != nil && len(c.findings) == before {
				c.report("E-regexp", at, strings.TrimPrefix(err.Error(), "signature "+s.Name.V+": "),
					"what precedes a reported text is tested already")
			}
		}
		for _, x := range s.Extract {
			for _, text := range x.Text {
				c.expression(text)
			}
		}
	}
}

// signatureExamples finds examples that the taxonomy's signatures do not match, and
// counter-examples that they match.
func signatureExamples(c *checker) {
	for i := range c.t.Signatures {
		d := &c.t.Signatures[i]
		s := resolve.Signature(d)
		m, err := signature.NewMatcher([]signatures.Signature{*s})
		if err != nil {
			continue // reported by signatureValues
		}
		if len(d.Examples) == 0 {
			c.report("W-untested-rule", d.Name.Span, fmt.Sprintf("signature %q has no example", d.Name.V),
				"add evidence as it really came, with the tool's name and version under seen")
		}
		run := func(x *spec.Example, want bool, what, hint string) {
			ev := resolve.Evidence(x)
			at := cmp.Or(x.Span, d.Name.Span)
			if (m.Match(&ev) != nil) != want {
				c.report("E-example", at, what+" "+d.Name.V, hint)
				return
			}
			found := signature.Extract(s, ev.Text)
			for _, w := range x.Extracted {
				if got := found[w.Name.V]; got != w.Value.Text {
					c.unmet(cmp.Or(w.Value.Span, at), "signature "+d.Name.V, w.Name.V, strconv.Quote(got),
						strconv.Quote(w.Value.Text))
				}
			}
		}
		for j := range d.Examples {
			run(&d.Examples[j], true, "the example does not match", "add a form for it, or correct the example")
		}
		for j := range d.NotExamples {
			run(&d.NotExamples[j], false, "the counter-example matches", "make the form that it meets narrower")
		}
	}
}

// quotas warns of rules for rate limits without a rule for exhausted quotas, which services report
// with the same status.
func quotas(c *checker) {
	const limit, quota = "rate_limit", "quota_exhausted"
	covered := func(r *spec.Rule) bool {
		sources := ruleSources(r)
		open := false
		c.eachRule(func(_ *model.Code, other *spec.Rule) {
			if !names(other.Like, quota) || other.Priority.V < r.Priority.V {
				return
			}
			theirs := ruleSources(other)
			open = open || theirs == nil
			sources = slices.DeleteFunc(sources, func(s string) bool { return slices.Contains(theirs, s) })
		})
		return open || len(sources) == 0 && ruleSources(r) != nil
	}
	c.eachRule(func(k *model.Code, r *spec.Rule) {
		for _, name := range r.Like {
			if name.V == limit && !names(r.Like, quota) && !covered(r) {
				c.report("W-no-quota", name.Span,
					"an exhausted quota becomes "+k.Name+", although a retry cannot help",
					"add a rule with like: "+quota+" to the code of exhausted quotas, with at least this priority")
			}
		}
	})
}

// names reports whether a list contains a name.
func names(list []spec.Text, name string) bool {
	return slices.ContainsFunc(list, func(t spec.Text) bool { return t.V == name })
}

// ruleSources returns the sources that a rule lists, or nil if the rule applies to any source.
func ruleSources(r *spec.Rule) []string {
	var out []string
	for _, cond := range r.Conditions() {
		if cond.Key == "source" && len(cond.Match.Values) > 0 {
			for _, v := range cond.Match.Values {
				out = append(out, v.Text)
			}
		}
	}
	return out
}
