package model

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Template is a message in pieces.
type Template struct {
	Parts []Part
}

// Part is a piece of a template: text, a placeholder, or a group in brackets. A group is left out
// if a field in it is absent or empty.
type Part struct {
	Text   string // of a text part
	Name   string // of a placeholder
	Field  *Field // of a placeholder
	Cause  bool   // the placeholder is {cause}
	Format Format
	Group  []Part // of a group: texts and placeholders only
	// Offset and Len are the place of the piece in the message, in bytes.
	Offset, Len int
}

// Format selects the form in which a placeholder shows its value.
type Format string

// The formats.
const (
	Plain     Format = ""
	Count     Format = "count" // of a list
	FirstLine Format = "first_line"
	Seconds   Format = "seconds" // of a duration
	Quoted    Format = "quoted"
	Millis    Format = "duration" // of a number of milliseconds
)

// Formats returns the names of the formats, sorted.
func Formats() []string {
	return []string{string(Count), string(Millis), string(FirstLine), string(Quoted), string(Seconds)}
}

// Text returns the template with its values. If cause is empty, the error has no cause. Any other
// value is treated as the text of an error of no taxonomy.
func (t Template) Text(ctx Context, cause string) string {
	text, _ := partsText(t.Parts, ctx, cause)
	return text
}

// partsText returns the text, and whether every value outside of groups is present and not empty.
func partsText(parts []Part, ctx Context, cause string) (string, bool) {
	var b strings.Builder
	complete := true
	for _, p := range parts {
		switch {
		case p.Group != nil:
			if text, ok := partsText(p.Group, ctx, cause); ok {
				b.WriteString(text)
			}
		case p.Field != nil || p.Cause:
			text, ok := p.value(ctx, cause)
			b.WriteString(gen.Printable(text))
			complete = complete && ok
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String(), complete
}

// value returns a placeholder's text, and whether its value is present and not empty.
func (p Part) value(ctx Context, cause string) (string, bool) {
	if p.Cause {
		return p.format((gen.Scrub | causeLength).Text(cause))
	}
	v, ok := ctx.Get(p.Field)
	switch {
	case p.Format == Count:
		n := len(v.Strings) + len(v.Objects)
		return strconv.Itoa(n), n > 0
	case !ok:
		return "", false
	case p.Format == Seconds:
		return strconv.FormatFloat(v.Duration.Seconds(), 'f', -1, 64), true
	case p.Format == Millis:
		const most = math.MaxInt64 / int64(time.Millisecond)
		return (time.Duration(max(-most, min(v.Int, most))) * time.Millisecond).String(), true
	}
	return p.format(p.Field.Shown(v))
}

// causeLength is the maximum length in bytes of the text of a cause.
const causeLength = 4096

func (p Part) format(text string) (string, bool) {
	switch {
	case text == "":
		return "", false
	case p.Format == FirstLine:
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			text = text[:i]
		}
	case p.Format == Quoted:
		text = strconv.Quote(text)
	}
	return text, text != ""
}
