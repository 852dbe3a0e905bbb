// Package openapi writes the OpenAPI components of a taxonomy: schemas of its problem documents
// (RFC 9457), and a response for each HTTP status.
package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Format is the form of the document.
type Format string

// The formats.
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// File returns an OpenAPI 3.1 document with the components. Its first line contains mark.
func File(m *model.Package, format Format, mark string) []byte {
	title := m.Domain
	if title == "" {
		title = m.Name
	}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", title + " errors"}, {"version", "1"}}.with("description", oneLine(m.Doc))},
		{"components", object{{"schemas", schemas(m)}, {"responses", responses(m)}}},
	}
	if format == JSON {
		// JSON has no comments, so the mark is in an extension.
		text := appendJSON(nil, append(object{{"x-generated", mark}}, doc...))
		return append([]byte("{"), bytes.TrimLeft(text[1:], "\n ")...)
	}
	return appendYAML([]byte("# "+mark+"\n"), doc)
}

// schemas returns the schemas of all problem documents, of the document of each code, and of each
// context.
func schemas(m *model.Package) object {
	var all []any
	mapping := object{}
	contexts, problems := object{}, object{}
	var typeNames []string
	for _, c := range m.ErrorTypes() {
		typeNames = append(typeNames, c.Type)
	}
	for _, c := range m.ErrorTypes() {
		context := short(c.Type, typeNames) + "Context"
		doc := "Context of " + c.Name + " errors."
		contexts = append(contexts, member{context, fields(c.Fields).with("description", doc)})
		for _, code := range c.Codes {
			all = append(all, ref("schemas", schemaName(m, code)))
			mapping = append(mapping, member{code.Value, "#/components/schemas/" + schemaName(m, code)})
			problems = append(problems, member{schemaName(m, code), problemOf(m, code, context)})
		}
	}
	out := object{
		{"Problems", object{
			{"description", "An error of the API."}, {"oneOf", all},
			{"discriminator", object{{"propertyName", "code"}, {"mapping", mapping}}},
		}},
		{"Problem", base(m)},
	}
	return slices.Concat(out, problems, contexts)
}

// base returns the schema of the members that all problem documents have.
func base(m *model.Package) object {
	text := func(doc string) object { return object{{"type", "string"}, {"description", doc}} }
	properties := object{
		{"type", append(text("Address of a page about the code."), member{"format", "uri-reference"})},
		{"title", text("What happened, in general.")},
		{"status", object{{"type", "integer"}, {"minimum", 100}, {"maximum", 599}, {"description", "HTTP status."}}},
		{"detail", text("What happened in this case.")},
		{"instance", append(text("Path of the request."), member{"format", "uri-reference"})},
		{"code", text("Code of the error, which never changes.")},
		{"retryable", object{{"type", "boolean"}, {"description", "Whether the same request may succeed unchanged."}}},
		{"effect", object{{"enum", []any{"none", "unknown", "done"}},
			{"description", "Whether the failed request did its work: no, perhaps, or yes."}}},
		{"reaction", text("Reaction of the server, if it differs from that of the code.")},
		{"context", object{{"type", "object"}, {"description", "Values that describe the error."}}},
	}
	if m.Domain != "" {
		properties = append(properties, member{"domain", object{{"type", "string"}, {"const", m.Domain}}})
	}
	return object{
		{"type", "object"}, {"description", "A problem document (RFC 9457)."}, {"properties", properties},
		{"required", []any{"type", "title", "status"}},
	}
}

