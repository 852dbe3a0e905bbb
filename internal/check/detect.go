package check

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/sysname"
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

// systemNames finds names that `is`, `as`, `errno` and `signal` do not take.
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
	case "is", "as":
		if fault := errorNameFault(key, name); fault != "" {
			r := p.report(at, "%q: %s", name, fault)
			if systemPackage.MatchString(name) {
				r.hint("use errno for errors of the system: errno: %s", errnoNamed(name))
			}
		}
	case "errno":
		if !sysname.IsErrno(name) {
			p.report(at, "%q is no errno of Linux", name).meant(name, sysname.Errnos()).
				meantExactly(sysname.ErrnoOf(name))
		}
	case "signal":
		if !sysname.IsSignal(name) {
			p.report(at, "%q is no signal of Linux", name).meant(name, sysname.Signals()).
				meantExactly(sysname.SignalOf(name))
		}
	}
}

// systemPackage matches names of packages whose errors differ between systems.
var systemPackage = regexp.MustCompile(`^\*?(syscall|golang\.org/x/sys/\w+)\.`)

// errorNameFault returns why `is` or `as` cannot take a name, or "". The compiler checks that the
// name exists.
func errorNameFault(key, name string) string {
	n, err := model.ParseErrorName(name)
	switch {
	case err != nil:
		return err.Error()
	case key == "is" && n.Pointer:
		return "is takes a variable, so no *"
	case name == "context.Canceled":
		return "a cancelled context is never classified"
	case systemPackage.MatchString(name):
		return "the package differs between systems"
	}
	return ""
}

// errnoNamed returns the errno that the last element of a Go name is, or an example of one.
func errnoNamed(name string) string {
	if name = name[strings.LastIndexByte(name, '.')+1:]; sysname.IsErrno(name) {
		return name
	}
	return "ECONNRESET"
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
