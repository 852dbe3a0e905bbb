package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/naming"
)

var (
	// printfVerb matches a verb of Go or C, and the text that Go prints for a missing argument.
	printfVerb = regexp.MustCompile(
		`^%!?[-+#0]*(?:\[(\d+)\])?\d*(?:\.(\d+))?(?:hh|h|ll|l|z|j|t)?([bcdeEfFgGioOpqstTuUvxX%])(\(MISSING\))?`)
	braceName = regexp.MustCompile(`^\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)
	angleName = regexp.MustCompile(`^<([A-Za-z_][A-Za-z0-9_.-]*)>`)
)

// minLength is the least max_length that a field can have.
const minLength = 4

// template returns the message of a code as a template of the taxonomy, with the fields in it.
func (t *Table) template(k *Code) (string, []Field) {
	m := message{table: t, code: k, args: t.names[k.Name]}
	has := func(form string) bool { return slices.Contains(t.params, form) }
	for rest := k.Message; rest != ""; {
		var found []string
		switch c := rest[0]; {
		case c == '%' && has("printf"):
			if found = printfVerb.FindStringSubmatch(rest); found != nil {
				m.printf(found)
			}
		case c == '{' && has("braces"):
			if found = braceName.FindStringSubmatch(rest); found != nil {
				m.field(found[1], Field{Type: "string"}, "")
			}
		case c == '<' && has("angles"):
			if found = angleName.FindStringSubmatch(rest); found != nil {
				m.field(found[1], Field{Type: "string"}, "")
			}
		}
		if found != nil {
			rest = rest[len(found[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		m.literal(r)
		rest = rest[size:]
	}
	return m.text.String(), m.fields
}

// message builds a message template and its fields.
type message struct {
	table  *Table
	code   *Code
	args   []string // names of the verbs' arguments
	text   strings.Builder
	fields []Field
	verbs  int
}

// literal writes a character of the text.
func (m *message) literal(r rune) {
	switch {
	case strings.ContainsRune("{}[]", r):
		m.text.WriteString(string(r) + string(r))
	case r == '\n':
		m.text.WriteRune(r)
	case unicode.IsSpace(r):
		m.text.WriteByte(' ')
	case unicode.IsGraphic(r):
		m.text.WriteRune(r)
	}
}

// printf writes the placeholder of a verb.
func (m *message) printf(verb []string) {
	index, precision, letter := verb[1], verb[2], verb[3]
	if letter == "%" {
		m.text.WriteByte('%')
		return
	}
	m.verbs++
	n := m.verbs
	if index != "" {
		n, _ = strconv.Atoi(index)
		m.verbs = n
	}
	f, format := Field{Type: "string"}, ""
	switch letter {
	case "d", "i", "u":
		f.Type = "int64"
	case "f", "F", "g", "G", "e", "E":
		f.Type = "float64"
	case "t":
		f.Type = "bool"
	case "q":
		format = ":quoted"
	}
	if limit, err := strconv.Atoi(precision); err == nil && f.Type == "string" {
		if limit < minLength || limit > 1<<30 {
			m.table.Notes.add(m.code.Name, "precisions of less than %d: left out", minLength)
		} else {
			f.MaxLength = limit
		}
	}
	name := fmt.Sprintf("arg%d", n)
	if n > 0 && n <= len(m.args) && m.args[n-1] != "" {
		name = m.args[n-1]
	}
	m.field(name, f, format)
}

// field writes a placeholder. It declares the field unless the message has it already.
func (m *message) field(name string, f Field, format string) {
	f.Name = identifier(name, "arg")
	if f.Name == "cause" { // the placeholder of the wrapped error
		f.Name = "causeText"
	}
	fmt.Fprintf(&m.text, "{%s%s}", f.Name, format)
	if slices.ContainsFunc(m.fields, func(g Field) bool { return g.Name == f.Name }) {
		return
	}
	ident, _ := naming.Exported(f.Name)
	taken := func(ident string) bool {
		return ident == "Cause" || check.IsMethod(ident) || slices.ContainsFunc(m.fields, func(g Field) bool {
			other, _ := naming.Exported(g.Name)
			return ident == other || ident == g.Go
		})
	}
	for base, n := ident, 2; taken(ident); n++ {
		ident = base + "Value"
		if n > 2 {
			ident += strconv.Itoa(n)
		}
		f.Go = ident
	}
	m.fields = append(m.fields, f)
}
