package emit

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// literals prints values of the runtime's types as Go source, zero fields left out.
type literals struct {
	// names are the variables that pointers point to.
	names map[any]string
	// packages are the paths of the packages that the source names, besides the runtime's.
	packages map[string]bool
}

// use notes packages that the source names.
func (l *literals) use(paths ...string) {
	for _, path := range paths {
		l.packages[path] = true
	}
}

// lineWidth is how wide a line of a literal gets before it is broken.
const lineWidth = 110

// of returns v as an expression.
func (l *literals) of(v any) string { return l.value(reflect.ValueOf(v), true) }

// value returns v as an expression; the type of a struct or a slice is left out unless typed.
func (l *literals) value(v reflect.Value, typed bool) string {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return "nil"
		}
		text := l.value(v.Elem(), true)
		if v.Elem().Kind() == reflect.Float64 && !strings.ContainsAny(text, ".e") {
			text += ".0" // or it would be an int
		}
		return text
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return l.duration(d)
	}
	if p, ok := v.Interface().(detect.Patterns); ok && !strings.ContainsAny(string(p), "`\r\uFFFD") {
		return "`" + string(p) + "`"
	}
	if names, ok := constantNames[v.Type()]; ok && names[v.Uint()] != "" {
		return packageOf(v.Type()) + names[v.Uint()]
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Uint64:
		return bits(v.Uint())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Pointer:
		return l.pointer(v)
	case reflect.Slice:
		return l.slice(v)
	}
	return prefixIf(typed, typeName(v.Type())) + l.fields(v, nil)
}

func prefixIf(typed bool, name string) string {
	if typed {
		return name
	}
	return ""
}

func (l *literals) pointer(v reflect.Value) string {
	if name, ok := l.names[v.Interface()]; ok {
		return "&" + name
	}
	return "&" + l.value(v.Elem(), true)
}

// slice returns a list: on one line, unless it is long or has structs on lines of their own.
func (l *literals) slice(v reflect.Value) string {
	elements := make([]string, v.Len())
	for i := range elements {
		elements[i] = l.value(v.Index(i), false)
	}
	name := typeName(v.Type())
	short := v.Type().Elem().Kind() != reflect.Struct && len(strings.Join(elements, ", ")) < 4*lineWidth
	if inLine[v.Type().Elem()] || short && v.Type() != reflect.TypeFor[[]*taxonomy.Category]() {
		return name + "{" + strings.Join(elements, ", ") + "}"
	}
	return name + "{\n" + strings.Join(elements, ",\n") + ",\n}"
}

// fields returns the fields of a struct in braces: on one line if that is short or usual for the
// type, otherwise as many to a line as fit. More are elements behind them.
func (l *literals) fields(v reflect.Value, more []string) string {
	var elements []string
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		isKey := value.Type() == reflect.TypeFor[detect.Key]() // whose zero is one like the others
		if f.IsExported() && (isKey || !value.IsZero()) && value.Kind() != reflect.Func {
			elements = append(elements, f.Name+": "+l.value(value, true))
		}
	}
	return braces(append(elements, more...), wholeLine[v.Type()])
}

// braces returns elements in braces, on one line or as many to a line as fit.
func braces(elements []string, oneLine bool) string {
	whole := strings.Join(elements, ", ")
	if oneLine || len(whole) <= lineWidth && !strings.Contains(whole, "\n") {
		return "{" + whole + "}"
	}
	var b strings.Builder
	b.WriteString("{\n")
	width := 0
	for i, e := range elements {
		switch long := strings.Contains(e, "\n"); {
		case i == 0:
		case long || width+len(e) > lineWidth:
			b.WriteString(",\n")
			width = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(e)
		if width += len(e) + 2; strings.Contains(e, "\n") {
			width = lineWidth
		}
	}
	b.WriteString(",\n}")
	return b.String()
}

// duration returns d in its largest unit: 5 * time.Second.
func (l *literals) duration(d time.Duration) string {
	for _, u := range durationUnits {
		if d%u.size == 0 {
			l.use(pkgTime)
			if d == u.size {
				return "time." + u.name
			}
			return fmt.Sprintf("%d * time.%s", d/u.size, u.name)
		}
	}
	return "0"
}

// bits returns a set of bits.
func bits(set uint64) string {
	var out []string
	for i := range 64 {
		if set>>i&1 != 0 {
			out = append(out, "1<<"+strconv.Itoa(i))
		}
	}
	return strings.Join(out, " | ")
}

// typeName returns the name of a type of the runtime, or of a slice.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "[]" + typeName(t.Elem())
	}
	if t.Kind() == reflect.Pointer {
		return "*" + typeName(t.Elem())
	}
	if t.Kind() == reflect.Interface {
		return "any"
	}
	return packageOf(t) + t.Name()
}

func packageOf(t reflect.Type) string {
	switch t.PkgPath() {
	case "":
		return ""
	case pkgDetect:
		return "detect."
	}
	return "taxonomy."
}

// inLine are the types whose lists are on one line.
var inLine = map[reflect.Type]bool{
	reflect.TypeFor[detect.Condition](): true, reflect.TypeFor[detect.Pattern](): true,
	reflect.TypeFor[detect.Literal](): true,
}

// wholeLine are the types whose values are each on one line, however long, because they are many.
var wholeLine = map[reflect.Type]bool{
	reflect.TypeFor[detect.CodeRule](): true, reflect.TypeFor[detect.Rule](): true,
	reflect.TypeFor[detect.Condition](): true, reflect.TypeFor[detect.Form](): true,
	reflect.TypeFor[detect.Extract](): true, reflect.TypeFor[detect.Pattern](): true,
	reflect.TypeFor[detect.Literal](): true,
	reflect.TypeFor[taxonomy.Field](): true, reflect.TypeFor[taxonomy.Traits](): true,
	reflect.TypeFor[taxonomy.ProfileTraits](): true, reflect.TypeFor[taxonomy.Named](): true,
	reflect.TypeFor[taxonomy.Tier](): true, reflect.TypeFor[taxonomy.CodeConstant](): true,
}
