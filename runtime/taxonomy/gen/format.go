package gen

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/printable"
)

// Format prints e. The verbs %s and %v print its message, and %q the quoted message. %+v adds lines
// with the code, category, context and the chain of causes with their recorded stacks. Secrets are
// masked.
func Format(s fmt.State, verb rune, e taxonomy.Error) {
	t, row := e.Taxonomy(), e.Row()
	switch verb {
	case 'v':
		switch {
		case s.Flag('+'):
			p := detailPrinter{left: maxCauses}
			p.ownError(e, t.Categories[row.Category()].Name, "")
			p.causes(e.Unwrap(), maxDepth, "")
			_, _ = s.Write(p.b)
			return
		case s.Flag('#'):
			code := taxonomy.CodeOf(e)
			_, _ = fmt.Fprintf(s, "(*%s.%s)(%s: %q)", t.Package, t.TypeName(row), code, e.Error())
			return
		}
	case 's', 'q', 'x', 'X':
	default:
		_, _ = fmt.Fprintf(s, "%%!%c(*%s.%s=%s)", verb, t.Package, t.TypeName(row), e.Error())
		return
	}
	_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), e.Error())
}

// FormatCode prints a code. The verbs for texts print its message. %+v adds lines with the code and
// its category. The other verbs print its number.
func FormatCode[C Code](s fmt.State, verb rune, c C) {
	switch {
	case verb == 'v' && s.Flag('+'):
		p := detailPrinter{}
		p.code(c, "")
		_, _ = s.Write(p.b)
	case verb == 'v' && !s.Flag('#'), strings.ContainsRune("sqxX", verb):
		_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), c.Error())
	default:
		_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), uint16(c))
	}
}

// detailPrinter collects the output of %+v.
type detailPrinter struct {
	b []byte
	// left is the number of causes that may still be printed.
	left int
}

// ownError prints an error of a taxonomy, without its causes.
func (p *detailPrinter) ownError(e taxonomy.Error, category, indent string) {
	p.b = e.AppendMessage(p.b)
	p.field(indent, "code: ", taxonomy.CodeOf(e))
	p.field(indent, "category: ", category)
	p.field(indent, "context: ", "")
	start := len(p.b)
	p.b = printable.Tail(e.AppendContext(p.b), start)
}

// code prints a code.
func (p *detailPrinter) code(c taxonomy.Coded, indent string) {
	p.b = append(p.b, c.Error()...)
	p.field(indent, "code: ", taxonomy.CodeOf(c))
	p.field(indent, "category: ", taxonomy.CategoryOf(c))
}

func (p *detailPrinter) field(indent, name, value string) {
	p.b = append(p.b, '\n')
	p.b = append(p.b, indent...)
	p.b = append(p.b, name...)
	p.b = append(p.b, value...)
}

// causes prints err and its causes.
func (p *detailPrinter) causes(err error, depth int, indent string) {
	for ; err != nil && depth > 0 && p.left > 0; depth-- {
		p.left--
		p.cause(err, indent)
		branches, one := errtree.Below(err)
		for _, e := range branches {
			p.causes(e, depth-1, indent+"  ")
		}
		err = one
	}
}

// cause prints err. If err panics, as a nil pointer does, it prints a note.
func (p *detailPrinter) cause(err error, indent string) {
	printed := p.b
	defer func() {
		if recover() != nil {
			p.b = printed
			p.field(indent, "cause: ", printable.Text(errtree.Text(err)))
		}
	}()
	switch x := err.(type) {
	case *taxonomy.Traced:
		p.field(indent, "stack:", "")
		p.b = x.AppendStack(p.b)
	case *taxonomy.Unknown:
		p.field(indent, "cause: ", x.Error())
		p.field(indent+"  ", "code: ", echo(x.Code())+" ("+unknown(x)+")")
		p.field(indent+"  ", "category: ", echo(taxonomy.CategoryOf(x)))
	case taxonomy.Error:
		p.field(indent, "cause: ", "")
		p.ownError(x, taxonomy.CategoryOf(x), indent+"  ")
	case taxonomy.Coded:
		p.field(indent, "cause: ", "")
		p.code(x, indent+"  ")
	default:
		p.field(indent, "cause: ", printable.Text(causeText.Text(errtree.TreeText(err))))
	}
}

// unknown returns the reason why an error is unknown.
func unknown(u *taxonomy.Unknown) string {
	if err := u.Reason(); err != nil {
		return printable.Text(causeText.Text(err.Error()))
	}
	return "unknown"
}
