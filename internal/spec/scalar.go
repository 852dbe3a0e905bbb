package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// matcher decodes a value, a list of values, or a mapping of tests.
func (d *decoder) matcher(m *Matcher, n, key *yaml.Node, t *Type) {
	if n.Kind == yaml.MappingNode {
		d.mapping(reflect.ValueOf(m).Elem(), n, nil, t.Mapping)
	} else {
		d.list(reflect.ValueOf(&m.Values).Elem(), n, key, &Type{Form: FormMany, Elem: t.Elem})
	}
	m.Span = d.span(n)
}

// literal decodes a value whose type depends on a field, and checks its form.
func (d *decoder) literal(l *Literal, n, key *yaml.Node, t *Type) {
	switch t.Form {
	case FormText:
		d.text(n, key, t)
	case FormInt:
		scalar(d, n, key, t, parseInt)
	case FormScalar:
		if n.Kind != yaml.ScalarNode {
			d.wrongType(n, key, t)
		}
	}
	*l = d.anyLiteral(n)
}

func (d *decoder) anyLiteral(n *yaml.Node) Literal {
	l := Literal{Span: d.span(n)}
	switch n.Kind {
	case yaml.SequenceNode:
		l.Kind = LitList
		for _, item := range n.Content {
			l.Items = append(l.Items, d.anyLiteral(item))
		}
	case yaml.MappingNode:
		l.Kind = LitMap
		for key, value := range pairs(n) {
			l.Keys = append(l.Keys, LiteralEntry{Key: d.raw(key), Value: d.anyLiteral(value)})
		}
	default:
		l.Kind, l.Text = literalKind(n), n.Value
	}
	return l
}

// literalKind returns the form that YAML gives a scalar.
func literalKind(n *yaml.Node) LiteralKind {
	switch n.Tag {
	case "!!null":
		return LitNull
	case "!!bool":
		return LitBool
	case "!!int":
		return LitInt
	case "!!float":
		return LitFloat
	}
	return LitString
}

func isNumber(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") && !quoted(n)
}

// raw returns the text of a scalar without checks.
func (d *decoder) raw(n *yaml.Node) Text { return Text{V: n.Value, Span: d.span(n), Set: true} }

// text decodes a text, a name, or a word of a closed set.
func (d *decoder) text(n, key *yaml.Node, t *Type) Text {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.wrongType(n, key, t)
	case t.Form == FormWord && !slices.Contains(t.Words, n.Value):
		hint := cmp.Or(diag.DidYouMeanExactly(n.Value, t.Words), "write "+t.Describe())
		d.fail(IDValue, d.span(n), hint, "%s cannot be %q", key.Value, clip(n.Value))
	case literalKind(n) != LitString:
		d.fail(IDValue, d.span(n), "put it in quotes: "+quote(n.Value), "%s is %s to YAML, and text is expected here",
			clip(n.Value), noun(n))
	default:
		return d.name(n, t)
	}
	return Text{}
}

// name decodes a text or a name, and checks its characters.
func (d *decoder) name(n *yaml.Node, t *Type) Text {
	text := d.raw(n)
	if t.chars == "any" {
		return text
	}
	if text.V == "" && (t.chars != "" || t.Form == FormMap) {
		d.fail(IDValue, text.Span, "write a name", "a name cannot be empty")
	}
	for i, r := range text.V {
		size := utf8.RuneLen(r)
		if what := unsafeRune(r); what != "" {
			d.fail(IDValue, d.lines.locate(text, i, size), "remove it", "the text contains %s (U+%04X)", what, r)
			break
		}
		if t.chars != "" && (unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune(t.chars, r)) {
			d.fail(IDValue, d.lines.locate(text, i, size), "remove it", "a name cannot contain %q", r)
			break
		}
	}
	return text
}

// unsafeRune describes a character that changes how a line is read, or returns "".
func unsafeRune(r rune) string {
	switch {
	case r == '\n', r == '\t':
		return ""
	case r < ' ', 0x7f <= r && r < 0xa0:
		return "a control character"
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return "a character that changes the direction of writing"
	}
	return ""
}

// noun describes the type that YAML gives a scalar.
func noun(n *yaml.Node) string {
	switch literalKind(n) {
	case LitNull:
		return "an empty value"
	case LitBool:
		return "a truth value"
	case LitString:
		return "text"
	}
	return "a number"
}

