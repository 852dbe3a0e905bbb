package check

import (
	"fmt"
	"go/token"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// methodNames are the methods of a generated error. A field of that name would hide one.
var methodNames = strings.Fields(`
	AppendContext AppendFeedback AppendJSON AppendMessage AppendPublicContext As Code Error Format Hints Is LogValue
	MarshalJSON Row Taxonomy UnmarshalJSON Unwrap WithCause`)

var (
	// specialPackages are directories that the go command treats specially.
	specialPackages = strings.Fields("documentation internal main testdata vendor")
	// deviceNames are not directories on Windows; the go command refuses them everywhere.
	deviceNames = regexp.MustCompile(`(?i)^(con|prn|aux|nul|(com|lpt)[1-9])$`)
	domainForm  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
)

// header checks the name of the package, the domain and the address of help.
func header(c *checker) {
	p := c.t.Package
	switch {
	case !token.IsIdentifier(p.V) || p.V[0] == '_' || p.V == "init" ||
		strings.ContainsFunc(p.V, func(r rune) bool { return r > unicode.MaxASCII }):
		c.report("E-go-name", p.Span, fmt.Sprintf("%q cannot name a Go package", p.V),
			"use lower-case letters and digits, as in errs")
	case slices.Contains(specialPackages, p.V) || deviceNames.MatchString(p.V) || strings.HasSuffix(p.V, "_test"):
		c.report("E-go-name", p.Span, fmt.Sprintf("a package called %q cannot be imported like any other", p.V),
			"choose another name, such as errs")
	case naming.Predeclared(p.V):
		c.report("E-go-name", p.Span,
			fmt.Sprintf("%q is predeclared by Go, and a file that imports the package would lose it", p.V),
			"choose another name, such as errs")
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

// goNames finds the names that no Go identifier follows from.
func goNames(c *checker) {
	check := func(name spec.Text, ok bool, hint string) {
		if !ok {
			c.report("E-go-name", name.Span, fmt.Sprintf("%q gives no Go name", name.V), hint)
		}
	}
	suffix := func(name spec.Text, hint string) {
		_, ok := naming.Suffix(name.V)
		check(name, ok, hint)
	}
	exported := func(name, given spec.Text, prefix, hint string) {
		if given.Set {
			check(given, naming.IsExported(prefix+given.V), "begin with a capital, and go on with letters and digits")
			return
		}
		_, ok := naming.Exported(prefix + name.V)
		check(name, ok, hint)
	}
	const letters = "begin with a letter, and go on with letters and digits"
	c.t.Names(func(n spec.Name) {
		switch {
		case !n.Declares:
		case n.Ref == spec.RefStrategy || n.Ref == spec.RefCheck:
			exported(n.Text, spec.Text{}, "", letters)
		case slices.Contains([]spec.Ref{
			spec.RefGroup, spec.RefTier, spec.RefProfile, spec.RefReaction, spec.RefPolicy,
		}, n.Ref):
			suffix(n.Text, letters)
		}
	})
	for _, d := range c.t.Constants {
		exported(d.Name, d.GoName, "", `set the Go name with the key "name"`)
	}
	for _, k := range c.categories {
		exported(k.Name, k.Type, "", `set the Go name with the key "type"`)
	}
	for _, k := range c.codes {
		if k.GoName.Set {
			exported(k.Name, k.GoName, "Code", "")
		} else {
			suffix(k.Name, `set the Go name with the key "name"`)
		}
	}
	c.eachField(func(f field) {
		exported(f.Name, f.GoName, "", `set the Go name with the key "name"`)
		for _, word := range f.Enum {
			suffix(word, "use letters and digits")
		}
	})
}

// goNameClashes finds exported names that two declarations share, and fields that hide a method of
// their error. Of a category and a code that meet, the code has to give way.
func goNameClashes(c *checker) {
	names := make(places)
	claim := func(at diag.Span, hint string, idents ...string) {
		for _, ident := range idents {
			earlier, clash := names[ident]
			switch {
			case slices.Contains(naming.Fixed, ident):
				c.report("E-go-name", at, fmt.Sprintf("the Go name %s belongs to the generated package", ident), hint)
			case clash && earlier != at:
				c.report("E-go-name", at, fmt.Sprintf("the Go name %s is taken", ident), hint,
					seeAlso(earlier, "first made here"))
			case !clash:
				names[ident] = at
			}
		}
	}
	for _, k := range c.categories {
		m := k.model
		claim(firstSpan(k.Type.Span, k.Name.Span), `set another name with the key "type"`, m.Type, m.CodeType, m.Const,
			m.Predicate)
	}
	for _, k := range c.codes {
		at, hint := firstSpan(k.GoName.Span, k.Name.Span), `set another name with the key "name"`
		claim(at, hint, k.model.Const)
		if !k.model.Abstract {
			claim(at, hint, k.model.Factory)
		}
		if k.model.Own != nil {
			claim(at, hint, k.model.Own.Type)
		}
	}
	for i, g := range c.t.Groups {
		claim(g.Name.Span, "rename the group", c.m.Groups[i].Predicate)
	}
	for i, d := range c.t.Constants {
		claim(firstSpan(d.GoName.Span, d.Name.Span), `set another name with the key "name"`, c.m.Constants[i].Function)
	}
	for i, t := range c.t.Tiers {
		claim(t.Name.Span, "rename the tier", c.m.Tiers[i].Const)
	}
	for i, s := range c.t.Strategies {
		claim(s.Name.Span, "rename the strategy", c.m.Strategies[i].Const)
	}
	for i, one := range c.t.Checks {
		claim(one.Name.Span, "rename the check", c.m.Checks[i].Const)
	}
	for i, p := range c.t.Profiles {
		claim(p.Name.Span, "rename the profile", c.m.Profiles[i].Const)
	}
	c.eachField(func(f field) {
		at, hint := firstSpan(f.GoName.Span, f.Name.Span), `set another name with the key "name"`
		if f.model.Attribute != "" {
			claim(at, hint, f.model.Attribute)
		}
		if f.model.Enum != nil {
			claim(at, hint, f.model.Enum.Type)
			for i, v := range f.model.Enum.Values {
				claim(f.Enum[i].Span, "make the words less alike", v.Const)
			}
		}
		if f.model.Object != nil && f.model.Object.Type != "" {
			claim(at, hint, f.model.Object.Type)
			c.fieldClashes(pairs(f.Fields, f.model.Object.Fields), nil)
		}
	})
	for _, k := range c.categories {
		c.fieldClashes(k.fields, methodNames)
	}
	for _, k := range c.codes {
		if len(k.own()) > 0 {
			c.fieldClashes(k.fields, methodNames)
		}
	}
}

func (c *checker) fieldClashes(fields []field, methods []string) {
	names := make(places)
	for _, m := range methods {
		names[m] = diag.Span{}
	}
	if methods != nil {
		for _, f := range fields {
			if !f.model.Required {
				names["With"+f.model.Go] = diag.Span{}
			}
		}
	}
	for _, f := range fields {
		at := firstSpan(f.GoName.Span, f.Name.Span)
		earlier, clash := names[f.model.Go]
		switch {
		case clash && !earlier.Valid():
			c.report("E-go-name", at,
				fmt.Sprintf("a field cannot be called %s: its error has a method of that name", f.model.Go),
				`set another name with the key "name"`)
		case clash:
			c.report("E-go-name", at, fmt.Sprintf("the field's Go name %s is taken", f.model.Go),
				`set another name with the key "name"`, seeAlso(earlier, "first made here"))
		case methods != nil && f.model.Go == "Cause" && !f.model.Required:
			c.report("E-go-name", at, "an optional field cannot be called Cause: WithCause sets the wrapped error",
				`set another name with the key "name"`)
		default:
			names[f.model.Go] = at
		}
	}
}

// IsMethod reports whether generated errors have a method with a Go name, so that no field can have
// it.
func IsMethod(name string) bool { return slices.Contains(methodNames, name) }
