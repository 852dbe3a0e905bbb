package gen

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"unsafe"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: its JSON with objects as groups and secrets masked. So a log
// contains the same context and causes as the wire.
func LogValue(e taxonomy.Error) slog.Value {
	t, row := e.Taxonomy(), e.Row()
	value := ""
	if code := t.Code(row); code != nil {
		value = code.Value
	}
	attrs := make([]slog.Attr, 0, 8)
	if t.Domain != "" {
		attrs = append(attrs, slog.String("domain", t.Domain))
	}
	attrs = append(attrs, slog.String("name", t.TypeName(row)),
		slog.String("category", t.Categories[row.Category()].Name), slog.String("code", value),
		slog.String("message", toValid(OwnText(e))), slog.Bool("retryable", t.Traits(row).Retryable))
	w := causeEncoder{left: maxCauses}
	b := append(w.details(append(make([]byte, 0, marshalSize/2), '{'), e, row, maxDepth+1), '}')
	return slog.GroupValue(appendAttrs(attrs, unsafe.String(unsafe.SliceData(b), len(b)))...) // b is final
}

// appendAttrs appends the members of a JSON object.
func appendAttrs(attrs []slog.Attr, object string) []slog.Attr {
	for s := (scanner{b: object}); s.next('}'); {
		attrs = append(attrs, slog.Attr{Key: s.key(), Value: logJSON(s.value())})
	}
	return attrs
}

// LogCode returns the log value of a code: that of its error without a context.
func LogCode(c taxonomy.Coded) slog.Value {
	if c.Taxonomy().Code(c.Row()) == nil {
		return slog.StringValue(noCode)
	}
	return logJSON(string(appendCode(nil, c)))
}

// logJSON returns the log value of valid JSON. A list stays JSON.
func logJSON(text string) slog.Value {
	switch text[0] {
	case '{':
		attrs := appendAttrs(make([]slog.Attr, 0, min(8, 1+strings.Count(text, ","))), text)
		if len(attrs) == 0 { // slog leaves an empty group out
			return slog.AnyValue(json.RawMessage(text))
		}
		return slog.GroupValue(attrs...)
	case '[':
		return slog.AnyValue(json.RawMessage(text))
	case '"':
		return slog.StringValue(unquote(text))
	case 't', 'f':
		return slog.BoolValue(text[0] == 't')
	case 'n':
		return slog.AnyValue(nil)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return slog.Int64Value(n)
	}
	return slog.AnyValue(json.Number(text))
}
