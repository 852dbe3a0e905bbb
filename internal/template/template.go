// Package template parses the templates of messages. The generator and the checks of generated tests
// use it.
package template

import (
	"regexp"
	"slices"
	"strings"
)

// Part is a piece of a template: text, a placeholder, or a group in brackets. A group is left out
// if a field in it is absent or empty. F is the type of a field; [Parse] sets none.
type Part[F any] struct {
	Text   string // of a text part
	Name   string // of a placeholder
	Field  F      // of a placeholder
	Cause  bool   // the placeholder is {cause}
	Format Format
	Group  []Part[F] // of a group: texts and placeholders only
	// Offset and Len are the place of the piece in the message, in bytes.
	Offset, Len int
}

// Format selects the form in which a placeholder shows its value.
type Format string

// Fault is a fault in a message. Offset and Len are its place in the message, in bytes.
type Fault struct {
	Offset, Len int
	Msg         string
}

// tokens matches an escape, a placeholder, another brace or bracket, or text.
var tokens = regexp.MustCompile(`\{\{|\}\}|\[\[|\]\]|\{[^{}\[\]\n]*\}|[{}\[\]]|[^{}\[\]]+`)

// Parse reads a message or feedback: text, {field}, {field:format}, groups in [brackets]
// that do not nest, and {{ }} [[ ]] for the characters themselves. It does not check names of
// fields or formats. Malformed parts are reported, and remain as text.
func Parse[F any](text string) ([]Part[F], []Fault) {
	var out []Part[F]
	var errs []Fault
	group := -1 // the index of the open group
	for _, at := range tokens.FindAllStringIndex(text, -1) {
		token := text[at[0]:at[1]]
		part := Part[F]{Text: token, Offset: at[0], Len: len(token)}
		fail := func(msg string) { errs = append(errs, Fault{at[0], len(token), msg}) }
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
				out = append(out, Part[F]{Group: []Part[F]{}, Offset: at[0]})
				continue
			}
			fail(`optional groups do not nest; write "[[" for a bracket`)
		case "]":
			if group >= 0 {
				g := &out[group]
				g.Len = at[1] - g.Offset
				if !slices.ContainsFunc(g.Group, func(p Part[F]) bool { return p.Name != "" }) {
					errs = append(errs, Fault{g.Offset, g.Len,
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
					part.Text, part.Name, part.Format = "", name, Format(format)
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
		errs = append(errs, Fault{g.Offset, 1, `"[" is never closed; write "[[" for a bracket`})
		out = append(append(out[:group], Part[F]{Text: "[", Offset: g.Offset, Len: 1}), g.Group...)
	}
	return out, errs
}

// appendPart adds a part. Text extends the text before it.
func appendPart[F any](to []Part[F], p Part[F]) []Part[F] {
	if last := len(to) - 1; last >= 0 && p.Text != "" && to[last].Text != "" {
		to[last].Text += p.Text
		to[last].Len += p.Len
		return to
	}
	return append(to, p)
}
