package gentest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// checkFilling checks that evidence fills the fields of a category as the table declares: each key
// alone, all keys together, texts that cannot be read, and no evidence.
func (k *category) checkFilling(t *testing.T, index int) {
	d, ok := k.Table.Classifier.(*detect.Detection)
	if !ok {
		return
	}
	evidence := evidenceFor(k.fields)
	fallback, _ := k.Table.Taxonomy.Find(k.Table.Taxonomy.Fallback)
	for n := 1; n < len(k.Table.Taxonomy.Categories[index].Codes); n++ {
		row := taxonomy.At(index, uint16(n))
		var rules []detect.CodeRule
		if index < len(d.Categories) && n < len(d.Categories[index]) {
			rules = d.Categories[index][n]
		}
		if row == fallback {
			rules = append(rules[:len(rules):len(rules)], detect.CodeRule{Set: d.FallbackSet, Apply: d.FallbackApply})
		}
		own := evidence
		if k.Table.Taxonomy.Code(row).Own != nil {
			own = evidenceFor(k.Table.Taxonomy.Fields(row))
		}
		for i, rule := range rules {
			for _, ev := range own {
				k.checkFilled(t, d, row, rule, ev)
			}
			switch { // the other rules of a type differ in what they set
			case i > 0:
			case k.Table.Taxonomy.Code(row).Own != nil:
				own = own[:1]
			default:
				own, evidence = own[:1], evidence[:1]
			}
		}
	}
}

// evidenceFor returns evidence for fields: none, texts that cannot be read, all keys together and
// each key alone.
func evidenceFor(fields []taxonomy.Field) []*taxonomy.Evidence {
	unreadable, all := map[string]any{}, map[string]any{}
	var alone []*taxonomy.Evidence
	eachKey(fields, func(f taxonomy.Field, key string) {
		setKey(unreadable, key, "?")
		setKey(all, key, sampleText(f))
		one := map[string]any{}
		setKey(one, key, sampleText(f))
		alone = append(alone, evidenceOf(one))
	})
	return append([]*taxonomy.Evidence{{}, evidenceOf(unreadable), evidenceOf(all)}, alone...)
}

// setKey sets a key of evidence. The text is the value of the keys that are texts.
func setKey(values map[string]any, key, text string) {
	if name, ok := strings.CutPrefix(key, "attributes."); ok {
		attributes, _ := values["attributes"].(map[string]any)
		if attributes == nil {
			attributes = map[string]any{}
		}
		attributes[name] = text
		values["attributes"] = attributes
		return
	}
	values[key] = text
	if value, ok := notTexts[key]; ok {
		values[key] = value
	}
}

// notTexts are values of the keys of evidence that are not texts.
var notTexts = map[string]any{
	"status": 418, "exit_code": 3, "files": []string{"some file"}, "retry_after": "1m30s",
	"reset_at": "2026-01-02T03:04:05Z",
}

func evidenceOf(values map[string]any) *taxonomy.Evidence {
	ev := new(taxonomy.Evidence)
	if err := json.Unmarshal([]byte(encode(values)), ev); err != nil {
		panic(err)
	}
	return ev
}

// checkFilled checks the context of an error that a rule makes of evidence.
func (k *category) checkFilled(
	t *testing.T, d *detect.Detection, row taxonomy.Row, rule detect.CodeRule, ev *taxonomy.Evidence,
) {
	fields := k.Table.Taxonomy.Fields(row)
	context, _ := filled(fields, ev)
	code := k.Table.Taxonomy.Code(row)
	for _, set := range []string{rule.Set, code.Set} {
		if set != "" {
			require.NoError(t, json.Unmarshal([]byte(set), &context))
		}
	}
	for _, f := range fields {
		if f.MessageOnly {
			delete(context, f.Name)
		} else if _, ok := context[f.Name]; ok && f.Sensitive {
			context[f.Name] = taxonomy.Redacted
		}
	}
	want, err := k.Unmarshal(wireOf(k.name, code.Value, encode(context)))
	require.NoError(t, err)
	wantContext := string(want.AppendContext(nil))
	e := d.From(row, ev)
	if rule.Apply != nil {
		rule.Apply(e)
	}
	if len(ev.Files) > 0 {
		ev.Files[0] = "changed"
		defer func() { ev.Files[0] = "some file" }()
	}
	assert.Equal(t, wantContext, string(e.AppendContext(nil)), "context of %s made of %+v", rule.Doc, ev)
	assert.Equal(t, row, e.Row().When(0))
}

// filled returns the context that evidence fills, and whether evidence has a value for any field.
func filled(fields []taxonomy.Field, ev *taxonomy.Evidence) (context map[string]any, found bool) {
	context = map[string]any{}
	for _, f := range fields {
		if f.Type == "object" {
			inner, ok := filled(f.Fields, ev)
			if ok || f.Required {
				context[f.Name], found = inner, found || ok
			}
			if f.Sensitive && (ok || f.Required) {
				context[f.Name] = taxonomy.Redacted
			}
			continue
		}
		if f.Default != "" {
			context[f.Name] = json.RawMessage(f.Default)
		}
		for _, from := range f.From {
			if v, ok := detect.Read(ev, from, f.Type, f.Enum); ok {
				context[f.Name], found = onWire(f, v), true
				break
			}
		}
		if _, ok := context[f.Name]; ok && f.Sensitive {
			context[f.Name] = taxonomy.Redacted
		}
	}
	return context, found
}

// onWire returns a value of a field for encoding/json.
func onWire(f taxonomy.Field, v any) any {
	switch v := v.(type) {
	case uint8:
		return f.Enum[v-1]
	case time.Duration:
		return v.String()
	}
	return v
}

// eachKey calls do for each key that fills a field, in objects too.
func eachKey(fields []taxonomy.Field, do func(f taxonomy.Field, key string)) {
	for _, f := range fields {
		for _, key := range f.From {
			do(f, key)
		}
		eachKey(f.Fields, do)
	}
}

// sampleText returns a text that can be read as the type of a field.
func sampleText(f taxonomy.Field) string {
	switch f.Type {
	case "enum":
		return f.Enum[len(f.Enum)-1]
	case "int", "int64", "uint64", "float64":
		return "7"
	case "bool":
		return "true"
	case "duration":
		return "1m30s"
	case "time":
		return "2026-01-02T03:04:05Z"
	case "json":
		return `{"a":1}`
	}
	return "some text"
}
