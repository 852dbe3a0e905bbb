package resolve

import (
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// CauseName is the placeholder of the wrapped error.
const CauseName = "cause"

// TemplateError is a fault in a message. Offset and Len are its place in the message, in bytes.
type TemplateError struct {
	Offset, Len int
	Msg         string
}

// templateToken matches an escape, a placeholder, another brace or bracket, or text.
var templateToken = regexp.MustCompile(`\{\{|\}\}|\[\[|\]\]|\{[^{}\[\]\n]*\}|[{}\[\]]|[^{}\[\]]+`)

// ParseTemplate reads a message or feedback: text, {field}, {field:format}, groups in [brackets]
// that do not nest, and {{ }} [[ ]] for the characters themselves. It does not check names of
// fields or formats. Malformed parts are reported, and remain as text.
func ParseTemplate(text string) ([]model.Part, []TemplateError) {
	var out []model.Part
	var errs []TemplateError
	group := -1 // the index of the open group
	for _, at := range templateToken.FindAllStringIndex(text, -1) {
		token := text[at[0]:at[1]]
		part := model.Part{Text: token, Offset: at[0], Len: len(token)}
		fail := func(msg string) { errs = append(errs, TemplateError{at[0], len(token), msg}) }
		switch token {
		case "{{", "}}", "[[", "]]":
			part.Text = token[:1]
		case "{":
			fail(`"{" is never closed; write "{{" for a brace`)
		case "}":
			fail(`"}" without "{"; write "}}" for a brace`)
		case "[":
			if group < 0 {
				group = len(out)
				out = append(out, model.Part{Group: []model.Part{}, Offset: at[0]})
				continue
			}
			fail(`optional groups do not nest; write "[[" for a bracket`)
		case "]":
			if group >= 0 {
				g := &out[group]
				g.Len = at[1] - g.Offset
				if !slices.ContainsFunc(g.Group, func(p model.Part) bool { return p.Name != "" }) {
					errs = append(errs, TemplateError{g.Offset, g.Len,
						"an optional group without a placeholder; write [[ ]] for brackets"})
				}
				group = -1
				continue
			}
			fail(`"]" without "["; write "]]" for a bracket`)
		default:
			if token[0] == '{' {
				name, format, colon := strings.Cut(token[1:len(token)-1], ":")
				switch {
				case name == "":
					fail("a placeholder without a field; write {{}} for braces")
				case name != strings.TrimSpace(name) || format != strings.TrimSpace(format):
					fail("a space in a placeholder")
				case colon && format == "":
					fail("a colon without a format")
				default:
					part.Text, part.Name, part.Format = "", name, model.Format(format)
				}
			}
		}
		if group >= 0 {
			out[group].Group = appendPart(out[group].Group, part)
		} else {
			out = appendPart(out, part)
		}
	}
	if group >= 0 {
		g := out[group]
		errs = append(errs, TemplateError{g.Offset, 1, `"[" is never closed; write "[[" for a bracket`})
		out = append(append(out[:group], model.Part{Text: "[", Offset: g.Offset, Len: 1}), g.Group...)
	}
	return out, errs
}

// appendPart adds a part. Text extends the text before it.
func appendPart(to []model.Part, p model.Part) []model.Part {
	if last := len(to) - 1; last >= 0 && p.Text != "" && to[last].Text != "" {
		to[last].Text += p.Text
		to[last].Len += p.Len
		return to
	}
	return append(to, p)
}

// template resolves a message against the fields that its code has. A placeholder that names none
// of them stays as text.
func template(c *model.Code, text string) model.Template {
	parts, _ := ParseTemplate(text)
	link(c, text, parts)
	return model.Template{Parts: parts}
}

// link sets the fields of placeholders.
func link(c *model.Code, text string, parts []model.Part) {
	for i := range parts {
		p := &parts[i]
		link(c, text, p.Group)
		p.Field = c.ErrorType().Field(p.Name)
		p.Cause = p.Field == nil && p.Name == CauseName
		if p.Name != "" && p.Field == nil && !p.Cause {
			*p = model.Part{Text: text[p.Offset : p.Offset+p.Len]}
		}
	}
}