func problemOf(m *model.Package, c *model.Code, context string) object {
	properties := object{{"code", object{{"const", c.Value}}}}
	if m.HelpURL != "" {
		properties = append(properties, member{"type", object{{"const", m.HelpPage(c)}}})
	}
	properties = append(properties, member{"status", object{{"enum", statuses(c)}}})
	if retryable := retryables(c); len(retryable) == 1 {
		properties = append(properties, member{"retryable", object{{"const", retryable[0]}}})
	}
	if effects := effects(c); len(effects) == 1 && effects[0] != "" {
		properties = append(properties, member{"effect", object{{"const", effects[0]}}})
	}
	properties = append(properties, member{"context", ref("schemas", context)})
	out := object{
		{"allOf", []any{ref("schemas", "Problem"), object{
			{"type", "object"}, {"properties", properties}, {"required", []any{"code", "retryable", "context"}},
		}}},
	}.with("description", strings.TrimSpace(oneLine(c.Doc)+" "+oneLine(c.Resolution)))
	if c.Extras().Deprecated != "" {
		out = append(out, member{"deprecated", true})
	}
	return out
}

// statuses returns the HTTP statuses of a code and its branches.
func statuses(c *model.Code) []any { return rows(c, func(r *model.Row) any { return status(r) }) }

func retryables(c *model.Code) []any { return rows(c, func(r *model.Row) any { return r.Retryable }) }

// effects returns the effects that a code and its branches declare; "" is unspecified.
func effects(c *model.Code) []any {
	return rows(c, func(r *model.Row) any {
		if r.Effect == taxonomy.EffectUnspecified {
			return ""
		}
		return r.Effect.String()
	})
}

