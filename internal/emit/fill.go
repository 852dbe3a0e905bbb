package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// makes reports whether evidence can become an error of the category.
func makes(m *model.Package, c *model.Category) bool {
	for _, code := range m.SourceFallbacks {
		if code.Category == c {
			return true
		}
	}
	return m.Fallback != nil && m.Fallback.Category == c ||
		slices.ContainsFunc(m.Rules, func(r *model.Rule) bool { return r.Code.Category == c })
}

// fromEvidence makes the function that returns an error filled from evidence. Every caller knows
// it, so that evidence need not be on the heap.
func fromEvidence(m *model.Package, l *literals) jen.Code {
	made := slices.DeleteFunc(slices.Clone(m.Categories), func(c *model.Category) bool { return !makes(m, c) })
	body := "code := uint16(row.Code())\n" + l.errorOf(m, made[len(made)-1]) + "\n"
	if len(made) > 1 {
		var cases strings.Builder
		for i, c := range made {
			label := "case " + c.Var
			if i+1 == len(made) {
				label = "default"
			}
			cases.WriteString(label + ":\n" + l.errorOf(m, c) + "\n")
		}
		body = "switch code := uint16(row.Code()); row.Category() {\n" + cases.String() + "}\n"
	}
	return jen.Add(comment("fromEvidence returns an error of a row's code, filled from evidence.")).
		Func().Id("fromEvidence").
		Params(jen.Id("row").Add(runtimeType("Row")), jen.Id("ev").Op("*").Add(runtimeType("Evidence"))).
		Add(runtimeType("Error")).
		Op("{\n" + body + "}")
}

// errorOf returns the statements that return an error of a category filled from evidence.
func (l *literals) errorOf(m *model.Package, c *model.Category) string {
	error := c.Type + l.fill([]string{"base: gen.Made[" + c.CodeType + "](code, ev.Err)"}, c.Fields)
	var cases []string
	last := "return &" + error
	for _, code := range c.Codes {
		if code.Own != nil && made(m, code) {
			base := c.OwnFields + ": " + c.OwnFields + "{" + error + "}"
			last = "return &" + code.Own.Type + l.fill([]string{base}, ownFields(m, code.Own))
			cases = append(cases, "case "+code.Const+":\n"+last+"\n")
		}
	}
	if slices.ContainsFunc(c.Codes, func(code *model.Code) bool { return code.Own == nil && made(m, code) }) {
		last = "return &" + error
	} else {
		cases = cases[:len(cases)-1]
	}
	if len(cases) == 0 {
		return last
	}
	return "switch " + c.CodeType + "(code) {\n" + strings.Join(cases, "") + "}\n" + last
}

// fill returns elements and the fields that evidence fills, in braces.
func (l *literals) fill(elements []string, fields []*model.Field) string {
	for _, f := range fields {
		if value := l.filled(f); value != "" {
			elements = append(elements, f.Go+": "+value)
		}
	}
	return braces(elements, false)
}

// objectFrom makes the method that returns an object filled from evidence. The object is absent if
// evidence has a value for none of its fields.
func objectFrom(l *literals, o *model.Object) jen.Code {
	l.use(pkgTaxonomy, pkgDetect)
	var params, reads, found, values []string
	for _, f := range o.Fields {
		value := ""
		if !fillable(f) {
			value = l.filled(f)
		} else {
			params, reads = append(params, f.Param), append(reads, l.read(f))
			found = append(found, isPresent(f))
			value = l.stored(f, f.Param)
		}
		if value != "" {
			values = append(values, f.Go+": "+value)
		}
	}
	return jen.Op(strings.NewReplacer("$T", o.Type, "$params", strings.Join(params, ", "),
		"$reads", strings.Join(reads, ", "), "$found", strings.Join(found, " || "), "$values",
		strings.Join(values, ", ")).
		Replace(`
// from returns the $T in evidence, if evidence has a value for any of its fields.
func ($T) from(ev *taxonomy.Evidence) taxonomy.Opt[$T] {
	$params := $reads
	return detect.SomeIf($found, $T{$values})
}`))
}

