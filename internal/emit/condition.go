package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// conditions names the optional values that the branches of a code test: v and ok where it is one.
type conditions struct {
	fields []*model.Field
	valued map[*model.Field]bool // tested for more than being there
}

// nameConditions finds the optional fields that c's branches test.
func nameConditions(c *model.Code) conditions {
	names := conditions{valued: map[*model.Field]bool{}}
	for _, b := range c.When {
		for _, cond := range b.Conds {
			if !cond.Field.Optional() {
				continue
			}
			if _, known := names.valued[cond.Field]; !known {
				names.fields = append(names.fields, cond.Field)
			}
			names.valued[cond.Field] = names.valued[cond.Field] || testsValue(cond)
		}
	}
	return names
}

func testsValue(c model.Cond) bool {
	return len(c.Values) > 0 || c.Min != nil || c.Max != nil || len(c.Not) > 0 || len(c.Prefix) > 0
}

// init reads the one optional value, as the initial statement of an if or a switch.
func (n conditions) init() jen.Code {
	if len(n.fields) != 1 {
		return jen.Null()
	}
	return n.read(n.fields[0])
}

// hoisted reads the optional values as statements before the choice, when there are several.
func (n conditions) hoisted() []jen.Code {
	if len(n.fields) <= 1 {
		return nil
	}
	return each(n.fields, n.read)
}

func (n conditions) read(f *model.Field) jen.Code {
	value, present := n.names(f)
	if !n.valued[f] {
		value = "_"
	}
	return jen.List(jen.Id(value), jen.Id(present)).Op(":=").Id("e").Dot(f.Go).Dot("Get").Call()
}

func (n conditions) names(f *model.Field) (value, present string) {
	if len(n.fields) == 1 {
		return "v", "ok"
	}
	for i, field := range n.fields {
		if field == f {
			return fmt.Sprintf("v%d", i+1), fmt.Sprintf("ok%d", i+1)
		}
	}
	return "", ""
}

// term is a test. If or is true, the test consists of several joined by ||.
type term struct {
	jen.Code
	or bool
}

// all joins conditions that must all hold.
func (n conditions) all(conds []model.Cond) jen.Code {
	var terms []term
	for _, c := range conds {
		terms = append(terms, n.terms(c)...)
	}
	if len(terms) == 1 {
		return terms[0].Code
	}
	return joined("&&", each(terms, func(t term) jen.Code {
		if t.or {
			return jen.Parens(t.Code)
		}
		return t.Code
	}))
}

// terms returns the tests of one field. All of them must hold. An absent field matches
// `present: false` only.
func (n conditions) terms(c model.Cond) []term {
	f := c.Field
	if !testsValue(c) && c.Present != nil && !*c.Present {
		return []term{{Code: n.absent(f)}}
	}
	terms := n.present(c)
	if len(c.Values) > 0 {
		terms = append(terms, anyOf(c.Values, func(v model.Value) jen.Code { return equal(f, n.value(f), v) }))
	}
	if c.Min != nil {
		terms = append(terms, term{Code: atLeast(f, n.value(f), *c.Min)})
	}
	if c.Max != nil {
		terms = append(terms, term{Code: atMost(f, n.value(f), *c.Max)})
	}
	for _, v := range c.Not {
		terms = append(terms, term{Code: different(f, n.value(f), v)})
	}
	if len(c.Prefix) > 0 {
		terms = append(terms, anyOf(c.Prefix, func(p string) jen.Code { return hasPrefix(f, n.value(f), p) }))
	}
	if len(terms) == 0 {
		return []term{{Code: jen.True()}}
	}
	return terms
}

func (n conditions) value(f *model.Field) *jen.Statement {
	if f.Optional() {
		value, _ := n.names(f)
		return jen.Id(value)
	}
	return jen.Id("e").Dot(f.Go)
}

// present is the test that a condition's field is there, or none when that goes without saying.
func (n conditions) present(c model.Cond) []term {
	f := c.Field
	switch {
	case f.Optional():
		_, present := n.names(f)
		return []term{{Code: jen.Id(present)}}
	case f.Type == model.EnumType && len(c.Values) == 0:
		return []term{{Code: jen.Id("e").Dot(f.Go).Op("!=").Lit(0)}}
	case !f.Required:
		return []term{{Code: jen.Id("e").Dot(f.Go).Op("!=").Nil()}}
	default:
		return nil
	}
}

func (n conditions) absent(f *model.Field) jen.Code {
	switch {
	case f.Optional():
		_, present := n.names(f)
		return jen.Op("!").Id(present)
	case f.Type == model.EnumType:
		return jen.Id("e").Dot(f.Go).Op("==").Lit(0)
	case !f.Required:
		return jen.Id("e").Dot(f.Go).Op("==").Nil()
	default:
		return jen.False()
	}
}

// anyOf joins the tests of each item.
func anyOf[T any](items []T, test func(T) jen.Code) term {
	return term{Code: joined("||", each(items, test)), or: len(items) > 1}
}

func joined(op string, terms []jen.Code) jen.Code {
	s := jen.Add(terms[0])
	for _, term := range terms[1:] {
		s.Op(op).Add(term)
	}
	return s
}

// equal and different compare values of comparable types. Conditions test lists, JSON and objects
// for presence only.
func equal(f *model.Field, value *jen.Statement, v model.Value) jen.Code {
	switch f.Type {
	case model.Bool:
		if v.Bool {
			return value
		}
		return jen.Op("!").Add(value)
	case model.Time:
		return value.Dot("Equal").Call(constant(f, v))
	default:
		return value.Op("==").Add(constant(f, v))
	}
}

func different(f *model.Field, value *jen.Statement, v model.Value) jen.Code {
	switch f.Type {
	case model.Bool:
		v.Bool = !v.Bool
		return equal(f, value, v)
	case model.Time:
		return jen.Op("!").Add(equal(f, value, v))
	default:
		return value.Op("!=").Add(constant(f, v))
	}
}

func atLeast(f *model.Field, value *jen.Statement, v model.Value) jen.Code {
	if f.Type == model.Time {
		return jen.Op("!").Add(value.Dot("Before").Call(constant(f, v)))
	}
	return jen.Add(constant(f, v)).Op("<=").Add(value)
}

func atMost(f *model.Field, value *jen.Statement, v model.Value) jen.Code {
	if f.Type == model.Time {
		return jen.Op("!").Add(value.Dot("After").Call(constant(f, v)))
	}
	return value.Op("<=").Add(constant(f, v))
}

func hasPrefix(f *model.Field, value *jen.Statement, prefix string) jen.Code {
	if f.Type == model.EnumType {
		value = value.Dot("String").Call()
	}
	return jen.Qual(pkgStrings, "HasPrefix").Call(value, jen.Lit(prefix))
}
