package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// rowMethod returns the method that selects an error's row.
func rowMethod(c *model.Category) jen.Code {
	var cases []jen.Code
	internal := false
	for _, code := range c.Codes {
		if hasBranches(code) && code.ErrorType() == c {
			cases = append(cases, jen.Case(jen.Id(code.Const)).Block(rowChoice(code)...))
			internal = internal || selectsInternally(code)
		}
	}
	row := func(name string) *jen.Statement {
		return pointerMethod("e", c.Type, name).Params().Add(taxonomyName("Row"))
	}
	ownRow := errorCode().Dot("Row").Call()
	if len(cases) == 0 {
		return row("Row").Add(returning(ownRow))
	}
	choice := jen.Block(jen.Switch(errorCode()).Block(cases...), jen.Return(ownRow))
	if !internal {
		return row("Row").Add(choice)
	}
	sent := genName("Sent").Call(jen.Op("&").Id("e").Dot("base"), jen.Id("e").Dot("row").Call())
	return row("Row").Add(returning(sent)).Line().Line().Add(row("row"), choice)
}

// hasBranches reports whether a branch of the code selects a row other than the row of the code.
func hasBranches(c *model.Code) bool {
	return slices.ContainsFunc(c.Branches, func(b *model.Branch) bool { return b.Row != c.Row })
}

// selectsInternally reports whether clients cannot select the branch of a public code.
func selectsInternally(c *model.Code) bool {
	return c.Public && slices.ContainsFunc(c.Branches, func(b *model.Branch) bool {
		return slices.ContainsFunc(b.Conds, func(cond model.Cond) bool { return !cond.Field.Public })
	})
}

// rowChoice returns the statements that select one of a code's branches. If no branch matches, they
// do not return.
func rowChoice(c *model.Code) []jen.Code {
	t := branchTests{valued: map[*model.Field]bool{}}
	for _, b := range c.Branches {
		for _, cond := range b.Conds {
			t.add(cond)
		}
	}
	row := func(b *model.Branch) jen.Code {
		return jen.Return(jen.Id(c.Const).Dot("Row").Call().Dot("When").Call(jen.Lit(b.Row.At.Branch())))
	}
	reads := codes(t.fields, func(f *model.Field) jen.Code {
		value, present := t.names(f)
		if !t.valued[f] {
			value = "_"
		}
		return jen.List(jen.Id(value), jen.Id(present)).Op(":=").Id("e").Dot(f.Go).Dot("Get").Call()
	})
	var clauses []jen.Code // the clauses of the if or the switch before its condition
	if len(reads) == 1 {
		clauses, reads = reads, nil
	}
	if len(c.Branches) == 1 {
		clauses = append(clauses, t.all(c.Branches[0].Conds))
		return append(reads, jen.If(clauses...).Block(row(c.Branches[0])))
	}
	if len(clauses) > 0 {
		clauses = append(clauses, jen.Empty())
	}
	return append(reads, jen.Switch(clauses...).BlockFunc(func(g *jen.Group) {
		for _, b := range c.Branches {
			if choice := g.Case(t.all(b.Conds)); b.Row == c.Row {
				choice.Comment("// as the code itself")
			} else {
				choice.Block(row(b))
			}
		}
	}))
}

// branchTests makes the tests of a code's branches.
type branchTests struct {
	fields []*model.Field        // the optional ones that branches test
	valued map[*model.Field]bool // whether more than the presence is tested
}

func (t *branchTests) add(c model.Cond) {
	if !c.Field.Optional() {
		return
	}
	if !slices.Contains(t.fields, c.Field) {
		t.fields = append(t.fields, c.Field)
	}
	t.valued[c.Field] = t.valued[c.Field] || testsValue(c)
}

// testsValue reports whether a condition tests more than the presence of a value.
func testsValue(c model.Cond) bool {
	return len(c.Values) > 0 || c.Min != nil || c.Max != nil || len(c.Not) > 0 || len(c.Prefix) > 0
}

// names returns the variables for an optional field: v and ok, followed by a number if there are
// several such fields.
func (t *branchTests) names(f *model.Field) (value, present string) {
	if len(t.fields) == 1 {
		return "v", "ok"
	}
	i := slices.Index(t.fields, f) + 1
	return fmt.Sprintf("v%d", i), fmt.Sprintf("ok%d", i)
}

// all joins conditions that must all hold.
func (t *branchTests) all(conds []model.Cond) jen.Code {
	var terms [][]jen.Code
	for _, c := range conds {
		terms = append(terms, t.terms(c)...)
	}
	if len(terms) == 1 {
		return operators("||", terms[0])
	}
	return operators("&&", codes(terms, func(anyOf []jen.Code) jen.Code {
		if len(anyOf) == 1 {
			return anyOf[0]
		}
		return jen.Parens(operators("||", anyOf))
	}))
}

