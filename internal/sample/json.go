package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// JSON returns the context as it must be on the wire, in the order of the fields.
func JSON(fields []*model.Field, ctx model.Context) string {
	var b bytes.Buffer
	writeObject(&b, fields, ctx)
	return b.String()
}

func writeObject(b *bytes.Buffer, fields []*model.Field, ctx model.Context) {
	b.WriteByte('{')
	start := b.Len()
	for _, f := range fields {
		_, given := ctx[f]
		v, ok := ctx.Get(f)
		if f.MessageOnly || !f.Required && !ok {
			continue
		}
		if b.Len() > start {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", f.Wire)
		writeValue(b, f, v, given)
	}
	b.WriteByte('}')
}

func writeValue(b *bytes.Buffer, f *model.Field, v model.Value, given bool) {
	switch {
	case f.Sensitive && !given, v.Type == model.EnumType && v.Str == "":
		b.WriteString("null")
	case f.Sensitive:
		encode(b, taxonomy.Redacted)
	case v.Type == model.ObjectType:
		writeObject(b, f.Object.Fields, v.Object)
	case v.Type.IsObjects():
		b.WriteByte('[')
		for i, item := range v.Objects {
			if i > 0 {
				b.WriteByte(',')
			}
			writeObject(b, f.Object.Fields, item)
		}
		b.WriteByte(']')
	case v.Type == model.JSON && v.Str == "":
		b.WriteString("null")
	case v.Type == model.JSON:
		encode(b, json.RawMessage(v.Str))
	case v.Type == model.Strings:
		shown := make([]string, len(v.Strings))
		for i, s := range v.Strings {
			shown[i] = f.Clean(s)
		}
		encode(b, shown)
	case v.Type == model.Float64:
		encode(b, v.Float)
	case v.Type == model.Int, v.Type == model.Int64, v.Type == model.Uint64, v.Type == model.Bool:
		b.WriteString(f.Shown(v))
	case v.Type == model.Time:
		encode(b, v.Time.UTC().Format(time.RFC3339Nano))
	default:
		encode(b, f.Shown(v))
	}
}

// encode writes v as JSON.
func encode(b *bytes.Buffer, v any) {
	_ = json.NewEncoder(b).Encode(v) // strings, lists of strings, finite numbers and valid JSON always encode
	b.Truncate(b.Len() - 1)
}
