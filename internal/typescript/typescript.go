// Package typescript writes a TypeScript module for a taxonomy. Its errors are a union
// discriminated by code. Its decoder reads the JSON and the problem documents that Go programs
// send.
package typescript

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:embed runtime.ts
var runtime string

// File returns the module for m, with mark as its first line.
func File(m *model.Package, mark string) []byte {
	w := &writer{model: m, types: m.ErrorTypes(), taken: make(map[string]bool), names: make(map[any]string)}
	names := slices.Clip(reserved)
	if len(m.Languages) > 0 {
		names = append(names, "Texts", "NumberFormat", "TextPart", "FieldText", "Math")
	}
	for _, name := range names {
		w.taken[name] = true
	}
	w.linef("// %s", mark)
	if m.Doc != "" {
		w.linef("")
		w.doc("", m.Doc)
	}
	w.linef("")
	w.doc("", "The owner of the codes.")
	w.linef("export const domain = %s;", quote(m.Domain))
	for _, c := range w.types {
		w.fieldTypes(c.Fields)
	}
	for _, c := range w.types {
		w.category(c)
	}
	w.unions()
	w.b.WriteString(runtime)
	w.tables()
	w.operations()
	if len(m.Languages) > 0 {
		w.b.WriteString(texts)
	}
	return []byte(w.b.String())
}

// reserved are the names that runtime.ts declares or uses.
var reserved = []string{
	"AppError", "UnknownError", "TypedError", "Problem", "Effect", "ErrorOf", "Code", "Field", "Fields", "Extract",
	"Record",
	"Readonly", "Date", "Number", "String", "Object", "Array", "JSON", "TypeError", "BigInt",
}

type writer struct {
	b     strings.Builder
	model *model.Package
	types []*model.Category
	taken map[string]bool
	names map[any]string // of categories, enums and objects
}

func (w *writer) linef(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// name returns the name of a type: of a category, an enum or an object. The first call for a key
// reserves name, or a similar name if another type has it.
func (w *writer) name(key any, name string) string {
	if earlier := w.names[key]; earlier != "" {
		return earlier
	}
	for w.taken[name] {
		name += "_"
	}
	w.taken[name], w.names[key] = true, name
	return name
}

// doc writes a comment.
func (w *writer) doc(indent string, texts ...string) {
	var lines []string
	for _, text := range texts {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			lines = append(lines, strings.ReplaceAll(text, "*/", "* /"))
		}
	}
	if len(lines) > 0 {
		w.linef("%s/** %s */", indent, strings.Join(lines, "\n"+indent+" * "))
	}
}

// fieldTypes declares the enums and objects of fields.
func (w *writer) fieldTypes(fields []*model.Field) {
	for _, f := range fields {
		switch {
		case f.Enum != nil && w.names[f.Enum] == "":
			w.linef("")
			w.doc("", f.Enum.Doc)
			w.linef("export type %s = %s;", w.name(f.Enum, f.Enum.Type), union(f.Enum.Words()))
		case f.Object != nil && w.names[objectKey(f)] == "":
			w.fieldTypes(f.Object.Fields)
			w.linef("")
			w.doc("", f.Object.Doc)
			w.linef("export interface %s {", w.name(objectKey(f), cmp.Or(f.Object.Type, "Violation")))
			w.members(f.Object.Fields)
			w.linef("}")
		}
	}
}

func (w *writer) members(fields []*model.Field) {
	for _, f := range wireFields(fields) {
		unit := ""
		switch f.Type {
		case model.Duration:
			unit = "In milliseconds."
		case model.Int64, model.Uint64:
			unit = "Decimal digits, because a number holds only 53 bits."
		}
		w.doc("  ", f.Doc, unit)
		optional := ""
		if !f.Required || f.Sensitive {
			optional = "?"
		}
		w.linef("  readonly %s%s: %s;", property(f.Wire), optional, w.typeOf(f))
	}
}

// objectKey returns the key of a field's object in writer.names. All violations have the same type.
func objectKey(f *model.Field) any {
	if f.Type == model.Violations {
		return model.Violations
	}
	return f.Object
}

// wireFields returns the fields that are on the wire.
func wireFields(fields []*model.Field) []*model.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f *model.Field) bool { return f.MessageOnly })
}

func (w *writer) typeOf(f *model.Field) string {
	switch {
	case f.Sensitive:
		return "string"
	case f.Enum != nil && f.Required:
		return w.names[f.Enum] + " | undefined"
	case f.Enum != nil:
		return w.names[f.Enum]
	case f.Type.IsObjects():
		return "readonly " + w.names[objectKey(f)] + "[]"
	case f.Object != nil:
		return w.names[objectKey(f)]
	}
	return scalars[f.Type].typ
}

