package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// messageMethod returns the method that appends the message of an error's code.
func messageMethod(c *model.Category) string {
	var cases strings.Builder
	for _, code := range c.Codes {
		if code.Own == nil && !code.Abstract {
			cases.WriteString(messageCase(code, code.Message))
		}
	}
	return `func (e *` + c.Type + `) AppendMessage(dst []byte) []byte {
	m := gen.Message(dst)
	switch e.Code() {
	` + cases.String() + `default:
		m = m.NoCode(` + strconv.Quote(c.Name) + `)
	}
	return m.Bytes()
}`
}

// feedbackMethod returns the method that appends the text of codes for the provider. It returns ""
// if no code has one.
func feedbackMethod(c *model.Category) string {
	var cases strings.Builder
	for _, code := range c.Codes {
		if code.Feedback != nil && code.ErrorType() == c {
			cases.WriteString(messageCase(code, *code.Feedback))
		}
	}
	if cases.Len() == 0 {
		return ""
	}
	return `// AppendFeedback appends the text for the provider's next prompt, if the code declares one.
func (e *` + c.Type + `) AppendFeedback(dst []byte) []byte {
	m := gen.Message(dst)
	switch e.Code() {
	` + cases.String() + `}
	return m.Bytes()
}`
}

// messageCase returns the statements that build a code's message.
func messageCase(c *model.Code, t model.Template) string {
	return "case " + c.Const + ":\n" + calls("m", messageCalls(t))
}

// messageCalls returns the calls that build a message.
func messageCalls(t model.Template) []string {
	var out []string
	for i, p := range t.Parts {
		if p.Group != nil {
			out = append(out, messageGroup(p.Group, i+1 == len(t.Parts) || t.Parts[i+1].Group != nil))
		} else {
			out = append(out, messagePart(p))
		}
	}
	return out
}

// calls returns the statements that call methods of a builder, as many in a statement as fit on a
// line. An item that does not begin with a dot is a statement itself.
func calls(builder string, items []string) string {
	const maxWidth = 118
	var lines []string
	width := maxWidth // of the calls in the last statement
	for _, item := range items {
		switch {
		case item[0] != '.':
			lines, width = append(lines, item), maxWidth
		case width+len(item) > maxWidth:
			lines, width = append(lines, builder+" = "+builder+item), len(item)
		default:
			lines[len(lines)-1] += item
			width += len(item)
		}
	}
	return strings.Join(append(lines, ""), "\n")
}

// builderBody returns the body of a function that makes calls of a builder and returns its result:
// one expression if the calls are short, otherwise statements.
func builderBody(builder, begin string, items []string, end string) string {
	whole := strings.Join(items, "")
	isStatement := func(item string) bool { return item[0] != '.' }
	if len(whole) <= lineWidth && !slices.ContainsFunc(items, isStatement) {
		return "{\nreturn " + begin + whole + end + "\n}"
	}
	return "{\n" + builder + " := " + begin + "\n" + calls(builder, items) + "return " + builder + end + "\n}"
}

// messageGroup returns the calls for an optional part. The calls that open and close the part take
// its leading and trailing text. If endsItself, the next call closes the part.
func messageGroup(parts []model.Part, endsItself bool) string {
	isText := func(p model.Part) bool { return p.Field == nil && !p.Cause && p.Group == nil }
	lead, trail := "", ""
	if len(parts) > 0 && isText(parts[0]) {
		lead, parts = parts[0].Text, parts[1:]
	}
	if n := len(parts); n > 0 && isText(parts[n-1]) {
		trail, parts = parts[n-1].Text, parts[:n-1]
	}
	calls := ".Begin(" + strconv.Quote(lead) + ")" + strings.Join(eachText(parts, messagePart), "")
	if trail != "" || !endsItself {
		calls += ".End(" + strconv.Quote(trail) + ")"
	}
	return calls
}

// messagePart returns the call for a text or a placeholder.
func messagePart(p model.Part) string {
	switch {
	case p.Cause && p.Format == model.FirstLine:
		return ".CauseLine(e.Unwrap())"
	case p.Cause && p.Format == model.Quoted:
		return ".CauseQuoted(e.Unwrap())"
	case p.Cause:
		return ".Cause(e.Unwrap())"
	case p.Field == nil:
		return ".Text(" + strconv.Quote(p.Text) + ")"
	}
	f := p.Field
	value := "e." + f.Go
	switch {
	case f.Type == model.String:
		return textCall(f, value, p.Format)
	case f.Type == model.EnumType && p.Format == model.Quoted:
		return ".Quoted(" + enumWord(f, value) + ", 0)"
	case f.Type == model.EnumType:
		return ".String(" + enumWord(f, value) + ")"
	case f.Type == model.Strings && p.Format != model.Count:
		return ".Strings(" + value + ", " + cleaning(f) + ")"
	case slices.Contains([]model.Type{model.Strings, model.Objects, model.Violations}, f.Type):
		return ".Count(len(" + value + "))"
	case f.Type == model.JSON:
		return ".JSON(" + value + ")"
	case f.Type == model.Int64 && p.Format == model.Millis:
		return ".Millis(" + opt(f, value) + ")"
	case f.Type == model.Duration && p.Format == model.Seconds:
		return ".Seconds(" + opt(f, value) + ")"
	}
	return "." + typeWord(f) + "(" + opt(f, value) + ")"
}

func textCall(f *model.Field, value string, format model.Format) string {
	if f.Optional() {
		value += `.Or("")`
	}
	switch {
	case format == model.FirstLine:
		return ".Line(" + value + ", " + cleaning(f) + ")"
	case format == model.Quoted:
		return ".Quoted(" + value + ", " + cleaning(f) + ")"
	case f.Const != "":
		return ".Clean(" + value + ", " + cleaning(f) + ")"
	default:
		return ".String(" + value + ")"
	}
}
