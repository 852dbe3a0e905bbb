package emit

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// printer prints values of the runtime's types as Go source, without zero fields.
type printer struct {
	// names are the names of the variables that pointers point to.
	names map[any]string
}

// lineWidth is the maximum width of a line of a literal.
const lineWidth = 110

// literal returns v as an expression.
func (p printer) literal(v any) string { return p.value(reflect.ValueOf(v), true) }

// value returns v as an expression; the type of a struct or a slice is left out unless typed.
func (p printer) value(v reflect.Value, typed bool) string {
	if v.Kind() == reflect.Interface {
		switch x := v.Interface().(type) {
		case nil:
			return "nil"
		case float64:
			return float(x)
		}
		return p.value(v.Elem(), true)
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return duration(x)
	case time.Time:
		return instant(x)
	case detect.Patterns:
		if !strings.ContainsAny(string(x), "`\r\uFFFD") {
			return "`" + string(x) + "`"
		}
	case detect.Bounds:
		return [...]string{1: "detect.HasMin", 2: "detect.HasMax", 3: "detect.HasMin | detect.HasMax"}[x]
	}
	if strings.HasPrefix(v.Type().Name(), "Opt[") {
		opt := reflect.New(v.Type())
		opt.Elem().Set(v)
		value := opt.Interface().(interface{ Present() any }).Present()
		return "taxonomy.Some(" + p.value(reflect.ValueOf(value).Elem(), true) + ")"
	}
	if name := constantName(v); name != "" {
		return name
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Uint64:
		return bits(v.Uint())
	case reflect.Pointer:
		if name, ok := p.names[v.Interface()]; ok {
			return "&" + name
		}
		return "&" + p.value(v.Elem(), true)
	case reflect.Slice:
		return p.slice(v)
	case reflect.Map:
		return typeName(v.Type()) + "{" + p.pairs(v) + "}"
	case reflect.Struct:
		name := ""
		if typed {
			name = typeName(v.Type())
		}
		return name + p.fields(v, nil)
	}
	return fmt.Sprint(v.Interface())
}

// pairs returns the entries of a map from strings to strings, sorted.
func (p printer) pairs(v reflect.Value) string {
	var entries []string
	for key, value := range v.Seq2() {
		entries = append(entries, quote(key.String())+": "+quote(value.String()))
	}
	slices.Sort(entries)
	return strings.Join(entries, ", ")
}

// slice returns a list: on one line, unless it is long or contains structs that each need a line.
func (p printer) slice(v reflect.Value) string {
	elements := make([]string, v.Len())
	for i := range elements {
		elements[i] = p.value(v.Index(i), false)
	}
	name, item := typeName(v.Type()), v.Type().Elem()
	short := item.Kind() != reflect.Struct && item != reflect.TypeFor[*taxonomy.Category]() &&
		len(strings.Join(elements, ", ")) < 4*lineWidth
	if inLine[item] || singleInLine[item] && len(elements) == 1 || short {
		return name + "{" + strings.Join(elements, ", ") + "}"
	}
	return name + "{\n" + strings.Join(elements, ",\n") + ",\n}"
}

// fields returns the fields of a struct in braces: on one line if that is short or usual for the
// type, otherwise as many to a line as fit. The elements in more follow them.
func (p printer) fields(v reflect.Value, more []string) string {
	return braces(append(p.elements(v), more...), wholeLine[v.Type()])
}

// elements returns the fields of a struct that are not zero, each with its name.
func (p printer) elements(v reflect.Value) []string {
	var elements []string
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		isKey := value.Type() == reflect.TypeFor[detect.Key]() // the zero Key is a valid key
		if f.IsExported() && (isKey || !value.IsZero()) && value.Kind() != reflect.Func {
			elements = append(elements, f.Name+": "+p.value(value, true))
		}
	}
	return elements
}

// braces returns elements in braces, on one line or as many to a line as fit.
func braces(elements []string, oneLine bool) string {
	whole := strings.Join(elements, ", ")
	if oneLine || len(whole) <= lineWidth && !strings.Contains(whole, "\n") {
		return "{" + whole + "}"
	}
	return "{\n" + aligned(packed(elements)) + "}"
}

// packed distributes elements over lines, as many to a line as fit. An element of several lines is
// alone.
func packed(elements []string) [][]string {
	var lines [][]string
	width := lineWidth
	for _, e := range elements {
		long := strings.Contains(e, "\n")
		if long || width+len(e) > lineWidth {
			lines, width = append(lines, nil), 0
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], e)
		if width += len(e) + 2; long {
			width = lineWidth
		}
	}
	return lines
}

// aligned returns lines of elements as gofmt does. It aligns the first values of adjacent lines, up
// to a line with several elements.
func aligned(lines [][]string) string {
	var b strings.Builder
	for len(lines) > 0 {
		n, width := 0, 0
		for n < len(lines) && keyWidth(lines[n]) > 0 && (n == 0 || len(lines[n-1]) == 1) {
			width = max(width, keyWidth(lines[n]))
			n++
		}
		for _, line := range lines[:max(n, 1)] {
			text := strings.Join(line, ", ")
			if key, value, ok := strings.Cut(text, ": "); ok && n > 0 {
				text = fmt.Sprintf("%-*s%s", width+1, key+":", value)
			}
			b.WriteString(text + ",\n")
		}
		lines = lines[max(n, 1):]
	}
	return b.String()
}

