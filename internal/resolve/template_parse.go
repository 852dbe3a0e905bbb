package resolve

import (
	"fmt"
	"strings"
)

// PieceKind tells the pieces of a message apart.
type PieceKind uint8

// The kinds of pieces.
const (
	TextPiece        PieceKind = iota
	PlaceholderPiece           // {name} or {name:format}
	GroupPiece                 // [ … ]
)

// Piece is a piece of a message as written. Offset and Len count bytes of the whole message.
type Piece struct {
	Kind   PieceKind
	Text   string // of a text, with {{ }} [[ ]] resolved
	Name   string // of a placeholder
	Format string // of a placeholder, without the colon; may be empty
	Parts  []Piece
	Offset int
	Len    int
}

// TemplateError is a fault in a message. Offset and Len count bytes of it.
type TemplateError struct {
	Offset, Len int
	Msg         string
}

// ParseTemplate reads a message or feedback: text, {field}, {field:format}, groups in [brackets]
// that do not nest, and {{ }} [[ ]] for the characters themselves. It does not check names of
// fields or formats. Malformed parts are reported, and remain as text.
func ParseTemplate(text string) ([]Piece, []TemplateError) {
	p := templateParser{src: text}
	p.run()
	return p.out, p.errs
}

type templateParser struct {
	src  string
	pos  int
	text strings.Builder // the text read so far
	from int             // where it began

	out   []Piece
	group *Piece // the open group; nil outside
	errs  []TemplateError
}

func (p *templateParser) run() {
	for p.pos < len(p.src) {
		p.step()
	}
	p.flush()
	if p.group != nil {
		p.fail(p.group.Offset, 1, `"[" is never closed; write "[[" for a bracket`)
		p.out = append(p.out, Piece{Kind: TextPiece, Text: "[", Offset: p.group.Offset, Len: 1})
		p.out = append(p.out, p.group.Parts...)
		p.group = nil
	}
}

func (p *templateParser) step() {
	c := p.src[p.pos]
	self := p.src[p.pos : p.pos+1]
	if strings.IndexByte("{}[]", c) < 0 {
		p.literal(self, 1)
		return
	}
	if p.pos+1 < len(p.src) && p.src[p.pos+1] == c {
		p.literal(self, 2)
		return
	}
	switch c {
	case '{':
		p.placeholder()
	case '[':
		p.open()
	case ']':
		p.close()
	default:
		p.fail(p.pos, 1, `"}" without "{"; write "}}" for a brace`)
		p.literal("}", 1)
	}
}

func (p *templateParser) literal(text string, width int) {
	if p.text.Len() == 0 {
		p.from = p.pos
	}
	p.text.WriteString(text)
	p.pos += width
}

func (p *templateParser) flush() {
	if p.text.Len() == 0 {
		return
	}
	p.add(Piece{Kind: TextPiece, Text: p.text.String(), Offset: p.from, Len: p.pos - p.from})
	p.text.Reset()
}

func (p *templateParser) add(piece Piece) {
	if p.group != nil {
		p.group.Parts = append(p.group.Parts, piece)
		return
	}
	p.out = append(p.out, piece)
}

func (p *templateParser) fail(offset, length int, format string, args ...any) {
	p.errs = append(p.errs, TemplateError{Offset: offset, Len: length, Msg: fmt.Sprintf(format, args...)})
}

func (p *templateParser) placeholder() {
	inner := p.src[p.pos+1:]
	end := strings.IndexAny(inner, "{}[]\n")
	if end < 0 || inner[end] != '}' {
		p.fail(p.pos, 1, `"{" is never closed; write "{{" for a brace`)
		p.literal("{", 1)
		return
	}
	inner = inner[:end]
	width := end + 2
	name, format, colon := strings.Cut(inner, ":")
	switch {
	case name == "":
		p.fail(p.pos, width, "a placeholder without a field; write {{}} for braces")
	case name != strings.TrimSpace(name) || format != strings.TrimSpace(format):
		p.fail(p.pos, width, "a space in a placeholder")
	case colon && format == "":
		p.fail(p.pos, width, "a colon without a format")
	default:
		p.flush()
		p.add(Piece{Kind: PlaceholderPiece, Name: name, Format: format, Offset: p.pos, Len: width})
		p.pos += width
		return
	}
	p.literal(p.src[p.pos:p.pos+width], width)
}

func (p *templateParser) open() {
	if p.group != nil {
		p.fail(p.pos, 1, `optional groups do not nest; write "[[" for a bracket`)
		p.literal("[", 1)
		return
	}
	p.flush()
	p.group = &Piece{Kind: GroupPiece, Offset: p.pos}
	p.pos++
}

func (p *templateParser) close() {
	if p.group == nil {
		p.fail(p.pos, 1, `"]" without "["; write "]]" for a bracket`)
		p.literal("]", 1)
		return
	}
	p.flush()
	p.pos++
	group := *p.group
	p.group = nil
	group.Len = p.pos - group.Offset
	if !hasPlaceholder(group.Parts) {
		p.fail(group.Offset, group.Len, "an optional group without a placeholder; write [[ ]] for brackets")
	}
	p.add(group)
}

func hasPlaceholder(parts []Piece) bool {
	for _, part := range parts {
		if part.Kind == PlaceholderPiece {
			return true
		}
	}
	return false
}
