package gen

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: what its JSON says, with objects as groups, secrets masked. So
// the context, the cause and the causes are the same in a log as on the wire.
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
		slog.String("name", c.Type),
		slog.String("category", c.Name),
		slog.String("code", taxonomy.CodeOf(e)),
		slog.String("message", toValid(e.Error())),
		slog.Bool("retryable", t.Traits(row).Retryable))
	var room [256]byte
	attrs = append(attrs, slog.Attr{Key: "context", Value: logJSON(e.AppendContext(room[:0]))})
	if cause := e.Unwrap(); cause != nil {
		w := causeEncoder{left: maxCauses}
		attrs = append(attrs, slog.Attr{Key: "cause", Value: logJSON(w.cause(room[:0], cause, maxDepth))})
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
	if len(attrs) == 0 { // slog leaves an empty group out
		return slog.AnyValue(json.RawMessage("{}"))
	}
	return slog.GroupValue(attrs...)
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
