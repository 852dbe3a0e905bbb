// Package tabletext prints a taxonomy's table as text. The generator writes these texts into the
// tests of a package as literals; package gentest compares them with the texts of the package's own
// table.
package tabletext

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Printer prints reactions and policies. It prints one that has a label by the label, and any other
// in full.
type Printer struct {
	labels map[string]string // by text
	texts  map[any]string    // by pointer, of values that were printed before
}

// NewPrinter returns a printer without labels.
func NewPrinter() *Printer {
	return &Printer{labels: make(map[string]string), texts: make(map[any]string)}
}

// Label makes label the short form of text, unless text has a label.
func (p *Printer) Label(label, text string) {
	if _, taken := p.labels[text]; !taken {
		p.labels[text] = label
	}
}

// Labelled reports whether text has a label.
func (p *Printer) Labelled(text string) bool {
	_, ok := p.labels[text]
	return ok
}

// Row prints the traits of a row and, for each profile that changes some, the changes:
// "again retryable http=502; strict: block -http=502".
func (p *Printer) Row(table taxonomy.Traits, profiles []string, under func(profile int) taxonomy.Traits) string {
	base := p.traits(table)
	text := strings.Join(base, " ")
	for i, name := range profiles {
		var changes []string
		got := p.traits(under(i))
		for _, word := range got {
			if !slices.Contains(base, word) {
				changes = append(changes, word)
			}
		}
		for _, word := range base[1:] {
			if !slices.Contains(got, word) {
				changes = append(changes, "-"+word)
			}
		}
		if changes != nil {
			text += "; " + name + ": " + strings.Join(changes, " ")
		}
	}
	return text
}

// traits prints traits, the reaction first. It omits zero values, and a recoverability that follows
// from Retryable.
func (p *Printer) traits(t taxonomy.Traits) []string {
	words := []string{p.short(t.Reaction)}
	usual := taxonomy.Permanent
	if t.Retryable {
		words, usual = append(words, "retryable"), taxonomy.Retryable
	}
	for _, w := range []struct {
		name  string
		value any
		zero  bool
	}{
		{"recoverability", t.Recoverability, t.Recoverability == usual},
		{"severity", t.Severity, t.Severity == 0},
		{"effect", t.Effect, t.Effect == 0},
		{"http", t.HTTP, t.HTTP == 0},
		{"grpc", t.GRPC, t.GRPC == 0},
		{"exit", t.Exit, t.Exit == 0},
	} {
		if !w.zero {
			words = append(words, fmt.Sprintf("%s=%v", w.name, w.value))
		}
	}
	return words
}

// short returns the label of what v, a pointer, points to, or its text in parentheses.
func (p *Printer) short(v any) string {
	if text, ok := p.texts[v]; ok {
		return text
	}
	text := p.Text(reflect.ValueOf(v).Elem().Interface())
	short, ok := p.labels[text]
	if !ok {
		short = "(" + text + ")"
	}
	p.texts[v] = short
	return short
}

// Category prints the name, the type and the description of a category.
func Category(c *taxonomy.Category) string {
	if c.Doc == "" {
		return c.Name + " " + c.Type
	}
	return c.Name + " " + c.Type + ": " + c.Doc
}

// bare are the fields whose values are printed without their names.
var bare = []string{"name", "value", "type", "number"}

// Text prints a struct of the table: its name, its action and its fields that are not zero, except
// the description.
func (p *Printer) Text(v any) string {
	var words []string
	s := reflect.ValueOf(v)
	for i := range s.NumField() {
		words = p.add(words, snake(s.Type().Field(i).Name), s.Field(i))
	}
	return strings.Join(words, " ")
}

// add appends a named value to words, unless it is zero.
func (p *Printer) add(words []string, name string, f reflect.Value) []string {
	switch {
	case name == "doc" || f.IsZero() && name != "action":
		return words
	case f.Kind() == reflect.Bool:
		return append(words, name)
	case slices.Contains(bare, name):
		return append(words, p.value(f))
	}
	return append(words, name+"="+p.value(f))
}

func (p *Printer) value(f reflect.Value) string {
	switch v := f.Interface().(type) {
	case *taxonomy.Reaction, *taxonomy.Policy:
		return p.short(v)
	case fmt.Stringer:
		return v.String()
	case string:
		return word(v)
	case []string:
		return words(v)
	case []taxonomy.Field:
		var fields []string
		for _, field := range v {
			fields = append(fields, p.Text(field))
		}
		return "(" + strings.Join(fields, ", ") + ")"
	}
	switch f.Kind() {
	case reflect.Pointer:
		return "(" + p.Text(f.Elem().Interface()) + ")"
	case reflect.Struct:
		return "(" + p.Text(f.Interface()) + ")"
	}
	return fmt.Sprint(f.Interface())
}

