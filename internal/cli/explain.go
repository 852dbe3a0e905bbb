package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/rules"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
)

func textOrJSON(fs *flag.FlagSet, o *options) {
	o.choice(fs, "print as `FORM`: text or json", diag.FormatText, diag.FormatJSON)
}

// document is something that explain prints.
type document interface{ text() []byte }

// print prints documents: as text with an empty line between them, or as JSON with a line for each.
func (s *session) print(o *options, docs ...document) error {
	for i, d := range docs {
		var err error
		switch {
		case o.format == diag.FormatJSON:
			err = s.json(d)
		case i > 0:
			err = s.write(append([]byte("\n"), d.text()...))
		default:
			err = s.write(d.text())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) explain(o *options, args []string) error {
	if name := args[0]; len(name) > 2 && strings.ContainsRune("EeWw", rune(name[0])) && name[1] == '-' {
		if len(args) > 1 {
			return usagef("explain: unexpected argument %q: findings are the same in every taxonomy", args[1])
		}
		page, ok := rules.Page(name)
		if !ok {
			return fmt.Errorf("explain: unknown finding %q%s", name, suggestion(name, rules.IDs()))
		}
		return s.print(o, newRuleDoc(page))
	}
	if args[0] == "like" && len(args) > 1 {
		return s.explainSignature(o, args[1], args[2:])
	}
	if len(args) > 2 {
		return usagef("explain: unexpected argument %q", args[2])
	}
	doc, noKey := spec.Explain(args[0])
	if noKey == nil && len(args) == 1 {
		var l *loaded
		if all, err := s.loadAll(nil); err == nil {
			l = all[0]
		}
		return s.print(o, append(meanings(l, args[0]), keyDoc{doc})...)
	}
	l, err := s.valid(args[1:])
	if errors.Is(err, errFindings) {
		return err
	}
	docs := meanings(l, args[0])
	if page, ok := rules.Page(args[0]); ok && len(docs) == 0 && len(args) == 1 {
		return s.print(o, newRuleDoc(page))
	}
	switch {
	case len(docs) > 0 && (err == nil || len(args) == 1):
		return s.print(o, docs...)
	case err != nil && len(args) == 1:
		return errors.Join(fmt.Errorf("explain: %w", noKey), err) // it is neither a key nor a code
	case err != nil:
		return err
	case errors.Is(noKey, spec.ErrAmbiguousKey):
		return fmt.Errorf("explain: %w", noKey)
	}
	library, err := signatures.Library()
	if err != nil {
		return err
	}
	for _, x := range append(ownSignatures(l), library...) {
		if x.Name == args[0] {
			return s.print(o, &signatureDoc{&x})
		}
	}
	last := args[0][strings.LastIndexByte(args[0], '.')+1:]
	hint := cmp.Or(suggestion(args[0], explained(l.model)), suggestion(last, spec.KeyNames()),
		`; "errgen list`+argument(l.name)+`" lists the codes`)
	return fmt.Errorf("explain: %s has no code, category, operation, reaction, policy, group or profile %q%s",
		l.name, args[0], hint)
}

// meanings returns the code, the category and the other things of a taxonomy that have a name. If l
// is nil or has errors, it returns the action with the name.
func meanings(l *loaded, name string) []document {
	var docs []document
	var m *model.Package
	if l != nil && l.model != nil {
		m = l.model
		docs = reserved(l, name)
		code := findCode(m, name)
		if code != nil {
			docs = append(docs, codeDoc{explain.CodeOf(m, code)})
		}
		docs = append(docs, ofConstant(m, name, code)...)
		for _, c := range m.Categories {
			if name == c.Name || name == c.Type || name == m.Name+"."+c.Type {
				docs = append(docs, categoryDoc{explain.CategoryOf(m, c)})
			}
		}
	}
	for _, n := range explain.Names(m) {
		if n.Name == name {
			docs = append(docs, nameDoc{&n})
		}
	}
	if m != nil {
		for _, o := range m.Operations {
			if name == o.Value.Name || name == m.Name+"."+o.Var {
				docs = append(docs, operationDoc{explain.OperationOf(m, o)})
			}
		}
	}
	return docs
}

// ofConstant returns the codes that have a constant with the value, such as an SQLSTATE. If it finds
// only the code that is shown already, it returns nothing.
func ofConstant(m *model.Package, value string, shown *model.Code) (docs []document) {
	for i, constant := range m.Constants {
		n := explain.Name{Name: value, Kind: "value of " + constant.Name}
		var last *model.Code
		for _, c := range m.Codes {
			if i >= len(c.Constants) || c.Constants[i] == nil {
				continue
			}
			if value == cmp.Or(c.Constants[i].Str, c.Constants[i].JSON()) {
				n.Codes, last = append(n.Codes, c.Value), c
			}
		}
		switch {
		case len(n.Codes) > 1:
			docs = append(docs, nameDoc{&n})
		case last != nil && last != shown:
			docs, shown = append(docs, codeDoc{explain.CodeOf(m, last)}), last
		}
	}
	return docs
}

// reservedDoc explains a reserved name or number.
type reservedDoc struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Reason string `json:"reason,omitempty"`
	// Category is that of a number that other categories can use.
	Category string `json:"category,omitempty"`
}

// reserved returns the entries of `reserved` for a name or a number.
func reserved(l *loaded, name string) (docs []document) {
	for _, r := range l.tree.Reserved.Codes {
		if r.Name.V == name {
			docs = append(docs, &reservedDoc{Name: name, Kind: "reserved code", Reason: r.Reason.V})
		}
	}
	number, err := strconv.Atoi(name)
	for _, r := range l.tree.Reserved.Numbers {
		if err == nil && r.Has(number, r.Category.V) {
			docs = append(docs, &reservedDoc{name, "reserved number", r.Reason.V, r.Category.V})
		}
	}
	return docs
}

func (d *reservedDoc) text() []byte {
	p := &page{}
	doc := "A former code. No code can have this name."
	if d.Kind == "reserved number" {
		doc = "No code can have this number."
		if d.Category != "" {
			doc = "No code of the category " + d.Category + " can have this number."
		}
	}
	p.title(d.Name, d.Kind, doc)
	if d.Reason != "" {
		p.WriteByte('\n')
		p.line("reason", oneLine(d.Reason))
	}
	return p.Bytes()
}

// keyDoc is the explanation of a key of the language.
type keyDoc struct{ *spec.KeyDoc }

func (d keyDoc) text() []byte {
	p := &page{}
	p.title(d.Key, "key of "+d.Mapping, d.Doc+"\n")
	p.WriteByte('\n')
	p.line("value", d.Value)
	p.line("default", d.Default)
	if d.Required {
		p.line("required", "yes")
	}
	p.line("actions", strings.Join(d.Actions, ", "))
	p.line("keys", strings.Join(d.Keys, ", "))
	return p.Bytes()
}

func (s *session) list(o *options, args []string) error {
	l, err := s.valid(args)
	if err != nil {
		return err
	}
	if o.format == diag.FormatText {
		return s.write(codeTable(l.model))
	}
	for _, c := range l.model.Codes {
		if err := s.json(explain.CodeOf(l.model, c)); err != nil {
			return err
		}
	}
	return nil
}

func codeTable(m *model.Package) []byte {
	// A taxonomy without public codes has no column for the audience, nor one without exit statuses for them.
	last := []string{"NUMBER", "DEPRECATED"}
	hasExit := slices.ContainsFunc(m.Rows, func(r *model.Row) bool { return r.Exit != 0 })
	if hasExit {
		last = append(last, "EXIT")
	}
	hasPublic := slices.ContainsFunc(m.Codes, func(c *model.Code) bool { return c.Public })
	if hasPublic {
		last = append(last, "AUDIENCE")
	}
	first := []string{"CODE", "CATEGORY", "RETRYABLE", "SEVERITY", "HTTP", "GRPC", "REACTION"}
	rows := [][]string{append(first, last...)}
	for _, c := range m.Codes {
		each := func(value func(taxonomy.Traits) string) string {
			var values []string
			for _, r := range c.Rows() {
				if v := cmp.Or(value(r.Traits), "-"); !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
			return strings.Join(values, "/")
		}
		number := "-"
		if c.Numbered {
			number = strconv.Itoa(c.Number)
		}
		cells := []string{
			c.Value, c.Category.Name,
			each(func(t taxonomy.Traits) string { return explain.YesNo(t.Retryable) }),
			each(func(t taxonomy.Traits) string { return explain.Word(t.Severity) }),
			each(func(t taxonomy.Traits) string { return positive(int(t.HTTP)) }),
			each(func(t taxonomy.Traits) string { return resolve.GRPCWord(t.GRPC) }),
			each(func(t taxonomy.Traits) string {
				return cmp.Or(explain.DeclaredName(m, t.Reaction), t.Reaction.Action.String())
			}),
			number, explain.YesNo(c.Extras().Deprecated != ""),
		}
		if hasExit {
			cells = append(cells, each(func(t taxonomy.Traits) string { return positive(int(t.Exit)) }))
		}
		if c.Public {
			cells = append(cells, "public")
		} else if hasPublic {
			cells = append(cells, "internal")
		}
		rows = append(rows, cells)
	}
	return table(rows)
}

// json prints v on one line, without characters that control a terminal.
func (s *session) json(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("%s: %w", s.cmd.name, err)
	}
	return s.write(escapeControls(b.Bytes()))
}

// escapeControls escapes the characters beyond ASCII that control a terminal or turn the direction
// of writing, and DEL. In JSON they occur in strings only.
func escapeControls(text []byte) []byte {
	var b bytes.Buffer
	for i, r := range string(text) {
		switch {
		case r == utf8.RuneError:
			_, size := utf8.DecodeRune(text[i:])
			b.Write(text[i : i+size])
		case 0x7f <= r && r < 0xa0, r < 0x10000 && unicode.Is(unicode.Cf, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

func findCode(m *model.Package, name string) *model.Code {
	number, err := strconv.Atoi(name)
	named := func(c *model.Code) bool {
		goName := strings.TrimPrefix(name, m.Name+".")
		return c.Name == name || c.Value == name || c.Const == goName || c.Factory == goName && !c.Abstract ||
			err == nil && c.Numbered && c.Number == number
	}
	aliased := func(c *model.Code) bool {
		return slices.Contains(c.Extras().Aliases, name) || slices.Contains(c.Extras().Names, name)
	}
	for _, is := range []func(*model.Code) bool{named, aliased} {
		if i := slices.IndexFunc(m.Codes, is); i >= 0 {
			return m.Codes[i]
		}
	}
	return nil
}

// explained returns the names that explain accepts.
func explained(m *model.Package) []string {
	var names []string
	for _, c := range m.Codes {
		names = slices.Concat(names, []string{c.Name, c.Value}, c.Extras().Aliases, c.Extras().Names)
	}
	for _, c := range m.Categories {
		names = append(names, c.Name, c.Type)
	}
	for _, n := range explain.Names(m) {
		names = append(names, n.Name)
	}
	for _, o := range m.Operations {
		names = append(names, o.Value.Name)
	}
	return names
}

// ruleDoc is the page of a finding.
type ruleDoc struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Page     string `json:"page"` // Markdown
}

func newRuleDoc(page string) *ruleDoc {
	title, _, _ := strings.Cut(page, "\n")
	id := strings.TrimPrefix(title, "# ")
	return &ruleDoc{ID: id, Severity: diag.SeverityOf(id).String(), Page: page}
}

func (d *ruleDoc) text() []byte {
	_, body, _ := strings.Cut(d.Page, "\n")
	return fmt.Appendf(nil, "%s (%s)\n%s", d.ID, d.Severity, body)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// positive returns a number, or "" for 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
