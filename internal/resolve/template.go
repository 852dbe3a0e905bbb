package resolve

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/template"
)

// CauseName is the placeholder of the wrapped error.
const CauseName = "cause"

// Template resolves a message against the fields that its code has. A placeholder that names none
// of them stays as text.
func Template(c *model.Code, text string) model.Template {
	parts, _ := template.Parse[*model.Field](text)
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
