package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/sysname"
)

// systemPackage matches names of errors in packages that differ between systems.
var systemPackage = regexp.MustCompile(`^\*?(syscall|golang\.org/x/sys/\w+)\.`)

// unknownInLibraries finds names of errors without a valid import path, and names that the
// operating system does not have. The compiler checks that an error exists.
func unknownInLibraries(c *checker) {
	c.eachRule(func(_ *model.Code, r *spec.Rule) {
		for _, cond := range r.Conditions() {
			for _, lit := range slices.Concat(cond.Match.Values, cond.Match.Not) {
				if lit.Kind == spec.LitString {
					c.libraryName(cond.Key, lit.Text, lit.Span)
				}
			}
			if key := cond.Key; (key == "is" || key == "as") && len(cond.Match.Prefix) > 0 {
				c.report("E-unknown-name", cond.Match.Prefix[0].Span, fmt.Sprintf("%q takes no prefix", key),
					"write the full name of one error")
			}
		}
	})
	c.eachExample(func(x *spec.Example) {
		for key, name := range map[string]spec.Text{"is": x.Is, "as": x.As, "errno": x.Errno, "signal": x.Signal} {
			if name.Set {
				c.libraryName(key, name.V, name.Span)
			}
		}
	})
}

// libraryName checks a name that a condition or an example has under a key.
func (c *checker) libraryName(key, name string, at diag.Span) {
	switch key {
	case "is", "as":
		c.errorName(key, name, at)
	case "errno":
		if !sysname.IsErrno(name) {
			c.unknownSystemName(at, "errno", name, sysname.ErrnoOf(name), sysname.Errnos())
		}
	case "signal":
		if !sysname.IsSignal(name) {
			c.unknownSystemName(at, "signal", name, sysname.SignalOf(name), sysname.Signals())
		}
	}
}

func (c *checker) errorName(key, name string, at diag.Span) {
	n, err := model.ParseErrorName(name)
	switch {
	case err != nil:
		c.report("E-unknown-name", at, fmt.Sprintf("%q: %v", name, err),
			"write the full import path, as in os/exec.ErrNotFound or github.com/jackc/pgx/v5.ErrNoRows")
	case key == "is" && n.Pointer:
		c.report("E-unknown-name", at, fmt.Sprintf("%q is a type, and is takes a variable", name), "use as")
	case name == "context.Canceled":
		c.report("E-unknown-name", at, "a cancelled context is never classified, so "+name+" never matches",
			"remove it")
	case systemPackage.MatchString(name):
		last := name[strings.LastIndexByte(name, '.')+1:]
		if !sysname.IsErrno(last) {
			last = "ECONNRESET"
		}
		c.report("E-unknown-name", at, fmt.Sprintf("%q: the package differs between systems", name),
			"use errno for errors of the system: errno: "+last)
	}
}

func (c *checker) unknownSystemName(at diag.Span, what, name, full string, valid []string) {
	hint := c.suggest(name, valid, "write it as Linux does, as in "+valid[0])
	if full != "" {
		hint = fmt.Sprintf("did you mean %q?", full)
	}
	c.report("E-unknown-name", at, fmt.Sprintf("%q is not a valid %s of Linux", name, what), hint)
}
