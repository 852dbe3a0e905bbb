package check

import (
	"cmp"
	"fmt"
	"go/token"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// methodNames are the methods of a generated error. A field of that name would hide one.
var methodNames = strings.Fields(`
	AppendContext AppendFeedback AppendJSON AppendMessage AppendPublicContext As CallEffect Code Error Format Hints Is
	LogValue MarshalJSON Row Taxonomy UnmarshalJSON Unwrap WithCause`)

// unusablePackages have a meaning for the compiler or the go command.
var unusablePackages = strings.Fields("documentation init internal main testdata vendor")

var domainForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// header checks the name of the package, the domain and the address of help.
func header(c *checker) {
	p := c.t.Package
	if !token.IsIdentifier(p.V) || p.V[0] == '_' || slices.Contains(unusablePackages, p.V) ||
		naming.Predeclared(p.V) || strings.HasSuffix(p.V, "_test") ||
		strings.ContainsFunc(p.V, func(r rune) bool { return r > unicode.MaxASCII }) {
		c.report("E-go-name", p.Span, fmt.Sprintf("%q cannot name a Go package that others import", p.V),
			"use lower-case letters and digits without a meaning in Go, as in errs")
	}
	if d := c.t.Domain; d.Set && !domainForm.MatchString(d.V) {
		c.report("E-value", d.Span, fmt.Sprintf("%q cannot be a domain", d.V),
			"use letters, digits, dots and hyphens, as in errors.example.org")
	}
	if u := c.t.HelpURL; u.Set {
		rest := strings.ReplaceAll(u.V, "{code}", "CODE")
		parsed, err := url.Parse(rest)
		if err != nil || parsed.Scheme == "" || parsed.Host+parsed.Opaque+parsed.Path == "" ||
			strings.ContainsAny(rest, "{} \t\n") {
			c.report("E-value", u.Span, fmt.Sprintf("%q is not an address with {code} as its only placeholder", u.V),
				"write all of it, as in https://example.org/errors/{code}")
		}
	}
}

// identifier is a declaration with the Go identifiers that are made of its name.
type identifier struct {
	name, given spec.Text // as declared, and the key that names it in Go
	key         string    // the key of given, for hints; "" if the declaration has none
	prefix      string    // of the identifier that begins with it and ends with given
	part        bool      // whether the name is only the end of identifiers
	idents      []string
}

// identifiers visits the declarations that become identifiers. If a category and a code have the
// same identifier, the category comes first, because the code can be renamed.
func (c *checker) identifiers(visit func(i identifier)) {
	for _, k := range c.m.Categories {
		visit(identifier{name: k.Decl.Name, given: k.Decl.Type, key: "type",
			idents: []string{k.Type, k.CodeType, k.Const, k.Predicate}})
	}
	for _, k := range c.m.Codes {
		i := identifier{name: k.Decl.Name, given: k.Decl.GoName, key: "name", prefix: "Code", part: true,
			idents: []string{k.Const}}
		if !k.Abstract {
			i.idents = append(i.idents, k.Factory)
		}
		if k.OwnType != nil {
			i.idents = append(i.idents, k.OwnType.Type)
		}
		visit(i)
	}
	for i, g := range c.t.Groups {
		visit(identifier{name: g.Name, part: true, idents: []string{c.m.Groups[i].Predicate}})
	}
	for i, d := range c.t.Constants {
		visit(identifier{name: d.Name, given: d.GoName, key: "name", idents: []string{c.m.Constants[i].Function}})
	}
	for _, o := range c.m.Operations {
		visit(identifier{name: o.Decl.Name, part: true, idents: []string{o.Var}})
	}
	for i, t := range c.t.Tiers {
		visit(identifier{name: t.Name, part: true, idents: []string{c.m.Tiers[i].Const}})
	}
	for i, s := range c.t.Strategies {
		visit(identifier{name: s.Name, idents: []string{c.m.Strategies[i].Const}})
	}
	for i, d := range c.t.Checks {
		visit(identifier{name: d.Name, idents: []string{c.m.Checks[i].Const}})
	}
	for i, p := range c.t.Profiles {
		visit(identifier{name: p.Name, part: true, idents: []string{c.m.Profiles[i].Const}})
	}
	for _, r := range c.t.Reactions {
		visit(identifier{name: r.Name, part: true})
	}
	for _, p := range c.t.Policies {
		visit(identifier{name: p.Name, part: true})
	}
	c.eachField(func(f *model.Field) {
		i := identifier{name: f.Decl.Name, given: f.Decl.GoName, key: "name"}
		if f.Attribute != "" {
			i.idents = append(i.idents, f.Attribute)
		}
		if f.Object != nil && f.Object.Type != "" {
			i.idents = append(i.idents, f.Object.Type)
		}
		if f.Enum == nil {
			visit(i)
			return
		}
		i.idents = append(i.idents, f.Enum.Type)
		visit(i)
		for j, v := range f.Enum.Values {
			visit(identifier{name: f.Decl.Enum[j], part: true, idents: []string{v.Const}})
		}
	})
}

// goNames finds names that cannot become Go identifiers, and identifiers that two declarations
// share.
func goNames(c *checker) {
	taken := make(places)
	c.identifiers(func(i identifier) {
		at, hint := cmp.Or(i.given.Span, i.name.Span), "choose another name"
		if i.key != "" {
			hint = fmt.Sprintf("set another name with the key %q", i.key)
		}
		ok := naming.IsExported(i.prefix + i.given.V)
		if !i.given.Set {
			_, ok = naming.Exported(i.name.V)
			if i.part {
				_, ok = naming.Suffix(i.name.V)
			}
		}
		if !ok {
			c.report("E-go-name", at, fmt.Sprintf("%q cannot become a Go name", cmp.Or(i.given.V, i.name.V)),
				hint+": a letter, then letters and digits")
			return
		}
		for _, ident := range i.idents {
			if slices.Contains(naming.Fixed, ident) {
				c.report("E-go-name", at, fmt.Sprintf("the Go name %s belongs to the generated package", ident), hint)
			} else {
				c.claim("E-go-name", taken, ident, at, "the Go name "+ident, hint)
			}
		}
	})
}

// goFieldNames finds fields of an error or object with one Go name, and fields that hide a method
// of their error.
func goFieldNames(c *checker) {
	c.eachErrorType(func(fields []*model.Field, _ string) {
		methods := slices.Clone(methodNames)
		for _, f := range fields {
			if !f.Required {
				methods = append(methods, "With"+f.Go)
			}
		}
		c.fieldClashes(fields, methods)
	})
	c.eachField(func(f *model.Field) {
		if f.Object != nil && f.Type != model.Violations {
			c.fieldClashes(f.Object.Fields, nil)
		}
	})
}

// fieldClashes reports fields with the Go name of one of the methods or of another field.
func (c *checker) fieldClashes(fields []*model.Field, methods []string) {
	const hint = `set another name with the key "name"`
	names := make(places)
	for _, f := range fields {
		at := cmp.Or(f.Decl.GoName.Span, f.Decl.Name.Span)
		if slices.Contains(methods, f.Go) || methods != nil && f.Go == "Cause" && !f.Required {
			c.report("E-go-name", at,
				fmt.Sprintf("a field cannot be called %s: its error has a method for that", f.Go), hint)
		} else {
			c.claim("E-go-name", names, f.Go, at, "the field's Go name "+f.Go, hint)
		}
	}
}

// IsMethod reports whether generated errors have a method with a Go name, so that no field can have
// it.
func IsMethod(name string) bool { return slices.Contains(methodNames, name) }
