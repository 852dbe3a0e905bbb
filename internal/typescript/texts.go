package typescript

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/localize"
)

//go:embed texts.ts
var texts string

// Texts returns the module of a language's texts, with mark as its first line.
func Texts(m *model.Package, l *model.Language, mark string) []byte {
	w := &writer{model: m}
	t := l.Localized(m.Domain)
	f := t.Format
	w.linef("// %s\n", mark)
	w.doc("", "The messages in "+l.Tag+", for the function localized.")
	w.linef("export const texts = {")
	w.linef("  language: %s,\n  domain: %s,", quote(t.Language), quote(t.Domain))
	w.linef("  format: {\n    decimal: %s, group: %s, minus: %s, primary: %d, secondary: %d, zero: %d,",
		quote(f.Decimal), quote(f.Group), quote(f.Minus), f.Primary, f.Secondary, f.Zero)
	w.linef("    plurals: %s,\n  },", quote(f.Plurals))
	w.linef("  codes: {")
	for _, c := range t.Codes {
		resolution := ""
		if c.Resolution != "" {
			resolution = ",\n      resolution: " + quote(c.Resolution)
		}
		w.linef("    %s: {\n      message: %s%s,\n    },", quote(c.Code), textParts(c.Message), resolution)
	}
	w.linef("  },\n} as const;")
	return []byte(w.b.String())
}

// textParts returns a value of the type TextPart[].
func textParts(parts []localize.Part) string {
	var out []string
	for _, p := range parts {
		switch {
		case p.Group != nil:
			out = append(out, textParts(p.Group))
		case p.Field == "":
			out = append(out, quote(p.Text))
		default:
			members := "field: " + quote(p.Field)
			if p.Show != "" {
				members += ", show: " + quote(string(p.Show))
			}
			var forms []string
			for i := 0; i+1 < len(p.Forms); i += 2 {
				forms = append(forms, fmt.Sprintf("%s: %s", p.Forms[i], quote(p.Forms[i+1])))
			}
			if forms != nil {
				members += ", forms: { " + strings.Join(forms, ", ") + " }"
			}
			out = append(out, "{ "+members+" }")
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}
