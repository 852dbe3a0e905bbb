package resolve

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// CauseName is the placeholder of the wrapped error.
const CauseName = "cause"

var formats = map[string]model.Format{
	"": model.Plain, "count": model.Count, "first_line": model.FirstLine, "seconds": model.Seconds,
	"quoted": model.Quoted, "duration": model.Millis,
}

// Format returns the format that a placeholder names; "" is the plain one.
func Format(name string) (model.Format, bool) {
	f, ok := formats[name]
	return f, ok
}

// FormatName returns the name of a format; that of the plain one is empty.
func FormatName(f model.Format) string {
	for name, format := range formats {
		if format == f {
			return name
		}
	}
	return ""
}

// Formats returns the names of the formats, sorted.
func Formats() []string {
	var names []string
	for name := range formats {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// template resolves a message against the fields that its code has. A placeholder that names none
// of them stays as text.
func template(text string, fields map[string]*model.Field) model.Template {
	pieces, _ := ParseTemplate(text)
	return model.Template{Parts: parts(text, pieces, fields)}
}

func parts(text string, pieces []Piece, fields map[string]*model.Field) []model.Part {
	out := make([]model.Part, 0, len(pieces))
	for _, p := range pieces {
		out = append(out, part(text, p, fields))
	}
	return out
}

func part(text string, p Piece, fields map[string]*model.Field) model.Part {
	switch p.Kind {
	case TextPiece:
		return model.Part{Text: p.Text}
	case GroupPiece:
		return model.Part{Group: parts(text, p.Parts, fields)}
	}
	format := formats[p.Format]
	if f := fields[p.Name]; f != nil {
		return model.Part{Field: f, Format: format}
	}
	if p.Name == CauseName {
		return model.Part{Cause: true, Format: format}
	}
	return model.Part{Text: text[p.Offset : p.Offset+p.Len]}
}
