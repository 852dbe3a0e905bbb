package gen

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogValue returns the log value of e: its JSON with objects as groups and secrets masked. So a log
// contains the same context and causes as the wire.
func LogValue(e taxonomy.Error) slog.Value {
	b := AppendJSON(make([]byte, 0, marshalSize), e)
	return logJSON(b, string(b))
}

// LogCode returns the log value of a code: that of its error without a context.
func LogCode(c taxonomy.Coded) slog.Value {
	if c.Taxonomy().Code(c.Row()) == nil {
		return slog.StringValue(noCode)
	}
	b := appendCode(nil, c)
	return logJSON(b, string(b))
}

// logJSON returns the log value of valid JSON. It retains raw. text is the same JSON, and the log's
// texts are parts of it. A list stays JSON.
func logJSON(raw []byte, text string) slog.Value {
	switch raw[0] {
	case '{':
		attrs := make([]slog.Attr, 0, 8)
		for s := (scanner{b: raw}); s.next('}'); {
			start := s.pos + 1
			key := text[start : start+len(s.key())]
			value := s.value()
			attrs = append(attrs, slog.Attr{Key: key, Value: logJSON(value, text[s.pos-len(value):s.pos])})
		}
		if len(attrs) == 0 { // slog leaves an empty group out
			return slog.AnyValue(json.RawMessage(raw))
		}
		return slog.GroupValue(attrs...)
	case '[':
		return slog.AnyValue(json.RawMessage(raw))
	case '"':
		if strings.IndexByte(text, '\\') >= 0 {
			return slog.StringValue(unquote(raw))
		}
		return slog.StringValue(text[1 : len(text)-1])
	case 't', 'f':
		return slog.BoolValue(raw[0] == 't')
	case 'n':
		return slog.AnyValue(nil)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return slog.Int64Value(n)
	}
	return slog.AnyValue(json.Number(text))
}
