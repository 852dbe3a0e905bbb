package gen

import (
	"encoding/json"
	"log/slog"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: its JSON, with objects as groups, secrets masked. So the
// context, the cause and the causes are the same in a log as on the wire.
func LogValue(e taxonomy.Error) slog.Value { return logJSON(AppendJSON(nil, e)) }

// logJSON returns the log value of valid JSON, which it keeps. A list stays JSON.
func logJSON(raw []byte) slog.Value {
	switch raw[0] {
	case '{':
		attrs := make([]slog.Attr, 0, 8)
		for s := (scanner{b: raw}); s.next('}'); {
			attrs = append(attrs, slog.Attr{Key: string(s.key()), Value: logJSON(s.value())})
		}
		if len(attrs) == 0 { // slog leaves an empty group out
			return slog.AnyValue(json.RawMessage(raw))
		}
		return slog.GroupValue(attrs...)
	case '[':
		return slog.AnyValue(json.RawMessage(raw))
	case '"':
		return slog.StringValue(unquote(raw))
	case 't', 'f':
		return slog.BoolValue(raw[0] == 't')
	case 'n':
		return slog.AnyValue(nil)
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return slog.Int64Value(n)
	}
	return slog.AnyValue(json.Number(raw))
}
