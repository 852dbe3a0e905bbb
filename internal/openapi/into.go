package openapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// owned is the member by which the schemas and responses are known that [Into] wrote.
const owned = "x-errgen"

// Into returns an OpenAPI document with the errors of m's operations: each of them gets a reference
// for each status, and components has the responses and schemas that these need. All other bytes
// stay as they are. Responses of earlier calls are replaced or removed; those that a person wrote
// stay, and the remarks name them. name is the document's name in messages.
func Into(name string, src []byte, m *model.Package) (out []byte, remarks []string, err error) {
	d, err := parse(name, src)
	if err != nil {
		return nil, nil, err
	}
	operations, err := d.match(m)
	if err != nil {
		return nil, nil, err
	}
	found := *m
	found.Operations = nil
	for _, x := range operations {
		if x.Operation != nil {
			found.Operations = append(found.Operations, x.Operation)
		}
	}
	parts := d.render(&found)
	for _, x := range operations {
		remarks = append(remarks, d.respond(x, parts)...)
	}
	d.components(parts)
	if err := errors.Join(d.errs...); err != nil {
		return nil, nil, err
	}
	out = d.splice()
	if err := d.verify(out); err != nil {
		return nil, nil, err
	}
	return out, remarks, nil
}

// document is an OpenAPI document that is being edited.
type document struct {
	name    string
	lines   []string // with their ends
	newline string
	step    int // spaces of indentation
	root    *yaml.Node
	old     bool // OpenAPI 3.0, whose schemas have no const and no lists of types
	cuts    map[int]bool
	inserts map[int][]string // before a line, counted from 0
	errs    []error
}

func parse(name string, src []byte) (*document, error) {
	d := &document{name: name, newline: "\n", step: 2, cuts: make(map[int]bool), inserts: make(map[int][]string)}
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if decoder.Decode(&second) == nil {
		return nil, fmt.Errorf("%s:%d: a second document begins here; keep one in a file", name, second.Line)
	}
	d.root = first.Content[0]
	d.lines = strings.SplitAfter(string(src), "\n")
	if last := len(d.lines) - 1; d.lines[last] == "" {
		d.lines = d.lines[:last]
	}
	if strings.HasSuffix(d.lines[0], "\r\n") {
		d.newline = "\r\n"
	}
	for i, line := range d.lines {
		if at := strings.IndexAny(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"),
			"\r\u0085\u2028\u2029"); at >= 0 {
			return nil, fmt.Errorf("%s:%d:%d: a line ends with another character than LF or CR LF: replace it", name,
				i+1, at+1)
		}
	}
	version := ""
	if v := at(d.root, "openapi"); v != nil {
		version = v.Value
	}
	d.old = strings.HasPrefix(version, "3.0")
	if !d.old && !strings.HasPrefix(version, "3.") {
		return nil, fmt.Errorf("%s: it is not an OpenAPI document of version 3: it has no openapi: 3.…", name)
	}
	if paths := at(d.root, "paths"); paths != nil && len(paths.Content) > 0 && paths.Content[0].Column > 1 {
		d.step = paths.Content[0].Column - 1
	}
	return d, nil
}

