// Package localize shows the public messages of errors in other languages. Errgen generates a
// [Texts] for each file taxonomy.messages.LANG.yaml, in the package messages below the one of the
// errors. Package negotiate selects the language of a request.
//
// A text is built from the public context of an error, so that it cannot contain an internal value.
package localize

import (
	"bytes"
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
	Language string `json:"language"` // as in BCP 47
	Domain   string `json:"domain"`   // of the taxonomy
	Format   Format `json:"format"`
	Codes    []Text `json:"codes"`
}

// Text has the texts of a code.
type Text struct {
	Code       string `json:"code"` // on the wire
	Message    []Part `json:"message"`
	Resolution string `json:"resolution,omitempty"`
}

// Part is a piece of a message: text, the value of a field, or a group, which is left out if a
// value in it is absent or empty.
type Part struct {
	Text  string `json:"text,omitempty"`
	Field string `json:"field,omitempty"` // on the wire
	Show  Show   `json:"show,omitempty"`
	Forms []Form `json:"forms,omitempty"` // of [Plural]
	Group []Part `json:"group,omitempty"`
}

// Form is the text for a plural category.
type Form struct {
	Category string `json:"category"`
	Text     string `json:"text"`
}

// Show selects the form in which a value is shown.
type Show string

// The forms. By default, a text is unchanged, and any other value is JSON.
const (
	Number    Show = "number"   // with the separators of the language
	Count     Show = "count"    // of the items of a list
	Plural    Show = "plural"   // the text of the number's plural category, or of a list's length
	Duration  Show = "duration" // of a duration, or of a number of milliseconds
	Seconds   Show = "seconds"
	FirstLine Show = "first_line"
	Quoted    Show = "quoted"
	List      Show = "list"
)

// Format describes how a language writes numbers and forms plurals, as in CLDR.
type Format struct {
	Decimal string `json:"decimal"`
	Group   string `json:"group"`
	Minus   string `json:"minus"`
	// Primary is the number of digits after the last separator of groups, Secondary that of the
	// other groups.
	Primary   int  `json:"primary"`
	Secondary int  `json:"secondary"`
	Digits    rune `json:"digits"` // the digit zero minus '0'
	// Plurals has one letter a category: z, o, t, f, m, or x for other. The first letter is that of a
	// million, the next ones are those of 0 to 199. The last letter repeats. Multiples of a million
	// have the category of a million, and other larger numbers that of 100 and their last two digits.
	// "xxox" is English: other for a million, other for 0, one for 1, and other for the rest.
	Plurals string `json:"plurals"`
}

// Categories are the plural categories of CLDR except "other".
var Categories = [...]string{"zero", "one", "two", "few", "many"}

// Plural returns the plural category of a whole number: "one", "few", "other" and so on.
func (f *Format) Plural(n uint64) string {
	at := n + 1
	switch {
	case n >= 200 && n%1e6 == 0:
		at = 0
	case n >= 200:
		at = 101 + n%100
	}
	if f.Plurals != "" {
		letter := f.Plurals[min(at, uint64(len(f.Plurals)-1))]
		for _, c := range Categories {
			if c[0] == letter {
				return c
			}
		}
	}
	return "other"
}

// Number returns a number in JSON with the separators and digits of the language. A number with an
// exponent is returned unchanged.
func (f *Format) Number(number string) string {
	if strings.ContainsAny(number, "eE") {
		return number
	}
	digits := func(s string) string { return strings.Map(func(r rune) rune { return r + f.Digits }, s) }
	number, negative := strings.CutPrefix(number, "-")
	whole, fraction, decimal := strings.Cut(number, ".")
	out := ""
	if negative {
		out = f.Minus
	}
	for i := range whole {
		left := len(whole) - i - f.Primary
		if i > 0 && f.Secondary > 0 && left >= 0 && left%f.Secondary == 0 {
			out += f.Group
		}
		out += digits(whole[i : i+1])
	}
	if decimal {
		out += f.Decimal + digits(fraction)
	}
	return out
}

// Message returns the message of an error in the language. ok is false if the language has no text
// for its code.
func (t *Texts) Message(v taxonomy.PublicView) (message string, ok bool) {
	i := slices.IndexFunc(t.Codes, func(text Text) bool { return text.Code == v.Code() })
	var context map[string]json.RawMessage
	if i < 0 || v.Err().Taxonomy().Domain != t.Domain || json.Unmarshal(v.AppendContext(nil), &context) != nil {
		return "", false
	}
	return string(t.Format.append(gen.Message(nil), t.Codes[i].Message, context).Bytes()), true
}

// Resolution returns the advice for an error in the language. It is empty if the language has none
// for its code.
func (t *Texts) Resolution(v taxonomy.PublicView) string {
	i := slices.IndexFunc(t.Codes, func(text Text) bool { return text.Code == v.Code() })
	if i < 0 || v.Err().Taxonomy().Domain != t.Domain {
		return ""
	}
	return t.Codes[i].Resolution
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

// value appends the value of a field. If raw is nil, the field is absent.
func (f *Format) value(m gen.MessageBuilder, p Part, raw json.RawMessage) gen.MessageBuilder {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // it is valid, or absent
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	list, isList := value.([]any)
	switch {
	case p.Show == Count:
		if len(list) == 0 {
			m = m.String("") // removes the group
		}
		return m.Text(f.Number(strconv.Itoa(len(list))))
	case value == nil:
		return m.String("")
	case p.Show == Plural:
		if isList {
			number = json.Number(strconv.Itoa(len(list)))
		}
		n, _ := strconv.ParseUint(strings.TrimPrefix(number.String(), "-"), 10, 64) // of a whole number
		category := f.Plural(n)
		i := slices.IndexFunc(p.Forms, func(form Form) bool { return form.Category == category })
		return m.String(p.Forms[max(i, 0)].Text)
	case p.Show == Duration && isNumber:
		n, _ := number.Int64() // of an int64
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
	case p.Show == FirstLine:
		return m.Line(text, 0)
	case p.Show == Quoted:
		return m.Quoted(text, 0)
	case isText:
		return m.String(text)
	case p.Show == Number:
		return m.String(f.Number(number.String()))
	}
	return m.JSON(raw)
}
