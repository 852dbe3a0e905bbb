package signature

import (
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/signatures"
)

// Rule is one condition of a signature as a detection rule has it.
type Rule struct {
	Conditions []detect.Condition
	Text       []Text
	Contains   []string // literals
	Weak       bool     // forms of other signatures come first
}

// Compile returns the rules of a signature. Evidence that meets one of them matches the signature.
// A condition on statuses, types and codes only also gives a rule for texts that state them.
func Compile(s *signatures.Signature) ([]Rule, error) {
	var rules []Rule
	var values []string // that texts name
	for i := range s.Any {
		c := &s.Any[i]
		r, err := compile(c)
		if err != nil {
			return nil, fmt.Errorf("signature %s: condition %d: %w", s.Name, i+1, err)
		}
		rules = append(rules, r)
		switch {
		case !onlyListed(c):
		case c.Status.Any != nil:
			rules = append(rules, Rule{Text: stated(c.Status.Any)})
		default:
			for _, v := range slices.Concat(c.Type.Any, c.Code.Any) {
				if !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
	}
	if values != nil {
		rules = append(rules, Rule{Text: named(values)})
	}
	rules = mergeTexts(rules)
	for i := range rules {
		for _, text := range rules[i].Text {
			if _, err := syntax.Parse(text.Expr, syntax.Perl); err != nil {
				return nil, fmt.Errorf("signature %s: %w", s.Name, err)
			}
		}
	}
	return rules, nil
}

// mergeTexts returns the rules with one rule for all texts without conditions, and one for all that
// are weak, at the end.
func mergeTexts(rules []Rule) []Rule {
	var out []Rule
	var strong, weak Rule
	weak.Weak = true
	for _, r := range rules {
		texts := &strong
		if r.Weak {
			texts = &weak
		}
		switch {
		case len(r.Conditions) > 0 || r.Text != nil && r.Contains != nil:
			out = append(out, r)
		case r.Contains == nil:
			texts.Text = append(texts.Text, r.Text...)
		default:
			for _, text := range r.Contains {
				texts.Text = append(texts.Text, Text{Expr: "(?i)" + regexp.QuoteMeta(text)})
			}
		}
	}
	for _, r := range []Rule{strong, weak} {
		if r.Text != nil {
			out = append(out, r)
		}
	}
	return out
}

// onlyListed reports whether a condition tests only that a status, a type or a code is in a list.
func onlyListed(c *signatures.Condition) bool {
	tests := 0
	for _, m := range []signatures.Matcher{c.Status, c.Type, c.Code} {
		if !m.IsZero() {
			tests++
		}
	}
	return tests == 1 && (c.Status.Any != nil || c.Type.Any != nil || c.Code.Any != nil) &&
		c.Text == nil && c.Contains == nil && c.Reported == nil && c.Announced == nil && c.Short == nil &&
		c.Raised == nil && c.Mentioned == nil && c.Attributes == nil &&
		c.Source.IsZero() && c.Op.IsZero() && c.ExitCode.IsZero() && c.Signal.IsZero() && c.Errno.IsZero()
}

func compile(c *signatures.Condition) (Rule, error) {
	r := Rule{Contains: slices.Clone(c.Contains), Weak: c.Weak || c.Raised != nil || c.Mentioned != nil}
	for _, expr := range c.Text {
		r.Text = append(r.Text, Text{Expr: expr})
	}
	for _, expr := range slices.Concat(c.Reported, c.Announced, c.Short, c.Raised, c.Mentioned) {
		if strings.HasPrefix(expr, "^") || strings.HasPrefix(expr, `\b`) || strings.HasPrefix(expr, `\A`) {
			return Rule{}, fmt.Errorf("an expression begins with an assertion: %s", expr)
		}
	}
	if c.Reported != nil {
		r.Text = append(r.Text, reported(c.Reported)...)
	}
	if c.Announced != nil {
		r.Text = append(r.Text, announced(c.Announced)...)
	}
	if short := slices.Concat(c.Announced, c.Short); short != nil {
		r.Text = append(r.Text, shortStatement(short))
	}
	if c.Raised != nil {
		r.Text = append(r.Text, raised(c.Raised))
	}
	if c.Mentioned != nil {
		r.Text = append(r.Text, mentioned(c.Mentioned))
	}
	add := func(key detect.Key, name string, m signatures.Matcher) error {
		if m.IsZero() {
			return nil
		}
		d, err := condition(key, name, m)
		r.Conditions = append(r.Conditions, d)
		return err
	}
	for _, part := range []struct {
		key detect.Key
		m   signatures.Matcher
	}{
		{detect.Source, c.Source}, {detect.Op, c.Op}, {detect.Status, c.Status}, {detect.Type, c.Type},
		{detect.Code, c.Code}, {detect.ExitCode, c.ExitCode}, {detect.Signal, c.Signal}, {detect.Errno, c.Errno},
	} {
		if err := add(part.key, "", part.m); err != nil {
			return Rule{}, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
		if err := add(detect.Attribute, name, c.Attributes[name]); err != nil {
			return Rule{}, err
		}
	}
	if len(r.Conditions)+len(r.Text)+len(r.Contains) == 0 {
		return Rule{}, fmt.Errorf("tests nothing")
	}
	return r, nil
}

func condition(key detect.Key, name string, m signatures.Matcher) (detect.Condition, error) {
	d := detect.Condition{Key: key, Name: name, Prefix: m.Prefix}
	if m.Present != nil {
		d.Presence = detect.Absent
		if *m.Present {
			d.Presence = detect.Present
		}
	}
	if m.Min != nil {
		d.Min, d.Bounds = *m.Min, d.Bounds|detect.HasMin
	}
	if m.Max != nil {
		d.Max, d.Bounds = *m.Max, d.Bounds|detect.HasMax
	}
	if key != detect.Status && key != detect.ExitCode {
		d.Any, d.Not = m.Any, m.Not
		if key == detect.Errno || key == detect.Signal {
			d.Any, d.Not = canonical(m.Any), canonical(m.Not)
		}
		return d, nil
	}
	var err error
	if d.AnyNumber, err = numbers(m.Any); err == nil {
		d.NotNumber, err = numbers(m.Not)
	}
	return d, err
}

// canonical returns names of signals and system errors in the form that evidence has.
func canonical(list []string) (out []string) {
	for _, s := range list {
		out = append(out, detect.Canonical(s))
	}
	return out
}

func numbers(list []string) ([]int, error) {
	var out []int
	for _, s := range list {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", s)
		}
		out = append(out, n)
	}
	return out, nil
}

// Extract returns the attributes that a text contains, by the expressions of a signature.
func Extract(s *signatures.Signature, text string) map[string]string {
	found := map[string]string{}
	for _, x := range s.Extract {
		for _, expr := range x.Text {
			if m := regexp.MustCompile(expr).FindStringSubmatch(text); len(m) > 1 && m[1] != "" {
				found[x.Attribute] = strings.TrimSpace(m[1])
				break
			}
		}
	}
	return found
}
