// Package localize shows the public messages of errors in other languages. Errgen generates a
// [Texts] for each file taxonomy.messages.LANG.yaml, in the package messages below the one of the
// errors. Package negotiate selects the language of a request.
//
// A text is built from the public context of an error, so that it cannot contain an internal value.
package localize

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Texts are the texts of a taxonomy in a language. They must not be changed.
type Texts struct {
	Language string // as in BCP 47
	Domain   string // of the taxonomy
	Format   Format
	Codes    []Text // sorted by code
}

// Text has the texts of a code.
type Text struct {
	Code       string // on the wire
	Message    []Part
	Resolution string // may be empty
}

// Part is a piece of a message: text, the value of a field, or a group, which is left out if a
// value in it is absent or empty.
type Part struct {
	Text  string
	Field string // on the wire
	Show  Show
	Forms []string // of [Plural]: a category of CLDR, then its text, and so on
	Group []Part
}

// Show selects the form in which a value is shown.
type Show string

// The forms. The default shows a text unchanged, and any other value as JSON.
const (
	Number    Show = "number" // with the separators of the language
	Count     Show = "count"  // of the items of a list
	Plural    Show = "plural" // the text of the number's plural category, or of a list's length
	Duration  Show = "duration"
	Millis    Show = "millis" // of a duration
	Seconds   Show = "seconds"
	FirstLine Show = "first_line"
	Quoted    Show = "quoted"
	List      Show = "list"
)

// Format describes how a language writes numbers and forms plurals, as in CLDR.
type Format struct {
	Decimal, Group, Minus string
	// Primary is the number of digits after the last separator of groups, Secondary that of the
	// other groups.
	Primary, Secondary int
	Zero               rune // the digit zero; the others follow it
	// Plurals has the categories of 0 to 199 and of a million, as runs: a letter (z, o, t, f and m, or
	// x for other) and the length of the run. A larger number has the category of a million if it is
	// a multiple of that, and otherwise the one of 100 and its last two digits.
	Plurals string
}

// categories are the plural categories of CLDR, by letter.
var categories = [...]string{"z", "zero", "o", "one", "t", "two", "f", "few", "m", "many", "x", "other"}

// Plural returns the plural category of a whole number: "one", "few", "other" and so on.
func (f *Format) Plural(n uint64) string {
	i := n
	switch {
	case n >= 200 && n%1e6 == 0:
		i = 200
	case n >= 200:
		i = 100 + n%100
	}
	for rest := f.Plurals; rest != ""; {
		digits := strings.TrimLeft(rest[1:], "0123456789")
		run, err := strconv.ParseUint(rest[1:len(rest)-len(digits)], 10, 64)
		if at := slices.Index(categories[:], rest[:1]); err == nil && i < run && at >= 0 {
			return categories[at+1]
		}
		i -= run
		rest = digits
	}
	return "other"
}

// Number returns a number in JSON with the separators and digits of the language. A number with an
// exponent is returned unchanged.
func (f *Format) Number(number string) string {
	if strings.ContainsAny(number, "eE") {
		return number
	}
	var b strings.Builder
	digits, negative := strings.CutPrefix(number, "-")
	if negative {
		b.WriteString(f.Minus)
	}
	whole, fraction, decimal := strings.Cut(digits, ".")
	for i, r := range whole {
		if left := len(whole) - i; i > 0 && f.Primary > 0 &&
			(left == f.Primary || left > f.Primary && (left-f.Primary)%max(f.Secondary, 1) == 0) {
			b.WriteString(f.Group)
		}
		b.WriteRune(f.digit(r))
	}
	if decimal {
		b.WriteString(f.Decimal)
	}
	for _, r := range fraction {
		b.WriteRune(f.digit(r))
	}
	return b.String()
}

func (f *Format) digit(r rune) rune {
	if f.Zero != 0 {
		r += f.Zero - '0'
	}
	return r
}

// Text returns the texts of a code, or nil.
func (t *Texts) Text(code string) *Text {
	i, ok := slices.BinarySearchFunc(t.Codes, code,
		func(x Text, code string) int { return strings.Compare(x.Code, code) })
	if !ok {
		return nil
	}
	return &t.Codes[i]
}

// Message returns the message of an error in the language. ok is false if the language has no text
// for its code.
func (t *Texts) Message(v taxonomy.PublicView) (message string, ok bool) {
	text := t.Text(v.Code())
	if text == nil || v.Err().Taxonomy().Domain != t.Domain {
		return "", false
	}
	var context map[string]json.RawMessage
	if json.Unmarshal(v.AppendContext(nil), &context) != nil {
		return "", false
	}
	return string(t.Format.append(gen.Message(nil), text.Message, context).Bytes()), true
}

func (f *Format) append(m gen.MessageBuilder, parts []Part, context map[string]json.RawMessage) gen.MessageBuilder {
	for _, p := range parts {
		switch {
		case p.Group != nil:
			m = f.append(m.Begin(""), p.Group, context).End("")
		case p.Field != "":
			m = f.value(m, p, context[p.Field])
		default:
			m = m.Text(p.Text)
		}
	}
	return m
}

// value appends a value of the context. One that is absent is nil.
func (f *Format) value(m gen.MessageBuilder, p Part, raw json.RawMessage) gen.MessageBuilder {
	var text string
	isText := json.Unmarshal(raw, &text) == nil && raw[0] == '"'
	var list []json.RawMessage
	isList := json.Unmarshal(raw, &list) == nil && list != nil
	switch {
	case p.Show == Count && isList && len(list) > 0:
		return m.String(f.Number(strconv.Itoa(len(list))))
	case p.Show == Count:
		return m.Count(0)
	case p.Show == Plural && isList:
		return m.String(p.form(f.Plural(uint64(len(list)))))
	case raw == nil || string(raw) == "null":
		return m.String("")
	case p.Show == Number:
		return m.String(f.Number(string(raw)))
	case p.Show == Plural:
		n, err := strconv.ParseUint(strings.TrimPrefix(string(raw), "-"), 10, 64)
		if err != nil {
			return m.String(p.form("other"))
		}
		return m.String(p.form(f.Plural(n)))
	case p.Show == Millis:
		n, _ := strconv.ParseInt(string(raw), 10, 64) // of an int64
		return m.Millis(taxonomy.Some(n))
	case p.Show == Duration, p.Show == Seconds:
		d, _ := time.ParseDuration(text) // of a time.Duration
		if p.Show == Seconds {
			return m.String(f.Number(strconv.FormatFloat(d.Seconds(), 'f', -1, 64)))
		}
		return m.Duration(taxonomy.Some(d))
	case p.Show == List:
		var items []string
		_ = json.Unmarshal(raw, &items) // of a []string
		return m.Strings(items, 0)
	case isText && p.Show == FirstLine:
		return m.Line(text, 0)
	case isText && p.Show == Quoted:
		return m.Quoted(text, 0)
	case isText:
		return m.String(text)
	}
	return m.JSON(raw)
}

// form returns the text of a plural category, or that of "other".
func (p Part) form(category string) string {
	other := ""
	for i := 0; i+1 < len(p.Forms); i += 2 {
		switch p.Forms[i] {
		case category:
			return p.Forms[i+1]
		case "other":
			other = p.Forms[i+1]
		}
	}
	return other
}