func (w *writer) category(c *model.Category) {
	name := w.name(c, c.Type)
	short := strings.TrimSuffix(c.Type, "Error")
	code, context := w.name(codeOf{c}, short+"Code"), w.name(contextOf{c}, short+"Context")
	w.linef("")
	w.linef("export type %s = %s;", code, union(values(c.Codes)))
	w.linef("")
	w.doc("", "The context of "+name+".")
	w.linef("export interface %s {", context)
	w.members(c.Fields)
	w.linef("}")
	w.linef("")
	w.doc("", c.Doc)
	w.linef("export interface %s<C extends %s = %[2]s> extends TypedError {", name, code)
	w.linef("  readonly code: C;")
	w.linef("  readonly category: %s;", quote(c.Name))
	w.linef("  readonly context: %s;", context)
	w.linef("}")
}

// The keys in writer.names of the types of a category's codes and context.
type (
	codeOf    struct{ *model.Category }
	contextOf struct{ *model.Category }
)

func (w *writer) unions() {
	var codes, errors []string
	for _, c := range w.types {
		code := w.names[codeOf{c}]
		codes = append(codes, code)
		errors = append(errors, fmt.Sprintf("{ [C in %s]: %s<C> }[%[1]s]", code, w.names[c]))
	}
	w.linef("")
	w.doc("", "All codes.")
	w.linef("export type Code = %s;", strings.Join(codes, " | "))
	w.linef("")
	w.doc("", "All errors of the taxonomy, discriminated by code.")
	w.linef("export type AppError =\n  | %s;", strings.Join(errors, "\n  | "))
}

// tables writes the tables that the decoder reads, and the guards.
func (w *writer) tables() {
	w.linef("")
	w.linef("const contexts: Readonly<Record<string, readonly Field[]>> = {")
	for _, c := range w.types {
		w.linef("  %s: %s,", w.names[contextOf{c}], w.fields(c.Fields, "  "))
	}
	w.linef("};")
	w.linef("")
	w.linef("const contextOf: Readonly<Record<Code, string>> = {")
	for _, c := range w.types {
		for _, code := range c.Codes {
			w.linef("  %s: %s,", quote(code.Value), quote(w.names[contextOf{c}]))
		}
	}
	w.linef("};")
	w.linef("")
	w.doc("", "What the taxonomy declares about each code.")
	w.linef("export const codes: Readonly<Record<Code, {")
	w.linef("  readonly category: string;\n  readonly retryable: boolean;\n" +
		"  readonly effect?: Effect;\n  readonly http?: number;\n" +
		"  readonly groups: readonly string[];\n}>> = {")
	aliases := []string{}
	for _, c := range w.model.Codes {
		if c.Abstract {
			continue
		}
		http := ""
		if c.Row.HTTP != 0 {
			http = fmt.Sprintf(" http: %d,", c.Row.HTTP)
		}
		effect := ""
		if e := c.Row.Effect; e != taxonomy.EffectUnspecified {
			effect = fmt.Sprintf(" effect: %s,", quote(e.String()))
		}
		groups := []string{}
		for _, g := range c.InGroups {
			groups = append(groups, quote(g.Name))
		}
		w.doc("  ", c.Doc, deprecation(c))
		w.linef("  %s: { category: %s, retryable: %t,%s%s groups: [%s] },", quote(c.Value), quote(c.Category.Name),
			c.Row.Retryable, effect, http, strings.Join(groups, ", "))
		for _, a := range slices.Concat(c.Extras().Aliases, c.Extras().Names) {
			aliases = append(aliases, fmt.Sprintf("%s: %s", quote(a), quote(c.Value)))
		}
	}
	w.linef("};")
	w.linef("")
	w.linef("const aliases: Readonly<Record<string, string | undefined>> = { %s };", strings.Join(aliases, ", "))
	for _, c := range w.model.Categories {
		if !slices.ContainsFunc(c.Codes, func(c *model.Code) bool { return !c.Abstract }) {
			continue
		}
		w.linef("")
		w.linef("export function %s(error: AppError | UnknownError): error is Extract<AppError, { category: %s }> {",
			guard(c.Predicate), quote(c.Name))
		w.linef("  return error.category === %s;", quote(c.Name))
		w.linef("}")
	}
	for _, g := range w.model.Groups {
		var in []string
		for _, c := range w.model.Codes {
			if slices.Contains(c.InGroups, g) && !c.Abstract {
				in = append(in, quote(c.Value))
			}
		}
		if len(in) == 0 {
			continue
		}
		w.linef("")
		w.doc("", g.Doc)
		w.linef("export function %s(error: AppError | UnknownError): error is ErrorOf<%s> {", guard(g.Predicate),
			strings.Join(in, " | "))
		w.linef("  return hasCode(error, %s);", strings.Join(in, ", "))
		w.linef("}")
	}
}

