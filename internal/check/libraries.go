package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/stdlib"
)

// unknownInLibraries finds names that neither the standard library nor the operating system has.
func unknownInLibraries(c *checker) {
	c.eachRule(func(_ *code, r *spec.Rule) {
		for _, cond := range r.Conditions {
			for _, lit := range slices.Concat(cond.Match.Values, cond.Match.Not) {
				c.libraryName(cond.Key.V, lit)
			}
			if key := cond.Key.V; (key == "is" || key == "as") && len(cond.Match.Prefix) > 0 {
				c.report("E-unknown-name", cond.Match.Prefix[0].Span, fmt.Sprintf("%q takes no prefix", key),
					"write the full name of one error")
			}
		}
	})
	c.eachEntry(func(e spec.LiteralEntry) { c.libraryName(e.Key.V, e.Value) })
}

func (c *checker) libraryName(key string, lit spec.Literal) {
	if lit.Kind != spec.LitString {
		return
	}
	name, at := lit.Text, lit.Span
	switch key {
	case "is":
		if _, ok := stdlib.LookupValue(name); !ok {
			c.unknownError(at, name, "error value", stdlib.Values())
		}
	case "as":
		if _, ok := stdlib.LookupType(name); !ok {
			c.unknownError(at, name, "error type", stdlib.Types())
		}
	case "errno":
		if !stdlib.IsErrno(name) {
			c.unknownSystemName(at, "errno", name, stdlib.ErrnoOf(name), stdlib.Errnos())
		}
	case "signal":
		if !stdlib.IsSignal(name) {
			c.unknownSystemName(at, "signal", name, stdlib.SignalOf(name), stdlib.Signals())
		}
	}
}

func (c *checker) unknownSystemName(at diag.Span, what, name, full string, valid []string) {
	hint := c.suggest(name, valid, "write it as Linux does, as in "+valid[0])
	if full != "" {
		hint = fmt.Sprintf("did you mean %q?", full)
	}
	c.report("E-unknown-name", at, fmt.Sprintf("%q is not a valid %s of Linux", name, what), hint)
}

func (c *checker) unknownError(at diag.Span, name, what string, valid []string) {
	bare := strings.TrimPrefix(name, "*")
	last := bare[strings.LastIndexByte(bare, '.')+1:]
	message := fmt.Sprintf("%q is not a known %s of the standard library", name, what)
	full := slices.IndexFunc(valid, func(v string) bool { return v == "*"+bare || strings.HasSuffix(v, "/"+bare) })
	switch {
	case name == "context.Canceled":
		c.report("E-unknown-name", at, "a cancelled context is never classified, so "+name+" never matches",
			"remove it")
	case strings.HasPrefix(bare, "syscall.") || strings.HasPrefix(bare, "golang.org/x/sys/"):
		if !stdlib.IsErrno(last) {
			last = "ECONNRESET"
		}
		c.report("E-unknown-name", at, message, "use errno for errors of the system: errno: "+last)
	case full >= 0:
		c.report("E-unknown-name", at, message, "write the full import path: "+valid[full])
	default:
		c.report("E-unknown-name", at, message, c.suggest(name, valid, "write the full import path, as in "+valid[0]))
	}
}
