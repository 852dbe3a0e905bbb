package check

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/stdlib"
)

func (s *scope) eachRule(visit func(c *code, r *spec.Rule)) {
	for _, c := range s.codes {
		for i := range c.Detect {
			visit(c, &c.Detect[i])
		}
	}
}

func badRegexp(p *pass) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, text := range r.Text {
			_, err := regexp.Compile(text.V)
			if err == nil {
				continue
			}
			at, msg := text.Span, err.Error()
			if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
				msg = bad.Code.String()
				if i := strings.Index(text.V, bad.Expr); i >= 0 && bad.Expr != "" {
					at = p.within(text, i, len(bad.Expr))
					msg += " in " + quote(bad.Expr)
				}
			}
			p.report(at, "the regular expression does not compile: %s", msg)
		}
	})
}

// quote keeps a part of a message on one line.
func quote(s string) string {
	return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"`
}

// emptyRule finds rules that hold for everything.
func emptyRule(p *pass) {
	p.eachRule(func(c *code, r *spec.Rule) {
		if len(r.Conditions) == 0 && len(r.Text) == 0 && len(r.Contains) == 0 {
			p.report(first(r.Span, c.Name.Span), "the rule has no condition, so it would match everything").
				hint("evidence that no rule matches becomes the fallback's code")
		}
		for _, t := range slices.Concat(r.Text, r.Contains) {
			if t.V == "" {
				p.report(t.Span, "an empty text is found in everything")
			}
		}
	})
}

// emptyRange finds conditions of rules that nothing meets.
func emptyRange(p *pass) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, cond := range r.Conditions {
			m, faults := resolve.Condition(resolve.EvidenceField(cond), cond.Match)
			if len(faults) > 0 {
				continue
			}
			if why := contradiction(m); why != "" {
				p.report(first(cond.Match.Span, cond.Key.Span), "this condition is never met: %s", why)
			}
		}
	})
}

// attributeBounds finds bounds of attributes that are no numbers.
func attributeBounds(p *pass) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, cond := range r.Conditions {
			for _, bound := range []*spec.Literal{cond.Match.Min, cond.Match.Max} {
				if cond.Key.V == "attributes" && bound != nil {
					p.typed(cond.Attribute.V, resolve.EvidenceField(cond), *bound)
				}
			}
		}
	})
}

// eachEntry visits the evidence of all examples.
func (p *pass) eachEntry(visit func(entry spec.LiteralEntry)) {
	for _, c := range p.codes {
		for _, e := range slices.Concat(c.Examples, c.NotExamples) {
			for _, entry := range e.Entries {
				visit(entry)
			}
		}
	}
}

func badReset(p *pass) {
	p.eachEntry(func(entry spec.LiteralEntry) {
		if entry.Key.V != "reset_at" {
			return
		}
		if _, err := time.Parse(time.RFC3339Nano, entry.Value.Text); err != nil {
			p.report(entry.Value.Span, "%q is no time", entry.Value.Text).
				hint("write it as RFC 3339 does: 2006-01-02T15:04:05Z")
		}
	})
}

// systemNames finds names that neither the standard library nor the operating system has.
func systemNames(p *pass) {
	check := func(key string, lit spec.Literal) {
		if lit.Kind == spec.LitString {
			p.systemName(key, lit.Text, lit.Span)
		}
	}
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, cond := range r.Conditions {
			for _, lit := range slices.Concat(cond.Match.Values, cond.Match.Not) {
				check(cond.Key.V, lit)
			}
		}
	})
	p.eachEntry(func(entry spec.LiteralEntry) { check(entry.Key.V, entry.Value) })
}

func (p *pass) systemName(key, name string, at diag.Span) {
	switch key {
	case "is":
		if _, ok := stdlib.LookupValue(name); !ok {
			p.unknownStdlib(at, name, "an error value", stdlib.Values())
		}
	case "as":
		if _, ok := stdlib.LookupType(name); !ok {
			p.unknownStdlib(at, name, "an error type", stdlib.Types())
		}
	case "errno":
		if !stdlib.IsErrno(name) {
			p.report(at, "%q is no errno of Linux", name).meant(name, stdlib.Errnos()).
				meantExactly(stdlib.ErrnoOf(name))
		}
	case "signal":
		if !stdlib.IsSignal(name) {
			p.report(at, "%q is no signal of Linux", name).meant(name, stdlib.Signals()).
				meantExactly(stdlib.SignalOf(name))
		}
	}
}

func (p *pass) unknownStdlib(at diag.Span, name, what string, valid []string) {
	if name == "context.Canceled" {
		p.report(at, "a cancelled context is never classified, so %s never matches", name)
		return
	}
	r := p.report(at, "errgen does not know %q as %s of the standard library", name, what)
	if bare := strings.TrimPrefix(name, "*"); strings.HasPrefix(bare, "syscall.") ||
		strings.HasPrefix(bare, "golang.org/x/sys/") {
		r.hint("use errno for errors of the system: errno: %s", errnoNamed(bare))
		return
	}
	if full := withPath(name, valid); full != "" {
		r.hint("write the full import path: %s", full)
		return
	}
	r.meant(name, valid)
}

// errnoNamed returns the errno that the last element of a Go name is, or an example of one.
func errnoNamed(name string) string {
	if name = name[strings.LastIndexByte(name, '.')+1:]; stdlib.IsErrno(name) {
		return name
	}
	return "ECONNRESET"
}

// withPath finds the full name of what is written with the last element of its path only.
func withPath(name string, valid []string) string {
	bare := strings.TrimPrefix(name, "*")
	for _, v := range valid {
		if v == "*"+bare || strings.HasSuffix(v, "/"+bare) {
			return v
		}
	}
	return ""
}

// systemPrefix finds prefixes of what can only be named whole.
func systemPrefix(p *pass) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, cond := range r.Conditions {
			if (cond.Key.V == "is" || cond.Key.V == "as") && len(cond.Match.Prefix) > 0 {
				p.report(cond.Match.Prefix[0].Span, "%q tests for one error, and takes no prefix", cond.Key.V)
			}
		}
	})
}

// weakText warns of texts that are found almost anywhere: three bytes in a row must be certain, and
// let a search skip the expression where they are absent.
func weakText(p *pass) {
	p.eachRule(func(_ *code, r *spec.Rule) {
		for _, text := range r.Text {
			literals, _, err := prefilter.Analyse(text.V)
			if err == nil && text.V != "" && len(literals) == 0 {
				p.report(text.Span, "the expression has no literal of %d bytes that every match holds",
					prefilter.MinLiteral).
					hint("add a word that is always there, or test something else as well")
			}
		}
		for _, text := range r.Contains {
			if text.V != "" && len(prefilter.Plain(text.V)) == 0 {
				p.report(text.Span, "the text has less than %d bytes", prefilter.MinLiteral).
					hint("add what stands around it, or test something else as well")
			}
		}
	})
}