// terms returns the tests of one field: each list must have one test that holds. An absent
// field matches `present: false` only.
func (t *branchTests) terms(c model.Cond) [][]jen.Code {
	f, field := c.Field, func() *jen.Statement { return jen.Id("e").Dot(c.Field.Go) }
	value, present, absent := field, jen.Code(nil), jen.Code(jen.False())
	switch {
	case f.Optional():
		name, ok := t.names(f)
		value = func() *jen.Statement { return jen.Id(name) }
		present, absent = jen.Id(ok), jen.Op("!").Id(ok)
	case f.Type == model.EnumType:
		present, absent = field().Op("!=").Lit(0), field().Op("==").Lit(0)
	case !f.Required:
		present, absent = field().Op("!=").Nil(), field().Op("==").Nil()
	}
	if !testsValue(c) && c.Present != nil && !*c.Present {
		return [][]jen.Code{{absent}}
	}
	var terms [][]jen.Code
	if present != nil && (f.Optional() || f.Type != model.EnumType || len(c.Values) == 0) {
		terms = append(terms, []jen.Code{present})
	}
	if len(c.Values) > 0 {
		terms = append(terms, codes(c.Values, func(v model.Value) jen.Code { return compare(f, value(), "==", v) }))
	}
	if c.Min != nil {
		terms = append(terms, []jen.Code{compare(f, value(), ">=", *c.Min)})
	}
	if c.Max != nil {
		terms = append(terms, []jen.Code{compare(f, value(), "<=", *c.Max)})
	}
	for _, v := range c.Not {
		terms = append(terms, []jen.Code{compare(f, value(), "!=", v)})
	}
	if len(c.Prefix) > 0 {
		terms = append(terms, codes(c.Prefix, func(prefix string) jen.Code {
			text := value()
			if f.Type == model.EnumType {
				text.Dot("String").Call()
			}
			return jen.Qual("strings", "HasPrefix").Call(text, str(prefix))
		}))
	}
	if len(terms) == 0 {
		return [][]jen.Code{{jen.True()}}
	}
	return terms
}

// compare returns the comparison of a value with a constant. Conditions test lists, JSON and
// objects for presence only.
func compare(f *model.Field, value *jen.Statement, op string, v model.Value) jen.Code {
	switch f.Type {
	case model.Bool:
		if v.Bool == (op == "==") {
			return value
		}
		return jen.Op("!").Add(value)
	case model.Time:
		test := value.Dot(map[string]string{"==": "Equal", "!=": "Equal", ">=": "Before", "<=": "After"}[op]).
			Call(instant(v.Time).code())
		if op != "==" {
			return jen.Op("!").Add(test)
		}
		return test
	}
	if op == ">=" && f.Type != model.EnumType { // as a range is written: 400 <= v && v <= 499
		return constant(f, v).code().Op("<=").Add(value)
	}
	return value.Op(op).Add(constant(f, v).code())
}

// hintsMethod returns the method that returns the fields that the runtime reads. If the category
// has none, it returns nil.
func hintsMethod(c *model.Category) jen.Code {
	values := hints(c)
	if values == nil {
		return nil
	}
	return pointerMethod("e", c.Type, "Hints").Params().Add(taxonomyName("Hints")).
		Block(jen.Return(taxonomyName("Hints").Values(values...)))
}

// hintRoles are the roles of fields that become hints.
var hintRoles = []struct {
	role model.Role
	hint string
	typ  model.Type
	none jen.Code // the value of an absent field; nil if the hint itself may be absent
	set  func(*taxonomy.Hints, model.Value)
}{
	{model.RoleRetryAfter, "RetryAfter", model.Duration, nil,
		func(h *taxonomy.Hints, v model.Value) { h.RetryAfter = taxonomy.Some(v.Duration) }},
	{model.RoleResetAt, "ResetAt", model.Time, nil,
		func(h *taxonomy.Hints, v model.Value) { h.ResetAt = taxonomy.Some(v.Time) }},
	{model.RoleFiles, "Files", model.Strings, jen.Nil(),
		func(h *taxonomy.Hints, v model.Value) { h.Files = v.Strings }},
	{model.RoleCredential, "Credential", model.String, jen.Lit(""),
		func(h *taxonomy.Hints, v model.Value) { h.Credential = v.Str }},
	{model.RoleOutput, "Output", model.String, jen.Lit(""),
		func(h *taxonomy.Hints, v model.Value) { h.Output = v.Str }},
}

// hints returns the hints that the fields of a category hold.
func hints(c *model.Category) []jen.Code {
	var hints []jen.Code
	for _, r := range hintRoles {
		f := c.WithRole(r.role)
		if f == nil || f.Type != r.typ {
			continue
		}
		value, isOpt := jen.Id("e").Dot(f.Go), f.Optional()
		if f.Sensitive {
			value, isOpt = genName("Revealed").Call(value), true
		}
		switch {
		case isOpt && r.none != nil:
			value.Dot("Or").Call(r.none)
		case !isOpt && r.none == nil:
			value = taxonomyName("Some").Call(value)
		}
		hints = append(hints, keyed(r.hint, value))
	}
	return hints
}