// keyWidth returns the length of the key of a line's first element, with its colon. If the element has
// no key or has several lines, it returns 0.
func keyWidth(line []string) int {
	key, value, ok := strings.Cut(line[0], ": ")
	if !ok || !token.IsIdentifier(key) || strings.Contains(value, "\n") {
		return 0
	}
	return len(key) + 1
}

// indented indents the lines of declarations by the brackets at their beginnings and ends.
func indented(source string) []byte {
	out := make([]byte, 0, len(source)*9/8)
	depth := 0
	for line := range strings.Lines(source) {
		if line[0] == '}' || line[0] == ')' {
			depth--
		}
		if line != "\n" {
			for range depth {
				out = append(out, '\t')
			}
		}
		out = append(out, line...)
		if strings.HasSuffix(line, "{\n") || strings.HasSuffix(line, "(\n") {
			depth++
		}
	}
	return out
}

// bits returns a set of bits.
func bits(set uint64) string {
	var out []string
	for i := range 64 {
		if set>>i&1 != 0 {
			out = append(out, "1<<"+strconv.Itoa(i))
		}
	}
	if len(out) == 1 {
		return strings.Replace(out[0], "<<", " << ", 1)
	}
	return strings.Join(out, " | ")
}

// typeName returns the name of a type.
func typeName(t reflect.Type) string {
	return strings.ReplaceAll(t.String(), "interface {}", "any")
}

// constantName returns the name of the runtime's constant with the value, or "". It follows from
// the word of the value: SeverityHigh is "high".
func constantName(v reflect.Value) string {
	if v.Kind() != reflect.Uint8 || v.Type().PkgPath() == "" {
		return ""
	}
	switch v.Type() {
	case reflect.TypeFor[detect.Key]():
		return "detect." + keyNames[v.Uint()]
	case reflect.TypeFor[detect.Presence]():
		return [...]string{detect.Present: "detect.Present", detect.Absent: "detect.Absent"}[v.Uint()]
	case reflect.TypeFor[taxonomy.Recoverability]():
		if taxonomy.Recoverability(v.Uint()) == taxonomy.RecoverabilityUnknown {
			return "taxonomy.RecoverabilityUnknown"
		}
	}
	word, _ := naming.Suffix(fmt.Sprint(v.Interface()))
	return "taxonomy." + constantPrefixes[v.Type()] + word
}

var keyNames = [...]string{
	detect.Source: "Source", detect.Op: "Op", detect.Status: "Status", detect.Type: "Type", detect.Code: "Code",
	detect.ExitCode: "ExitCode", detect.Signal: "Signal", detect.Errno: "Errno", detect.Is: "Is", detect.As: "As",
	detect.Attribute: "Attribute",
}

// constantPrefixes are the beginnings of the names of constants, by type.
var constantPrefixes = map[reflect.Type]string{
	reflect.TypeFor[taxonomy.Extent]():     "Extent",
	reflect.TypeFor[taxonomy.Revert]():     "Revert",
	reflect.TypeFor[taxonomy.Session]():    "Session",
	reflect.TypeFor[taxonomy.Purpose]():    "Purpose",
	reflect.TypeFor[taxonomy.Resume]():     "Resume",
	reflect.TypeFor[taxonomy.Shared]():     "Shared",
	reflect.TypeFor[taxonomy.LogLevel]():   "Log",
	reflect.TypeFor[taxonomy.Stack]():      "Stack",
	reflect.TypeFor[taxonomy.JitterKind](): "Jitter",
	reflect.TypeFor[taxonomy.Severity]():   "Severity",
}

// inLine are the types whose lists are on one line of any length.
var inLine = map[reflect.Type]bool{
	reflect.TypeFor[detect.Condition](): true, reflect.TypeFor[detect.Pattern](): true,
	reflect.TypeFor[detect.Literal](): true,
}

// singleInLine are the types whose lists are on one line if they have one element.
var singleInLine = map[reflect.Type]bool{
	reflect.TypeFor[taxonomy.Traits](): true, reflect.TypeFor[taxonomy.ProfileTraits](): true,
	reflect.TypeFor[detect.Form](): true, reflect.TypeFor[detect.Extract](): true,
}

// wholeLine are the types whose values are each on one line of any length, because there are many.
var wholeLine = map[reflect.Type]bool{
	reflect.TypeFor[detect.CodeRule](): true, reflect.TypeFor[detect.Rule](): true,
	reflect.TypeFor[detect.Condition](): true, reflect.TypeFor[detect.Form](): true,
	reflect.TypeFor[detect.Extract](): true, reflect.TypeFor[detect.Pattern](): true,
	reflect.TypeFor[detect.Literal](): true, reflect.TypeFor[taxonomy.Evidence](): true,
	reflect.TypeFor[taxonomy.Field](): true, reflect.TypeFor[taxonomy.Traits](): true,
	reflect.TypeFor[taxonomy.ProfileTraits](): true, reflect.TypeFor[taxonomy.Named](): true,
	reflect.TypeFor[taxonomy.Tier](): true, reflect.TypeFor[taxonomy.CodeConstant](): true,
}
