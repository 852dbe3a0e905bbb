package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/cldr"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/rules"
	"github.com/errgen/errgen/internal/spec"
)

// The ids of the findings of [Messages] that [Load] does not make.
const (
	IDMessageMissing    = "W-message-missing"
	IDMessageStale      = "W-message-stale"
	IDMessageIncomplete = "W-message-incomplete"
)

// MessageIDs returns the ids of the findings of [Messages] that [Load] does not make.
func MessageIDs() []string {
	return []string{IDMessageMissing, IDMessageStale, IDMessageIncomplete}
}

// Messages reads and checks a file of messages for a taxonomy. tag is the language in the file's
// name. The language is nil if a finding is an error.
func Messages(m *model.Package, name, tag string, src []byte) (*model.Language, *diag.Source, []diag.Finding) {
	file, t, findings := spec.ParseMessages(name, src)
	c := &checker{t: t, m: m, findings: findings, reported: make(map[finding]bool)}
	l := &model.Language{Tag: file.Language.V}
	if !diag.HasErrors(findings) {
		c.language(l, file.Language, tag)
	}
	if !diag.HasErrors(c.findings) {
		c.texts(l, file)
	}
	for i := range c.findings[len(findings):] { // they are places in the taxonomy
		c.findings[len(findings)+i].Related = nil
	}
	findings = ApplyIgnores(t, c.findings, func(id string) bool {
		return slices.Contains(MessageIDs(), id) || !slices.Contains(rules.IDs(), id)
	})
	diag.Sort(findings)
	if diag.HasErrors(findings) {
		return nil, t.Source, findings
	}
	return l, t.Source, findings
}

// language checks the tag of a file, and sets the properties of the language.
func (c *checker) language(l *model.Language, written spec.Text, tag string) {
	format, ok := cldr.Lookup(l.Tag)
	switch {
	case !ok:
		c.report("E-value", written.Span, strconv.Quote(l.Tag)+" is not a known language",
			c.suggest(l.Tag, cldr.Languages(), "write a tag of BCP 47, such as de or pt-BR"))
	case l.Tag != tag:
		c.report("E-value", written.Span, fmt.Sprintf("the file is named for %q, and its language is %q", tag, l.Tag),
			"rename the file, or correct the language")
	}
	l.Format, c.categories = format, cldr.Categories(format)
	for word := range strings.SplitSeq(l.Tag, "-") {
		l.Var += strings.ToUpper(word[:1]) + word[1:]
	}
}

// texts checks the texts of a file, and adds them to the language.
func (c *checker) texts(l *model.Language, file *spec.Messages) {
	byName := make(map[string]*spec.Message)
	var names []string
	for _, k := range c.m.Codes {
		if k.IsTranslated() {
			names = append(names, k.Name)
		}
	}
	for i := range file.Messages {
		x := &file.Messages[i]
		byName[x.Code.V] = x
		if slices.Contains(names, x.Code.V) {
			continue
		}
		if slices.ContainsFunc(c.m.Codes, func(k *model.Code) bool { return k.Name == x.Code.V }) {
			c.report("E-public-text", x.Code.Span,
				x.Code.V+" is not public, or is abstract, so no client sees its text", "remove the entry")
			continue
		}
		c.report("E-unknown-name", x.Code.Span, "there is no code "+strconv.Quote(x.Code.V),
			c.suggest(x.Code.V, names, "remove the entry"))
	}
	for _, k := range c.m.Codes {
		x := byName[k.Name]
		switch {
		case !k.IsTranslated():
		case x == nil || x.Message.V == "":
			at := file.Language.Span
			if x != nil {
				at = x.Code.Span
			}
			c.missing(at, k.Name+" has no message in "+strconv.Quote(l.Tag), l)
		default:
			c.text(l, k, x)
			text := model.LanguageText{Code: k, Text: x.Message.V, Resolution: x.Resolution.V}
			text.Message = resolve.Template(k, x.Message.V)
			l.Texts = append(l.Texts, text)
		}
	}
}

// missing reports a missing text. Several can be at one place.
func (c *checker) missing(at diag.Span, message string, l *model.Language) {
	c.findings = append(c.findings, diag.Finding{ID: IDMessageMissing, Severity: diag.Warning, Span: at,
		Message: message, Hint: fmt.Sprintf("run \"errgen messages %s\", and write the text", l.Tag)})
}

// text checks the texts of a code.
func (c *checker) text(l *model.Language, k *model.Code, x *spec.Message) {
	translated, decl := *k, *k.Decl
	translated.Decl, decl.Message = &decl, x.Message
	c.template(&translated, x.Message)
	if x.Resolution.V == "" && k.Decl.Resolution.V != "" {
		c.missing(x.Code.Span, k.Name+" has no resolution in "+strconv.Quote(l.Tag), l)
	}
	if x.Resolution.V != "" && k.Decl.Resolution.V == "" {
		c.report("E-value", x.Resolution.Span, k.Name+" has no resolution in the taxonomy", "remove it")
	}
	if x.English.Set && x.English.V != k.Hash() {
		c.report(IDMessageStale, x.English.Span, "the taxonomy's text of "+k.Name+" changed",
			fmt.Sprintf("compare the texts, remove this key, and run \"errgen messages %s\"", l.Tag))
	}
	shown := fieldsIn(resolve.Template(k, x.Message.V).Parts)
	for _, f := range fieldsIn(k.Template.Parts) {
		if f.Public && !slices.Contains(shown, f) {
			c.report(IDMessageIncomplete, x.Message.Span,
				"the text leaves out "+f.Wire+", which the taxonomy's text shows", "add {"+f.Wire+"}")
		}
	}
}

// fieldsIn returns the fields that a template shows.
func fieldsIn(parts []model.Part) []*model.Field {
	var out []*model.Field
	for _, p := range parts {
		if p.Field != nil {
			out = append(out, p.Field)
		}
		out = append(out, fieldsIn(p.Group)...)
	}
	return out
}

// plural checks a plural placeholder.
func (c *checker) plural(at diag.Span, piece model.Part, typ model.Type, forms []string) {
	wanted := strings.Join(c.categories, ", ")
	example := "write {" + piece.Name + ":plural"
	for _, category := range c.categories {
		example += " " + category + "=…"
	}
	example += "}"
	if !slices.Contains([]model.Type{model.Int, model.Int64, model.Uint64, model.Strings, model.Objects,
		model.Violations}, typ) {
		c.report("E-placeholder", at, fmt.Sprintf("plural is for whole numbers and lists, and %s is of type %s",
			piece.Name, typ), "remove the format")
		return
	}
	var given []string
	for i := 0; i < len(forms); i += 2 {
		switch {
		case !slices.Contains(c.categories, forms[i]):
			c.report("E-placeholder", at, fmt.Sprintf("%q is not a plural form of the language, which has %s", forms[i],
				wanted), example)
		case slices.Contains(given, forms[i]):
			c.report("E-placeholder", at, fmt.Sprintf("the plural form %q is given twice", forms[i]),
				"remove one of them")
		case forms[i+1] == "":
			c.report("E-placeholder", at, fmt.Sprintf("the plural form %q has no text", forms[i]), example)
		}
		given = append(given, forms[i])
	}
	for _, category := range c.categories {
		if !slices.Contains(given, category) {
			c.report("E-placeholder", at,
				fmt.Sprintf("the plural form %q is missing: the language has %s", category, wanted), example)
		}
	}
}
