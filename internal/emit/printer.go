package emit

import (
	"bytes"
	"fmt"
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

// print returns v as an expression.
func (p printer) print(v any) literal { return p.value(reflect.ValueOf(v), true) }

// value returns v as an expression; the type of a struct or a slice is left out unless typed.
func (p printer) value(v reflect.Value, typed bool) literal {
	if v.Kind() == reflect.Interface {
		switch x := v.Interface().(type) {
		case nil:
			return raw("nil")
		case float64:
			return raw(float(x))
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
			return raw("`" + string(x) + "`")
		}
	case detect.Bounds:
		return boundNames[x]
	}
	if strings.HasPrefix(v.Type().Name(), "Opt[") {
		opt := reflect.New(v.Type())
		opt.Elem().Set(v)
		value := opt.Interface().(interface{ Present() any }).Present()
		return concat(qualified(taxonomyPath, "Some"), raw("("), p.value(reflect.ValueOf(value).Elem(), true), raw(")"))
	}
	if v.Kind() == reflect.Uint8 && v.Type().PkgPath() != "" {
		return constantName(v)
	}
	switch v.Kind() {
	case reflect.String:
		return raw(quote(v.String()))
	case reflect.Uint64:
		return raw(bits(v.Uint()))
	case reflect.Pointer:
		if name, ok := p.names[v.Interface()]; ok {
			return raw("&" + name)
		}
		return concat(raw("&"), p.value(v.Elem(), true))
	case reflect.Slice:
		return p.slice(v)
	case reflect.Map:
		return concat(typeName(v.Type()), raw("{"+pairs(v)+"}"))
	case reflect.Struct:
		if typed {
			return concat(typeName(v.Type()), p.fields(v))
		}
		return p.fields(v)
	}
	return raw(fmt.Sprint(v.Interface()))
}

// boundNames are the constants of bounds.
var boundNames = [...]literal{1: qualified(detectPath, "HasMin"), 2: qualified(detectPath, "HasMax"),
	3: concat(qualified(detectPath, "HasMin"), raw(" | "), qualified(detectPath, "HasMax"))}

// pairs returns the entries of a map from strings to strings, sorted.
func pairs(v reflect.Value) string {
	var entries []string
	for key, value := range v.Seq2() {
		entries = append(entries, quote(key.String())+": "+quote(value.String()))
	}
	slices.Sort(entries)
	return strings.Join(entries, ", ")
}

// slice returns a list: on one line, unless it is long or contains structs that each need a line.
func (p printer) slice(v reflect.Value) literal {
	elements := make([]literal, v.Len())
	width := 0
	for i := range elements {
		elements[i] = p.value(v.Index(i), false)
		width += len(elements[i].text) + len(", ")
	}
	item := v.Type().Elem()
	short := item.Kind() != reflect.Struct && item != reflect.TypeFor[*taxonomy.Category]() && width < 4*lineWidth
	l := typeName(v.Type())
	if inLineLists[item] || singleInLine[item] && len(elements) == 1 || short {
		l.add(braces(elements, true))
		return l
	}
	l.write("{\n")
	for _, e := range elements {
		l.add(e)
		l.write(",\n")
	}
	l.write("}")
	return l
}

// fields returns the fields of a struct in braces: on one line if that is short or usual for the
// type, otherwise as many to a line as fit. The elements in more follow them.
func (p printer) fields(v reflect.Value, more ...literal) literal {
	return braces(append(p.elements(v), more...), wholeLine[v.Type()])
}

// elements returns the fields of a struct that are not zero, each with its name.
func (p printer) elements(v reflect.Value) []literal {
	var elements []literal
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		isKey := value.Type() == reflect.TypeFor[detect.Key]() // the zero Key is a valid key
		if f.IsExported() && (isKey || !value.IsZero()) && value.Kind() != reflect.Func {
			elements = append(elements, element(f.Name, p.value(value, true)))
		}
	}
	return elements
}

// element returns an element with its key.
func element(key string, value literal) literal { return concat(raw(key+": "), value) }

// braces returns elements in braces, on one line or as many to a line as fit.
func braces(elements []literal, oneLine bool) literal {
	width, lines := 0, false
	for _, e := range elements {
		width += len(e.text) + len(", ")
		lines = lines || bytes.ContainsRune(e.text, '\n')
	}
	if oneLine || width-len(", ") <= lineWidth && !lines {
		l := raw("{")
		for i, e := range elements {
			if i > 0 {
				l.write(", ")
			}
			l.add(e)
		}
		l.write("}")
		return l
	}
	l := raw("{")
	l.add(packed(elements))
	l.write("\n}")
	return l
}

// packed distributes elements over lines, as many to a line as fit. An element of several lines is
// alone.
func packed(elements []literal) literal {
	var l literal
	width := lineWidth
	for _, e := range elements {
		long := bytes.ContainsRune(e.text, '\n')
		if long || width+len(e.text) > lineWidth {
			l.write("\n")
			width = 0
		}
		l.add(e)
		l.write(",")
		if width += len(e.text) + len(", "); long {
			width = lineWidth
		}
	}
	return l
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
func typeName(t reflect.Type) literal {
	switch {
	case t.PkgPath() != "":
		return qualified(t.PkgPath(), t.Name())
	case t.Kind() == reflect.Slice:
		return concat(raw("[]"), typeName(t.Elem()))
	case t.Kind() == reflect.Pointer:
		return concat(raw("*"), typeName(t.Elem()))
	}
	return raw(strings.ReplaceAll(t.String(), "interface {}", "any"))
}

// constantName returns the name of the runtime's constant with the value. It follows from the word
// of the value: SeverityHigh is "high".
func constantName(v reflect.Value) literal {
	switch v.Type() {
	case reflect.TypeFor[detect.Key]():
		return qualified(detectPath, keyNames[v.Uint()])
	case reflect.TypeFor[detect.Presence]():
		return qualified(detectPath, [...]string{detect.Present: "Present", detect.Absent: "Absent"}[v.Uint()])
	case reflect.TypeFor[taxonomy.Recoverability]():
		if taxonomy.Recoverability(v.Uint()) == taxonomy.RecoverabilityUnknown {
			return qualified(taxonomyPath, "RecoverabilityUnknown")
		}
	}
	word, _ := naming.Suffix(fmt.Sprint(v.Interface()))
	return qualified(taxonomyPath, constantPrefixes[v.Type()]+word)
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
	reflect.TypeFor[taxonomy.Effect]():     "Effect",
	reflect.TypeFor[taxonomy.Fault]():      "Fault",
}

// inLineLists are the types whose lists are on one line of any length.
var inLineLists = map[reflect.Type]bool{
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
