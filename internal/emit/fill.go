package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// classifiesCategory reports whether evidence can become an error of the category.
func classifiesCategory(m *model.Package, c *model.Category) bool {
	return slices.ContainsFunc(c.Codes, func(code *model.Code) bool { return classifiesCode(m, code) })
}

// fromEvidence returns the function that returns an error filled from evidence. Generated code
// calls the function directly, so that the compiler can keep evidence on the stack.
func (g *generator) fromEvidence() string {
	targets := slices.DeleteFunc(slices.Clone(g.m.Categories), func(c *model.Category) bool {
		return !classifiesCategory(g.m, c)
	})
	body := "code := uint16(row.Code())\n" + g.errorOf(targets[len(targets)-1]) + "\n"
	if len(targets) > 1 {
		var cases strings.Builder
		for i, c := range targets {
			label := "case " + c.Var
			if i+1 == len(targets) {
				label = "default"
			}
			cases.WriteString(label + ":\n" + g.errorOf(c) + "\n")
		}
		body = "switch code := uint16(row.Code()); row.Category() {\n" + cases.String() + "}\n"
	}
	return "// fromEvidence returns an error of a row's code, filled from evidence.\n" +
		"func fromEvidence(row taxonomy.Row, ev *taxonomy.Evidence) taxonomy.Error {\n" + body + "}"
}

// errorOf returns the statements that return an error of a category filled from evidence.
func (g *generator) errorOf(c *model.Category) string {
	literal := c.Type + fill([]string{"base: gen.Made[" + c.CodeType + "](code, ev.Err)"}, c.Fields)
	var cases []string
	last := "return &" + literal
	for _, code := range c.Codes {
		if code.Own != nil && classifiesCode(g.m, code) {
			base := c.OwnFields + ": " + c.OwnFields + "{" + literal + "}"
			last = "return &" + code.Own.Type + fill([]string{base}, ownFields(g.m, code.Own))
			cases = append(cases, "case "+code.Const+":\n"+last+"\n")
		}
	}
	if slices.ContainsFunc(c.Codes, func(code *model.Code) bool {
		return code.Own == nil && classifiesCode(g.m, code)
	}) {
		last = "return &" + literal
	} else {
		cases = cases[:len(cases)-1]
	}
	if len(cases) == 0 {
		return last
	}
	return "switch " + c.CodeType + "(code) {\n" + strings.Join(cases, "") + "}\n" + last
}

// fill returns a literal's braces with the given elements and the fields that evidence fills.
func fill(elements []string, fields []*model.Field) string {
	for _, f := range fields {
		if value := filled(f); value != "" {
			elements = append(elements, f.Go+": "+value)
		}
	}
	return braces(elements, false)
}

// objectFrom returns the method that returns an object filled from evidence. The object is absent
// if evidence has a value for none of its fields.
func objectFrom(o *model.Object) string {
	var params, reads, found, values []string
	for _, f := range o.Fields {
		value := ""
		if !fillable(f) {
			value = filled(f)
		} else {
			params, reads = append(params, f.Param), append(reads, read(f))
			found = append(found, presenceTest(f))
			value = stored(f, f.Param)
		}
		if value != "" {
			values = append(values, f.Go+": "+value)
		}
	}
	return fmt.Sprintf(`// from returns the %[1]s in evidence, if evidence has a value for any of its fields.
func (%[1]s) from(ev *taxonomy.Evidence) taxonomy.Opt[%[1]s] {
	%[2]s := %[3]s
	return gen.SomeIf(%[4]s, %[1]s{%[5]s})
}`, o.Type, strings.Join(params, ", "), strings.Join(reads, ", "), strings.Join(found, " || "),
		strings.Join(values, ", "))
}

// apply returns the function that sets fields of an error; a later value of a field wins.
func apply(c *model.Code, sets ...[]model.FieldValue) string {
	var fields []*model.Field
	values := map[*model.Field]model.Value{}
	for _, s := range slices.Concat(sets...) {
		if !slices.Contains(fields, s.Field) {
			fields = append(fields, s.Field)
		}
		values[s.Field] = s.Value
	}
	owner := "e.(*" + c.ErrorType().Type + ")"
	var body []string
	if len(fields) > 1 {
		body, owner = append(body, "x := "+owner), "x"
	}
	for _, f := range fields {
		body = append(body, owner+"."+f.Go+" = "+fixed(f, values[f]))
	}
	const head, maxInLine = "func(e taxonomy.Error) {", 100 // as gofmt
	if text := strings.Join(body, "; "); len(body) <= 5 && len(head)-2+len(text) <= maxInLine {
		return head + " " + text + " }"
	}
	return head + "\n" + strings.Join(body, "\n") + "\n}"
}

// filled returns the value that evidence gives a field; "" means the zero value.
func filled(f *model.Field) string {
	isText := f.Type == model.String && allTexts(f) // an empty text counts as absent
	switch {
	case !fillable(f):
		return unfilled(f)
	case isText && f.Default != nil:
		return wrap(f, firstText(f, f.Default.Str))
	case isText && f.Required && !f.Sensitive:
		return firstText(f, "")
	}
	return stored(f, read(f))
}

