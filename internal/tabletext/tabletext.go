// Package tabletext prints a taxonomy's table as text. The generator writes these texts into the
// tests of a package as literals; package gentest compares them with the texts of the package's own
// table.
package tabletext

import (
	"encoding/json"
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
		{"kind", t.Kind, t.Kind == 0},
		{"http", t.HTTP, t.HTTP == 0},
		{"grpc", t.GRPC, t.GRPC == 0},
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

// Text prints a struct of the table: its name, its action and its fields that are not zero.
func (p *Printer) Text(v any) string {
	var words []string
	s := reflect.ValueOf(v)
	for i := range s.NumField() {
		f := s.Field(i)
		name := snake(s.Type().Field(i).Name)
		switch {
		case name == "doc" || f.IsZero() && name != "action":
		case f.Kind() == reflect.Bool:
			words = append(words, name)
		case name == "name":
			words = append(words, word(f.String()))
		default:
			words = append(words, name+"="+p.value(f))
		}
	}
	return strings.Join(words, " ")
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
	}
	switch f.Kind() {
	case reflect.Pointer:
		return "(" + p.Text(f.Elem().Interface()) + ")"
	case reflect.Struct:
		return "(" + p.Text(f.Interface()) + ")"
	}
	return fmt.Sprint(f.Interface())
}

// Code prints a code with the names of its groups.
func (p *Printer) Code(c *taxonomy.Code, groups []string) string {
	text := word(c.Value)
	if c.Number != 0 || c.NumberZero {
		text += " " + strconv.Itoa(c.Number)
	}
	if len(c.Extras().Names) > 0 {
		text += " names=" + words(c.Extras().Names)
	}
	if c.Abstract {
		text += " abstract"
	}
	if len(c.Extras().Constants) > 0 {
		b, _ := json.Marshal(c.Extras().Constants) // texts, numbers and bools always encode
		text += " constants=" + string(b)
	}
	for _, g := range groups {
		text += " group=" + word(g)
	}
	rest := struct {
		Since, Deprecated, ReplacedBy string
		Prevent                       *taxonomy.Prevention
		Public                        bool
	}{c.Since, c.Extras().Deprecated, c.Extras().ReplacedBy, c.Extras().Prevent, c.Public}
	return strings.TrimSpace(text + " " + p.Text(rest))
}

// Field prints a field and, of an object, its fields.
func Field(f taxonomy.Field) string {
	text := word(f.Name) + " " + f.Type
	if len(f.Enum) > 0 {
		text += " " + words(f.Enum)
	}
	if f.MaxLength != 0 {
		text += " max_length=" + strconv.Itoa(f.MaxLength)
	}
	if len(f.From) > 0 {
		text += " from=" + words(f.From)
	}
	if f.Default != "" {
		text += " default=" + word(f.Default)
	}
	for _, flag := range []struct {
		set  bool
		word string
	}{
		{f.Required, "required"}, {f.Sensitive, "sensitive"}, {f.Scrub, "scrub"}, {f.KeepTail, "keep_tail"},
		{f.MessageOnly, "message_only"}, {f.Public, "public"},
	} {
		if flag.set {
			text += " " + flag.word
		}
	}
	var parts []string
	for _, part := range f.Fields {
		parts = append(parts, Field(part))
	}
	if parts != nil {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

var keys = map[detect.Key]string{
	detect.Source: "source", detect.Op: "op", detect.Status: "status", detect.Type: "type", detect.Code: "code",
	detect.ExitCode: "exit_code", detect.Signal: "signal", detect.Errno: "errno", detect.Is: "is", detect.As: "as",
	detect.Attribute: "attributes",
}

// Rule prints a rule of rules: its conditions, its patterns and the fields that it sets. Of
// signatures it prints the names and a checksum of their data.
func Rule(rules *detect.Rules, r *detect.Rule) string {
	var texts []string
	for _, c := range r.Conditions {
		texts = append(texts, condition(c))
	}
	var text, contains []string
	for _, i := range r.Text {
		text = append(text, "/"+rules.Patterns[i].Expr+"/")
	}
	for _, i := range r.Contains {
		contains = append(contains, strconv.Quote(rules.Patterns[i].Plain))
	}
	if text != nil {
		texts = append(texts, "text "+strings.Join(text, " or "))
	}
	if contains != nil {
		texts = append(texts, "contains "+strings.Join(contains, " or "))
	}
	if r.Like != nil {
		texts = append(texts, "like "+likes(rules, r.Name))
	}
	if r.Set != nil {
		texts = append(texts, "set "+words(slices.Sorted(slices.Values(r.Set))))
	}
	return strings.Join(texts, ", ")
}

// likes prints the signatures of the rules of a name, with a checksum of their conditions.
func likes(rules *detect.Rules, name string) string {
	sum := fnv.New32a()
	var names []string
	for i := range rules.Rules {
		r := &rules.Rules[i]
		if r.Name != name {
			continue
		}
		if !slices.Contains(names, r.Like.Name) {
			names = append(names, r.Like.Name)
		}
		fmt.Fprintln(sum, r.Like.Over, r.Like.Extract, r.Conditions)
		for _, id := range slices.Concat(r.LikeText, r.LikeContains) {
			p := rules.Patterns[id]
			fmt.Fprintln(sum, p)
			if p.Lead > 0 {
				fmt.Fprintln(sum, rules.Leads[p.Lead-1])
			}
		}
	}
	return words(names) + " (" + strconv.FormatUint(uint64(sum.Sum32()), 16) + ")"
}

func condition(c detect.Condition) string {
	text := keys[c.Key]
	if c.Name != "" {
		text += "." + word(c.Name)
	}
	for _, list := range []struct {
		word  string
		items []string
	}{{"", c.Any}, {" not", c.Not}, {" prefix", c.Prefix}, {"", numbers(c.AnyNumber)}, {" not", numbers(c.NotNumber)}} {
		if len(list.items) > 0 {
			text += list.word + " " + words(list.items)
		}
	}
	if c.Bounds&detect.HasMin != 0 {
		text += " min " + strconv.FormatFloat(c.Min, 'g', -1, 64)
	}
	if c.Bounds&detect.HasMax != 0 {
		text += " max " + strconv.FormatFloat(c.Max, 'g', -1, 64)
	}
	switch c.Presence {
	case detect.Present:
		text += " present"
	case detect.Absent:
		text += " absent"
	}
	return text
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

func numbers(list []int) []string {
	var texts []string
	for _, n := range list {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
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
		if unicode.IsUpper(r) && i > 0 {
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
		var names []string
		for _, item := range list.items {
			name := word(item.Name)
			if item.Fallback != "" {
				name += "=" + word(item.Fallback)
			}
			names = append(names, name)
		}
		add(list.name, names...)
	}
	for _, tier := range t.Tiers {
		add("tier", p.Text(tier))
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
