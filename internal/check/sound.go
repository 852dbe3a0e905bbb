package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/sysname"
)

// soundRule reports whether nothing in a rule is at fault by itself.
func (s *scope) soundRule(r *spec.Rule) bool {
	if len(r.Conditions)+len(r.Text)+len(r.Contains) == 0 {
		return false
	}
	if slices.ContainsFunc(slices.Concat(r.Text, r.Contains), holdsEscape) {
		return false
	}
	return !slices.ContainsFunc(r.Conditions, func(c spec.RuleCondition) bool { return !s.soundCondition(c) }) &&
		!slices.ContainsFunc(r.Contains, func(t spec.Text) bool { return t.V == "" }) &&
		!slices.ContainsFunc(r.Text, func(t spec.Text) bool { return t.V == "" || !compiles(t.V) })
}

func compiles(expr string) bool {
	_, err := regexp.Compile(expr)
	return err == nil
}

func (s *scope) soundCondition(c spec.RuleCondition) bool {
	if _, faults, ok := resolve.RuleCondition(c); !ok || len(faults) > 0 {
		return false
	}
	tests, faults := resolve.Condition(resolve.EvidenceField(c), c.Match)
	if len(faults) == 0 && contradiction(tests) != "" {
		return false
	}
	if len(foreignStatuses(c))+len(negativeCodes(c)) > 0 || c.Attribute.V != strings.ToLower(c.Attribute.V) {
		return false
	}
	if names, ok := s.declared(c.Key.V); ok && slices.ContainsFunc(
		c.Match.Prefix, func(t spec.Text) bool { return !names.begins(t.V) }) {
		return false
	}
	if (c.Key.V == "is" || c.Key.V == "as") && len(c.Match.Prefix) > 0 {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(c.Match.Values, c.Match.Not), func(lit spec.Literal) bool {
		return !s.knownName(c.Key.V, lit.Text)
	})
}

// knownName reports whether a name is one of those that the key takes.
func (s *scope) knownName(key, name string) bool {
	known := true
	switch key {
	case "source":
		known = s.sources.has(name)
	case "op":
		known = s.ops.has(name)
	case "is", "as":
		known = errorNameFault(key, name) == ""
	case "errno":
		known = sysname.IsErrno(name)
	case "signal":
		known = sysname.IsSignal(name)
	}
	return known
}

func (s *scope) soundExample(e *spec.Example) bool {
	return !slices.ContainsFunc(e.Entries, func(entry spec.LiteralEntry) bool { return !s.soundEntry(entry) })
}

func (s *scope) soundEntry(entry spec.LiteralEntry) bool {
	switch n, ok := whole(entry.Value); entry.Key.V {
	case "status":
		return ok && isStatus(n)
	case "exit_code":
		return ok && n >= 0
	case "attributes":
		return !slices.ContainsFunc(
			entry.Value.Keys, func(a spec.LiteralEntry) bool { return a.Key.V != strings.ToLower(a.Key.V) })
	}
	return s.knownName(entry.Key.V, entry.Value.Text)
}
