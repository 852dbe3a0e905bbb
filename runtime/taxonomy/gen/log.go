package gen

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: what its JSON says, with objects as groups, secrets masked.
// So the context, the cause and the causes are the same in a log as on the wire.
//
//go:noinline
func LogValue(e taxonomy.Error) slog.Value {
	t, row := e.Taxonomy(), e.Row()
	c := t.Categories[row.Category()]
	attrs := make([]slog.Attr, 0, 8)
	if t.Domain != "" {
		attrs = append(attrs, slog.String("domain", t.Domain))
	}
	attrs = append(attrs,
		slog.String("name", t.TypeName(row)),
		slog.String("category", c.Name),
		slog.String("code", taxonomy.CodeOf(e)),
		slog.String("message", toValid(e.Error())),
		slog.Bool("retryable", t.Traits(row).Retryable))
	context, ok := logFields(t.Fields(row), c.List(e))
	if !ok {
		context = logJSON(e.AppendContext(nil))
	}
	attrs = append(attrs, slog.Attr{Key: "context", Value: context})
	if cause := e.Unwrap(); cause != nil {
		w := causeEncoder{left: maxCauses}
		attrs = append(attrs, slog.Attr{Key: "cause", Value: logJSON(w.cause(nil, cause, maxDepth))})
	}
	return slog.GroupValue(attrs...)
}

// logFields returns the log value of fields, to which list has pointers, if all are of frequent
// types. The zero value of a code's own type has more pointers than its row has fields.
func logFields(fields []taxonomy.Field, list []any) (slog.Value, bool) {
	if len(list) > len(fields) {
		return slog.Value{}, false
	}
	attrs := make([]slog.Attr, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		if f.MessageOnly {
			continue
		}
		value, present, ok := logField(f, list[i])
		if !ok {
			return slog.Value{}, false
		}
		if present {
			attrs = append(attrs, slog.Attr{Key: f.Name, Value: value})
		}
	}
	return logGroup(attrs), true
}

func logField(f *taxonomy.Field, p any) (value slog.Value, present, ok bool) {
	switch p := p.(type) {
	case *string:
		return logText(f, *p), true, true
	case *taxonomy.Opt[string]:
		s, present := p.Get()
		if !present {
			return slog.Value{}, false, true
		}
		return logText(f, s), true, true
	case *int:
		return slog.IntValue(*p), true, true
	case *taxonomy.Opt[int]:
		return slog.IntValue(p.Or(0)), !p.IsZero(), true
	case *int64:
		return slog.Int64Value(*p), true, true
	case *taxonomy.Opt[int64]:
		return slog.Int64Value(p.Or(0)), !p.IsZero(), true
	case *bool:
		return slog.BoolValue(*p), true, true
	case *taxonomy.Opt[bool]:
		return slog.BoolValue(p.Or(false)), !p.IsZero(), true
	case *time.Duration:
		return slog.StringValue(p.String()), true, true
	case *taxonomy.Opt[time.Duration]:
		if p.IsZero() {
			return slog.Value{}, false, true
		}
		return slog.StringValue(p.Or(0).String()), true, true
	case *taxonomy.Opt[time.Time]:
		return slog.Value{}, false, p.IsZero()
	case *[]string:
		return slog.Value{}, false, *p == nil && !f.Required
	}
	return slog.Value{}, false, false
}

// logText returns a text as its field is shown.
func logText(f *taxonomy.Field, s string) slog.Value {
	c := Clean(f.MaxLength)
	if f.Scrub {
		c |= Scrub
	}
	if f.KeepTail {
		c |= KeepTail
	}
	return slog.StringValue(toValid(c.Text(s)))
}

// logGroup returns a group; slog leaves an empty one out.
func logGroup(attrs []slog.Attr) slog.Value {
	if len(attrs) == 0 {
		return slog.AnyValue(json.RawMessage("{}"))
	}
	return slog.GroupValue(attrs...)
}

// logJSON returns the log value of valid JSON. It keeps nothing of b.
func logJSON(b []byte) slog.Value {
	l := logReader{scanner: scanner{b: b}, text: string(b)}
	return l.value()
}

// logReader makes log values of valid JSON. Texts without escapes share the memory of text, which
// is the whole JSON.
type logReader struct {
	scanner
	text string
}

// value returns the log value of the next JSON value. A list of values other than texts stays JSON.
func (l *logReader) value() slog.Value {
	l.space()
	start := l.pos
	switch l.peek() {
	case '{':
		return l.group()
	case '[':
		return l.list()
	case '"':
		return slog.StringValue(l.string())
	}
	l.skipScalar()
	switch raw := l.text[start:l.pos]; raw {
	case "true", "false":
		return slog.BoolValue(raw == "true")
	case "null", "":
		return slog.AnyValue(nil)
	default:
		if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
			return slog.Int64Value(n)
		}
		return slog.AnyValue(json.Number(raw))
	}
}

func (l *logReader) group() slog.Value {
	attrs := make([]slog.Attr, 0, 8)
	for l.next('}') {
		key := l.string()
		l.space()
		l.pos++ // the colon
		attrs = append(attrs, slog.Attr{Key: key, Value: l.value()})
	}
	return logGroup(attrs)
}

func (l *logReader) list() slog.Value {
	start, texts, mixed := l.pos, []string{}, false
	for l.next(']') {
		if l.peek() == '"' && !mixed {
			texts = append(texts, l.string())
			continue
		}
		mixed = true
		l.scanner.value()
	}
	if mixed {
		return slog.AnyValue(json.RawMessage(l.text[start:l.pos]))
	}
	return slog.AnyValue(texts)
}

// string returns the text of the JSON string that the reader is at.
func (l *logReader) string() string {
	start := l.pos
	l.skipString()
	if bytes.IndexByte(l.b[start:l.pos], '\\') >= 0 {
		return unquote(l.b[start:l.pos])
	}
	return l.text[start+1 : l.pos-1]
}
