package model

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/errgen/errgen/runtime/localize"
)

// Language has the texts of the taxonomy's public codes in a language.
type Language struct {
	Tag    string // as in BCP 47
	Var    string // DeCH
	Format localize.Format
	Texts  []LanguageText // order of the taxonomy
}

// LanguageText has the texts of a code in a language.
type LanguageText struct {
	Code       *Code
	Text       string // as written
	Message    Template
	Resolution string
}

// Hash identifies the texts of a code in the language of the taxonomy.
func (c *Code) Hash() string {
	sum := sha256.Sum256([]byte(c.Decl.Message.V + "\x00" + c.Decl.Resolution.V))
	return hex.EncodeToString(sum[:4])
}

// IsTranslated reports whether files of messages have a text for the code.
func (c *Code) IsTranslated() bool { return c.Public && !c.Abstract }

// pluralForm matches the beginning of a form in a plural placeholder.
var pluralForm = regexp.MustCompile(` ([a-z]+)=`)

// PluralForms returns the categories of a plural placeholder, each with its text. ok is false if the
// format is another one, or has text before the first category.
func PluralForms(f Format) (forms []localize.Form, ok bool) {
	text, ok := strings.CutPrefix(string(f), "plural")
	if !ok || text != "" && text[0] != ' ' {
		return nil, false
	}
	all := pluralForm.FindAllStringSubmatchIndex(text, -1)
	if text != "" && (len(all) == 0 || all[0][0] > 0) {
		return nil, false
	}
	for i, at := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		forms = append(forms, localize.Form{Category: text[at[2]:at[3]], Text: text[at[1]:end]})
	}
	return forms, true
}

// Localized returns the texts as the runtime shows them.
func (l *Language) Localized(domain string) localize.Texts {
	out := localize.Texts{Language: l.Tag, Domain: domain, Format: l.Format}
	for _, t := range l.Texts {
		out.Codes = append(out.Codes, localize.Text{Code: t.Code.Value, Message: localized(t.Message.Parts),
			Resolution: t.Resolution})
	}
	return out
}

func localized(parts []Part) []localize.Part {
	var out []localize.Part
	for _, p := range parts {
		part := localize.Part{Text: p.Text, Group: localized(p.Group)}
		if p.Field != nil {
			part.Field, part.Show = p.Field.Wire, localize.Show(p.Format) // formats have the names of forms
			if forms, ok := PluralForms(p.Format); ok {
				part.Show, part.Forms = localize.Plural, forms
			} else if part.Show == "" {
				part.Show = shows[p.Field.Type]
			}
		}
		out = append(out, part)
	}
	return out
}

// shows are the forms of types without a format.
var shows = map[Type]localize.Show{Int: localize.Number, Int64: localize.Number, Uint64: localize.Number,
	Float64: localize.Number, Duration: localize.Duration, Strings: localize.List}
