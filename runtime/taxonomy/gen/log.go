package gen

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"unsafe"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: its JSON with objects as groups and secrets masked. So a log
// contains the same context and causes as the wire.
func LogValue(e taxonomy.Error) slog.Value {
	b := AppendJSON(make([]byte, 0, marshalSize), e)
	return logJSON(unsafe.String(unsafe.SliceData(b), len(b))) // b does not change any more
}

// logJSON returns the log value of valid JSON. A list stays JSON.
func logJSON(text string) slog.Value {
	switch text[0] {
	case '{':
		attrs := make([]slog.Attr, 0, 8)
		for s := (scanner{b: text}); s.next('}'); {
			attrs = append(attrs, slog.Attr{Key: s.key(), Value: logJSON(s.value())})
		}
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