func (d *document) fail(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, fmt.Errorf("%s:%d:%d: %s", d.name, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// matched is an operation of the taxonomy, and its mapping in the document.
type matched struct {
	*model.Operation
	key, node *yaml.Node // the method and the operation
}

// methods are the keys of a path item that have operations.
var methods = strings.Fields("get put post delete options head patch trace")

// match finds the operations of m by their names or addresses. Those without an HTTP address that
// the document does not name are for RPC only. The other operations of the document follow, without
// one of m, because an earlier call can have written into them.
func (d *document) match(m *model.Package) (out []matched, err error) {
	var all []matched
	byID, byRoute := make(map[string]matched), make(map[string]matched)
	items := make(map[string]*yaml.Node) // path items that are references, by path
	for path, item := range pairs(at(d.root, "paths")) {
		if at(item, "$ref") != nil {
			items[taxonomy.Route(path.Value)] = item
		}
		for key, node := range pairs(item) {
			if !slices.Contains(methods, key.Value) {
				continue
			}
			x := matched{key: key, node: node}
			all = append(all, x)
			byRoute[strings.ToUpper(key.Value)+" "+taxonomy.Route(path.Value)] = x
			if id := at(node, "operationId"); id != nil {
				byID[id.Value] = x
			}
		}
	}
	for _, o := range m.Operations {
		route := taxonomy.Route(o.Value.HTTP)
		_, path, _ := strings.Cut(route, " ")
		x, found := byID[o.Value.Name]
		if !found && o.Value.HTTP != "" {
			x, found = byRoute[route]
		}
		switch {
		case found:
			x.Operation = o
			out = append(out, x)
		case items[path] != nil:
			d.fail(items[path], "the path item of operation %s is a reference: write it in place", o.Value.Name)
		case o.Value.HTTP != "":
			d.errs = append(d.errs,
				fmt.Errorf("%s: it has neither an operationId %s nor %s: add the operation, or remove "+
					"it from the taxonomy", d.name, o.Value.Name, o.Value.HTTP))
		}
	}
	for _, x := range all {
		if !slices.ContainsFunc(out, func(found matched) bool { return found.node == x.node }) {
			out = append(out, x)
		}
	}
	return out, errors.Join(d.errs...)
}

// parts are the components, and the references of each operation by status.
type parts struct {
	schemas, responses object
	of                 map[*model.Operation]map[int]string
}

// render makes the components. A name that the document has already gets an underscore.
func (d *document) render(m *model.Package) parts {
	p := parts{of: make(map[*model.Operation]map[int]string)}
	if len(m.Operations) == 0 {
		return p
	}
	used := make(map[*model.Code]bool)
	for _, o := range m.Operations {
		for _, c := range o.Codes {
			used[c] = true
		}
	}
	shown := *m
	shown.Categories = nil
	for _, c := range m.Categories {
		category := *c
		category.Codes = slices.DeleteFunc(slices.Clone(c.Codes), func(c *model.Code) bool { return !used[c] })
		shown.Categories = append(shown.Categories, &category)
	}
	p.schemas = slices.DeleteFunc(schemas(&shown), func(x member) bool { return x.key == "Problems" })
	for _, o := range m.Operations {
		p.of[o] = make(map[int]string)
		for status, codes := range byStatus(o.Codes) {
			name := o.Value.Name + strconv.Itoa(status)
			if len(codes) == 1 {
				name = strings.TrimSuffix(schemaName(m, codes[0]), "Problem") + strconv.Itoa(status)
			}
			p.of[o][status] = name
			if !slices.ContainsFunc(p.responses, func(x member) bool { return x.key == name }) {
				p.responses = append(p.responses, member{name, response(m, status, codes)})
			}
		}
	}
	slices.SortFunc(p.responses, func(a, b member) int { return strings.Compare(a.key, b.key) })
	renamed := make(map[string]string)
	for kind, list := range map[string]object{"schemas": p.schemas, "responses": p.responses} {
		have := at(at(d.root, "components"), kind)
		for i, x := range list {
			for n := at(have, list[i].key); n != nil && !isOwned(n); n = at(have, list[i].key) {
				list[i].key += "_"
			}
			renamed["#/components/"+kind+"/"+x.key] = "#/components/" + kind + "/" + list[i].key
			list[i].value = append(object{{owned, true}}, x.value.(object)...)
		}
	}
	adapt := func(v any) any { return adapted(v, renamed, d.old) }
	p.schemas, p.responses = adapt(p.schemas).(object), adapt(p.responses).(object)
	for _, names := range p.of {
		for status, name := range names {
			names[status] = renamed["#/components/responses/"+name]
		}
	}
	return p
}

// adapted returns a value with other references. For OpenAPI 3.0, its schemas are in the form of
// that version.
func adapted(v any, renamed map[string]string, old bool) any {
	switch v := v.(type) {
	case string:
		return cmp.Or(renamed[v], v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = adapted(item, renamed, old)
		}
		return out
	case object:
		var out object
		for _, x := range v {
			list, isList := x.value.([]any)
			switch {
			case old && x.key == "const":
				out = append(out, member{"enum", []any{x.value}})
			case old && x.key == "type" && isList: // a type and null
				out = append(out, member{"type", list[0]}, member{"nullable", true})
			case old && x.key == "examples" && isList:
				out = append(out, member{"example", list[0]})
			default:
				out = append(out, member{x.key, adapted(x.value, renamed, old)})
			}
		}
		return out
	}
	return v
}

// respond gives an operation its references, and returns remarks about the responses that a person
// wrote for their statuses.
func (d *document) respond(x matched, p parts) (remarks []string) {
	have := at(x.node, "responses")
	var entries []string
	for _, status := range slices.Sorted(maps.Keys(p.of[x.Operation])) {
		key := strconv.Itoa(status)
		if n := at(have, key); n != nil && !d.isReference(n) {
			remarks = append(remarks, fmt.Sprintf("%s:%d: %s of %s is left as it is, because errgen did not write it",
				d.name, n.Line, key, x.Value.Name))
			continue
		}
		entries = append(entries, fmt.Sprintf("'%s': {$ref: '%s'}", key, p.of[x.Operation][status]))
	}
	d.own(x.key, x.node, "responses", entries, d.isReference)
	return remarks
}

// isReference reports whether a response is a reference to one that [Into] wrote.
func (d *document) isReference(n *yaml.Node) bool {
	ref := at(n, "$ref")
	if ref == nil {
		return false
	}
	name, ok := strings.CutPrefix(ref.Value, "#/components/responses/")
	return ok && isOwned(at(at(at(d.root, "components"), "responses"), name))
}

func isOwned(n *yaml.Node) bool { return at(n, owned) != nil }

// components writes the schemas and responses.
func (d *document) components(p parts) {
	have := at(d.root, "components")
	if have == nil {
		var lines []string
		for _, part := range []struct {
			key  string
			list object
		}{{"schemas", p.schemas}, {"responses", p.responses}} {
			if len(part.list) > 0 {
				lines = append(lines, strings.Repeat(" ", d.step)+part.key+":")
				lines = append(lines, indented(d.entries(part.list), 2*d.step)...)
			}
		}
		if lines != nil {
			d.insert(d.end(0, 0), append([]string{"components:"}, lines...))
		}
		return
	}
	key := keyOf(d.root, "components")
	d.own(key, have, "schemas", d.entries(p.schemas), isOwned)
	d.own(key, have, "responses", d.entries(p.responses), isOwned)
	if len(p.schemas) == 0 && all(have, func(n *yaml.Node) bool { return len(n.Content) > 0 && all(n, isOwned) }) {
		d.cuts[key.Line-1] = true
	}
}

// all reports whether a condition holds for all values of a mapping.
func all(n *yaml.Node, is func(*yaml.Node) bool) bool {
	for _, v := range pairs(n) {
		if !is(v) {
			return false
		}
	}
	return true
}

// entries returns the lines of an object's members.
func (d *document) entries(o object) []string {
	if len(o) == 0 {
		return nil
	}
	var b bytes.Buffer
	encode(&b, o, d.step)
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}
