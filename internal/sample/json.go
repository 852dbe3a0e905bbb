package sample

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// JSON returns the expected context on the wire, in the order of the fields.
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
	case f.Sensitive && given:
		v = model.Value{Type: model.String, Str: taxonomy.Redacted}
	case f.Sensitive, v.Type == model.EnumType && v.Str == "", v.Type == model.JSON && v.Str == "":
		v = model.Value{Type: model.JSON, Str: "null"}
	case v.Type == model.ObjectType:
		writeObject(b, f.Object.Fields, v.Object)
		return
	case v.Type.IsObjects():
		b.WriteByte('[')
		for i, item := range v.Objects {
			if i > 0 {
				b.WriteByte(',')
			}
			writeObject(b, f.Object.Fields, item)
		}
		b.WriteByte(']')
		return
	case v.Type == model.String:
		v.Str = f.Clean(v.Str)
	case v.Type == model.Strings:
		shown := make([]string, len(v.Strings))
		for i, s := range v.Strings {
			shown[i] = f.Clean(s)
		}
		v.Strings = shown
	}
	wire, _ := json.Marshal(json.RawMessage(v.JSON())) // compact; always valid
	b.Write(wire)
}
