package taxonomy

import (
	"log/slog"

	"github.com/errgen/errgen/runtime/internal/text"
)

// ReplaceAttr finds the typed error in a wrapped one. Set it as slog.HandlerOptions.ReplaceAttr: an
// error that wraps an error of a taxonomy is logged as that error, with the text of the whole under
// "text", secrets masked. Every other attribute is unchanged.
func ReplaceAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindAny {
		return a
	}
	err, _ := a.Value.Any().(error)
	c, ok := First(err, nil)
	if !ok {
		return a
	}
	attrs := []slog.Attr{slog.String("text", text.Beginning(errorText(err), maxMessage))}
	if v, ok := c.(slog.LogValuer); ok {
		attrs = append(attrs, v.LogValue().Resolve().Group()...)
	} else {
		attrs = append(attrs, slog.String("category", CategoryOf(c)), slog.String("code", CodeOf(c)))
	}
	return slog.Attr{Key: a.Key, Value: slog.GroupValue(attrs...)}
}
