package resolve

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/spec"
)

// ruleDoc writes a rule on one line as a person would in a taxonomy, without the braces around it.
func ruleDoc(d *spec.Rule) string {
	var keys flow
	var attributes flow
	for _, c := range d.Conditions {
		if c.Key.V == "attributes" {
			attributes.add(c.Attribute.V, matcherDoc(c.Match))
			continue
		}
		keys.add(c.Key.V, matcherDoc(c.Match))
	}
	if len(attributes) > 0 {
		keys.add("attributes", attributes.braces())
	}
	if len(d.Like) > 0 {
		keys.add("like", textsDoc(d.Like, scalarDoc))
	}
	if len(d.Text) > 0 {
		keys.add("text", textsDoc(d.Text, quoted))
	}
	if len(d.Contains) > 0 {
		keys.add("contains", textsDoc(d.Contains, scalarDoc))
	}
	if d.Priority.V != 0 {
		keys.add("priority", strconv.Itoa(d.Priority.V))
	}
	keys.assign("set", d.Set)
	return keys.line()
}

// exampleDoc writes an example as ruleDoc writes a rule.
func exampleDoc(d *spec.Example) string {
	var keys, want flow
	for _, e := range d.Entries {
		keys.add(e.Key.V, literalDoc(e.Value))
	}
	if w := d.Want; w != nil {
		if w.Retryable.Set {
			want.add("retryable", strconv.FormatBool(w.Retryable.V))
		}
		for _, t := range []struct {
			key  string
			text spec.Text
		}{{"recoverability", w.Recoverability}, {"severity", w.Severity}, {"reaction", w.Reaction}} {
			if t.text.Set {
				want.add(t.key, scalarDoc(t.text.V))
			}
		}
		want.assign("context", w.Context)
		keys.add("want", want.braces())
	}
	return keys.line()
}

// flow is the entries of a mapping in YAML's flow style.
type flow []string

func (f *flow) add(key, value string) { *f = append(*f, scalarDoc(key)+": "+value) }

// assign adds values for fields, if there are any.
func (f *flow) assign(key string, values []spec.Assignment) {
	var set flow
	for _, a := range values {
		set.add(a.Field.V, literalDoc(a.Value))
	}
	if len(set) > 0 {
		f.add(key, set.braces())
	}
}

func (f flow) line() string { return strings.Join(f, ", ") }

func (f flow) braces() string { return "{" + f.line() + "}" }

func matcherDoc(m spec.Matcher) string {
	if len(m.Values) > 0 {
		return literalsDoc(m.Values)
	}
	var tests flow
	if m.Min != nil {
		tests.add("min", literalDoc(*m.Min))
	}
	if m.Max != nil {
		tests.add("max", literalDoc(*m.Max))
	}
	if len(m.Not) > 0 {
		tests.add("not", literalsDoc(m.Not))
	}
	if len(m.Prefix) > 0 {
		tests.add("prefix", textsDoc(m.Prefix, scalarDoc))
	}
	if m.Present.Set {
		tests.add("present", strconv.FormatBool(m.Present.V))
	}
	return tests.braces()
}

func literalsDoc(lits []spec.Literal) string { return listDoc(lits, literalDoc) }

func textsDoc(texts []spec.Text, show func(string) string) string {
	return listDoc(texts, func(t spec.Text) string { return show(t.V) })
}

// listDoc writes a list of one as the one.
func listDoc[T any](list []T, show func(T) string) string {
	if len(list) == 1 {
		return show(list[0])
	}
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = show(v)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func literalDoc(lit spec.Literal) string { return nestedDoc(lit, 0) }

func nestedDoc(lit spec.Literal, depth int) string {
	switch {
	case depth > maxJSONDepth:
		return "…"
	case lit.Kind == spec.LitList:
		out := make([]string, len(lit.Items))
		for i, item := range lit.Items {
			out[i] = nestedDoc(item, depth+1)
		}
		return "[" + strings.Join(out, ", ") + "]"
	case lit.Kind == spec.LitMap:
		var out flow
		for _, entry := range lit.Keys {
			out.add(entry.Key.V, nestedDoc(entry.Value, depth+1))
		}
		return out.braces()
	case lit.Kind == spec.LitString:
		return scalarDoc(lit.Text)
	case lit.Kind == spec.LitNull:
		return "null"
	}
	return lit.Text
}

// plain is what needs no quotes wherever it stands and is no number to any reader.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)
})

// scalarDoc quotes a text where YAML needs quotes, or some reader of YAML would.
func scalarDoc(s string) string {
	if plain().MatchString(s) && !yamlWord(s) {
		return s
	}
	return quoted(s)
}

// yamlWord reports whether an unquoted word would be no text to some reader.
func yamlWord(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off":
		return true
	}
	return false
}

// quoted prefers the quotes in which a backslash is one.
func quoted(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
