package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// classifiesCategory reports whether evidence can become an error of the category.
func classifiesCategory(m *model.Package, c *model.Category) bool {
	return slices.ContainsFunc(c.Codes, func(code *model.Code) bool { return classifiesCode(m, code) })
}

// fromEvidence returns the function that returns an error filled from evidence. Generated code
// calls the function directly, so that the compiler can keep evidence on the stack.
func (g *generator) fromEvidence() jen.Code {
	targets := slices.DeleteFunc(slices.Clone(g.m.Categories), func(c *model.Category) bool {
		return !classifiesCategory(g.m, c)
	})
	code := jen.Id("code").Op(":=").Uint16().Call(jen.Id("row").Dot("Code").Call())
	var body []jen.Code
	if last := len(targets) - 1; last == 0 {
		body = append([]jen.Code{code}, g.errorOf(targets[0])...)
	} else {
		body = []jen.Code{jen.Switch(code, jen.Id("row").Dot("Category").Call()).BlockFunc(func(b *jen.Group) {
			for _, c := range targets[:last] {
				b.Case(jen.Id(c.Var)).Block(g.errorOf(c)...)
			}
			b.Default().Block(g.errorOf(targets[last])...)
		})}
	}
	return documented("fromEvidence returns an error of a row's code, filled from evidence.",
		jen.Func().Id("fromEvidence").
			Params(jen.Id("row").Add(taxonomyName("Row")), jen.Id("ev").Op("*").Add(taxonomyName("Evidence"))).
			Add(taxonomyName("Error")).Block(body...))
}

// errorOf returns the statements that return an error of a category filled from evidence.
func (g *generator) errorOf(c *model.Category) []jen.Code {
	base := keyed("base", genName("Made").Types(jen.Id(c.CodeType)).Call(jen.Id("code"), jen.Id("ev").Dot("Err")))
	values := fill([]jen.Code{base}, c.Fields)
	plain := jen.Return(addressOf(c.Type).Add(values))
	isPlain := func(code *model.Code) bool { return code.OwnType == nil && classifiesCode(g.m, code) }
	var owns []*model.Code
	for _, code := range c.Codes {
		if code.OwnType != nil && classifiesCode(g.m, code) {
			owns = append(owns, code)
		}
	}
	own := func(code *model.Code) jen.Code {
		return jen.Return(addressOf(code.OwnType.Type).
			Add(fill([]jen.Code{embedded(code, values)}, ownFields(g.m, code.OwnType))))
	}
	last := jen.Code(plain)
	if !slices.ContainsFunc(c.Codes, isPlain) {
		last, owns = own(owns[len(owns)-1]), owns[:len(owns)-1]
	}
	if len(owns) == 0 {
		return []jen.Code{last}
	}
	cases := codes(owns, func(code *model.Code) jen.Code { return jen.Case(jen.Id(code.Const)).Block(own(code)) })
	return []jen.Code{jen.Switch(jen.Id(c.CodeType).Call(jen.Id("code"))).Block(cases...), last}
}

// fill returns a literal's braces with the given elements and the fields that evidence fills.
func fill(elements []jen.Code, fields []*model.Field) jen.Code {
	return few(append(elements, elementsOf(fields, filled)...)...)
}

// elementsOf returns the elements of a literal that set fields. A nil value is left out.
func elementsOf(fields []*model.Field, value func(*model.Field) *jen.Statement) []jen.Code {
	var elements []jen.Code
	for _, f := range fields {
		if v := value(f); v != nil {
			elements = append(elements, keyed(f.Go, v))
		}
	}
	return elements
}

// objectFrom returns the method that returns an object filled from evidence. The object is absent
// if evidence has a value for none of its fields.
func objectFrom(o *model.Object) jen.Code {
	var params, reads, found []jen.Code
	values := elementsOf(o.Fields, func(f *model.Field) *jen.Statement {
		if !fillable(f) {
			return filled(f)
		}
		params, reads = append(params, jen.Id(f.Param)), append(reads, read(f))
		found = append(found, presenceTest(f))
		return stored(f, jen.Id(f.Param))
	})
	return documented("from returns the "+o.Type+" in evidence, if evidence has a value for any of its fields.",
		jen.Func().Params(jen.Id(o.Type)).Id("from").Params(jen.Id("ev").Op("*").Add(taxonomyName("Evidence"))).
			Add(taxonomyName("Opt")).Types(jen.Id(o.Type)).Block(
			jen.List(params...).Op(":=").List(reads...),
			jen.Return(genName("SomeIf").Call(operators("||", found), jen.Id(o.Type).Values(values...)))))
}

// apply returns the function that sets fields of an error; a later value of a field wins.
func apply(c *model.Code, sets ...[]model.FieldValue) jen.Code {
	var fields []*model.Field
	values := map[*model.Field]model.Value{}
	for _, s := range slices.Concat(sets...) {
		if !slices.Contains(fields, s.Field) {
			fields = append(fields, s.Field)
		}
		values[s.Field] = s.Value
	}
	function := jen.Func().Params(jen.Id("e").Add(taxonomyName("Error")))
	asserted := jen.Id("e").Assert(jen.Op("*").Id(c.ErrorType().Type))
	set := func(owner *jen.Statement, f *model.Field) jen.Code {
		return owner.Dot(f.Go).Op("=").Add(fixed(f, values[f]))
	}
	if len(fields) == 1 {
		return function.Add(inLine(set(asserted, fields[0])))
	}
	return function.BlockFunc(func(b *jen.Group) {
		b.Id("x").Op(":=").Add(asserted)
		for _, f := range fields {
			b.Add(set(jen.Id("x"), f))
		}
	})
}