// stored converts a value that was read, an Opt or a list, to the type of the field.
func stored(f *model.Field, value string) string {
	isList := f.Type == model.Strings || f.Type == model.JSON
	switch {
	case isList && f.Default != nil:
		value = call("FirstList", value, typed(f, constant(f, *f.Default)))
	case f.Default != nil:
		return wrap(f, value+".Or("+typed(f, constant(f, *f.Default))+")")
	case f.Type == model.ObjectType && f.Required:
		return wrap(f, value+".Or("+defaultObject(f.Object)+")")
	case f.Required && !f.Sensitive && !isList:
		return value + ".Or(" + zero(f) + ")"
	}
	switch {
	case f.Sensitive && isList:
		return call("SealList", value)
	case f.Sensitive:
		return call("Seal", value)
	}
	return value
}

// zero returns the value of a required field that evidence does not fill.
func zero(f *model.Field) string {
	if f.Type == model.EnumType {
		return "0"
	}
	return constant(f, model.Value{})
}

// defaultObject returns a required object that evidence does not fill.
func defaultObject(o *model.Object) string {
	var values []string
	for _, f := range o.Fields {
		if value := unfilled(f); value != "" {
			values = append(values, f.Go+": "+value)
		}
	}
	return o.Type + "{" + strings.Join(values, ", ") + "}"
}

// unfilled returns the value of a field that evidence does not fill; "" means the zero value.
func unfilled(f *model.Field) string {
	if f.Default != nil {
		return fixed(f, *f.Default)
	}
	if f.Type == model.ObjectType && f.Required {
		if object := defaultObject(f.Object); f.Sensitive || object != f.Object.Type+"{}" {
			return wrap(f, object)
		}
	}
	return ""
}

// read returns the value that evidence has for a field: an Opt, or a list that may be nil.
func read(f *model.Field) string {
	if f.Type == model.ObjectType {
		return f.Object.Type + "{}.from(ev)"
	}
	if f.Type == model.String && allTexts(f) {
		return call("NonZero", firstText(f, ""))
	}
	values := eachText(f.From, func(from string) string { return readFrom(f, from) })
	switch {
	case len(values) == 1:
		return values[0]
	case f.Type == model.Strings || f.Type == model.JSON:
		return call("FirstList", values...)
	}
	return call("First", values...)
}

// readFrom returns the value of one key of evidence for a field.
func readFrom(f *model.Field, from string) string {
	switch from {
	case "status":
		return readNumber(f, call("NonZero", "ev.Status"))
	case "exit_code":
		return readNumber(f, "ev.ExitCode")
	case "files":
		return call("ReadStrings", "ev.Files")
	case "retry_after":
		return "ev.RetryAfter"
	case "reset_at":
		return call("Instant", "ev.ResetAt")
	}
	switch f.Type {
	case model.String:
		return call("NonZero", textOf(from))
	case model.EnumType:
		return call("ReadWord["+f.Enum.Type+"]", textOf(from), f.Enum.Var)
	default:
		return call("Read"+typeWord(f), textOf(from))
	}
}

// readNumber converts a number of evidence to the type of the field.
func readNumber(f *model.Field, number string) string {
	switch f.Type {
	case model.Int64:
		return call("Widen", number)
	case model.String:
		return call("Digits", number)
	default:
		return number
	}
}

// call returns a call of a function of package gen.
func call(function string, args ...string) string {
	return "gen." + function + "(" + strings.Join(args, ", ") + ")"
}

// firstText returns the first text that is not empty of those that fill a field, or else the given
// one.
func firstText(f *model.Field, otherwise string) string {
	texts := eachText(f.From, textOf)
	if otherwise != "" {
		texts = append(texts, quote(otherwise))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "cmp.Or(" + strings.Join(texts, ", ") + ")"
}

// textOf returns the text under a key of evidence.
func textOf(from string) string {
	if name, ok := strings.CutPrefix(from, "attributes."); ok {
		return "ev.Attribute(" + quote(name) + ")"
	}
	part, _ := naming.Suffix(from)
	return "ev." + part
}

// allTexts reports whether no number fills the field.
func allTexts(f *model.Field) bool {
	return !slices.Contains(f.From, "status") && !slices.Contains(f.From, "exit_code")
}

// presenceTest returns the expression that tests whether the variable of a field has a value.
func presenceTest(f *model.Field) string {
	if f.Type == model.Strings || f.Type == model.JSON {
		return f.Param + " != nil"
	}
	return "!" + f.Param + ".IsZero()"
}

// fillable reports whether evidence can fill a field or a part of it.
func fillable(f *model.Field) bool {
	return len(f.From) > 0 || f.Object != nil && slices.ContainsFunc(f.Object.Fields, fillable)
}
