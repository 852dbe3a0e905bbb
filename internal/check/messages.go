package check

import (
	"cmp"
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
	"github.com/errgen/errgen/runtime/localize"
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
	for i := range c.findings[len(findings):] { // related places are in the taxonomy, another source
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
		return
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
	entries := make(map[string]*spec.Message)
	for i := range file.Messages {
		entries[file.Messages[i].Code.V] = &file.Messages[i]
	}
	missing := func(at diag.Span, k *model.Code, text string) {
		// Unlike report, it adds a finding for each of several codes at one place.
		c.findings = append(c.findings, diag.Finding{ID: IDMessageMissing, Severity: diag.Warning, Span: at,
			Message: fmt.Sprintf("%s has no %s in %q", k.Name, text, l.Tag),
			Hint:    fmt.Sprintf("write the text; \"errgen messages %s\" adds missing keys", l.Tag)})
	}
	var names []string
	for _, k := range c.m.Codes {
		x := cmp.Or(entries[k.Name], &spec.Message{Code: file.Language})
		delete(entries, k.Name)
		switch {
		case !k.IsTranslated() && x.Span.Valid():
			c.report("E-public-text", x.Code.Span,
				k.Name+" is not public, or is abstract, so no client sees its text", "remove the entry")
			continue
		case !k.IsTranslated():
			continue
		}
		names = append(names, k.Name)
		if x.Message.V == "" {
			missing(x.Code.Span, k, "message")
			continue
		}
		if x.Resolution.V == "" && k.Decl.Resolution.V != "" {
			missing(x.Code.Span, k, "resolution")
		}
		c.text(l, k, x)
	}
	for _, x := range file.Messages {
		if entries[x.Code.V] != nil {
			c.report("E-unknown-name", x.Code.Span, "there is no code "+strconv.Quote(x.Code.V),
				c.suggest(x.Code.V, names, "remove the entry"))
		}
	}
}

// text checks the texts of a code, and adds them to the language.
func (c *checker) text(l *model.Language, k *model.Code, x *spec.Message) {
	translated, decl := *k, *k.Decl
	translated.Decl, decl.Message = &decl, x.Message
	c.template(&translated, x.Message)
	if x.Resolution.V != "" && k.Decl.Resolution.V == "" {
		c.report("E-value", x.Resolution.Span, k.Name+" has no resolution in the taxonomy", "remove it")
	}
	if x.English.Set && x.English.V != k.Hash() {
		c.report(IDMessageStale, x.English.Span, "the taxonomy's text of "+k.Name+" changed",
			fmt.Sprintf("compare the texts, remove this key, and run \"errgen messages %s\"", l.Tag))
	}
	text := model.LanguageText{Code: k, Text: x.Message.V, Message: resolve.Template(k, x.Message.V),
		Resolution: x.Resolution.V}
	l.Texts = append(l.Texts, text)
	shown := fieldsIn(text.Message.Parts)
	for _, f := range fieldsIn(k.Template.Parts) {
		if diag.HasErrors(c.findings) {
			break // a misspelled field is not left out
		}
		if f.Public && !f.MessageOnly && !slices.Contains(shown, f) {
			c.report(IDMessageIncomplete, x.Message.Span,
				"the text leaves out "+f.Wire+", which the taxonomy's text shows", "add {"+f.Wire+"}")
		}
	}
}

// fieldsIn returns the fields that a template shows. A plural placeholder does not show the number.
func fieldsIn(parts []model.Part) []*model.Field {
	var out []*model.Field
	for _, p := range parts {
		if _, isPlural := model.PluralForms(p.Format); p.Field != nil && !isPlural {
			out = append(out, p.Field)
		}
		out = append(out, fieldsIn(p.Group)...)
	}
	return out
}

// plural checks a plural placeholder.
func (c *checker) plural(at diag.Span, piece model.Part, typ model.Type, forms []localize.Form) {
	if typ != model.Uint64 && typ != model.Int && typ != model.Int64 && !slices.Contains(formatsOf[model.Count], typ) {
		c.report("E-placeholder", at, fmt.Sprintf("plural is for whole numbers and lists, and %s is of type %s",
			piece.Name, typ), "remove the format")
		return
	}
	var given []string
	for _, form := range forms {
		if form.Text != "" {
			given = append(given, form.Category)
		}
	}
	wanted := strings.Join(c.categories, ", ")
	slices.SortFunc(given, func(a, b string) int {
		return cmp.Compare(slices.Index(c.categories, a), slices.Index(c.categories, b))
	})
	if texts := strings.Join(given, ", "); texts != wanted {
		c.report("E-placeholder", at, fmt.Sprintf("the language has the plural forms %s, and the texts are of %s",
			wanted, cmp.Or(texts, "none")),
			"write {"+piece.Name+":plural "+strings.ReplaceAll(wanted, ",", "=…")+"=…}")
	}
}