// fault describes why a text is not a value, and how to fix it. A valid value has the zero fault.
type fault struct{ message, hint string }

// scalar decodes a scalar other than text. The second result of parse is compared with the bounds.
func scalar[T any](d *decoder, n, key *yaml.Node, t *Type, parse func(string) (T, float64, fault)) Val[T] {
	if n.Kind != yaml.ScalarNode || t.Form != FormDuration && quoted(n) ||
		(t.Form == FormInt || t.Form == FormFloat) && !isNumber(n) {
		d.wrongType(n, key, t)
		return Val[T]{}
	}
	v, size, bad := parse(n.Value)
	if bad.message == "" && !t.Bounds.contains(size) {
		bad = fault{fmt.Sprintf("is out of range (%s)", t.Bounds), "write " + t.Describe()}
	}
	if bad.message != "" {
		d.fail(IDValue, d.span(n), bad.hint, "%s: %s %s", clip(key.Value), clip(n.Value), bad.message)
		return Val[T]{}
	}
	return Val[T]{V: v, Span: d.span(n), Set: true}
}

func parseInt(s string) (int, float64, fault) {
	v, err := strconv.Atoi(s)
	if errors.Is(err, strconv.ErrRange) {
		return 0, 0, fault{"is too large: it has more than 64 bits", "write a smaller number"}
	}
	if err != nil || s != strconv.Itoa(v) {
		return 0, 0, fault{"is not a whole number in plain decimal form", "write digits only, without leading zeros"}
	}
	return v, float64(v), fault{}
}

func parseFloat(s string) (float64, float64, fault) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(s, "xXpP_") {
		return 0, 0, fault{"is not a finite decimal number", "write digits, as in 0.5"}
	}
	return v, v, fault{}
}

func parseBool(s string) (bool, float64, fault) {
	const ambiguous = "is a boolean in some YAML versions and a string in others"
	switch word := strings.ToLower(s); {
	case s == "true" || s == "false":
		return s == "true", 0, fault{}
	case slices.Contains([]string{"yes", "y", "on", "true"}, word):
		return false, 0, fault{ambiguous, "write true"}
	case slices.Contains([]string{"no", "n", "off", "false"}, word):
		return false, 0, fault{ambiguous, "write false"}
	}
	return false, 0, fault{"is not a truth value", "write true or false"}
}

func parseDuration(s string) (time.Duration, float64, fault) {
	v, err := time.ParseDuration(s)
	if _, notNumber := strconv.ParseFloat(s, 64); notNumber == nil {
		return 0, 0, fault{"has no unit", fmt.Sprintf("write %ss for seconds, or %[1]sms for milliseconds", clip(s))}
	}
	if err != nil || v < 0 {
		return 0, 0, fault{"is not a duration", "write numbers with the units h, m, s, ms, us or ns: 1m30s, 500ms, 36h"}
	}
	return v, v.Seconds(), fault{}
}

// statusClass matches a class of HTTP statuses.
var statusClass = regexp.MustCompile(`^[1-5][xX]{2}$`)

// wrongType reports a value of another form than t. key may be nil.
func (d *decoder) wrongType(n, key *yaml.Node, t *Type) {
	found := map[yaml.Kind]string{yaml.SequenceNode: "a list", yaml.MappingNode: "a mapping"}[n.Kind]
	if n.Kind == yaml.ScalarNode {
		found = noun(n)
	}
	label := ""
	if key != nil {
		label = clip(key.Value) + ": "
	}
	hint := "write " + t.Describe()
	switch {
	case n.Kind == yaml.ScalarNode && quoted(n) && t.Form != FormMapping && t.Form != FormText:
		hint = "write it without quotes"
	case t.Form == FormInt && statusClass.MatchString(n.Value):
		hint = fmt.Sprintf("write {min: %c00, max: %[1]c99}", n.Value[0])
	case n.Style&yaml.FlowStyle != 0 && t.Form == FormText && t.Ref == "":
		hint = "text that begins with a bracket needs quotes"
	}
	d.fail(IDValue, d.span(n), hint, "%sexpected %s, found %s", label, t.Describe(), found)
}