// apply makes the function that sets fields of an error; a later value of a field wins. It is nil
// without any.
func apply(c *model.Code, sets ...[]model.FieldValue) *jen.Statement {
	var fields []*model.Field
	values := map[*model.Field]model.Value{}
	for _, s := range slices.Concat(sets...) {
		if !slices.Contains(fields, s.Field) {
			fields = append(fields, s.Field)
		}
		values[s.Field] = s.Value
	}
	if len(fields) == 0 {
		return nil
	}
	var owner jen.Code = jen.Id("e").Assert(jen.Op("*").Id(c.ErrorType().Type))
	var body []jen.Code
	if len(fields) > 1 {
		body, owner = append(body, jen.Id("x").Op(":=").Add(owner)), jen.Id("x")
	}
	for _, f := range fields {
		body = append(body, jen.Add(owner).Dot(f.Go).Op("=").Add(fixed(f, values[f])))
	}
	return jen.Func().Params(jen.Id("e").Qual(pkgTaxonomy, "Error")).
		Custom(jen.Options{Open: "{ ", Close: " }", Separator: "; "}, body...)
}

// expression returns the source of an expression, without its imports.
func expression(code jen.Code) string {
	return strings.TrimPrefix(fmt.Sprintf("%#v", jen.Id("_").Op("=").Add(code)), "_ = ")
}

// constant returns the source of an expression that has the value of a field.
func (l *literals) constant(f *model.Field, code jen.Code) string {
	text := expression(code)
	switch f.Type {
	case model.JSON:
		l.use(pkgJSON)
	case model.Duration, model.Time:
		if strings.Contains(text, "time.") {
			l.use(pkgTime)
		}
	}
	return text
}

// filled returns the value that an error of evidence has in a field; "" is the zero value.
func (l *literals) filled(f *model.Field) string {
	switch {
	case f.Type == model.String && len(f.From) > 0 && allTexts(f):
		return l.filledText(f)
	case fillable(f):
		return l.stored(f, l.read(f))
	case f.Default != nil:
		return l.constant(f, fixed(f, *f.Default))
	case f.Type == model.ObjectType && f.Required && f.Sensitive:
		return expression(held(f, jen.Op(l.defaultObject(f.Object))))
	case f.Type == model.ObjectType && f.Required && hasDefaults(f.Object):
		return l.defaultObject(f.Object)
	}
	return ""
}

// filledText returns the value of a text that only texts fill; an empty one is absent.
func (l *literals) filledText(f *model.Field) string {
	switch {
	case f.Default != nil:
		return expression(held(f, jen.Op(l.firstText(f, f.Default.Str))))
	case f.Required && !f.Sensitive:
		return l.firstText(f, "")
	default:
		return l.stored(f, l.read(f))
	}
}

// stored returns the value that a field has for one that was read: an Opt, or a list.
func (l *literals) stored(f *model.Field, value string) string {
	isList := f.Type == model.Strings || f.Type == model.JSON
	switch {
	case isList && f.Default != nil:
		value = l.detect("FirstList", value, l.constant(f, literal(f, *f.Default)))
	case f.Default != nil:
		return expression(held(f, jen.Op(value+".Or("+l.constant(f, literal(f, *f.Default))+")")))
	case f.Type == model.ObjectType && f.Required:
		return expression(held(f, jen.Op(value+".Or("+l.defaultObject(f.Object)+")")))
	case f.Required && !f.Sensitive && !isList:
		return value + ".Or(" + l.zero(f) + ")"
	}
	switch {
	case f.Sensitive && isList:
		return l.detect("SealList", value)
	case f.Sensitive:
		return l.detect("Seal", value)
	}
	return value
}

// zero returns the value of a required field that evidence does not fill.
func (l *literals) zero(f *model.Field) string {
	switch f.Type {
	case model.String:
		return `""`
	case model.Bool:
		return "false"
	case model.Time:
		l.use(pkgTime)
		return "time.Time{}"
	default:
		return "0"
	}
}

