package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// JSON returns the context as it must be on the wire, in the order of the fields.
func JSON(fields []*model.Field, ctx model.Context) string {
	return wire{}.object(fields, ctx)
}

// PlainJSON returns what encoding/json must make of the bare struct: its values as they were given,
// but for secrets.
func PlainJSON(fields []*model.Field, ctx model.Context) string {
	return wire{plain: true}.object(fields, ctx)
}

// wire is a form of JSON.
type wire struct{ plain bool }

func (w wire) object(fields []*model.Field, ctx model.Context) string {
	var b bytes.Buffer
	w.writeObject(&b, fields, ctx)
	return b.String()
}

func (w wire) writeObject(b *bytes.Buffer, fields []*model.Field, ctx model.Context) {
	b.WriteByte('{')
	start := b.Len()
	for _, f := range fields {
		_, held := ctx[f]
		v, ok := ctx.Get(f)
		if f.MessageOnly || !f.Required && !ok {
			continue
		}
		if b.Len() > start {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", f.Wire)
		w.writeValue(b, f, v, held)
	}
	b.WriteByte('}')
}

func (w wire) writeValue(b *bytes.Buffer, f *model.Field, v model.Value, held bool) {
	switch {
	case f.Sensitive && !held, v.Type == model.EnumType && v.Str == "":
		w.writeMissing(b, f)
	case f.Sensitive:
		b.WriteString(strconv.Quote(taxonomy.Redacted))
	case v.Type == model.ObjectType:
		w.writeObject(b, f.Object.Fields, v.Object)
	case v.Type == model.JSON:
		writeRaw(b, v.Str)
	case v.Type == model.Strings:
		w.writeList(b, f, v.Strings)
	case v.Type == model.Duration && w.plain:
		b.WriteString(strconv.FormatInt(int64(v.Duration), 10))
	case v.Type == model.Float64:
		w.encode(b, v.Float)
	case v.Type == model.Int, v.Type == model.Int64, v.Type == model.Uint64, v.Type == model.Bool:
		b.WriteString(f.Shown(v))
	case v.Type == model.Time:
		w.encode(b, v.Time.UTC().Format(time.RFC3339Nano))
	case w.plain:
		w.encode(b, v.Str)
	default:
		w.encode(b, f.Shown(v))
	}
}

// writeMissing writes what stands for a required enum or secret that is not there.
func (w wire) writeMissing(b *bytes.Buffer, f *model.Field) {
	if w.plain && f.Type == model.EnumType && !f.Sensitive {
		b.WriteString(`""`)
		return
	}
	b.WriteString("null")
}

func writeRaw(b *bytes.Buffer, raw string) {
	if raw == "" {
		raw = "null"
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, []byte(raw)) // what a taxonomy holds is valid
	json.HTMLEscape(b, compact.Bytes())
}

func (w wire) writeList(b *bytes.Buffer, f *model.Field, items []string) {
	if w.plain {
		w.encode(b, items)
		return
	}
	shown := make([]string, len(items))
	for i, s := range items {
		shown[i] = f.Clean(s)
	}
	w.encode(b, shown)
}

// encode writes v as JSON.
func (w wire) encode(b *bytes.Buffer, v any) {
	_ = json.NewEncoder(b).Encode(v) // strings, lists of them and finite numbers always encode
	b.Truncate(b.Len() - 1)
}
