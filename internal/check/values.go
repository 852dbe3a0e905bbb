package check

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// wrongValue reports a value that is not valid for a field, with the error of [resolve.Value].
func (c *checker) wrongValue(at diag.Span, name string, f *model.Field, text string, err error) {
	hint := "write a value of type " + f.Type.String()
	switch f.Type.String() {
	case "object", "objects", "violations":
		hint = "remove it: the program sets this field"
	}
	if f.Type == model.EnumType {
		hint = c.suggest(text, f.Enum.Words(), "write one of its words")
	}
	c.report("E-value", at, fmt.Sprintf("%s: %s", name, err), hint)
}

// value checks a value of a field.
func (c *checker) value(name string, f *model.Field, lit spec.Literal) {
	if _, err := resolve.Value(f, lit); err != nil {
		c.wrongValue(lit.Span, name, f, lit.Text, err)
	}
}

// wanted is value for the expectations of examples, which have objects as mappings.
func (c *checker) wanted(name string, f *model.Field, lit spec.Literal) {
	if f.Type != model.ObjectType || lit.Kind != spec.LitMap {
		c.value(name, f, lit)
		return
	}
	for _, e := range lit.Keys {
		if inner := f.Object.Field(e.Key.V); inner != nil {
			c.wanted(name+"."+inner.Wire, inner, e.Value)
			continue
		}
		c.report("E-unknown-name", e.Key.Span, fmt.Sprintf("%s has no field %q", name, e.Key.V),
			c.suggest(e.Key.V, fieldNames(f.Object.Fields), "declare it under the fields of the object"))
	}
}

// faults reports the faults of a matcher.
func (c *checker) faults(name string, f *model.Field, faults []resolve.Fault, m spec.Matcher) {
	for _, fault := range faults {
		text := ""
		for _, lit := range slices.Concat(m.Values, m.Not) {
			if lit.Span == fault.Span {
				text = lit.Text
			}
		}
		c.wrongValue(fault.Span, name, f, text, fault.Err)
	}
}

// fieldValues checks the values that the taxonomy gives fields, and the conditions of branches.
func fieldValues(c *checker) {
	c.eachField(func(f *model.Field) {
		if f.Decl.Default != nil {
			c.value("default", f, *f.Decl.Default)
		}
	})
	c.eachFieldRef(func(k *model.Code, name spec.Text, value *spec.Literal) {
		if value != nil {
			c.value(name.V, fieldOf(k, name.V), *value)
		}
	})
	for _, k := range c.m.Codes {
		for _, x := range k.Decl.Examples {
			if x.Want != nil {
				for _, a := range x.Want.Context {
					c.wanted(a.Field.V, fieldOf(k, a.Field.V), a.Value)
				}
			}
		}
		for _, w := range k.Decl.When {
			if len(w.If) == 0 {
				c.report("E-value", cmp.Or(w.Span, k.Decl.Name.Span), "the branch tests nothing, so it always applies",
					"set what it changes on the code")
			}
			for _, cond := range w.If {
				f := fieldOf(k, cond.Field.V)
				_, faults := resolve.Condition(f, cond.Match)
				c.faults(cond.Field.V, f, faults, cond.Match)
				if cond.Match.IsZero() {
					c.report("E-value", cond.Field.Span, "the condition on "+cond.Field.V+" is empty",
						"write the value that it must have")
				}
			}
		}
	}
}

// ruleValues finds rules that match everything or nothing, expressions that do not compile, and
// values of rules and examples that evidence cannot have.
func ruleValues(c *checker) {
	c.eachRule(func(k *model.Code, r *spec.Rule) {
		c.rule(r, "rule", cmp.Or(r.Span, k.Decl.Name.Span),
			"make the code the fallback: that is what evidence becomes that no rule matches")
	})
	c.eachExample(func(x *spec.Example) {
		if _, err := time.Parse(time.RFC3339Nano, x.ResetAt.V); x.ResetAt.Set && err != nil {
			c.report("E-value", x.ResetAt.Span, fmt.Sprintf("%q is not a time", x.ResetAt.V),
				"write it as RFC 3339 does: 2006-01-02T15:04:05Z")
		}
	})
}

// rule checks a rule, or a form of a signature.
func (c *checker) rule(r *spec.Rule, what string, at diag.Span, hint string) {
	expressions := slices.Concat(r.Text, r.Reported, r.Announced, r.Short)
	if len(r.Conditions())+len(r.Like)+len(expressions)+len(r.Contains) == 0 {
		c.report("E-empty-rule", at, "the "+what+" has no condition, so it would match everything", hint)
	}
	for _, text := range slices.Concat(expressions, r.Contains) {
		if text.V == "" {
			c.report("E-empty-rule", text.Span, "an empty text is found in everything",
				"write what the text must contain")
		}
	}
	for _, text := range expressions {
		c.expression(text)
	}
	for _, cond := range r.Conditions() {
		f := resolve.EvidenceField(cond)
		_, faults := resolve.RuleCondition(cond)
		c.faults(f.Wire, f, faults, *cond.Match)
	}
}

// expression checks a regular expression. YAML reads "\b" in double quotes as a backspace.
func (c *checker) expression(text spec.Text) {
	if strings.ContainsRune(text.V, '\b') {
		c.report("E-regexp", text.Span, `the text contains a backspace, which is what "\b" is in double quotes`,
			`write the expression in single quotes, where \b is the boundary of a word`)
		return
	}
	_, err := regexp.Compile(text.V)
	if err == nil {
		return
	}
	at, message := text.Span, err.Error()
	if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
		message = bad.Code.String()
		if i := strings.Index(text.V, bad.Expr); i >= 0 && bad.Expr != "" {
			at = c.t.Locate(text, i, len(bad.Expr))
			message += " in " + strconv.Quote(bad.Expr)
		}
	}
	c.report("E-regexp", at, "the regular expression does not compile: "+message,
		`write RE2, in single quotes; a backslash before ( ) [ ] { } . * + ? ^ $ | \ makes it plain text`)
}

// removalDays checks the last days of deprecated codes.
func removalDays(c *checker) {
	for _, k := range c.m.Codes {
		day := k.Decl.RemoveAfter
		if !day.Set {
			continue
		}
		if _, err := time.Parse(time.DateOnly, day.V); err != nil {
			c.report("E-value", day.Span, fmt.Sprintf("remove_after: %q is not a day", day.V),
				"write a date such as 2027-01-31")
		} else if !k.Decl.Deprecated.Set {
			c.report("E-value", day.Span, "remove_after: "+k.Name+" is not deprecated",
				`set "deprecated" to the reason, or remove the key`)
		}
	}
}
