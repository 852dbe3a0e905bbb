package gentest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// checkDecoding checks which contexts the errors of a category accept: contexts without fields,
// with nulls and with unknown fields. A value of a wrong type is an error, and an unknown word of
// an enum makes an unknown error.
func (k *category) checkDecoding(t *testing.T, blank Error, codes []Code) {
	code := "" // of an error without a code, if all codes have types of their own
	if len(codes) > 0 {
		code = codes[0].Code.Error()
	}
	empty := string(blank.AppendContext(nil))
	nulls := map[string]any{}
	for _, f := range k.fields {
		nulls[f.Name] = nil
	}
	for _, context := range []string{"{}", `{"no such field":[1,{}]}`, encode(nulls)} {
		k.checkRead(t, blank, code, context, empty)
	}
	for _, c := range codes {
		full := slices.MaxFunc(c.Cases, func(a, b Case) int { return fields(a) - fields(b) }).context
		k.checkRead(t, blank, c.Code.Error(), encode(strange(k.fields, decode(full))), full)
	}
	was := string(blank.AppendJSON(nil))
	for _, wrong := range contexts(k.fields, wrongValue) {
		_, err := k.Unmarshal(wireOf(k.name, code, wrong.json))
		assert.ErrorContains(t, err, "context."+wrong.path, wrong.json)
	}
	_, err := k.Unmarshal(wireOf(k.name, code, "1"))
	assert.ErrorContains(t, err, "context")
	for _, word := range contexts(k.fields, unknownWord) {
		written := wireOf(k.name, code, word.json)
		back, err := k.Unmarshal(written)
		require.NoError(t, err, word.json)
		require.IsType(t, (*taxonomy.Unknown)(nil), back, word.json)
		assert.Equal(t, string(written), string(back.AppendJSON(nil)))
		assert.ErrorContains(t, blank.UnmarshalJSON(written), "context."+word.path+": unknown value")
	}
	for _, wrong := range []string{"{", `{"category":"no such category","code":"no such code"}`} {
		require.Error(t, blank.UnmarshalJSON([]byte(wrong)))
	}
	assert.Equal(t, was, string(blank.AppendJSON(nil)), "an error changes nothing")
}

// fields returns about how many fields the context has, those of objects included.
func fields(x Case) int { return strings.Count(x.context, `":`) }

// checkRead checks that the context is read, by the package and by the error e, as want.
func (k *category) checkRead(t *testing.T, e Error, code, context, want string) {
	written := wireOf(k.name, code, context)
	back, err := k.Unmarshal(written)
	require.NoError(t, err, context)
	assert.Equal(t, want, string(back.AppendContext(nil)), context)
	require.NoError(t, e.UnmarshalJSON(written), context)
	assert.Equal(t, want, string(e.AppendContext(nil)), context)
}

// strange adds an unknown field to an object of the fields, and to the objects in it.
func strange(fields []taxonomy.Field, object map[string]any) map[string]any {
	object = maps.Clone(object)
	for _, f := range fields {
		if inner, ok := object[f.Name].(map[string]any); ok && f.Type == "object" {
			object[f.Name] = strange(f.Fields, inner)
		}
	}
	object["no such field"] = []any{1, map[string]any{}}
	return object
}

// fault is a context with one wrong value, and the path of the value.
type fault struct{ json, path string }

// contexts returns a context for each field for which value returns JSON.
func contexts(fields []taxonomy.Field, value func(taxonomy.Field) string) []fault {
	var out []fault
	for _, f := range fields {
		if f.MessageOnly || f.Sensitive {
			continue
		}
		if v := value(f); v != "" {
			out = append(out, fault{fmt.Sprintf("{%q:%s}", f.Name, v), f.Name})
		}
		for _, part := range contexts(f.Fields, value) {
			if f.Type != "object" {
				part.json = "[" + part.json + "]"
			}
			out = append(out, fault{fmt.Sprintf("{%q:%s}", f.Name, part.json), f.Name + "." + part.path})
		}
	}
	return out
}

// wrongValue returns JSON of another type than the field's, or "".
func wrongValue(f taxonomy.Field) string {
	switch f.Type {
	case "json":
		return ""
	case "string", "enum":
		return "1"
	}
	return `"no such value"`
}

// unknownWord returns a word that an enum does not have.
func unknownWord(f taxonomy.Field) string {
	if f.Type == "enum" {
		return `"no such word"`
	}
	return ""
}

func decode(object string) map[string]any {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader([]byte(object)))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		panic(err)
	}
	return m
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
