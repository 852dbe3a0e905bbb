package gen

import (
	"encoding/json"
	"log/slog"
	"strconv"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: its JSON, with objects as groups. So the context, the cause
// and the causes are the same in a log as on the wire, secrets masked.
//
//go:noinline
func LogValue(e taxonomy.Error) slog.Value {
	return logValue(e.AppendJSON(make([]byte, 0, marshalSize)))
}

// logValue returns the log value of valid JSON. A list of values other than texts stays JSON.
func logValue(raw []byte) slog.Value {
	s := scanner{b: raw}
	switch raw[0] {
	case '{':
		attrs := make([]slog.Attr, 0, 8)
		for s.nextKey() {
			attrs = append(attrs, slog.Attr{Key: string(s.key), Value: logValue(s.value())})
		}
		if len(attrs) == 0 { // slog leaves an empty group out
			return slog.AnyValue(json.RawMessage(raw))
		}
		return slog.GroupValue(attrs...)
	case '[':
		texts := []string{}
		for s.nextElement() {
			element := s.value()
			if element[0] != '"' {
				return slog.AnyValue(json.RawMessage(raw))
			}
			texts = append(texts, unquote(element))
		}
		return slog.AnyValue(texts)
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
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return slog.Uint64Value(n)
	}
	return slog.AnyValue(json.Number(raw))
}