// filled returns the value that evidence gives a field; nil means the zero value.
func filled(f *model.Field) *jen.Statement {
	isText := f.Type == model.String && allTexts(f) // an empty text counts as absent
	switch {
	case !fillable(f):
		return unfilled(f)
	case isText && f.Default != nil:
		return wrapped(f, firstText(f, f.Default.Str))
	case isText && f.Required && !f.Sensitive:
		return firstText(f, "")
	}
	return stored(f, read(f))
}

// stored converts a value that was read, an Opt or a list, to the type of the field.
func stored(f *model.Field, value *jen.Statement) *jen.Statement {
	isList := f.Type == model.Strings || f.Type == model.JSON
	or := func(otherwise jen.Code) *jen.Statement { return jen.Add(value).Dot("Or").Call(otherwise) }
	switch {
	case isList && f.Default != nil:
		value = genName("FirstList").Call(value, typed(f, constant(f, *f.Default)).code())
	case f.Default != nil:
		return wrapped(f, or(typed(f, constant(f, *f.Default)).code()))
	case f.Type == model.ObjectType && f.Required:
		return wrapped(f, or(defaultObject(f.Object)))
	case f.Required && !f.Sensitive && !isList:
		return or(zero(f))
	}
	switch {
	case f.Sensitive && isList:
		return genName("SealList").Call(value)
	case f.Sensitive:
		return genName("Seal").Call(value)
	}
	return value
}

// zero returns the value of a required field that evidence does not fill.
func zero(f *model.Field) jen.Code {
	if f.Type == model.EnumType {
		return jen.Lit(0)
	}
	return constant(f, model.Value{}).code()
}

// defaultObject returns a required object that evidence does not fill.
func defaultObject(o *model.Object) jen.Code {
	return jen.Id(o.Type).Values(elementsOf(o.Fields, unfilled)...)
}

// unfilled returns the value of a field that evidence does not fill; nil means the zero value.
func unfilled(f *model.Field) *jen.Statement {
	if f.Default != nil {
		return fixed(f, *f.Default)
	}
	if f.Type == model.ObjectType && f.Required &&
		(f.Sensitive || len(elementsOf(f.Object.Fields, unfilled)) > 0) {
		return wrapped(f, defaultObject(f.Object))
	}
	return nil
}

// read returns the value that evidence has for a field: an Opt, or a list that may be nil.
func read(f *model.Field) *jen.Statement {
	if f.Type == model.ObjectType {
		return jen.Id(f.Object.Type).Values().Dot("from").Call(jen.Id("ev"))
	}
	if f.Type == model.String && allTexts(f) {
		return genName("NonZero").Call(firstText(f, ""))
	}
	values := each(f.From, func(from string) *jen.Statement { return readFrom(f, from) })
	switch {
	case len(values) == 1:
		return values[0]
	case f.Type == model.Strings || f.Type == model.JSON:
		return genName("FirstList").Call(statements(values)...)
	}
	return genName("First").Call(statements(values)...)
}

// readFrom returns the value of one key of evidence for a field.
func readFrom(f *model.Field, from string) *jen.Statement {
	switch from {
	case "status":
		return readNumber(f, genName("NonZero").Call(evidence("Status")))
	case "exit_code":
		return readNumber(f, evidence("ExitCode"))
	case "files":
		return genName("ReadStrings").Call(evidence("Files"))
	case "retry_after":
		return evidence("RetryAfter")
	case "reset_at":
		return genName("Instant").Call(evidence("ResetAt"))
	}
	switch f.Type {
	case model.String:
		return genName("NonZero").Call(textOf(from))
	case model.EnumType:
		return genName("ReadWord").Types(jen.Id(f.Enum.Type)).Call(textOf(from), jen.Id(f.Enum.Var))
	default:
		return genName("Read" + typeWord(f)).Call(textOf(from))
	}
}

// evidence returns a field of the evidence.
func evidence(field string) *jen.Statement { return jen.Id("ev").Dot(field) }

// readNumber converts a number of evidence to the type of the field.
func readNumber(f *model.Field, number *jen.Statement) *jen.Statement {
	switch f.Type {
	case model.Int64:
		return genName("Widen").Call(number)
	case model.String:
		return genName("Digits").Call(number)
	default:
		return number
	}
}

// firstText returns the first text that is not empty of those that fill a field, or else the given
// one.
func firstText(f *model.Field, otherwise string) *jen.Statement {
	texts := each(f.From, textOf)
	if otherwise != "" {
		texts = append(texts, str(otherwise))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return jen.Qual("cmp", "Or").Call(statements(texts)...)
}

// textOf returns the text under a key of evidence.
func textOf(from string) *jen.Statement {
	if name, ok := strings.CutPrefix(from, "attributes."); ok {
		return evidence("Attribute").Call(str(name))
	}
	part, _ := naming.Suffix(from)
	return evidence(part)
}

// allTexts reports whether no number fills the field.
func allTexts(f *model.Field) bool {
	return !slices.Contains(f.From, "status") && !slices.Contains(f.From, "exit_code")
}

// presenceTest returns the expression that tests whether the variable of a field has a value.
func presenceTest(f *model.Field) jen.Code {
	if f.Type == model.Strings || f.Type == model.JSON {
		return jen.Id(f.Param).Op("!=").Nil()
	}
	return jen.Op("!").Id(f.Param).Dot("IsZero").Call()
}

// fillable reports whether evidence can fill a field or a part of it.
func fillable(f *model.Field) bool {
	return len(f.From) > 0 || f.Object != nil && slices.ContainsFunc(f.Object.Fields, fillable)
}
