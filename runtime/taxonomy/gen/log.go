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
	if effect := declaredEffect(e, t.Traits(row)); effect != taxonomy.EffectUnspecified {
		attrs = append(attrs, slog.String("effect", effect.String()))
	}
	w := causeEncoder{left: maxCauses}
	b := append(w.details(append(make([]byte, 0, marshalSize/2), '{'), e, row, maxDepth+1), '}')
	members := scanner{b: unsafe.String(unsafe.SliceData(b), len(b))} // b does not change any more
	return slog.GroupValue(members.attrs(attrs)...)
}

// attrs reads an object, and appends its members.
func (s *scanner) attrs(attrs []slog.Attr) []slog.Attr {
	for s.next('}') {
		attrs = append(attrs, slog.Attr{Key: s.key(), Value: s.logValue()})
	}
	s.pos++
	return attrs
}

// LogCode returns the log value of a code: that of its error without a context.
func LogCode(c taxonomy.Coded) slog.Value {
	if c.Taxonomy().Code(c.Row()) == nil {
		return slog.StringValue(noCode)
	}
	code := scanner{b: string(appendCode(nil, c))}
	return code.logValue()
}

// logValue reads a value. A list stays JSON.
func (s *scanner) logValue() slog.Value {
	start := s.pos
	if s.at() == '{' {
		if attrs := s.attrs(make([]slog.Attr, 0, 4)); len(attrs) > 0 {
			return slog.GroupValue(attrs...)
		}
		return slog.AnyValue(json.RawMessage(s.b[start:s.pos])) // slog leaves an empty group out
	}
	switch text := s.value(); text[0] {
	case '[':
		return slog.AnyValue(json.RawMessage(text))
	case '"':
		return slog.StringValue(unquote(text))
	case 't', 'f':
		return slog.BoolValue(text[0] == 't')
	case 'n':
		return slog.AnyValue(nil)
	default:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return slog.Int64Value(n)
		}
		return slog.AnyValue(json.Number(text))
	}
}
