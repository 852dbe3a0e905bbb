package check

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/spec"
)

// unsafeText finds characters that could change how a line is read: control characters, and those
// that turn the direction of writing. Literals and the texts that rules search for are left out:
// they only ever become quoted Go strings, in which such characters are escaped.
func unsafeText(p *pass) {
	eachText(reflect.ValueOf(p.t).Elem(), func(text spec.Text) {
		for i, r := range text.V {
			if what := unsafeRune(r); what != "" {
				p.report(p.within(text, i, utf8.RuneLen(r)), "the text holds %s (U+%04X)", what, r).hint("remove it")
				return
			}
		}
	})
}

func unsafeRune(r rune) string {
	switch {
	case r == 0:
		return "a NUL character"
	case r == '\n', r == '\t':
		return ""
	case r < ' ', 0x7f <= r && r < 0xa0:
		return "a control character"
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return "a character that turns the direction of writing"
	}
	return ""
}

var textType = reflect.TypeFor[spec.Text]()

// opaque are the types that eachText does not look into.
var opaque = map[reflect.Type]bool{
	reflect.TypeFor[spec.Literal]():      true,
	reflect.TypeFor[spec.LiteralEntry](): true,
	reflect.TypeFor[spec.Matcher]():      true,
}

// eachText visits every text of a tree, in the order of its declaration.
func eachText(v reflect.Value, visit func(spec.Text)) {
	switch {
	case opaque[v.Type()]:
	case v.Type() == textType:
		visit(v.Interface().(spec.Text))
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), visit)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), visit)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && !searched(v.Type(), field.Name) {
				eachText(v.Field(i), visit)
			}
		}
	}
}

// searched reports whether a field holds texts that a rule searches for.
func searched(owner reflect.Type, name string) bool {
	return owner == reflect.TypeFor[spec.Rule]() && (name == "Text" || name == "Contains")
}

// unusableText finds names that cannot be referred to: in a placeholder, a log line or an address.
func unusableText(p *pass) {
	check := func(what string, name spec.Text, also string) {
		bad := func(r rune) bool {
			return unsafeRune(r) == "" && (unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune(also, r))
		}
		if i := strings.IndexFunc(name.V, bad); i >= 0 {
			_, size := utf8.DecodeRuneInString(name.V[i:])
			p.report(p.within(name, i, size), "%s cannot hold %q", what, name.V[i:i+size])
		} else if name.Set && name.V == "" {
			p.report(name.Span, "%s is empty", what)
		}
	}
	for _, s := range p.t.Sources {
		check("a source", s.Name, "")
	}
	for _, s := range p.t.Ops {
		check("an op", s.Name, "")
	}
	for _, c := range p.codes {
		check("a code", c.Name, "")
		check("a value", c.Value, "")
		for _, a := range c.Aliases {
			check("an alias", a, "")
		}
	}
	p.eachField(func(f field, _ *category) {
		check("a field", f.Name, "{}[]:.\"\\<>&")
		for _, word := range f.Enum {
			check("a word", word, "")
		}
	})
}
