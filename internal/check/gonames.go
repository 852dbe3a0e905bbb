package check

import (
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// fixedNames are the exported names that every generated package may hold, now or with a later
// errgen.
var fixedNames = []string{
	"Categories", "Category", "CategoryOf", "Check", "Checks", "Classify", "ClassifyEvidence", "Explain", "Recover",
	"Strategies",
	"Table", "UnmarshalError",
}

// methodNames are the methods of a generated error. A field of that name would hide one.
var methodNames = []string{
	"AppendContext", "AppendFeedback", "AppendJSON", "AppendMessage", "As", "Code", "Error", "Format", "Hints", "Is",
	"LogValue", "MarshalJSON", "Row", "Taxonomy", "UnmarshalJSON", "Unwrap", "WithCause",
}

// shadowedPackages are directories that the go command passes over, or treats in a way of their
// own.
var shadowedPackages = []string{"documentation", "internal", "main", "testdata", "vendor"}

// deviceNames name no directory on Windows, whatever their case; the go command refuses them
// everywhere.
var deviceNames = regexp.MustCompile(`(?i)^(con|prn|aux|nul|(com|lpt)[1-9])$`)

func packageName(p *pass) {
	name := p.t.Package
	if !name.Set {
		return
	}
	switch {
	case !token.IsIdentifier(name.V) || strings.HasPrefix(name.V, "_") || name.V == "init" ||
		strings.ContainsFunc(name.V, notASCII):
		p.report(name.Span, "%q cannot name a Go package", name.V).hint("use lower-case letters and digits, as in errs")
	case slices.Contains(shadowedPackages, name.V) || deviceNames.MatchString(name.V) ||
		strings.HasSuffix(name.V, "_test"):
		p.report(name.Span, "a package called %q could not be imported like any other", name.V).
			hint("choose another name, such as errs")
	case naming.Predeclared(name.V):
		p.report(name.Span, "%q is a name of the Go language; every file that imports the package would lose it",
			name.V)
	}
}

// notASCII reports whether r could not stand in an import path.
func notASCII(r rune) bool { return r > unicode.MaxASCII }

// unusableNames finds the names that no Go identifier follows from.
func unusableNames(p *pass) {
	p.unusableVocabulary()
	for _, c := range p.categories {
		if c.Type.Set {
			p.exportedIdentifier(c.Type, c.Type.V)
		} else {
			p.becomesExported("category", c.Name, "type")
		}
	}
	for _, c := range p.codes {
		if c.GoName.Set {
			p.exportedIdentifier(c.GoName, "Code"+c.GoName.V)
		} else if _, ok := naming.Suffix(c.Name.V); !ok {
			p.report(c.Name.Span, "code %q gives no Go name", c.Name.V).hint("say it with the key \"name\"")
		}
	}
	p.eachField(func(f field, _ *category) {
		if f.GoName.Set {
			p.exportedIdentifier(f.GoName, f.GoName.V)
		} else {
			p.becomesExported("field", f.Name, "name")
		}
		for _, word := range f.Enum {
			if _, ok := naming.Suffix(word.V); !ok {
				p.report(word.Span, "%q gives no Go name", word.V).hint("use letters and digits")
			}
		}
	})
}

func (p *pass) unusableVocabulary() {
	suffix := func(what string, name spec.Text) {
		if _, ok := naming.Suffix(name.V); !ok {
			p.report(name.Span, "%s %q gives no Go name", what, name.V).hint("use letters and digits")
		}
	}
	for _, g := range p.t.Groups {
		suffix("group", g.Name)
	}
	for _, t := range p.t.Tiers {
		suffix("tier", t.Name)
	}
	for _, r := range p.t.Profiles {
		suffix("profile", r.Name)
	}
	for _, r := range p.t.Reactions {
		suffix("reaction", r.Name)
	}
	for _, r := range p.t.Policies {
		suffix("policy", r.Name)
	}
	for _, s := range p.t.Strategies {
		p.becomesExported("strategy", s.Name, "")
	}
	for _, c := range p.t.Checks {
		p.becomesExported("check", c.Name, "")
	}
}

func (p *pass) exportedIdentifier(name spec.Text, ident string) {
	if !naming.IsExported(ident) {
		p.report(name.Span, "%q is no exported Go name", name.V).
			hint("begin with a capital, and go on with letters and digits")
	}
}

func (p *pass) becomesExported(what string, name spec.Text, key string) {
	if _, ok := naming.Exported(name.V); ok {
		return
	}
	r := p.report(name.Span, "%s %q gives no Go name", what, name.V)
	if key == "" {
		r.hint("begin with a letter, and go on with letters and digits")
		return
	}
	r.hint("say it with the key %q", key)
}

// declared is an identifier of the generated package and what it comes from.
type declared struct {
	ident string
	at    diag.Span
	mend  string
}

func duplicateGoNames(p *pass) {
	taken := make(map[string]declared)
	for _, name := range fixedNames {
		taken[name] = declared{ident: name}
	}
	for _, d := range p.declaredNames() {
		earlier, clash := taken[d.ident]
		switch {
		case !clash:
			taken[d.ident] = d
		case !earlier.at.Valid():
			p.report(d.at, "the Go name %s belongs to the generated package itself", d.ident).hint("%s", d.mend)
		case earlier.at != d.at && !p.reported(d.at):
			p.report(d.at, "the Go name %s is taken", d.ident).hint("%s", d.mend).related(earlier.at, "first made here")
		}
	}
}

// declaredNames lists the exported identifiers in an order in which the surer name comes first:
// when a code and a category meet, it is the code that is asked to give way.
func (p *pass) declaredNames() []declared {
	var out []declared
	add := func(at diag.Span, mend string, idents ...string) {
		for _, ident := range idents {
			out = append(out, declared{ident, at, mend})
		}
	}
	for _, c := range p.categories {
		at := first(c.Type.Span, c.Name.Span)
		add(at, "give the category another type", c.model.Type, c.model.CodeType, c.model.Const, c.model.Predicate)
	}
	for _, c := range p.codes {
		if p.codeNamed[c.Name.V] == c {
			add(first(c.GoName.Span, c.Name.Span), "give the code another name", c.model.Const, c.model.Factory)
		}
	}
	for i, g := range p.t.Groups {
		add(g.Name.Span, "rename the group", p.m.Groups[i].Predicate)
	}
	for i, t := range p.t.Tiers {
		add(t.Name.Span, "rename the tier", p.m.Tiers[i].Const)
	}
	for i, s := range p.t.Strategies {
		add(s.Name.Span, "rename the strategy", p.m.Strategies[i].Const)
	}
	for i, c := range p.t.Checks {
		add(c.Name.Span, "rename the check", p.m.Checks[i].Const)
	}
	for i, profile := range p.t.Profiles {
		add(profile.Name.Span, "rename the profile", p.m.Profiles[i].Const)
	}
	p.eachField(func(f field, _ *category) {
		at := first(f.GoName.Span, f.Name.Span)
		if f.model.Enum != nil {
			add(at, "give the field another name", f.model.Enum.Type)
			seen := make(map[string]bool)
			for i, word := range f.Enum[:min(len(f.Enum), maxWords)] { // that there are more is reported
				if !seen[word.V] {
					add(word.Span, "spell the words less alike", f.model.Enum.Values[i].Const)
				}
				seen[word.V] = true
			}
		}
		if f.model.Object != nil {
			add(at, "give the field another name", f.model.Object.Type)
		}
	})
	return out
}

// fieldGoNames finds two fields of one struct that share a Go name. Fields that share a wire name
// are another rule's.
func fieldGoNames(p *pass) {
	for _, c := range p.categories {
		p.distinctGoNames(c.fields)
	}
	p.eachField(func(f field, _ *category) {
		if f.model.Object != nil {
			p.distinctGoNames(pairs(f.Fields, f.model.Object.Fields))
		}
	})
}

func (p *pass) distinctGoNames(fields []field) {
	taken := make(map[string]field)
	for _, f := range fields {
		earlier, clash := taken[f.model.Go]
		if !clash {
			taken[f.model.Go] = f
			continue
		}
		at := first(f.GoName.Span, f.Name.Span)
		if earlier.Name.V != f.Name.V && !p.reported(at) {
			p.report(at, "the field's Go name %s is taken", f.model.Go).
				hint("say another with the key \"name\"").related(
				first(earlier.GoName.Span, earlier.Name.Span), "first made here")
		}
	}
}

// methodsHidden finds fields that would hide a method of their error.
func methodsHidden(p *pass) {
	for _, c := range p.categories {
		methods := make(map[string]string)
		for _, name := range methodNames {
			methods[name] = "every error has a method " + name
		}
		for _, f := range c.fields {
			if hasWith(f.model) {
				methods["With"+f.model.Go] = "With" + f.model.Go + " sets the field " + f.Name.V
			}
		}
		for _, f := range c.fields {
			at := first(f.GoName.Span, f.Name.Span)
			if why, hidden := methods[f.model.Go]; hidden && !p.reported(at) {
				p.report(at, "a field cannot be called %s: %s", f.model.Go, why).
					hint("say another name with the key \"name\"")
			} else if f.model.Go == "Cause" && hasWith(f.model) && !p.reported(at) {
				p.report(at, "an optional field cannot be called Cause: WithCause sets the wrapped error").
					hint("say another name with the key \"name\"")
			}
		}
	}
}

// hasWith reports whether a field is set by a method of its own.
func hasWith(f *model.Field) bool { return !f.Required }