// defaultObject returns a required object that evidence does not fill.
func (l *literals) defaultObject(o *model.Object) string {
	var values []string
	for _, f := range o.Fields {
		switch {
		case f.Default != nil:
			values = append(values, f.Go+": "+l.constant(f, fixed(f, *f.Default)))
		case f.Type == model.ObjectType && f.Required && (f.Sensitive || hasDefaults(f.Object)):
			values = append(values, f.Go+": "+expression(held(f, jen.Op(l.defaultObject(f.Object)))))
		}
	}
	return o.Type + "{" + strings.Join(values, ", ") + "}"
}

// hasDefaults reports whether a required object that evidence does not fill is not its zero value.
func hasDefaults(o *model.Object) bool {
	return slices.ContainsFunc(o.Fields, func(f *model.Field) bool {
		return f.Default != nil || f.Type == model.ObjectType && f.Required && (f.Sensitive || hasDefaults(f.Object))
	})
}

// read returns the value that evidence has for a field: an Opt, or a list that may be nil.
func (l *literals) read(f *model.Field) string {
	if f.Type == model.ObjectType {
		return f.Object.Type + "{}.from(ev)"
	}
	if f.Type == model.String && allTexts(f) {
		return l.detect("NonZero", l.firstText(f, ""))
	}
	values := eachText(f.From, func(from string) string { return l.readFrom(f, from) })
	switch {
	case len(values) == 1:
		return values[0]
	case f.Type == model.Strings || f.Type == model.JSON:
		return l.detect("FirstList", values...)
	}
	return l.detect("First", values...)
}

// readFrom returns the value of one key of evidence for a field.
func (l *literals) readFrom(f *model.Field, from string) string {
	switch from {
	case "status":
		return l.readNumber(f, l.detect("NonZero", "ev.Status"))
	case "exit_code":
		return l.readNumber(f, "ev.ExitCode")
	case "files":
		return l.detect("ReadStrings", "ev.Files")
	case "retry_after":
		return "ev.RetryAfter"
	case "reset_at":
		return l.detect("Instant", "ev.ResetAt")
	}
	switch f.Type {
	case model.String:
		return l.detect("NonZero", textOf(from))
	case model.EnumType:
		return l.detect("ReadWord["+f.Enum.Type+"]", textOf(from), f.Enum.Var)
	default:
		return l.detect("Read"+typeWord(f), textOf(from))
	}
}

func (l *literals) readNumber(f *model.Field, number string) string {
	switch f.Type {
	case model.Int64:
		return l.detect("Widen", number)
	case model.String:
		return l.detect("Digits", number)
	default:
		return number
	}
}

// detect returns a call of a function of package detect.
func (l *literals) detect(function string, args ...string) string {
	l.use(pkgDetect)
	return "detect." + function + "(" + strings.Join(args, ", ") + ")"
}

// firstText returns the first text that is not empty of those that fill a field, or else the given
// one.
func (l *literals) firstText(f *model.Field, otherwise string) string {
	texts := eachText(f.From, textOf)
	if otherwise != "" {
		texts = append(texts, quote(otherwise))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	l.use(pkgCmp)
	return "cmp.Or(" + strings.Join(texts, ", ") + ")"
}

// texts are the fields of evidence that are texts, by key.
var texts = map[string]string{
	"source": "Source", "op": "Op", "type": "Type", "code": "Code", "signal": "Signal", "errno": "Errno",
	"text":   "Text",
	"output": "Output", "credential": "Credential",
}

// textOf returns the text under a key of evidence.
func textOf(from string) string {
	if name, ok := strings.CutPrefix(from, "attributes."); ok {
		return "ev.Attribute(" + quote(name) + ")"
	}
	return "ev." + texts[from]
}

// allTexts reports whether no number fills the field.
func allTexts(f *model.Field) bool {
	return !slices.Contains(f.From, "status") && !slices.Contains(f.From, "exit_code")
}

// isPresent returns a test of the parameter that has the value of a field.
func isPresent(f *model.Field) string {
	if f.Type == model.Strings || f.Type == model.JSON {
		return f.Param + " != nil"
	}
	return "!" + f.Param + ".IsZero()"
}

func fillable(f *model.Field) bool {
	return len(f.From) > 0 || f.Object != nil && slices.ContainsFunc(f.Object.Fields, fillable)
}