func deprecation(c *model.Code) string {
	if c.Extras().Deprecated == "" {
		return ""
	}
	return "@deprecated " + c.Extras().Deprecated
}

// fields returns the decoders of fields.
func (w *writer) fields(fields []*model.Field, indent string) string {
	var b strings.Builder
	for _, f := range wireFields(fields) {
		required := f.Required && !f.Sensitive
		fmt.Fprintf(&b, "\n%s  [%s, %s, %t],", indent, quote(f.Wire), w.decoder(f, indent+"  "), required)
	}
	if b.Len() == 0 {
		return "[]"
	}
	return "[" + b.String() + "\n" + indent + "]"
}

// scalars are the types of fields that have no type of their own, and their decoders.
var scalars = map[model.Type]struct{ typ, decoder string }{
	model.String: {"string", "string"}, model.Int: {"number", "number"}, model.Int64: {"string", "integer"},
	model.Uint64: {"string", "integer"}, model.Float64: {"number", "number"}, model.Bool: {"boolean", "boolean"},
	model.Duration: {"number", "milliseconds"}, model.Time: {"Date", "date"},
	model.Strings: {"readonly string[]", "strings"}, model.JSON: {"unknown", "any"},
}

func (w *writer) decoder(f *model.Field, indent string) string {
	switch {
	case f.Sensitive:
		return "decode.string"
	case f.Enum != nil:
		return "decode.words(" + quoted(f.Enum.Words(), ", ") + ")"
	case f.Type.IsObjects():
		return "decode.objects(" + w.fields(f.Object.Fields, indent) + ")"
	case f.Object != nil:
		return "decode.object(" + w.fields(f.Object.Fields, indent) + ")"
	}
	return "decode." + scalars[f.Type].decoder
}

// guard returns the name of a guard. It begins with a lower-case letter, so no type has it.
func guard(predicate string) string { return strings.ToLower(predicate[:1]) + predicate[1:] }

func values(codes []*model.Code) []string {
	var out []string
	for _, c := range codes {
		out = append(out, c.Value)
	}
	return out
}

func union(words []string) string { return quoted(words, " | ") }

func quoted(words []string, separator string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return strings.Join(out, separator)
}

// quote returns a string literal. JSON's strings are valid in TypeScript.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// property returns the name of a member.
func property(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return quote(name)
}

//go:embed texts.ts
var texts string

// Texts returns the module of a language's texts, with mark as its first line.
func Texts(m *model.Package, l *model.Language, mark string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\n/** The messages in %s, for the function localized. */\nexport const texts = ",
		mark, l.Tag)
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(l.Localized(m.Domain)) // texts and numbers always encode
	return append(bytes.TrimSuffix(b.Bytes(), []byte("\n")), " as const;\n"...)
}

// operations writes, for each operation, the type of its errors and the function that reads them.
func (w *writer) operations() {
	if len(w.model.Operations) == 0 {
		return
	}
	w.linef("%s", narrowed)
	for _, o := range w.model.Operations {
		codes := values(o.Codes)
		name := w.name(o, strings.TrimPrefix(o.Var, "Operation")+"Error")
		w.linef("")
		w.doc("", "The errors of "+o.Value.Name+".", o.Value.Doc)
		w.linef("export type %s = ErrorOf<%s>;", name, union(codes))
		w.linef("")
		w.doc("", fmt.Sprintf("Reads an error of %s, as parseError does. A code that the operation does not declare "+
			"becomes a declared one that the error also is, as the code above it, otherwise an UnknownError.",
			o.Value.Name))
		w.linef("export function parse%s(json: unknown, status?: number): %[1]s | UnknownError {", name)
		w.linef("  return narrowed<%s>(json, status, %s);", name, quoted(codes, ", "))
		w.linef("}")
	}
}

// narrowed is the function that the readers of operations call.
const narrowed = `
function narrowed<E extends AppError>(
  json: unknown, status: number | undefined, ...declared: string[]
): E | UnknownError {
  const value = parsed(json);
  const error = read(value, 32, (code) => declared.includes(code));
  return error.code === undefined ? described(error, json, status) : error as E;
}`