func rows(c *model.Code, value func(*model.Row) any) []any {
	var out []any
	for _, r := range c.Rows() {
		if v := value(r); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func status(r *model.Row) int {
	if r.HTTP == 0 {
		return http.StatusInternalServerError
	}
	return int(r.HTTP)
}

// responses returns a response for each HTTP status, in ascending order.
func responses(m *model.Package) object {
	codes := byStatus(slices.DeleteFunc(slices.Clone(m.Codes), func(c *model.Code) bool { return c.Abstract }))
	var out object
	for _, s := range slices.Sorted(maps.Keys(codes)) {
		out = append(out, member{"Problem" + strconv.Itoa(s), response(m, s, codes[s])})
	}
	return append(out, member{"ProblemDefault", object{
		{"description", "Any other error."},
		{"content", object{{"application/problem+json", object{{"schema", ref("schemas", "Problem")}}}}},
	}})
}

// byStatus returns the codes by the statuses of their responses.
func byStatus(list []*model.Code) map[int][]*model.Code {
	codes := make(map[int][]*model.Code)
	for _, c := range list {
		for _, s := range statuses(c) {
			codes[s.(int)] = append(codes[s.(int)], c)
		}
	}
	return codes
}

// response returns the response of the codes with a status, with an example of each.
func response(m *model.Package, status int, codes []*model.Code) object {
	var refs []any
	var lines []string
	var mapping, examples object
	hasRetryAfter := false
	for _, c := range codes {
		schema := ref("schemas", schemaName(m, c))
		refs = append(refs, schema)
		mapping = append(mapping, member{c.Value, schema[0].value})
		examples = append(examples, member{c.Value, object{{"value", example(m, c, status)}}})
		lines = append(lines, "- `"+c.Value+"`: "+oneLine(c.Doc))
		hasRetryAfter = hasRetryAfter || slices.ContainsFunc(c.Fields(), func(f *model.Field) bool {
			return f.Role == model.RoleRetryAfter || f.Role == model.RoleResetAt
		})
	}
	schema := object{{"oneOf", refs}, {"discriminator", object{{"propertyName", "code"}, {"mapping", mapping}}}}
	if len(refs) == 1 {
		schema = refs[0].(object)
	}
	response := object{{"description", strings.TrimSpace(http.StatusText(status) + ".\n\n" + strings.Join(lines,
		"\n"))}}
	if hasRetryAfter {
		response = append(response, member{"headers", object{{"Retry-After", object{
			{"description", "Seconds to wait, or a date."}, {"schema", object{{"type", "string"}}},
		}}}})
	}
	return append(response, member{"content", object{
		{"application/problem+json", object{{"schema", schema}, {"examples", examples}}},
	}})
}

// example returns a problem document of a code, with values that its factory could take.
func example(m *model.Package, c *model.Code, status int) object {
	x := sample.Base(c)
	out := object{{"type", "about:blank"}}
	title, _, _ := strings.Cut(oneLine(c.Doc), ". ")
	if title = strings.TrimSuffix(title, "."); m.HelpURL != "" {
		out = object{{"type", m.HelpPage(c)}}
	}
	if m.HelpURL == "" || title == "" {
		title = http.StatusText(status)
	}
	out = append(out, object{{"title", title}, {"status", status}}...)
	out = append(out.with("detail", x.Message()).with("domain", m.Domain), object{
		{"code", c.Value}, {"retryable", c.Row.Retryable},
	}...)
	if c.Row.Effect != taxonomy.EffectUnspecified {
		out = append(out, member{"effect", c.Row.Effect.String()})
	}
	return append(out, member{"context", json.RawMessage(sample.JSON(c.Fields(), x.Context))})
}

// fields returns the schema of an object with the fields.
func fields(list []*model.Field) object { return fieldsExcept(list, nil) }

// violation returns the schema of a violation. An empty code is not on the wire.
func violation(o *model.Object) object { return fieldsExcept(o.Fields, o.Fields[len(o.Fields)-1]) }

// fieldsExcept returns the schema of an object with the fields. One of them is never required.
func fieldsExcept(list []*model.Field, optional *model.Field) object {
	properties := object{}
	var required []any
	for _, f := range list {
		if f.MessageOnly {
			continue
		}
		properties = append(properties, member{f.Wire, field(f)})
		if f.Required && f != optional {
			required = append(required, f.Wire)
		}
	}
	out := object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		out = append(out, member{"required", required})
	}
	return out
}

// durationForm matches the text of a time.Duration.
const durationForm = `^-?(0|([0-9]+(\.[0-9]+)?(h|ms|m|s|us|µs|ns))+)$`

func field(f *model.Field) object {
	var out object
	switch {
	case f.Sensitive:
		out = object{{"type", []any{"string", "null"}}}
	case f.Enum != nil:
		words := []any{}
		for _, w := range f.Enum.Words() {
			words = append(words, w)
		}
		out = object{{"type", "string"}, {"enum", words}}
		if f.Required { // null if the evidence had no word
			out = object{{"type", []any{"string", "null"}}, {"enum", append(words, nil)}}
		}
	case f.Type == model.Violations:
		out = object{{"type", "array"}, {"items", violation(f.Object)}}
	case f.Type.IsObjects():
		out = object{{"type", "array"}, {"items", fields(f.Object.Fields)}}
	case f.Object != nil:
		out = fields(f.Object.Fields)
	default:
		out = slices.Clone(types[f.Type])
	}
	return out.with("description", oneLine(f.Doc))
}

var types = map[model.Type]object{
	model.String:   {{"type", "string"}},
	model.Int:      {{"type", "integer"}},
	model.Int64:    {{"type", "integer"}, {"format", "int64"}},
	model.Uint64:   {{"type", "integer"}, {"format", "uint64"}, {"minimum", 0}},
	model.Float64:  {{"type", []any{"number", "null"}}},
	model.Bool:     {{"type", "boolean"}},
	model.Duration: {{"type", "string"}, {"pattern", durationForm}, {"examples", []any{"1m30s"}}},
	model.Time:     {{"type", []any{"string", "null"}}, {"format", "date-time"}},
	model.Strings:  {{"type", "array"}, {"items", object{{"type", "string"}}}},
	model.JSON:     {},
}

func schemaName(m *model.Package, c *model.Code) string {
	names := make([]string, len(m.Codes))
	for i, c := range m.Codes {
		names[i] = c.Go
	}
	return short(c.Go, names) + "Problem"
}

// short returns a name without Error at its end, unless all contains that name too.
func short(name string, all []string) string {
	without := strings.TrimSuffix(name, "Error")
	if without != name && slices.Contains(all, without) {
		return name
	}
	return without
}

func ref(kind, name string) object {
	return object{{"$ref", fmt.Sprintf("#/components/%s/%s", kind, name)}}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