// elsewhere are the fields of a code that its text does not contain, because other rows of the
// generated tests, or no tests, compare them. Code prints all others.
var elsewhere = strings.Fields(`
	Key Parent Groups Message Doc Resolution Set Takes Extra Own Traits When Profiles Aliases`)

// Code prints a code with the names of its groups.
func (p *Printer) Code(c *taxonomy.Code, groups []string) string {
	var words []string
	for _, part := range []reflect.Value{reflect.ValueOf(*c), reflect.ValueOf(*c.Extras())} {
		for i := range part.NumField() {
			if name := part.Type().Field(i).Name; !slices.Contains(elsewhere, name) {
				words = p.add(words, snake(name), part.Field(i))
			}
		}
	}
	if len(groups) > 0 {
		words = append(words, "group="+p.value(reflect.ValueOf(groups)))
	}
	return strings.Join(words, " ")
}

// Field prints a field and, of an object, its fields.
func Field(f taxonomy.Field) string { return NewPrinter().Text(f) }

// Rule prints the rule with a name as the taxonomy has it, with a checksum of its priority, its
// conditions, its patterns, its signatures and the fields that it sets.
func Rule(rules *detect.Rules, name string) string {
	sum, doc := fnv.New32a(), ""
	for i := range rules.Rules {
		form := &rules.Rules[i]
		if form.Name != name {
			continue
		}
		if doc = form.Doc; form.Priority != 0 {
			fmt.Fprintln(sum, form.Priority)
		}
		fmt.Fprintln(sum, form.Conditions, slices.Sorted(slices.Values(form.Set)))
		if form.Like != nil {
			fmt.Fprintln(sum, form.Like.Name, form.Like.Over, form.Like.Effect, form.Like.Extract)
		}
		for _, list := range [][]uint16{form.Text, form.Contains, form.LikeText, form.LikeContains} {
			for _, id := range list {
				pattern := rules.Patterns[id]
				if fmt.Fprintln(sum, pattern); pattern.Lead > 0 {
					fmt.Fprintln(sum, rules.Leads[pattern.Lead-1])
				}
			}
			fmt.Fprintln(sum)
		}
	}
	return fmt.Sprintf("%s (%x)", doc, sum.Sum32())
}

// Hints prints the hints that are not empty.
func Hints(h taxonomy.Hints) string {
	var texts []string
	if d, ok := h.RetryAfter.Get(); ok {
		texts = append(texts, "retry_after="+d.String())
	}
	if at, ok := h.ResetAt.Get(); ok {
		texts = append(texts, "reset_at="+at.UTC().Format("2006-01-02T15:04:05.999999999Z"))
	}
	if h.Files != nil {
		texts = append(texts, "files="+words(h.Files))
	}
	if h.Credential != "" {
		texts = append(texts, "credential="+word(h.Credential))
	}
	if h.Output != "" {
		texts = append(texts, "output="+word(h.Output))
	}
	return strings.Join(texts, " ")
}

// words prints a list: one item as a word, several in brackets.
func words(list []string) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = word(s)
	}
	if len(list) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, " ") + "]"
}

// word returns s, in quotes if it is not a word.
func word(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./*{}:", r)
	}) {
		return strconv.Quote(s)
	}
	return s
}

// snake returns a Go name as the taxonomy's language writes it: "max_attempts" for MaxAttempts.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Taxonomy prints the parts of a taxonomy that are not of one category, except its reactions and
// policies. The names of the categories are an argument.
func (p *Printer) Taxonomy(t *taxonomy.Taxonomy, categories []string) []string {
	var lines []string
	add := func(name string, values ...string) {
		if len(values) > 0 && values[0] != "" {
			lines = append(lines, name+": "+strings.Join(values, " "))
		}
	}
	add("package", t.Package)
	add("domain", t.Domain)
	add("help", t.HelpURL)
	add("fallback", t.Fallback)
	add("public", t.PublicFallback)
	if t.Stack != taxonomy.StackFallback {
		add("stack", t.Stack.String())
	}
	add("categories", categories...)
	for _, list := range []struct {
		name  string
		items []taxonomy.Named
	}{
		{"groups", t.Groups}, {"strategies", t.Strategies}, {"checks", t.Checks},
		{"sources", t.Sources}, {"ops", t.Ops},
	} {
		var items []string
		for _, item := range list.items {
			items = append(items, p.Text(item))
		}
		add(list.name, items...)
	}
	for _, tier := range t.Tiers {
		add("tier", p.Text(tier))
	}
	for _, o := range t.Operations {
		add("operation", p.Text(*o))
	}
	for _, profile := range t.Profiles {
		add("profile", p.Text(struct {
			Name      string
			Detection taxonomy.Detection
			Recovery  taxonomy.Recovery
			Retry     taxonomy.RetryDefaults
			Reporting taxonomy.Reporting
		}{profile.Name, profile.Detection, profile.Recovery, profile.Retry, profile.Reporting}))
	}
	return lines
}
